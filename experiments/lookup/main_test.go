package main

import (
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
datasets: [lookup-random-add-one, lookup-random-column]
methods:
  - method: npt
    params: {dim_hidden: 4, heads: 2, layers: 2, dropout: 0, steps: 3, eval_every: 100, p_feature: 0, semi_supervised: false, batch_size: 512}
    measure: {attention: {}, intervention: {rows: 2, values: 3}}
`

// What is measured on the real task is about copies: a network that has learnt nothing follows none of them.
func TestMeasured(t *testing.T) {
	dir, _ := experimenttest.Run(t, lookup, datasettest.Folder(t, "protein"), sweep)
	measured := 0
	for _, r := range resultstest.Records(t, filepath.Join(dir, "records")) {
		switch r.Measure {
		case "attention":
			measured++
			if uniform := r.Test["uniform_share"]; !(uniform > 100.0/513 && uniform < 100.0/500) { // one copy among 255 or 256 rows and their copies
				t.Errorf("the uniform share of a copy is %v %%", uniform)
			}
		case "intervention":
			measured++
			copied, follow := r.Table.Column("copy"), r.Table.Column("follow")
			if slope := r.Test["slope"]; !(slope > -0.5 && slope < 0.5) || len(copied) != 6 || !(copied[2] > copied[0]) || (follow[0] < copied[0]) != (r.Dataset == "lookup-random-add-one") {
				t.Errorf("slope %v; copies %v, to follow %v", slope, copied, follow)
			}
		}
	}
	if measured != 4 {
		t.Errorf("%d measurements, want 4", measured)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report", "lookup.md"))
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{} // by name
	for _, part := range strings.Split(string(text), "<!-- table ")[1:] {
		name, table, _ := strings.Cut(part, " -->")
		tables[name], _, _ = strings.Cut(table, "<!-- end")
	}
	if strings.Contains(tables["lookup"], "random column") || strings.Contains(tables["correlation"], "random column") || !strings.Contains(tables["random-column"], "| NPT, 2 layers") {
		t.Errorf("errors in standard deviations belong in a table of their own:\n%s\n%s", tables["lookup"], tables["random-column"])
	}
	if r := tables["correlation"]; !strings.Contains(r, "| NPT, 2 layers") || strings.Contains(r, "not defined") {
		t.Errorf("there is no r:\n%s", r)
	}
}
