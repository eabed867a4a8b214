package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/results"
)

// widths has NPTs of 2 and of 8 layers, each with two settings, beside k-NN: of the small one setting 1 is the best by the
// validation loss, of the others setting 0.
func widths(t *testing.T, series ...string) *Summary {
	f := newFixture()
	f.Series = series
	f.expect("protein", published, "knn", 2)
	f.expect("concrete", published, "knn", 2)
	f.expect("protein", published, "npt", 4)
	f.expect("concrete", published, "npt", 4)
	f.grids = map[string]string{"npt": "layers: [2, 8], setting: [0, 1]"} // settings 0 to 3 in this order
	for _, d := range []string{"protein", "concrete"} {
		for fold := range map[string]int{"protein": 1, "concrete": 10}[d] {
			for i, loss := range []float64{0.3, 0.2, 0.1, 0.4} {
				f.ok(d, published, "npt", fold, i, mse(loss), rmse(float64(i+1)))
			}
			for i := range 2 {
				f.ok(d, published, "knn", fold, i, mse(float64(i)), rmse(2.5))
			}
		}
	}
	return collect(t, f)
}

// What a row is of is a choice: one for NPT, or one for each of its depths, which then chooses among its own settings.
func TestSeries(t *testing.T) {
	one := widths(t)
	if n := one.number("protein", published, "npt", metric.RMSE); n.Series.Title != "NPT, ≤ 8 layers" || n.Mean != 3 || n.Settings != 4 || n.Series.Paper {
		t.Errorf("%s has %v among %d", n.Series.Title, n.Mean, n.Settings)
	}
	f := newFixture()
	f.expect("protein", published, "npt", 0)
	f.grids = map[string]string{"npt": "layers: [16, 2, 8]"}
	if g := collect(t, f).Groups[0]; g.Series.Title != "NPT, ≤ 16 layers" || g.Series.Paper {
		t.Errorf("%s is said to be the paper's", g.Series.Title)
	}
	two := widths(t, "layers")
	var got []string
	for _, n := range two.Numbers {
		if n.Metric == metric.RMSE && n.Info.Name == "protein" {
			got = append(got, n.Series.Title+": "+n.text(0))
		}
	}
	if want := []string{"k-NN, layers = 8: 2", "NPT, 2 layers: 2", "NPT, 8 layers: 3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var cells bytes.Buffer
	if err := two.writeCells(&cells); err != nil || !strings.HasPrefix(cells.String(), "dataset,protocol,method,layers,metric,mean") ||
		!strings.Contains(cells.String(), "\nprotein,published,npt,2,rmse,2,") {
		t.Errorf("%v, %s", err, cells.String())
	}
	for field, want := range map[string]string{
		"layer":   `no method of sweep test has "layer" to tell rows apart by (did you mean "layers"?)`,
		"setting": "",
		"metric":  `"metric" cannot tell rows apart, since the CSV files have a column of that name; give its values as variants in sweep test, and want "variant"`,
	} {
		f = newFixture()
		f.Series = []string{field, "variant"}
		f.expect("protein", published, "npt", 1)
		f.Plan = f.plan(t)
		if _, err := Collect(f.all(f.Plan), f.Spec); fmt.Sprint(err) != cmp.Or(want, "<nil>") {
			t.Errorf("rows by %s: %v", field, err)
		}
	}
}

// The title of a row has the sizes of its networks, and a note those of a cell that differ. What is not NPT, or not run, has none.
func TestTitles(t *testing.T) {
	f := newFixture()
	f.grids = map[string]string{"protein npt": "layers: [4]", "concrete npt": "layers: [4]", "yacht npt": "layers: [1, 2]"}
	for _, d := range []string{"protein", "concrete", "yacht", "boston-housing"} {
		f.expect(d, published, "knn", 1)
		for fold := range map[bool]int{true: 1, false: 10}[d == "protein"] {
			f.ok(d, published, "knn", fold, 0, mse(1), rmse(3))
			for setting := range map[string]int{"protein": 1, "concrete": 1, "yacht": 2}[d] {
				f.ok(d, published, "npt", fold, setting, mse(1), rmse(2))
			}
		}
		if d != "boston-housing" {
			f.expect(d, published, "npt", 0)
		}
	}
	s := collect(t, f)
	for datasets, want := range map[string]string{
		"concrete protein": `
| Method        |           Concrete RMSE |     Protein RMSE |
|---------------|------------------------:|-----------------:|
| k-NN          | 3.00 ± 0.00<sup>1</sup> | 3.00<sup>2</sup> |
| NPT, 4 layers | 2.00 ± 0.00<sup>3</sup> |             2.00 |

<sup>1</sup> Chosen among 1 setting per fold; the paper chose among 480.\
<sup>2</sup> Chosen among 1 setting per fold; the paper chose among 40.\
<sup>3</sup> Chosen among 1 setting per fold; the paper chose among 8.
`,
		"yacht protein": `
| Method          |                Yacht RMSE |     Protein RMSE |
|-----------------|--------------------------:|-----------------:|
| k-NN            |   3.00 ± 0.00<sup>1</sup> | 3.00<sup>2</sup> |
| NPT, ≤ 4 layers | 2.00 ± 0.00<sup>3,4</sup> | 2.00<sup>5</sup> |

<sup>1</sup> Chosen among 1 setting per fold; the paper chose among 480.\
<sup>2</sup> Chosen among 1 setting per fold; the paper chose among 40.\
<sup>3</sup> Smaller than in the paper: ≤ 2 layers.\
<sup>4</sup> Chosen among 2 settings per fold; the paper chose among 8.\
<sup>5</sup> Smaller than in the paper: 4 layers.
`,
		"boston-housing": `
| Method |     Boston Housing RMSE |
|--------|------------------------:|
| k-NN   | 3.00 ± 0.00<sup>1</sup> |

<sup>1</sup> Chosen among 1 setting per fold; the paper chose among 480.
`,
	} {
		l := Layout{Where: []Where{{"metric", []string{"rmse"}}, {"dataset", strings.Fields(datasets)}}, Rows: []string{"series"},
			Columns: []string{"dataset", "metric"}, Show: []Part{oursAlone}}
		var out bytes.Buffer
		markdownTable(&out, l.table(s.Numbers))
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s", out.String())
		}
	}
}

