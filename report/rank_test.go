package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/internal/stats"
	"nptbench/results"
)

// All 27 mean ranks and 27 standard errors of the paper's Table 1 follow from its Tables 8, 10 and 11, once the six pairs
// that tie at the printed digits are put in order. Here they go through records, as our own results do.
func TestPaperTable1(t *testing.T) {
	tables := paperRankTables(t)
	checked := 0
	for _, table := range tables {
		for _, row := range table.Rows {
			mean, stdErr := fmt.Sprintf("%.2f", row.Own.Mean), fmt.Sprintf("%.2f", row.Own.StdErr)
			if mean != row.Paper.Printed || stdErr != row.Paper.PrintedSpread {
				t.Errorf("%s %s: %s ± %s, the paper has %s ± %s", table.Problem, row.Series.Method.Name, mean, stdErr,
					row.Paper.Printed, row.Paper.PrintedSpread)
			}
			if row.PaperMean.Mean != row.Own.Mean || !(math.Abs(row.PaperMean.StdErr-row.Own.StdErr) <= 1e-12) {
				t.Errorf("%s %s: from the paper's order %v", table.Problem, row.Series.Method.Name, row.PaperMean)
			}
			checked++
		}
	}
	if len(tables) != 3 || checked != 27 {
		t.Fatalf("%d tables with %d rows, want 3 with 27", len(tables), checked)
	}
	if notes := withoutSearches(tables[0].Notes); !slices.Equal(notes, []string{"k-NN has no complete result on Higgs and is ranked last there."}) {
		t.Errorf("notes %q", notes)
	}
}

// withoutSearches leaves out the notes on methods that choose among fewer settings than in the paper.
func withoutSearches(notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool { return strings.HasPrefix(note, "Chosen among ") })
}

