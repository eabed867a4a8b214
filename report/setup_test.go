package report

import (
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/methods"
	"nptbench/internal/plan"
	"nptbench/sweeps"
)

var realCatalogue = sweeps.Catalogue{Methods: methods.All(), Datasets: dataset.Infos()}

// setupOf returns the appendix of a sweep for a report that has Yacht, and no record.
func setupOf(t *testing.T, sweep *sweeps.Sweep, err error) (datasets, settings, searches *Table) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s := &Summary{Spec: Spec{Setup: sweep, Plan: &plan.Plan{Datasets: []*plan.Dataset{{Info: dataset.Infos()[0]}}}}}
	blocks := s.setup()
	if len(blocks) != 4 {
		t.Fatalf("%d blocks", len(blocks))
	}
	return blocks[1].(*Table), blocks[2].(*Table), blocks[3].(*Table)
}

// different lists the cells with the paper's number beside ours.
func (t *Table) different() (texts []string) {
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			if i > 0 && strings.Contains(c.Text, " (") && !strings.Contains(c.Text, "CV") {
				texts = append(texts, row.Cells[0].Text+" "+t.Columns[i].Head+" "+c.Text)
			}
		}
	}
	return texts
}

// The paper's own sweep, and our data sets, are the paper's but for what is known of it.
func TestSetup(t *testing.T) {
	sweep, err := sweeps.Load("table1-paper", realCatalogue)
	datasets, settings, searches := setupOf(t, sweep, err)
	want := []string{
		"Yacht Categorical 6 (5)", "Yacht Continuous 0 (1)", "Breast Cancer Features 30 (31)", "Breast Cancer Continuous 30 (31)",
		"Concrete Features 8 (9)", "Concrete Continuous 8 (9)", "Income Features 41 (42)", "Income Categorical 35 (36)",
		"Income Train/val/test 0.58/0.1/0.33 (0.57/0.1/0.33)", "Poker Hand Train/val/test 0.021/0.003/0.98 (0.017/0.003/0.98)",
	}
	if got := datasets.different(); !slices.Equal(got, want) {
		t.Errorf("different from Tables 14 and 15:\n%s", strings.Join(got, "\n"))
	}
	for caption, counts := range map[string]string{datasets.Caption: "66 of the paper's 76", settings.Caption: "89 of the paper's 89", searches.Caption: "39 of 39"} {
		if !strings.Contains(caption, counts) {
			t.Errorf("%s; want %s", caption, counts)
		}
	}
	if got := settings.different(); got != nil || len(searches.Notes) > 0 {
		t.Errorf("different from Table 16: %q; from Tables 17 to 25: %q", got, searches.Notes)
	}
	if cell := datasets.Rows[0].Cells[9]; cell.Text != none || datasets.Notes[cell.Notes[0]-1] != "There is no record yet." {
		t.Errorf("rows of records: %+v", cell)
	}
}

// A search among as many of the paper's settings as can differ in their predictions is the paper's: of the random forest's 24 on Breast Cancer
// 16.
func TestSearchOfDistinctSettings(t *testing.T) {
	sweep, err := sweeps.Load("table1-paper", realCatalogue)
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[int]bool{15: true, 16: false} {
		f := newFixture()
		f.Setup = sweep
		f.expect("breast-cancer", published, "random-forest", settings)
		if g := collect(t, f).group("breast-cancer", published, "random-forest"); g.otherSearch() != want {
			t.Errorf("%d settings, %d can differ: another search %t", settings, g.distinct, !want)
		}
	}
}

// What a sweep has otherwise is shown, and what it does not have is not invented.
func TestSetupDiffers(t *testing.T) {
	sweep, err := sweeps.Parse("other.yaml", []byte("name: other\ndatasets: [yacht, higgs]\nmethods:\n"+
		"  - {method: npt, params: {batch_size: 100}}\n"+
		"  - {method: random-forest, datasets: [yacht], grid: {n_estimators: [50, 100], max_features: [auto, sqrt, log2]}}\n"+
		"  - {method: xgboost, datasets: [yacht], grid: {max_depth: [3, 10]}}\n"+
		"  - {method: catboost, datasets: [yacht], grid: {max_depth: [3, 5, 10]}}\n"), realCatalogue)
	datasets, settings, searches := setupOf(t, sweep, err)
	if got, want := datasets.different(), "Yacht NPT's batches Yes (No)"; !slices.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
	if got := settings.different(); !slices.Contains(got, "Random Forest Yacht 6 (24)") || !slices.Contains(got, "k-NN Yacht 0 (480)") {
		t.Errorf("settings: %q", got)
	}
	text := map[string]string{}
	for _, row := range searches.Rows {
		note := ""
		if notes := row.Cells[2].Notes; notes != nil {
			note = ", " + searches.Notes[notes[0]-1]
		}
		text[row.Group[:2]+" "+row.Cells[0].Text] = row.Cells[2].Text + note
	}
	for line, want := range map[string]string{
		"18 n_estimators": "50, 100, Not the paper's.", "18 max_features": "auto, sqrt, log2, Not the same for all of these methods and data sets.", "23 p": none,
		"19 max_depth": "3, 10, 5, Not the same for all of these methods and data sets.",
	} {
		if text[line] != want {
			t.Errorf("%s: %q, want %q", line, text[line], want)
		}
	}
}
