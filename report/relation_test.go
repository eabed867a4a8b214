package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/metric"
	"nptbench/internal/picture"
	"nptbench/internal/split"
	"nptbench/results"
)

var (
	changesOfBoston = Layout{
		Name: "changes", Caption: "Changes.", Where: []Where{{"metric", []string{"rmse"}}, {"variant", []string{"No semi-supervision", "No target masking"}}},
		Group: "dataset", Rows: []string{"variant"}, Show: []Part{VariantChange, PValue, PaperChange, Direction},
		Paper: 4, Base: Where{"variant", []string{"Base"}}, Order: true, Figure: true,
	}
	resultsOfBoston = Layout{
		Name: "table4", Caption: "Results.", Where: []Where{{"metric", []string{"rmse"}}, {"variant", []string{"Base", "No semi-supervision", "No target masking", "Chosen"}}},
		Rows: []string{"variant"}, Columns: []string{"dataset"}, Show: []Part{Beside}, Paper: 4,
	}
)

// ablation has three variants of NPT on Boston Housing. Against Base with an RMSE of fold/8, one is 0, 1/8, ..., 9/8 above, and one
// 1/8 below on odd folds and above on even ones. The validation loss prefers the second on fold 0 and Base elsewhere.
func ablation(t *testing.T, folds int) *Summary {
	f := newFixture()
	f.Name, f.Series, f.Chosen = "ablation", []string{"variant"}, "Chosen"
	f.params["npt"] = "layers: 2"
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No semi-supervision: {setting: 1}, No target masking: {setting: 2}"}
	f.Tables = []Layout{changesOfBoston, resultsOfBoston}
	f.Claims = []Claim{
		{ID: "one", Says: "It hurts.", Test: AsPaper(changesOfBoston, Where{"variant", []string{"No semi-supervision"}}), Count: 2},
		{ID: "two", Says: "It helps.", Test: AsPaper(changesOfBoston, Where{"variant", []string{"No target masking"}})},
		{ID: "three", Says: "It is fast."},
	}
	f.Says = "parts matter."
	f.expect("boston-housing", published, "npt", 3)
	for fold := range folds {
		x := float64(fold) / 8
		other := x + 0.125*float64(1-2*(fold%2))
		for setting, value := range []float64{x, 2 * x, other} {
			loss := float64(setting) + 1
			if setting == 2 && fold == 0 {
				loss = 0
			}
			f.ok("boston-housing", published, "npt", fold, setting, mse(loss), rmse(value))
		}
	}
	return collect(t, f)
}

// Differences of 0.01 on all folds have no variance to test by, however numbers of hundreds are rounded.
func TestChangeWithoutVariance(t *testing.T) {
	g := &Group{}
	ours, theirs := fact{Number: &Number{Group: g}, byFold: map[int]float64{}}, fact{byFold: map[int]float64{}}
	for fold := range 10 {
		g.Folds = append(g.Folds, &Fold{Number: fold, Chosen: &results.Record{Rows: [3]int{8, 1, 1}}})
		ours.byFold[fold], theirs.byFold[fold] = float64(50000+3701*fold+1)/100, float64(50000+3701*fold)/100
	}
	if test, folds := ours.minus(theirs); folds != 10 || !math.IsNaN(test.P) || len(test.Warnings) != 1 {
		t.Errorf("over %d folds: %+v", folds, test)
	}
}