// A table of one's own is a value: here methods by depth.
func TestLayout(t *testing.T) {
	s := widths(t, "layers")
	l := Layout{Name: "depths", Caption: "RMSE by depth.", Where: []Where{{"metric", []string{"rmse"}}, {"layers", []string{"8", "2"}}},
		Group: "dataset", Rows: []string{"method"}, Columns: []string{"layers"}, Show: []Part{Ours, paper}}
	var out bytes.Buffer
	markdownTable(&out, l.table(s.Numbers))
	want := `RMSE by depth.

<!-- table depths -->
| Data set | Method | layers 8, Ours | layers 8, Paper | layers 2, Ours | layers 2, Paper |
|----------|--------|---------------:|----------------:|---------------:|----------------:|
| Concrete | k-NN   |  2.500 ± 0.000 |      8.51 ± 0.3 |              – |               – |
|          | NPT    |  3.000 ± 0.000 |     5.21 ± 0.20 |  2.000 ± 0.000 |     5.21 ± 0.20 |
| Protein  | k-NN   |          2.500 |            3.77 |              – |               – |
|          | NPT    |          3.000 |            3.41 |          2.000 |            3.41 |
<!-- end -->
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	l.Columns = nil // now the two depths fall on each other
	if table := l.table(s.Numbers); len(table.Notes) != 1 || table.Notes[0] != "The first of 2 numbers that the table does not tell apart." {
		t.Errorf("notes %q", table.Notes)
	}
	l.Rows = []string{"layer"}
	if _, err := Collect(nil, Spec{Plan: s.Plan, Series: s.Series, Tables: []Layout{l}}); err == nil || !strings.Contains(err.Error(), `asks for the field "layer", want one of dataset,`) {
		t.Errorf("an unknown field: %v", err)
	}
}

// Of the tables of Table 1 a report has those that its numbers can fill.
func TestTablesOfOneProtocol(t *testing.T) {
	for protocol, want := range map[split.Protocol]string{published: "large best rmse mse", corrected: "rmse mse"} {
		f := newFixture()
		f.expect("protein", protocol, "knn", 1)
		f.ok("protein", protocol, "knn", 0, 0, mse(1), rmse(3.77))
		s := collect(t, f)
		var names []string
		for i := range table1 {
			if table := table1[i].table(s.Numbers); table != nil {
				names = append(names, table.Name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", protocol, got, want)
		}
	}
}

// A table with a column for each data set has one for corrected folds where there are any, and no other where there are no others.
func TestColumnsByProtocol(t *testing.T) {
	l := overview("", "", Beside, Ranking)
	l.Show = append(l.Show, OfCorrected)
	for want, protocols := range map[string][]split.Protocol{
		"Method|Protein RMSE k-NN|3.77 (3.77)":                                    {published},
		"Method|Protein RMSE, corrected folds k-NN|3.77":                          {corrected},
		"Method|Protein RMSE|Protein RMSE, corrected folds k-NN|3.77 (3.77)|3.77": {published, corrected},
	} {
		f := newFixture()
		for _, protocol := range protocols {
			f.expect("protein", protocol, "knn", 1)
			f.ok("protein", protocol, "knn", 0, 0, mse(1), rmse(3.77))
		}
		table := l.table(collect(t, f).Numbers)
		var heads, texts []string
		for i, c := range table.Columns {
			heads, texts = append(heads, c.Head), append(texts, table.Rows[0].Cells[i].Text)
		}
		if got := strings.Join(heads, "|") + " " + strings.Join(texts, "|"); got != want {
			t.Errorf("%v: %s, want %s", protocols, got, want)
		}
	}
}

// An NPT smaller than published is called what it is, and ranked with the others in a table of its own, which the paper's is not.
func TestSmallNetworksAreRankedApart(t *testing.T) {
	f := newFixture()
	f.params["npt"] = "layers: 2"
	for place, method := range []string{"xgboost", "npt", "knn"} {
		f.expect("protein", published, method, 1)
		f.ok("protein", published, method, 0, 0, mse(1), rmse(float64(place)+1))
	}
	for _, small := range []bool{true, false} {
		if !small {
			f.params["npt"] = "layers: 16"
		}
		want := [][]string{{"XGBoost 1", "NPT 2", "k-NN 3"}}
		if small {
			want = [][]string{{"XGBoost 1", "k-NN 2"}, {"XGBoost 1", "NPT, 2 layers 2", "k-NN 3"}}
		}
		tables := collect(t, f).ranks
		if len(tables) != len(want) {
			t.Fatalf("%d tables, want %d", len(tables), len(want))
		}
		note := "NPT, 2 layers is not among these methods, since it is smaller than in the paper; where it is complete, it is ranked among all methods here."
		if has := slices.Equal(withoutSearches(tables[0].Notes), []string{note}); has != small {
			t.Errorf("small %v: notes %q", small, tables[0].Notes)
		}
		for i, table := range tables {
			var got []string
			for _, r := range table.Rows {
				got = append(got, r.Series.Title+" "+plusMinus(r.Own.Mean, r.Own.StdErr, 0))
			}
			if !slices.Equal(got, want[i]) || table.All != (i == 1) {
				t.Errorf("%q, want %q", got, want[i])
			}
			for _, row := range table.table().Rows {
				if len(row.Cells) != len(table.table().Columns) {
					t.Errorf("%d cells in %d columns", len(row.Cells), len(table.table().Columns))
				}
			}
		}
	}
}

// Rows of single values are not the paper's method, which is said of those that have begun.
func TestRowsOfValuesAreRankedApart(t *testing.T) {
	f := newFixture()
	f.Series = []string{"setting"}
	for place, method := range []string{"xgboost", "knn", "mlp"} {
		f.expect("protein", published, method, 1)
		if method != "mlp" {
			f.ok("protein", published, method, 0, 0, mse(1), rmse(float64(place)+1))
		}
	}
	rows := collect(t, f).finished(published, dataset.Regression, false)
	if len(rows.others) != 2 {
		t.Fatalf("%d series are not the paper's and begun", len(rows.others))
	}
	want := "k-NN, setting = 0 is not among these methods, since it has single values of a parameter; where it is complete, it is ranked among all methods here."
	if notes := rows.rankNotes(nil, nil); !slices.Contains(notes, want) {
		t.Errorf("%q", notes)
	}
}

// A sweep with a small NPT on one data set keeps a place for the paper's on the others, under the paper's name.
func TestPlaceOfThePapersNPT(t *testing.T) {
	f := newFixture()
	f.Methods = testMethods[8:9]
	f.params["npt"] = "layers: 2"
	f.expect("protein", published, "npt", 1)
	f.expect("concrete", published, "npt", 1)
	f.Plan = f.plan(t)
	concrete := f.Plan.Datasets[1]
	concrete.Groups = nil
	s, err := Collect(f.all(f.Plan), f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	if g := s.group("concrete", published, "npt"); g.Series.Title != "NPT" || g.Settings != 0 {
		t.Errorf("%s with %d settings", g.Series.Title, g.Settings)
	}
	if g := s.group("protein", published, "npt"); g.Series.Title != "NPT, 2 layers" {
		t.Errorf("%s", g.Series.Title)
	}
}

// Spreadsheets take texts for formulas.
func TestNoFormulasInCSV(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	f.ok("protein", published, "knn", 0, 0, mse(-0.5), results.Metrics{"rmse": 1}).Variant = `=HYPERLINK("x")`
	var out bytes.Buffer
	if err := collect(t, f).writeFolds(&out); err != nil || !strings.Contains(out.String(), `,"'=HYPERLINK(""x"")",`) || !strings.Contains(out.String(), ",-0.5,") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// The best of a column is bold, the second underlined, by what is printed; two that are the best alike leave no second.
func TestMarkBest(t *testing.T) {
	for _, test := range []struct {
		larger bool
		texts  []string
		want   []Tone
	}{
		{false, []string{"3.45 ± 0.28", "0.89 ± 9.00", "12.02", none}, []Tone{Second, First, Neutral, Neutral}},
		{true, []string{"0.992 ± 0.002", "0.992 ± 0.003", "0.991"}, []Tone{First, First, Neutral}},
		{true, []string{"95.0", "93.1", "93.1"}, []Tone{First, Second, Second}},
		{false, []string{none, "1.2"}, []Tone{Neutral, Neutral}}, // nothing to be better than
	} {
		table := &Table{}
		for _, text := range test.texts {
			table.Rows = append(table.Rows, Row{Cells: cells("method", text)})
		}
		table.markBest(1, test.larger)
		for i, row := range table.Rows {
			if row.Cells[1].Tone != test.want[i] {
				t.Errorf("%q: %s is %q, want %q", test.texts, row.Cells[1].Text, row.Cells[1].Tone, test.want[i])
			}
		}
	}
}

// Every footnote of a table is one of some cell.
func TestFootnotesHaveCells(t *testing.T) {
	for _, s := range []*Summary{goldenSummary(t), nastySummary(t)} {
		for _, b := range s.Document().Blocks {
			table, ok := b.(*Table)
			if !ok {
				continue
			}
			table.checkFootnotes(t)
		}
	}
}

// checkFootnotes checks that each is one of some cell.
func (t *Table) checkFootnotes(test *testing.T) {
	test.Helper()
	used := map[int]bool{}
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			for _, n := range c.Notes {
				used[n] = true
			}
		}
	}
	for i, note := range t.Notes {
		if !used[i+1] {
			test.Errorf("table %s: no cell has the footnote %q", t.Name, note)
		}
	}
}

// A footnote that all numbers of a row have stands at its title.
func TestNoteAtTitle(t *testing.T) {
	row := func(notes ...[]int) Row {
		r := Row{Cells: cells("MLP")}
		for _, n := range notes {
			text := none
			if n != nil {
				text = "1.00"
			}
			r.Cells = append(r.Cells, Cell{Text: text, Notes: n})
		}
		return r
	}
	for _, c := range []struct {
		of    Row
		title []int
		rest  [][]int
	}{
		{row([]int{1}, nil, []int{1}), []int{1}, [][]int{{}, nil, {}}},
		{row([]int{1, 2}, []int{2, 3}), []int{2}, [][]int{{1}, {3}}},
		{row([]int{1}, []int{}), nil, [][]int{{1}, {}}},
		{row([]int{1}, nil), nil, [][]int{{1}, nil}}, // one number has its own
	} {
		got := c.of
		got.noteAtTitle(1)
		if !slices.Equal(got.Cells[0].Notes, c.title) {
			t.Errorf("notes %v at the title, want %v", got.Cells[0].Notes, c.title)
		}
		for i, want := range c.rest {
			if !slices.Equal(got.Cells[1+i].Notes, want) {
				t.Errorf("notes %v at number %d, want %v", got.Cells[1+i].Notes, i, want)
			}
		}
	}
}

// The table of what correcting the protocol changes says what failed, under either.
func TestFailureOfOneProtocol(t *testing.T) {
	at := slices.IndexFunc(table1, func(l Layout) bool { return l.Name == "protocols" })
	for _, failing := range []split.Protocol{published, corrected} {
		f := newFixture()
		for _, m := range []string{"knn", "golearn-knn"} { // of which the paper has nothing
			for _, protocol := range split.Protocols {
				f.expect("boston-housing", protocol, m, 1)
				for fold := range 10 {
					if protocol == failing && fold == 9 {
						f.failed("boston-housing", protocol, m, fold, 0, "memory", "too large")
					} else {
						f.ok("boston-housing", protocol, m, fold, 0, mse(1), rmse(3))
					}
				}
			}
		}
		table := table1[at].table(collect(t, f).Numbers)
		if table == nil || len(table.Rows) != 1 || table.Rows[0].Cells[1].Text != string(FailedCell) || !slices.Contains(table.Notes, "1 of 10 cells failed: 1 memory (too large).") {
			t.Errorf("%s: %+v", failing, table)
		}
	}
}

// A cell of that table has the footnotes of both its numbers, each once.
func TestFootnotesOfBothProtocols(t *testing.T) {
	at := slices.IndexFunc(table1, func(l Layout) bool { return l.Name == "protocols" })
	f := newFixture()
	for i, protocol := range split.Protocols {
		f.expect("boston-housing", protocol, "knn", 2)
		for fold := range 10 {
			f.ok("boston-housing", protocol, "knn", fold, 0, mse(1), rmse(3))
			if fold > i {
				f.ok("boston-housing", protocol, "knn", fold, 1, mse(1), rmse(3))
			} else if protocol == published || fold > 0 { // fold 0 is the same under both
				f.failed("boston-housing", protocol, "knn", fold, 1, "memory", "too large")
			}
		}
	}
	table := table1[at].table(collect(t, f).Numbers)
	want := []string{"Chosen among 2 settings per fold; the paper chose among 480.", "On published folds: 1 of 20 cells failed: 1 memory (too large).",
		"On corrected folds: 2 of 20 cells failed: 2 memory (too large)."}
	if !slices.Equal(table.Notes, want) || !slices.Equal(table.Rows[0].Cells[1].Notes, []int{1, 2, 3}) {
		t.Errorf("%+v", table)
	}
}

// A table of changes against what the plan does not have is refused, where it has what changes.
func TestUnknownBase(t *testing.T) {
	f := newFixture()
	f.Name, f.Series = "ablation", []string{"variant"}
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No ABA: {setting: 1}"}
	f.expect("boston-housing", published, "npt", 2)
	f.Plan = f.plan(t)
	changes := func(variant, base string) Layout {
		return Layout{Name: "changes", Where: []Where{Is("metric", "rmse"), Is("variant", variant)}, Rows: []string{"variant"}, Show: []Part{VariantChange},
			Base: Is("variant", base)}
	}
	results := Layout{Name: "results", Where: []Where{Is("metric", "rmse")}, Rows: []string{"variant"}, Show: []Part{Ours}}
	for _, c := range []struct{ variant, base, want string }{
		{"No ABA", "Base", ""},
		{"No ABA", "Bse", `sweep test has no variant "Bse", against which table changes shows changes; want one of Base, No ABA`},
		{"Self only", "Bse", ""}, // nothing stands in the table
	} {
		f.Tables = []Layout{results, changes(c.variant, c.base)}
		if err := Check(f.Spec); fmt.Sprint(cmp.Or(err, errors.New(""))) != c.want {
			t.Errorf("%s against %s: %v, want %q", c.variant, c.base, err, c.want)
		}
	}
}
