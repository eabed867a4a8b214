package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/results"
)

func TestMain(m *testing.M) {
	experiment.ServeProcess() // this very binary is run again
	os.Exit(m.Run())
}

const sweep = `name: small
datasets: [waves]
folds: 1
methods:
  - method: npt
    params: {dim_hidden: 8, heads: 2, layers: 2, steps: 40, lr: 0.02, p_target: 0.5}
    measure: {deletion: [{rows: 2}, {rows: 2, per_deletion: 0.005, remaining: 0.01}], attention: {nearest: 5}}
`

// The model of one training is measured in several ways, and each of them is in the records and in the report.
func TestDeletion(t *testing.T) {
	lib, dir := datasettest.Library(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "small.yaml"), []byte(sweep), 0o666); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	e := program.Env{Args: []string{"-data", lib.Dirs[0], "-sweep", filepath.Join(dir, "small.yaml"), "-out", dir}, Stdout: &said, Stderr: &said}
	if exit, err := experiment.Run(context.Background(), e, deletion); err != nil || exit != program.ExitOK {
		t.Fatalf("exit %d, %v\n%s", exit, err, said.String())
	}
	measured := map[string]int{}
	for r, err := range results.Read(filepath.Join(dir, "records")) {
		if err != nil {
			t.Fatal(err)
		}
		measured[r.Measure]++
		switch r.Measure {
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
	if len(measured) != 3 || measured["deletion"] != 2 || measured["attention"] != 1 || measured[""] != 1 {
		t.Errorf("records by what was measured: %v", measured)
	}
	for name, want := range map[string]string{
		"deletion.md":            "remaining = 0.01",
		"deletion-rows.csv":      "dataset,protocol,method,measure,fold,row,rows,kept,kept_distance",
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
	if lines := strings.Count(string(text), "\n") - 1; err != nil || lines < 18 || !strings.Contains(said.String(), fmt.Sprintf("Of %d numbers", lines)) {
		t.Errorf("%v, %d lines in\n%s\n%s", err, lines, text, said.String())
	}
}