// Differences are taken fold by fold: their spread is that of the change, not of the two results.
func TestChange(t *testing.T) {
	s := ablation(t, 10)
	facts := changesOfBoston.facts(s.Numbers)
	if len(facts) != 4 {
		t.Fatalf("%d facts, want 4", len(facts))
	}
	// 2 * scipy.stats.t.sf(d.mean() / se, 9), with d and the standard error se below
	if p := facts[1]; p.metric != "rmse_change_p" || !(math.Abs(p.Mean-0.01457345442436443) <= 1e-12) || p.N != 10 {
		t.Errorf("%+v", p)
	}
	// numpy: d = np.arange(10) / 8; d.mean(), d.std(ddof=1) * np.sqrt(1/10 + share)
	f := facts[0]
	rows := f.Folds[0].Chosen.Rows
	stdErr := 0.37845629426218646 * math.Sqrt(0.1+float64(rows[2])/float64(rows[0]))
	if f.metric != "rmse_change" || !(math.Abs(f.Mean-0.5625) <= 1e-12) || !(math.Abs(f.StdErr-stdErr) <= 1e-12) || f.N != 10 || f.Verdict != PaperNotClear {
		t.Errorf("%+v", f)
	}
	if !(math.Abs(f.Paper.Mean-0.38) <= 1e-12) || !(math.Abs(f.Paper.StdErr()-math.Hypot(0.46, 0.23)) <= 1e-12) { // 3.38 ± 0.46 and 3.00 ± 0.23
		t.Errorf("the paper's change is %v ± %v", f.Paper.Mean, f.Paper.StdErr())
	}
	if f = facts[2]; !(math.Abs(f.Mean) <= 1e-12) || f.Verdict != NotClear {
		t.Errorf("a change of zero is %v, %s", f.Mean, f.Verdict)
	}
	var out bytes.Buffer
	markdownTable(&out, changesOfBoston.table(s.Numbers))
	want := `Changes.

<!-- table changes -->
| Data set       | Variant             |       Change |     p |      Paper's | Verdict                            |
|----------------|---------------------|-------------:|------:|-------------:|------------------------------------|
| Boston Housing | No semi-supervision | +0.56 ± 0.19 | 0.015 | +0.38 ± 0.51 | clear, the paper's not<sup>1</sup> |
|                | No target masking   |  0.00 ± 0.06 | 1.000 | -0.07 ± 0.29 | not clear<sup>1</sup>              |

<sup>1</sup> Smaller than in the paper: 2 layers.
<!-- end -->
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

var tenFolds = []*Fold{{Number: 0}, {Number: 1}, {Number: 2}, {Number: 3}, {Number: 4}, {Number: 5}, {Number: 6}, {Number: 7}, {Number: 8}, {Number: 9}}

// The direction of a change is that of its sign where it is more than two standard errors from zero, and the paper's, too, where it has some.
func TestDirection(t *testing.T) {
	number := func(protocol split.Protocol, folds int) *Number {
		g := &Group{Info: dataset.Info{RunFolds: 10}, Protocol: protocol, Series: &Series{}, Folds: tenFolds}
		return &Number{Group: g, N: folds, Mean: 1, StdErr: 0.1, HasPaper: true, Paper: results.PaperNumber{Mean: 1}}
	}
	for _, c := range []struct {
		mean, stdErr, paper, paperErr float64
		want                          Verdict
	}{
		{1, 0.4, 0.1, 0, SameDirection}, {-1, 0.4, -0.1, 0, SameDirection}, {1, 0.4, -0.1, 0, OppositeDirection}, {-1, 0.4, 0.1, 0, OppositeDirection},
		{1, 0.5, 0.1, 0, NotClear}, {1, math.NaN(), 0.1, 0, NotClear}, {0, 0, 0.1, 0, NotClear},
		{1, 0.4, 0.1, 0.04, SameDirection}, {-1, 0.4, 0.1, 0.04, OppositeDirection},
		{1, 0.4, 0.1, 0.05, PaperNotClear}, {-1, 0.4, 0.1, 0.05, PaperNotClear}, {1, 0.5, 0.1, 0.05, NotClear},
		{1, 0.4, 0, 0, NoPaper}, // it prints no change, which has no direction
	} {
		d := number(published, 10)
		d.Mean, d.StdErr, d.Paper = c.mean, c.stdErr, results.PaperNumber{Mean: c.paper, Spread: c.paperErr}
		if got := d.direction(); got != c.want {
			t.Errorf("%v ± %v beside %v: %s, want %s", c.mean, c.stdErr, c.paper, got, c.want)
		}
	}
	if got := number(published, 9).direction(); got != Partial {
		t.Errorf("over nine of ten folds: %s", got)
	}
	others := number(published, 10)
	others.Group.Info.Name, others.Group.Folds = "yacht", append(slices.Clone(tenFolds[1:]), &Fold{Number: 10})
	if got := others.direction(); got != Partial {
		t.Errorf("over another fold than the paper's: %s", got)
	}
	if got := number(corrected, 10).direction(); got != NotJudged {
		t.Errorf("under the corrected protocol: %s", got)
	}
	alone := number(published, 10)
	alone.HasPaper = false
	if got := alone.direction(); got != NoPaper {
		t.Errorf("without the paper: %s", got)
	}
}

// Settings that the paper does not compare change nothing in it, although it has a number of their method.
func TestChangeThatThePaperLacks(t *testing.T) {
	f := newFixture()
	f.Series = []string{"setting"}
	f.expect("boston-housing", published, "npt", 2)
	for fold := range 10 {
		f.ok("boston-housing", published, "npt", fold, 0, mse(1), rmse(float64(fold)))
		f.ok("boston-housing", published, "npt", fold, 1, mse(1), rmse(float64(fold)+1))
	}
	l := Layout{
		Where: []Where{{"metric", []string{"rmse"}}, {"setting", []string{"1"}}}, Rows: []string{"setting"},
		Show: []Part{Published, VariantChange}, Base: Where{"setting", []string{"0"}},
	}
	facts := l.facts(collect(t, f).Numbers)
	if len(facts) != 2 || !facts[0].HasPaper {
		t.Fatalf("got %v", facts)
	}
	if change := facts[1]; change.Mean != 1 || change.HasPaper || change.Verdict != NoPaper {
		t.Errorf("%v, the paper's %v: %s", change.Mean, change.Paper, change.Verdict)
	}
}

// A change under several seeds has their mean, over the seeds that both sides have. A variant of another method is not the base, though
// it has the name of it and stands before it.
func TestChangeUnderSeeds(t *testing.T) {
	f := newFixture()
	f.Series = []string{"setting"}
	f.expect("boston-housing", published, "random-forest", 1)
	for fold := range 10 {
		f.ok("boston-housing", published, "random-forest", fold, 0, mse(1), rmse(100))
	}
	f.expect("boston-housing", published, "npt", 2)
	for seed, change := range map[uint64]float64{42: 1, 43: 2, 44: 6, 45: 100} {
		for fold := range 10 {
			f.ok("boston-housing", published, "npt", fold, 1, mse(1), rmse(float64(fold)*float64(seed)+change)).Seed = seed
			if seed != 45 {
				f.ok("boston-housing", published, "npt", fold, 0, mse(1), rmse(float64(fold)*float64(seed))).Seed = seed
			}
		}
	}
	l := Layout{
		Where: []Where{{"metric", []string{"rmse"}}, {"setting", []string{"1"}}}, Rows: []string{"setting"},
		Show: []Part{VariantChange, Direction}, Base: Where{"setting", []string{"0"}},
	}
	numbers := collect(t, f).Numbers
	change := l.facts(numbers)[0]
	if slices.Sort(change.Seeds); !slices.EqualFunc(change.Seeds, []float64{1, 2, 6}, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
		t.Errorf("changes under seeds %v", change.Seeds)
	}
	if notes := l.table(numbers).Notes; !slices.Contains(notes, "Over 3 seeds: mean 3.000, standard deviation 2.646.") {
		t.Errorf("notes %q", notes)
	}
}

// A change over three of ten folds is no evidence, and says how many folds it has.
func TestChangeOverSomeFolds(t *testing.T) {
	s := ablation(t, 3)
	for _, f := range s.findings()[:2] {
		if f.verdict != notTested || f.evidence == nil {
			t.Errorf("%s: %s by %v", f.ID, f.verdict, f.evidence)
		}
	}
	if p := s.panels()[0]; p.Title != "Boston Housing, 3 of 10 folds" || p.Lines[0].Title != "No semi-supervision" {
		t.Errorf("the figure has %q, %q", p.Title, p.Lines[0].Title)
	}
	mixed := picture.Panel{Title: "Yacht", Lines: []picture.Line{{Title: "Base"}, {Title: "No ABA", Folds: "3 of 10 folds"}}}
	if sayFolds(&mixed); mixed.Title != "Yacht" || mixed.Lines[0].Title != "Base" || mixed.Lines[1].Title != "No ABA (3 of 10 folds)" {
		t.Errorf("the figure has %+v", mixed)
	}
	var out bytes.Buffer
	markdownTable(&out, changesOfBoston.table(s.Numbers))
	if !strings.Contains(out.String(), "+0.12 ± 0.09<sup>1</sup> |") || !strings.Contains(out.String(), "<sup>1</sup> Over 3 of 10 folds.") {
		t.Errorf("got\n%s", out.String())
	}
}

// All settings together choose by validation, beside each by itself; a record counts once.
func TestChosenBesideVariants(t *testing.T) {
	s := ablation(t, 10)
	var out bytes.Buffer
	markdownTable(&out, resultsOfBoston.table(s.Numbers))
	for _, want := range []string{
		"| Base                | 0.56 ± 0.12 (3.00 ± 0.23)<sup>1</sup> |", "| No semi-supervision | 1.12 ± 0.24 (3.38 ± 0.46)<sup>1</sup> |",
		"| Chosen              |             0.57 ± 0.11<sup>1,2</sup> |", // on fold 0 the third; it has another search than the paper
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %s in\n%s", want, out.String())
		}
	}
	chosen := s.Numbers[slices.IndexFunc(s.Numbers, func(n *Number) bool { return n.Series.chosen && n.Metric == metric.RMSE })]
	if chosen.Settings != 3 || chosen.Paper.String() != "2.92 ± 0.15" || s.Records != 30 {
		t.Errorf("among %d, the paper has %s; %d records", chosen.Settings, chosen.Paper, s.Records)
	}
}

// Ranks are from 0, among the numbers of the table, on folds that all have.
func TestFoldRanks(t *testing.T) {
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}, {"variant", []string{"Base", "No semi-supervision", "No target masking"}}},
		Rows: []string{"variant"}, Columns: []string{"dataset"}, Show: []Part{FoldRank}, Paper: 13}
	s := ablation(t, 10)
	var got []float64
	for _, f := range l.facts(s.Numbers) {
		if f.metric != "rank" || f.N != 10 || f.HasPaper != (f.Series.Values["variant"] == "Base") {
			t.Errorf("%+v", f)
		}
		got = append(got, f.Mean)
	}
	// Fold 0: 0, 0, 1/8. Odd folds: the third is the best, then Base; on fold 1 the second is last. Even ones from 2: Base, and then the
	// third, which on fold 2 has 3/8 where the second has 4/8.
	if want := []float64{(0.5 + 5*1 + 4*0) / 10, (0.5 + 5*2 + 4*2) / 10, (2 + 5*0 + 4*1) / 10.}; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("ranks %v, want %v", got, want)
	}
	if facts := l.facts(ablation(t, 3).Numbers); facts[0].N != 3 {
		t.Errorf("%d folds, want the 3 that there are", facts[0].N)
	}
}

// What is clear speaks for or against a claim, and the report begins with what was found.
func TestClaimsOnChanges(t *testing.T) {
	s := ablation(t, 10)
	var verdicts []string
	for _, f := range s.findings() {
		verdicts = append(verdicts, f.verdict+f.partly)
	}
	if want := []string{"holds at this size, on the 1 of 2 that were measured", "not clear at this size", "not tested"}; !slices.Equal(verdicts, want) {
		t.Errorf("%q, want %q", verdicts, want)
	}
	opening := s.Document().Blocks[0].(List)
	if len(opening) != 3 || !strings.Contains(opening[1], "No semi-supervision: +0.56 RMSE on Boston Housing (clear, the paper's not)") ||
		opening[2] != "On: Boston Housing (10 folds); smaller than in the paper: NPT, 2 layers." {
		t.Errorf("%q", opening)
	}
	empty := ablation(t, 0)
	if text := empty.verdictCounts(); text != "" {
		t.Errorf("nothing has verdicts: %q", text)
	}
	if !strings.Contains(empty.Document().Blocks[0].(List)[1], "nothing yet") {
		t.Error("without records something is found")
	}
	var out bytes.Buffer
	if err := s.writeClaims(&out); err != nil || !strings.Contains(out.String(), "three,It is fast.,,not tested\n") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// A change is as large as the paper's when it is clearly more than half of it, and not as large when it is clearly less, however small.
func TestAsLarge(t *testing.T) {
	s := ablation(t, 10) // +0.56 ± 0.19, the paper +0.38; and 0, the paper -0.07: neither is clear
	var got []Answer
	for _, e := range AsLarge(s.Tables[0])(s) {
		got = append(got, e.For)
	}
	if want := []Answer{Unclear, Unclear}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct {
		mean, stdErr float64
		want         Answer
	}{{-20, 0.4, No}, {-22, 0.4, Yes}, {-22, 0.6, Unclear}, {-20, 0.6, Unclear}, {-1, 1, No}, {-1, 12, Unclear}, {21, 1, No}} {
		if got := asLarge(fact{Number: &Number{Mean: c.mean, StdErr: c.stdErr, Paper: results.PaperNumber{Mean: -42}}}); got != c.want {
			t.Errorf("%v ± %v: %v, want %v", c.mean, c.stdErr, got, c.want)
		}

	}
}

// The opening counts the folds of a data set once, not once for each protocol.
func TestOpeningCountsFolds(t *testing.T) {
	f := newFixture()
	f.Says = "parts matter."
	f.expect("boston-housing", published, "knn", 1)
	f.expect("boston-housing", corrected, "knn", 1)
	if opening := collect(t, f).opening()[0].(List); opening[2] != "On: Boston Housing (10 folds)." {
		t.Errorf("%q", opening)
	}
}

// Data sets without records are named apart, once any data set has some.
func TestOpeningSaysWhatIsMissing(t *testing.T) {
	f := newFixture()
	f.Says = "parts matter."
	f.expect("boston-housing", published, "knn", 1)
	f.expect("protein", published, "knn", 1)
	if opening := collect(t, f).opening()[0].(List); opening[2] != "On: Boston Housing (10 folds), Protein (1 fold)." {
		t.Errorf("%q", opening)
	}
	f.ok("protein", published, "knn", 0, 0, mse(1), rmse(3.77))
	if opening := collect(t, f).opening()[0].(List); opening[2] != "On: Protein (1 fold); nothing yet: Boston Housing." {
		t.Errorf("%q", opening)
	}
}

// A variant that the paper has with fewer layers is smaller than published by its own measure.
func TestSizesOfVariants(t *testing.T) {
	for layers, want := range map[int]string{2: "Base Half the layers", 4: "Base", 8: ""} {
		f := newFixture()
		f.Series = []string{"variant"}
		f.params["npt"] = fmt.Sprintf("layers: %d", layers)
		f.variants = map[string]string{"npt": "Base: {setting: 0}, Half the layers: {setting: 1}"}
		f.expect("boston-housing", published, "npt", 2)
		var smaller []string
		for _, g := range collect(t, f).Groups {
			if g.Info.Name == "boston-housing" && g.smaller() != "" && !g.Series.Paper {
				smaller = append(smaller, g.Series.Values["variant"])
			}
		}
		if got := strings.Join(smaller, " "); got != want {
			t.Errorf("with %d layers %q are smaller than published, want %q", layers, got, want)
		}
	}
}

// cells.csv has the numbers beside what the tables have beside them.
func TestCellsHaveThePaperOfTheTables(t *testing.T) {
	var out bytes.Buffer
	if err := ablation(t, 10).writeCells(&out); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// RMSE and MSE of three variants in Table 4, which has no MSE, and of all together in Tables 11 and 12
	if got := column(lines, "paper_printed"); got != "3.00 ± 0.23  3.38 ± 0.46  2.93 ± 0.18  2.92 ± 0.15 8.77 ± 2.6" {
		t.Errorf("the paper's: %s", got)
	}
}

// NAME.csv has each number of the tables once.
func TestFactsFile(t *testing.T) {
	var out bytes.Buffer
	if err := ablation(t, 10).writeFacts(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if lines[0] != "experiment,dataset,protocol,method,variant,metric,mean,stderr,n,paper,paper_stderr,verdict,title" || len(lines) != 1+4+4 {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	if want := "ablation/changes,boston-housing,published,npt,No semi-supervision,rmse_change,0.5625,"; !strings.HasPrefix(lines[1], want) {
		t.Errorf("%s, want %s", lines[1], want)
	}
}

// The figure of a table of changes has the changes, and not what other columns show.
func TestFigureOfChanges(t *testing.T) {
	panels := ablation(t, 10).panels()
	if len(panels) != 1 || panels[0].Title != "Boston Housing" || panels[0].Axis != "change of the RMSE, below 0 is better" || !panels[0].Zero || len(panels[0].Lines) != 2 {
		t.Fatalf("%+v", panels)
	}
	line := panels[0].Lines[0]
	if line.Title != "No semi-supervision" || !(math.Abs(line.Values[1].Mean-0.5625) <= 1e-12) || !(math.Abs(line.Values[0].Mean-0.38) <= 1e-12) || line.Values[2].OK {
		t.Errorf("%+v", line)
	}
}

// twoProtocols is ablation under both protocols, with other numbers under the corrected one.
func twoProtocols(t *testing.T) *Summary {
	f := newFixture()
	f.Series = []string{"variant"}
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No semi-supervision: {setting: 1}"}
	f.expect("boston-housing", published, "npt", 2)
	f.expect("boston-housing", corrected, "npt", 2)
	for fold := range 10 {
		x := float64(fold)
		f.ok("boston-housing", published, "npt", fold, 0, mse(1), rmse(x))
		f.ok("boston-housing", published, "npt", fold, 1, mse(1), rmse(x+1+0.1*float64(fold%2)))
		if fold > 0 {
			f.ok("boston-housing", corrected, "npt", fold, 0, mse(1), rmse(x+50))
			f.ok("boston-housing", corrected, "npt", fold, 1, mse(1), rmse(x+40))
		}
	}
	return collect(t, f)
}

// Ranks on a fold are among the variants under the same protocol.
func TestRanksOfOneProtocol(t *testing.T) {
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}}, Rows: []string{"variant"}, Columns: []string{"dataset"}, Show: []Part{FoldRank}, Paper: 13}
	facts := l.facts(twoProtocols(t).Numbers)
	if len(facts) != 2 || facts[0].Mean != 0 || facts[1].Mean != 1 {
		t.Errorf("%v %v", facts[0].Mean, facts[1].Mean)
	}
}

// Where the paper has no number for the base, or for the variant, it has no change.
func TestPaperLacksASide(t *testing.T) {
	s := ablation(t, 10)
	chosen := []string{"Chosen"} // which is not in the paper
	base, variant := changesOfBoston, changesOfBoston
	base.Base = Where{"variant", chosen}
	variant.Where = []Where{{"metric", []string{"rmse"}}, {"variant", chosen}}
	for _, l := range []Layout{base, variant} {
		if f := l.facts(s.Numbers); len(f) == 0 || f[0].HasPaper || f[0].Verdict != NoPaper {
			t.Errorf("%v against %v: %+v", l.Where[1].Values, l.Base.Values, f)
		}
	}
}

// The axis of a change says what is better, as the metric has it.
func TestAxisOfChanges(t *testing.T) {
	for want, m := range map[string]metric.Metric{
		"change of the accuracy, above 0 is better": metric.Accuracy, "change of the RMSE, below 0 is better": metric.RMSE,
	} {
		if got := (&fact{Number: &Number{Metric: m}, metric: m.Name + changeOf}).axis(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// ablationOf has the three variants of ablation under a protocol, with failures on some folds by variant.
func ablationOf(t *testing.T, protocol split.Protocol, failed map[int][]int, l ...Layout) *Summary {
	f := newFixture()
	f.Name, f.Series, f.Tables = "ablation", []string{"variant"}, l
	f.params["npt"] = "layers: 2"
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No semi-supervision: {setting: 1}, No target masking: {setting: 2}"}
	f.expect("boston-housing", protocol, "npt", 3)
	for fold := range 10 {
		for setting := range 3 {
			if slices.Contains(failed[setting], fold) {
				f.failed("boston-housing", protocol, "npt", fold, setting, "memory", "too large")
			} else {
				f.ok("boston-housing", protocol, "npt", fold, setting, mse(1), rmse(float64(setting+1)+float64(fold*setting)/8))
			}
		}
	}
	return collect(t, f)
}

var everyFold = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

// A variant that failed on every fold keeps its row, is counted, and is in NAME.csv; where the base failed all rows say so.
func TestFailedChanges(t *testing.T) {
	const want = "| Boston Housing | No semi-supervision | failed | – | +0.38 ± 0.51 | failed |"
	for _, failed := range []int{0, 1} {
		s := ablationOf(t, published, map[int][]int{failed: everyFold}, changesOfBoston, resultsOfBoston)
		var out bytes.Buffer
		markdownTable(&out, changesOfBoston.table(s.Numbers))
		line := ""
		for _, l := range strings.Split(out.String(), "\n") {
			if strings.Contains(l, "No semi-supervision") && strings.HasPrefix(l, "|") {
				line = l
			}
		}
		if cells := strings.Join(strings.Fields(footnote.ReplaceAllString(line, "")), " "); cells != want {
			t.Errorf("%d failed: %q, want %q in\n%s", failed, cells, want, out.String())
		}
		note := map[int]string{0: "Base has no result on folds 0 to 9.", 1: "10 of 10 cells failed: 10 memory (too large)."}[failed]
		if !strings.Contains(out.String(), note) {
			t.Errorf("%d failed: no %q in\n%s", failed, note, out.String())
		}
		changes := map[int]int{0: 2, 1: 1}[failed] // of two; and one of three results
		if got := countVerdicts(s.judged())[FailedCell]; got != changes+1 {
			t.Errorf("%d failed: %d are counted", failed, got)
		}
		var facts bytes.Buffer
		if err := s.writeFacts(&facts); err != nil || strings.Count(facts.String(), ",,,0,") != changes+1 || !strings.Contains(facts.String(), "No semi-supervision,rmse_change,,,0,0.37999") {
			t.Errorf("%d failed: %v\n%s", failed, err, facts.String())
		}
		for _, p := range s.panels() {
			for _, line := range p.Lines {
				if failed == 0 || line.Title == "No semi-supervision" {
					t.Errorf("%d failed: the figure has %+v", failed, line)
				}
			}
		}
		if all := AsPaper(changesOfBoston)(s); len(all) != 2-changes {
			t.Errorf("%d failed: %+v", failed, all)
		}
	}
}

var footnote = regexp.MustCompile("<sup>[0-9,]+</sup>")

// Where numbers lack folds it is said which of them lacks which.
func TestWhoLacksFolds(t *testing.T) {
	ranks := Layout{Where: []Where{{"metric", []string{"rmse"}}, {"variant", []string{"Base", "No semi-supervision", "No target masking"}}},
		Rows: []string{"variant"}, Show: []Part{FoldRank}, Paper: 13}
	for _, c := range []struct {
		failed     map[int][]int
		rows       string
		notes      []string
		best, base Answer
	}{
		{nil, "0.00 1.00 2.00", nil, Yes, Yes},
		{map[int][]int{2: {9, 3}}, "0.00 1.00 2.00", []string{"Over 8 of 10 folds.", "No target masking has no result on folds 3, 9."}, NoBearing, Yes},
		{map[int][]int{2: everyFold}, "0.00 1.00 failed", []string{"No target masking has no result, and is not ranked."}, NoBearing, Yes},
		{map[int][]int{0: {3}}, "0.00 1.00 2.00", []string{"Over 9 of 10 folds.", "Base has no result on fold 3."}, NoBearing, NoBearing},
	} {
		s := ablationOf(t, published, c.failed)
		table := ranks.table(s.Numbers)
		var texts []string
		for _, row := range table.Rows {
			text, _, _ := strings.Cut(row.Cells[1].Text, " ")
			texts = append(texts, text)
		}
		if got := strings.Join(texts, " "); got != c.rows {
			t.Errorf("%v failed: %s, want %s", c.failed, got, c.rows)
		}
		for _, note := range c.notes {
			if !slices.Contains(table.Notes, note) {
				t.Errorf("%v failed: no %q in %q", c.failed, note, table.Notes)
			}
		}
		if all := Best(ranks, "Base")(s); len(all) != 1 || all[0].For != c.best {
			t.Errorf("%v failed: %+v", c.failed, all)
		}
		changes := changesOfBoston.table(s.Numbers)
		if said := slices.Contains(changes.Notes, "Base has no result on fold 3."); said != (c.base == NoBearing) {
			t.Errorf("%v failed: changes have %q", c.failed, changes.Notes)
		}
	}
}

// With only corrected records a report of both protocols has their changes, and says so.
func TestChangesOfEitherProtocol(t *testing.T) {
	f := newFixture()
	f.Series = []string{"variant"}
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No semi-supervision: {setting: 1}"}
	f.expect("boston-housing", published, "npt", 2)
	f.expect("boston-housing", corrected, "npt", 2)
	for fold := range 10 { // of which both protocols have the first
		for setting := range 2 {
			f.ok("boston-housing", corrected, "npt", fold, setting, mse(1), rmse(float64(1+setting+fold*setting)))
		}
	}
	table := changesOfBoston.table(collect(t, f).Numbers)
	if table == nil || len(table.Rows) != 1 || !strings.HasPrefix(table.Rows[0].Cells[1].Text, "+5.50") || table.Rows[0].Cells[4].Text != string(NotJudged) ||
		!slices.Contains(table.Notes, "By corrected folds.") || table.Caption != "Changes. By published folds, or by corrected ones where a footnote says so." {
		t.Fatalf("%+v", table)
	}
	table = changesOfBoston.table(twoProtocols(t).Numbers)
	if table.Rows[0].Cells[4].Text == string(NotJudged) || slices.Contains(table.Notes, "By corrected folds.") || !strings.Contains(table.Caption, "By published folds") {
		t.Errorf("%+v", table)
	}
	if table := changesOfBoston.table(ablation(t, 10).Numbers); strings.Contains(table.Caption, "folds") {
		t.Error(table.Caption)
	}
}