// Ranks say which of the paper's methods choose among another number of settings than there, and what they say of claims says how many.
func TestRanksByAnotherSearch(t *testing.T) {
	f := newFixture()
	for place, m := range []string{"npt", "random-forest", "xgboost", "knn", "golearn-knn"} {
		for _, d := range []string{"yacht", "protein", "concrete"} {
			f.expect(d, published, m, 1)
			for fold := range 10 {
				f.ok(d, published, m, fold, 0, mse(1), rmse(float64(place+1)))
			}
		}
	}
	for _, d := range []string{"yacht", "protein", "concrete"} {
		f.searchAsPaper(d, "npt", "knn")
	}
	f.searchAsPaper("concrete", "random-forest")
	s := collect(t, f)
	for _, table := range s.ranks {
		want := []string{"Chosen among another number of settings per fold than in the paper, which stands in parentheses: Random Forest 1 (24) on Yacht and Protein; XGBoost 1 (48)."}
		if table.All {
			want = nil
		}
		if !slices.Equal(table.Notes, want) {
			t.Errorf("%s: notes %q, want %q", table.name(), table.Notes, want)
		}
	}
	l := Layout{Where: []Where{Ranking, {"dataset", []string{"yacht", "concrete"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	if all := Best(l, "NPT")(s); len(all) != 2 || all[0].Text != "NPT (2 methods by another search)" ||
		all[1].Text != "NPT (1 method by another search)" {
		t.Errorf("%+v", all)
	}
	if all := Place("npt", 1, dataset.Regression)(s); len(all) != 1 || !strings.HasSuffix(all[0].Text, " (2 methods by another search)") {
		t.Errorf("%+v", all)
	}
}

// paperRankTables has the paper's results as records.
func paperRankTables(t *testing.T) []*rankTable {
	t.Helper()
	f := newFixture()
	for _, d := range dataset.Infos() {
		by := metric.Ranking(d.Problem).Name
		for place, name := range results.PaperOrder(d.Name, by) {
			f.expect(d.Name, published, name, 1)
			for fold := range d.RunFolds {
				p, ok := results.Paper(d.Name, name, by)
				if !ok {
					f.failed(d.Name, published, name, fold, 0, "memory", "as in the paper")
					continue
				}
				worse := 1e-9 * float64(place) // orders the ties and nothing else
				if d.Problem.Classification() {
					worse = -worse
				}
				f.ok(d.Name, published, name, fold, 0, results.Metrics{"nll": 1, "mse_standardised": 1}, results.Metrics{by: p.Mean + worse})
			}
		}
	}
	return collect(t, f).ranks
}

// Without the documented order of ties, Table 1 does not come out: the test above can fail.
func TestPaperTable1NeedsItsTies(t *testing.T) {
	wrong := 0
	for _, task := range []dataset.Problem{dataset.Binary, dataset.MultiClass, dataset.Regression} {
		ranks := map[string][]float64{}
		for _, d := range dataset.Infos() {
			if d.Problem != task || results.PaperOrder(d.Name, metric.Ranking(task).Name) == nil {
				continue
			}
			values := make([]float64, len(results.PaperMethods))
			for i, paper := range results.PaperMethods {
				name := paper.Name
				p, ok := results.Paper(d.Name, name, metric.Ranking(task).Name)
				values[i] = p.Mean
				if !ok {
					values[i] = (&finished{metric: metric.Ranking(task)}).worst()
				}
			}
			for i, r := range stats.Ranks(values, task.Classification()) {
				ranks[results.PaperMethods[i].Name] = append(ranks[results.PaperMethods[i].Name], r)
			}
		}
		for name, r := range ranks {
			mean, stdErr := stats.MeanStdErr(r)
			p, _ := results.PaperRank(task.String(), name)
			if fmt.Sprintf("%.2f %.2f", mean, stdErr) != p.Printed+" "+p.PrintedSpread {
				wrong++
			}
		}
	}
	if wrong != 10 { // shared ranks give 17 of the 27
		t.Errorf("shared ranks miss %d entries, want 10", wrong)
	}
}

func TestRanksOnlyWhatAllHaveFinished(t *testing.T) {
	type state byte // of a method on a data set
	const (
		done, failed, open state = 'd', 'f', 'o'
	)
	datasets := []string{"protein", "concrete", "boston-housing", "yacht"}
	methods := []string{"xgboost", "knn", "npt"}
	tests := []struct {
		name   string
		states map[string]string // by method, one letter a data set
		ranked string            // methods
		over   string            // data sets
		note   string
	}{
		{"all", map[string]string{"xgboost": "dddd", "knn": "dddd", "npt": "dddd"}, "xgboost knn npt", "protein concrete boston-housing yacht", ""},
		{"one is behind", map[string]string{"xgboost": "dddd", "knn": "dddd", "npt": "oodd"}, "xgboost knn npt", "boston-housing yacht",
			"Protein is left out: no complete result of NPT."},
		{"one is too far behind", map[string]string{"xgboost": "dddd", "knn": "dddd", "npt": "oood"}, "xgboost knn", "protein concrete boston-housing yacht",
			"NPT is not ranked: it has complete results on 1 of 4 data sets."},
		{"one has nothing", map[string]string{"xgboost": "ddoo", "knn": "dddo", "npt": "oooo"}, "xgboost knn", "protein concrete",
			"NPT is not ranked: it has complete results on 0 of 4 data sets."},
		{"nothing in common", map[string]string{"xgboost": "ddoo", "knn": "dddo", "npt": "oood"}, "xgboost knn", "protein concrete",
			"NPT is not ranked: it has complete results on 1 of 4 data sets."},
		{"a failure is a result", map[string]string{"xgboost": "dddd", "knn": "dfdd", "npt": "dddd"}, "xgboost knn npt",
			"protein concrete boston-housing yacht", "k-NN has no complete result on Concrete and is ranked last there."},
		{"only one method", map[string]string{"xgboost": "dddd", "knn": "oooo", "npt": "oooo"}, "", "", ""},
		{"none", map[string]string{"xgboost": "oooo", "knn": "oooo", "npt": "oooo"}, "", "", ""},
	}
	for _, tt := range tests {
		f := newFixture()
		for place, name := range methods {
			for i, d := range datasets {
				infos := dataset.Infos()
				info := infos[slices.IndexFunc(infos, func(i dataset.Info) bool { return i.Name == d })]
				f.expect(d, published, name, 1)
				for fold := range info.RunFolds {
					switch state(tt.states[name][i]) {
					case done:
						f.ok(d, published, name, fold, 0, mse(1), rmse(float64(place+1)))
					case failed:
						f.failed(d, published, name, fold, 0, "error", "no")
					case open: // some of its cells have been run all the same
						if fold > 0 {
							f.ok(d, published, name, fold, 0, mse(1), rmse(0))
						}
					}
				}
			}
		}
		f.expect("boston-housing", published, "golearn-knn", 1) // never ranked
		for fold := range 10 {
			f.ok("boston-housing", published, "golearn-knn", fold, 0, mse(1), rmse(0))
		}
		table := collect(t, f).ranks[0]
		var ranked, over []string
		for _, m := range testMethods {
			if slices.ContainsFunc(table.Rows, func(r rankRow) bool { return r.Series.Method == m }) {
				ranked = append(ranked, m.Name)
			}
		}
		for _, d := range table.Datasets {
			over = append(over, d.Name)
		}
		slices.Reverse(over) // the catalogue begins with the smallest
		if strings.Join(ranked, " ") != tt.ranked || strings.Join(over, " ") != tt.over {
			t.Errorf("%s: ranked %v over %v, want %s over %s", tt.name, ranked, over, tt.ranked, tt.over)
		}
		if !strings.Contains(strings.Join(table.Notes, " "), tt.note) {
			t.Errorf("%s: notes %q lack %q", tt.name, table.Notes, tt.note)
		}
		for _, row := range table.Rows {
			if len(row.Ranks) != len(table.Datasets) {
				t.Errorf("%s: %s has %d ranks over %d data sets", tt.name, row.Series.Title, len(row.Ranks), len(table.Datasets))
			}
		}
	}
}

// The paper's ranks of some of its methods are recounted among those.
func TestPaperRanksOfSomeMethods(t *testing.T) {
	var some []*Series
	for _, name := range []string{"knn", "npt", "catboost", "gradient-boosting"} {
		some = append(some, &Series{Method: &method.Method{Name: name}})
	}
	if got := paperRanks("boston-housing", "rmse", some); !slices.Equal(got, []float64{4, 1, 2, 3}) {
		t.Errorf("%v", got)
	}
}

func TestCorrectedRanksShowThePublishedOnes(t *testing.T) {
	f := newFixture()
	value := map[split.Protocol]map[string]float64{
		published: {"knn": 2, "xgboost": 1}, corrected: {"knn": 1, "xgboost": 2},
	}
	for protocol, methods := range value {
		for name, x := range methods {
			f.expect("boston-housing", protocol, name, 1)
			for fold := range 10 {
				f.ok("boston-housing", protocol, name, fold, 0, mse(1), rmse(x))
			}
		}
	}
	tables := collect(t, f).ranks
	if len(tables) != 2 || tables[1].Protocol != corrected {
		t.Fatalf("%d tables", len(tables))
	}
	for _, row := range tables[1].Rows {
		if want := value[published][row.Series.Method.Name]; row.Published.Mean != want || row.Own.Mean != 3-want {
			t.Errorf("%s: rank %v, published %v", row.Series.Method.Name, row.Own, row.Published)
		}
	}
}

// Data sets with a single split have the same records under both kinds of folds, and one table of ranks, as long as they are ranked alone.
func TestRepeatedRanks(t *testing.T) {
	for _, others := range []bool{false, true} {
		f := newFixture()
		for _, name := range []string{"knn", "xgboost"} {
			for _, protocol := range split.Protocols {
				f.expect("protein", protocol, name, 1)
				if others {
					f.expect("yacht", protocol, name, 1)
				}
				for fold := range 10 {
					f.ok("yacht", protocol, name, fold, 0, mse(1), rmse(float64(len(name))))
				}
			}
			f.ok("protein", published, name, 0, 0, mse(1), rmse(float64(len(name))))
		}
		tables := collect(t, f).ranks
		if len(tables) != 2 || tables[0].Repeats || tables[1].Repeats == others {
			t.Fatalf("with others %v: %d tables", others, len(tables))
		}
		shown, sentence := 0, "Ranks of the paper's methods by RMSE under corrected folds are those under published ones, by the same records: "+
			"Protein, with a single split."
		for _, b := range rankBlocks(tables, "x") {
			if _, is := b.(*Table); is {
				shown++
			}
		}
		if said := slices.Contains(rankBlocks(tables, "x"), Block(Paragraph(sentence))); said == others || (shown == 2) != others {
			t.Errorf("with others %v: %d tables, said %v", others, shown, said)
		}
	}
}

// A pair that does not differ and that no bar joins, since a method between them differs from one of both, is named under the diagrams.
func TestPairsWithoutABar(t *testing.T) {
	table := foldTables([]float64{1, 2, 3})[0]
	if caption := table.figure("x").Caption; strings.Contains(caption, "no bar") {
		t.Errorf("where each pair differs: %s", caption)
	}
	table.Significance.Wilcoxon = [][]float64{{1, 0.01, 0.2}, {0.01, 1, 0.01}, {0.2, 0.01, 1}}
	if caption := table.figure("x").Caption; !strings.HasSuffix(caption, "by the signed-rank test, which no bar can join: A and C.") {
		t.Error(caption)
	}
}

// The key of rank diagrams stands before the first of them alone.
func TestKeyOfRankDiagrams(t *testing.T) {
	keys, figures := 0, 0
	for _, b := range rankBlocks(foldTables([]float64{3, 2, 1}), "x") {
		switch b := b.(type) {
		case Paragraph:
			if string(b) == diagramKey {
				keys += 1 + 10*figures
			}
		case Figure:
			figures++
		}
	}
	if keys != 1 || figures != 2 {
		t.Errorf("%d keys and %d figures", keys, figures)
	}
}

// A method's mean ranks over the paper's data sets and over one's own are two lines, which their first columns tell apart.
func TestMeanRanksAreToldApart(t *testing.T) {
	s := goldenSummary(t)
	own := *s.ranks[slices.IndexFunc(s.ranks, func(t *rankTable) bool { return len(t.Rows) > 0 })]
	own.All, own.Datasets = true, []dataset.Info{{Name: "houses"}, {Name: "flats"}}
	s.ranks = append(s.ranks, &own)
	var out bytes.Buffer
	if err := s.writeMeanRanks(&out); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, line := range lines {
		key := strings.Join(line[:slices.Index(lines[0], "methods")], ",")
		if seen[key] {
			t.Errorf("two lines are of %s", key)
		}
		seen[key] = true
	}
	if !seen["published,regression,rmse,all methods,knn,k-NN,houses flats"] || !seen["published,regression,rmse,the paper's methods,knn,k-NN,yacht boston-housing"] {
		t.Errorf("lines are of %v", sortedKeys(seen))
	}
}

// Three of the paper's ten folds are not ranked, also where all failed.
func TestFailedOnSomeFolds(t *testing.T) {
	f := newFixture()
	f.folds = "3"
	for _, m := range []string{"knn", "npt"} {
		f.expect("boston-housing", published, m, 1)
		for fold := range 3 {
			f.failed("boston-housing", published, m, fold, 0, "error", "no")
		}
	}
	if table := collect(t, f).ranks[0]; len(table.Rows) != 0 {
		t.Errorf("%d rows: three of the paper's ten folds are ranked", len(table.Rows))
	}
}

// ranked lists the methods and data sets of the first table of ranks, where of each method the data sets with a d are done.
func ranked(t *testing.T, states map[string]string) string {
	f := newFixture()
	for place, name := range []string{"xgboost", "knn", "npt"} {
		for i, d := range []string{"protein", "concrete", "boston-housing", "yacht"} {
			f.expect(d, published, name, 1)
			for fold := range 10 {
				if states[name][i] == 'd' && (d != "protein" || fold == 0) {
					f.ok(d, published, name, fold, 0, mse(1), rmse(float64(place+1)))
				}
			}
		}
	}
	table := collect(t, f).ranks[0]
	text := ""
	for _, r := range table.Rows {
		text += r.Series.Method.Name + " "
	}
	for _, d := range table.Datasets {
		text += d.Name + " "
	}
	return text
}

func TestCommonTies(t *testing.T) {
	// three methods on one data set compare as much as two on three
	if got := ranked(t, map[string]string{"xgboost": "dddo", "knn": "dddo", "npt": "odoo"}); got != "xgboost knn npt concrete " {
		t.Error(got)
	}
	// of two that have finished as many the later one is left out
	if got := ranked(t, map[string]string{"xgboost": "ddoo", "knn": "oodd", "npt": "dddd"}); got != "xgboost npt concrete protein " {
		t.Error(got)
	}
}

// Ranks under published folds, beside those under corrected ones, are of methods that have both.
func TestPublishedOfUnfinished(t *testing.T) {
	f := newFixture()
	for _, name := range []string{"knn", "xgboost"} {
		f.expect("boston-housing", published, name, 1)
		f.expect("boston-housing", corrected, name, 1)
		for fold := range 10 {
			f.ok("boston-housing", corrected, name, fold, 0, mse(1), rmse(float64(len(name))))
			if name == "knn" {
				f.ok("boston-housing", published, name, fold, 0, mse(1), rmse(1))
			}
		}
	}
	tables := collect(t, f).ranks
	for _, row := range tables[len(tables)-1].Rows {
		if !math.IsNaN(row.Published.Mean) {
			t.Errorf("%s: published %v", row.Series.Title, row.Published)
		}
	}
}

// The semi-synthetic data sets are not in the paper's Table 1.
func TestPaperTableHasThePapersDataSets(t *testing.T) {
	f := newFixture()
	for _, name := range []string{"knn", "npt"} {
		for _, d := range []string{"protein", "lookup"} {
			f.expect(d, published, name, 1)
			for fold := range 10 {
				f.ok(d, published, name, fold, 0, mse(1), rmse(float64(len(name))+float64(len(name[:1]))))
			}
		}
	}
	table := collect(t, f).ranks[0]
	if len(table.Datasets) != 1 {
		t.Errorf("%d data sets", len(table.Datasets))
	}
}

// Ranks beside the paper's say which data sets are a part of the published ones, and leave out those whose training rows are.
func TestRanksOnAPart(t *testing.T) {
	f := newFixture()
	for place, m := range []string{"npt", "knn"} {
		f.expect("higgs", published, m, 1)
		f.ok("higgs", published, m, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"auroc": float64(place), "accuracy": 50, "nll": 1})
		f.expect("poker-hand", published, m, 1)
		rec := f.ok("poker-hand", published, m, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": float64(place), "nll": 1})
		rec.Rows, rec.Subset = [3]int{21883, 3127, 100000}, "the first 100,000 test rows"
	}
	f.partOfHiggs()
	var said []Block
	for _, b := range rankBlocks(collect(t, f).ranks, "x") {
		if _, is := b.(Paragraph); is {
			said = append(said, b)
		}
	}
	if want := []Block{
		Paragraph("Of the paper's methods, binary data sets, published folds: Higgs is left out, since its training rows are not all of the paper's: 35,298 of 11,000,000 rows."),
		Paragraph("Poker Hand: the first 100,000 test rows. Chosen among another number of settings per fold than in the paper, which stands in parentheses: k-NN 1 (40)."),
	}; !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}
