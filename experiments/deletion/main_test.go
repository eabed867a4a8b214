package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/experiment/experimenttest"
	"nptbench/results"
	"nptbench/results/resultstest"
)

func TestMain(m *testing.M) {
	experiment.ServeProcess() // this very binary is run again
	os.Exit(m.Run())
}

const sweep = `name: small
seed: 7
datasets: [waves]
folds: 1
methods:
  - method: npt
    params: {dim_hidden: 8, heads: 2, layers: 2, steps: 40, lr: 0.02, p_target: 0.5}
    measure: {deletion: [{rows: 2}, {rows: 2, per_deletion: 0.005, remaining: 0.01}], attention: {nearest: 5}}
`

// The model of one training is measured in several ways, and each of them is in the records and in the report; so is a variant.
func TestDeletion(t *testing.T) {
	data := datasettest.Library(t).Dirs[0]
	dir, said := experimenttest.Run(t, deletion, data, sweep+`  - method: npt
    params: {dim_hidden: 8, heads: 2, layers: 2, steps: 40, lr: 0.02, p_target: 1}
    variants: {no targets in sight: {}}
    measure: {deletion: {rows: 2}}
`)
	measured, val := map[string]int{}, map[results.ID]results.Metrics{}
	for _, r := range resultstest.Records(t, filepath.Join(dir, "records")) {
		measured[r.Measure]++
		switch r.Measure {
		case "":
			val[r.ID] = r.Val
		case "deletion":
			if kept := r.Table.Column("kept"); len(kept) != 2 || kept[0] < 1 || kept[0] > 119 {
				t.Errorf("of 120 rows %v are kept", kept)
			}
		case "attention":
			if share := r.Test["best_share"]; !(share > 0 && share <= 100 && len(r.Table.Grid) == 32) {
				t.Errorf("the best head has a share of %v", share)
			}
		}
	}
	if len(measured) != 3 || measured["deletion"] != 3 || measured["attention"] != 1 || measured[""] != 2 {
		t.Errorf("records by what was measured: %v", measured)
	}
	for name, want := range map[string]string{
		"deletion.md":            "remaining = 0.01",
		"deletion.csv":           `"no targets in sight, deletion, rows = 2",kept_distance`,
		"deletion-rows.csv":      "dataset,protocol,method,variant,measure,fold,test_row,rows,kept,kept_distance",
		"attention-rows.csv":     "layer,head,share",
		"deletion.svg":           "random",
		"deletion-attention.svg": "attended to",
	} {
		text, err := os.ReadFile(filepath.Join(dir, "report", name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, lacks %q", name, err, want)
		}
	}
	// All numbers of the tables are in the file, those of both versions.
	text, err := os.ReadFile(filepath.Join(dir, "report", "deletion.csv"))
	if lines := strings.Count(string(text), "\n") - 1; err != nil || lines < 18 || !strings.Contains(said, fmt.Sprintf("Of %d numbers", lines)) {
		t.Errorf("%v, %d lines in\n%s\n%s", err, lines, text, said)
	}
	// What is measured later, in another folder, is measured on the model and with the record that are there.
	later, _ := experimenttest.Run(t, deletion, data, strings.Replace(sweep, "nearest: 5", "nearest: 6", 1), "-with", filepath.Join(dir, "records"))
	if _, err := os.Stat(filepath.Join(later, "models")); err == nil {
		t.Error("the training was repeated")
	}
	n := 0
	for _, r := range resultstest.Records(t, filepath.Join(later, "records")) {
		training := r.Training()
		if n++; r.Measure != "attention" || len(r.Val) == 0 || !maps.Equal(r.Val, val[training.ID()]) {
			t.Errorf("%s: validation %v, want that of its training, %v", r.Measure, r.Val, val[training.ID()])
		}
	}
	if n != 1 {
		t.Errorf("%d records, want that of one measurement", n)
	}
}

// Each claim is held against the version that it is about.
func TestClaims(t *testing.T) {
	dir, _ := experimenttest.Run(t, deletion, datasettest.Folder(t, "protein"), strings.NewReplacer("waves", "protein", "steps: 40", "steps: 4, batch_size: 512, eval_every: 4").Replace(sweep))
	claims, err := os.Open(filepath.Join(dir, "report", "claims.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer claims.Close()
	lines, err := csv.NewReader(claims).ReadAll()
	if err != nil || len(lines) != 1+len(deletion.Claims) {
		t.Fatalf("%v, %d lines of claims", err, len(lines))
	}
	for _, line := range lines[1:] {
		id, measured := line[0], line[2]
		if second := !strings.HasPrefix(id, "del_p_"); strings.Contains(measured, "(rows = 2, per_deletion = 0.005, remaining = 0.01)") != second ||
			strings.Contains(measured, "(rows = 2)") == second {
			t.Errorf("%s: %q", id, measured)
		}
	}
}
