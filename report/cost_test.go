package report

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"nptbench/results"
)

var costs = Layout{
	Name: "cost", Caption: "Costs.", Where: []Where{{"ranking", []string{"yes"}}, {"dataset", []string{"protein"}}}, Rows: []string{"series"},
	Show: []Part{CoreTime, Processor, PeakMemory, PaperTime, PaperMem},
}

// costed has a random forest on Protein whose two settings were one fit and one prediction of 10 s and 1 s on two threads, a k-NN of
// which one setting of two has a record, with 5 s and 1 s, an NPT of which one of three has 1000 s and one failed, and an MLP without any, which has one on another data set.
func costed(t *testing.T) *Summary {
	f := newFixture()
	f.Tables = []Layout{costs}
	f.Claims = []Claim{{ID: "time", Says: "It takes long.", Test: Took("protein", "npt")}}
	f.expect("protein", published, "random-forest", 2)
	f.expect("protein", published, "knn", 2)
	f.expect("protein", published, "npt", 3)
	f.expect("protein", published, "mlp", 1)
	f.expect("boston-housing", published, "mlp", 1)
	rec := f.ok("boston-housing", published, "mlp", 0, 0, mse(1), rmse(3))
	rec.FitSeconds, rec.FitCells = 3, 1
	for setting := range 2 {
		rec = f.ok("protein", published, "random-forest", 0, setting, mse(1), rmse(3))
		rec.FitSeconds, rec.FitCells, rec.PredictSeconds, rec.Provenance.Threads, rec.PeakMemoryBytes = 10, 2, 1, 2, []int64{2e9, 1e9}[setting]
		rec.ProcessorSeconds = []float64{14, 0.5}[setting]
		rec.Details = map[string]any{"compile_seconds": 3.0}
	}
	rec = f.ok("protein", published, "knn", 0, 0, mse(1), rmse(3))
	rec.FitSeconds, rec.FitCells, rec.PredictSeconds, rec.ProcessorSeconds, rec.PeakMemoryBytes = 5, 1, 1, 4, 1e9
	rec = f.ok("protein", published, "npt", 0, 0, mse(1), rmse(3))
	rec.FitSeconds, rec.FitCells = 1000, 1
	f.failed("protein", published, "npt", 0, 1, "timeout", "no result after a day")
	f.index = results.Index{}
	for rec := range f.all(f.plan(t)) {
		f.index[rec.ID] = results.OK
	}
	f.Plan = f.plan(t)
	f.Estimate = f.Plan.Estimate(f.all(f.Plan))
	s, err := Collect(f.all(f.Plan), f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What served several cells counts once; what has a record in part is extrapolated and said to be; what has none has no time.
func TestCost(t *testing.T) {
	var out bytes.Buffer
	s := costed(t)
	markdownTable(&out, costs.table(s.Numbers))
	want := `Costs.

<!-- table cost -->
| Method        |           Core time | Processor time |              Memory |           Paper |      Paper's memory |
|---------------|--------------------:|---------------:|--------------------:|----------------:|--------------------:|
| Random Forest |     22s<sup>1</sup> |            15s |             2.00 GB | 13h 33m 58s × 8 |             7.82 GB |
| MLP           |                   – |              – |                   – |    42m 14s × 64 |             8.96 GB |
| k-NN          |   ≈ 10s<sup>2</sup> | 4s<sup>3</sup> | 1.00 GB<sup>4</sup> |       1m 8s × 8 |            40.47 GB |
| NPT           | ≈ 33m<sup>5,6</sup> |              – | 0.10 GB<sup>7</sup> | 11h 51m 25s × 4 | 4.42 GB<sup>8</sup> |

<sup>1</sup> Of it 6s for what first steps took longer, as they compile the network.\
<sup>2</sup> Extrapolated by the estimates of -dry-run from 1 of 2 cells, which took 6s.\
<sup>3</sup> Of 1 of 2 cells: that of the others is not known.\
<sup>4</sup> Of 1 of 2 cells.\
<sup>5</sup> Extrapolated by the estimates of -dry-run from 2 of 3 cells, which took 16m 41s.\
<sup>6</sup> Without the time of 1 cell that failed.\
<sup>7</sup> Of 2 of 3 cells.\
<sup>8</sup> On a GPU, with 6.17 GB of its memory.
<!-- end -->
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	for _, f := range costs.facts(s.Numbers) {
		if f.metric == "core_seconds" && f.Series.Method.Name == "random-forest" && (!(math.Abs(f.Mean-22) <= 1e-9) || f.Paper.Mean != 48838*8 || f.Verdict != NotComparable) ||
			f.metric == "core_seconds" && f.Series.Method.Name != "random-forest" && f.Verdict != Extrapolated {
			t.Errorf("%+v", f)
		}
	}
	fits := 0.0
	for _, g := range s.Groups {
		fits += g.cost.fit
	}
	if s.origins.fitSeconds != fits || fits != 1028 {
		t.Errorf("fits took %v s where all records come from, %v s in the tables, want 1028", s.origins.fitSeconds, fits)
	}
	figure := costs
	figure.Figure = true
	s.Tables = []Layout{figure}
	if p := s.panels(); len(p) != 1 || len(p[0].Lines) != 1 || p[0].Lines[0].Title != "Random Forest" || p[0].Zero {
		t.Errorf("the figure has %+v, want what is measured", p)
	} else if got := s.figureCaption(p); got != costs.Title+", without what is extrapolated." {
		t.Errorf("its caption is %q", got)
	}
	for _, c := range []struct{ method, want string }{{"npt", ""}, {"random-forest", ", of networks on a GPU by its seconds"}} { // what is extrapolated is not drawn
		s.group("protein", published, c.method).cost.onGPU = 1
		if got := s.figureCaption(nil); got != costs.Title+", without what is extrapolated"+c.want+"." {
			t.Errorf("with %s on a GPU its caption is %q", c.method, got)
		}
		s.group("protein", published, c.method).cost.onGPU = 0
	}
	s.Tables = []Layout{costs}
	once := len(s.judged())
	if s.Tables = append(s.Tables, costs); once == 0 || len(s.judged()) != once {
		t.Errorf("%d verdicts of one table, %d where a second shows the same numbers", once, len(s.judged()))
	}
	facts := costs.facts(s.Numbers)
	if text := costs.order(facts); text != "" {
		t.Errorf("an order of what is extrapolated:%s", text)
	}
	for i := range facts {
		facts[i].Verdict = NotComparable
	}
	if text := costs.order(facts); !strings.HasPrefix(text, " Kendall's rank correlation of this order with the paper's on Protein: +0.33") {
		t.Errorf("of all three:%s", text)
	}
	for onGPU, device := range []string{"one core", "a GPU"} {
		s.group("protein", published, "npt").cost.onGPU = onGPU
		f := s.findings()[0]
		if want := "about 33m, extrapolated, of " + device + " on Protein"; f.verdict != "not tested" || len(f.evidence) != 1 || !strings.Contains(f.measured(), want) {
			t.Errorf("%s, %s; want %s, and an extrapolation tests nothing", f.verdict, f.measured(), want)
		}
	}
}

// A time says how many cells failed whose time it lacks. What failed altogether has none, and neither has what was imported.
func TestCostOfFailures(t *testing.T) {
	f := newFixture()
	f.Tables = []Layout{costs}
	f.Tables[0].Show = []Part{CoreTime, Prediction}
	f.Tables[0].Figure = true
	f.Claims = []Claim{{ID: "time", Says: "It takes long.", Method: "knn", Test: Each(Took("protein", "knn"), Took("protein", "mlp"), Took("protein", "golearn-knn"))}}
	for _, method := range []string{"knn", "mlp", "golearn-knn"} {
		f.expect("protein", published, method, 3)
		for setting := range 3 {
			switch {
			case method == "golearn-knn": // imported
				rec := f.ok("protein", published, method, 0, setting, mse(1), rmse(3))
				rec.FitSeconds, rec.PredictSeconds = 0, 0
			case method == "knn" && setting == 0:
				rec := f.ok("protein", published, method, 0, setting, mse(1), rmse(3))
				rec.FitSeconds, rec.PredictSeconds, rec.FitCells = 50, 10, 1
			case method == "knn" && setting == 1: // its predictions were not finite
				rec := f.failed("protein", published, method, 0, setting, "diverged", "NaN")
				rec.FitSeconds, rec.FitCells = 4, 1
			default:
				f.failed("protein", published, method, 0, setting, "timeout", "no result after a day")
			}
		}
	}
	s := collect(t, f)
	table := s.Tables[0].table(s.Numbers)
	if len(table.Rows) != 1 || table.Rows[0].Cells[1].Text != "1m 4s" || table.Rows[0].Cells[2].Text != "10 s" ||
		!slices.Equal(table.Notes, []string{"Without the time of 1 cell that failed."}) || !slices.Equal(table.Rows[0].Cells[1].Notes, []int{1}) {
		t.Errorf("%+v", table)
	}
	if got := s.findings()[0].measured(); got != "k-NN: 1m 4s of one core on Protein, without the time of 1 cell that failed" {
		t.Error(got)
	}
	if got := s.figureCaption(nil); !strings.HasSuffix(got, ", without the time of cells that failed.") {
		t.Error(got)
	}
	coverage := s.coverage()
	for _, row := range coverage.Rows {
		want := map[string]string{"k-NN": "1m 4s"}[row.Cells[1].Text]
		if at := row.Cells[8]; at.Text != cmp.Or(want, none) || (len(at.Notes) == 1) != (want != "") {
			t.Errorf("%+v", row.Cells)
		}
	}
	if !slices.Contains(coverage.Notes, table.Notes[0]) {
		t.Errorf("%q", coverage.Notes)
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{0.25: "0.25s", 21: "21s", 68: "1m 8s", 3600: "1h", 48838: "13h 33m 58s", 1170306: "13d 13h 5m 6s"} {
		if got := clock(seconds); got != want {
			t.Errorf("%v is %s, want %s", seconds, got, want)
		}
	}
	for seconds, want := range map[float64]string{0.25: "250ms", 21: "21s", 119: "119s", 130: "2m", 7300: "2h", 5e8: "5,787d"} {
		if got := roughly(seconds); got != want {
			t.Errorf("%v is about %s, want %s", seconds, got, want)
		}
	}
}

// What runs under other seeds took is not in the cost of a search.
func TestCostOfOtherSeeds(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	for _, seed := range []uint64{42, 43} {
		rec := f.ok("protein", published, "knn", 0, 0, mse(1), rmse(3))
		rec.Seed, rec.FitCells, rec.FitSeconds = seed, 1, float64(seed)
	}
	if g := collect(t, f).Groups[0]; g.cost.cells != 1 || g.cost.fit != 42 {
		t.Errorf("%d cells, %v s", g.cost.cells, g.cost.fit)
	}
}

// The time of a prediction is that of the chosen setting, of its threads together and on average over folds. Where a fit predicts for several
// settings at once, a footnote says so.
func TestPredictionTime(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "knn", 2)
	for fold := range 10 {
		for setting, loss := range []float64{1, 2} { // the second is never chosen
			rec := f.ok("boston-housing", published, "knn", fold, setting, mse(loss), rmse(3))
			rec.PredictSeconds, rec.Provenance.Threads = float64(fold+100*setting), 2
			if fold == 0 {
				rec.FitCells = 2
			}
		}
	}
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}}, Rows: []string{"series"}, Show: []Part{Prediction}}
	numbers := collect(t, f).Numbers
	if notes := l.table(numbers).Notes; !slices.Equal(notes, []string{"Of 2 settings, which one fit serves and which are predicted together."}) {
		t.Errorf("footnotes %q", notes)
	}
	facts := l.facts(numbers)
	if len(facts) != 1 || facts[0].metric != "predict_core_seconds" || facts[0].Mean != 9 || facts[0].N != 10 { // 2 * (0 + 1 + ... + 9) / 10
		t.Errorf("%+v, want 9 s over 10 folds", facts)
	}
	f.records = f.records[:len(f.records)-1]
	if notes := l.table(collect(t, f).Numbers).Notes; !slices.Contains(notes, "Chosen among 19 of 20 cells.") {
		t.Errorf("of an unfinished search: footnotes %q", notes)
	}
}

// What all settings together have left is the cost of none; what is complete has nothing left.
func TestCostOfSeries(t *testing.T) {
	f := newFixture()
	f.Series = []string{"setting"}
	f.expect("protein", published, "knn", 2)
	f.ok("protein", published, "knn", 0, 0, mse(1), rmse(3))
	f.Plan = f.plan(t)
	f.Estimate = f.Plan.Estimate(f.all(f.Plan))
	s, err := Collect(f.all(f.Plan), f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range s.Groups {
		if complete := g.completeFolds() == 1; g.cost.known != complete || g.cost.left != 0 {
			t.Errorf("%s: known %v, %v s left", g.Series.Title, g.cost.known, g.cost.left)
		}
	}
}
