package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/experiment/experimenttest"
	"nptbench/results/resultstest"
)

func TestMain(m *testing.M) {
	experiment.ServeProcess() // this very binary is run again
	os.Exit(m.Run())
}

const sweep = `name: small
datasets: [waves, circles]
folds: 1
methods:
  - {method: npt, params: &npt {dim_hidden: 8, heads: 2, layers: 2, steps: 40, lr: 0.02, p_target: 0.5}, measure: &all {corruption: {}}}
  - {method: npt, params: *npt, variants: {without ABD: {abd: false}, self only: {self_only: true}}, measure: *all}
  - {method: random-forest, measure: *all}
  - {method: mlp, measure: *all}
  - {method: knn, measure: *all}
`

// What predicts from parameters alone does not change by a bit, an NPT and nearest neighbours do; all in records, with the
// report, and nothing is done twice.
func TestControls(t *testing.T) {
	data := datasettest.Library(t).Dirs[0]
	dir, _ := experimenttest.Run(t, corruption, data, sweep)
	n := 0
	for _, r := range resultstest.Records(t, filepath.Join(dir, "records")) {
		if r.Measure == "" {
			continue
		}
		n++
		changed, corrupted := r.Test["changed_rows"], r.Table.Column("corrupted")
		who := fmt.Sprint(r.Method, " ", r.Variant, " on ", r.Dataset)
		switch {
		case r.Variant != "", r.Method == "random-forest", r.Method == "mlp":
			if changed != 0 || r.Test["rmse_change"] != 0 || r.Test["accuracy_change"] != 0 {
				t.Errorf("%s: %v", who, r.Test)
			}
		case r.Method == "npt":
			if changed != 100 {
				t.Errorf("%s: %v", who, r.Test)
			}
		case r.Test["rmse_change"] > -10 && r.Test["accuracy_change"] > -10: // nearest neighbours
			t.Errorf("%s: %v", who, r.Test)
		}
		if len(corrupted) != r.Rows[2] || r.Val == nil {
			t.Errorf("%s: %d rows in the table, validation metrics %v", who, len(corrupted), r.Val)
		}
	}
	if n != 12 {
		t.Errorf("%d records of measurements, want 12", n)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "report", "corruption-rows.csv"))
	if err != nil || !strings.HasPrefix(string(rows), "dataset,protocol,method,variant,measure,fold,test_row,target,clean,corrupted\n") || bytes.Count(rows, []byte("\n")) != 1+6*(12+15) {
		t.Errorf("%v, %d lines:\n%.200s", err, bytes.Count(rows, []byte("\n")), rows)
	}
	if _, said := experimenttest.Run(t, corruption, data, sweep, "-out", dir); !strings.Contains(said, " 0 to do") {
		t.Errorf("again:\n%s", said)
	}
}
