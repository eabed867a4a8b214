package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
	"nptbench/results"
)

// A claim holds when all complete numbers that it is about reach it, and only at its size for a network smaller than published.
func TestClaims(t *testing.T) {
	npt := &method.Method{Sizes: []method.Size{{Param: "layers", Name: "layers"}}}
	number := func(name string, mean float64, paper bool, n int) *Number {
		info := dataset.Info{Name: name, Title: name, RunFolds: 1, Problem: dataset.Regression}
		g := &Group{Info: info, Protocol: published, Series: &Series{Method: npt, label: "NPT"}, Folds: []*Fold{{}}, Settings: 1, sizes: sizes{{smaller: !paper}}}
		return &Number{Group: g, Metric: metric.Correlation, Mean: mean, N: n}
	}
	corrected := number("yacht", 1, true, 1)
	corrected.Protocol = "corrected"
	claim := Claim{ID: "r", Count: 2, Says: "So it is.", Test: AtLeast(0.999, Where{"dataset", []string{"yacht", "concrete"}})}
	for name, c := range map[string]struct {
		numbers []*Number
		want    string
	}{
		"none":        {nil, "not tested"},
		"another":     {[]*Number{number("protein", 1, true, 1)}, "not tested"},
		"unfinished":  {[]*Number{number("yacht", 1, true, 0)}, "not tested"},
		"corrected":   {[]*Number{corrected}, "not tested"},
		"all":         {[]*Number{number("yacht", 0.9991, true, 1), number("concrete", 0.999, true, 1)}, "holds"},
		"one small":   {[]*Number{number("yacht", 0.9991, false, 1)}, "holds at this size, on the 1 of 2 that were measured"},
		"one fails":   {[]*Number{number("yacht", 0.9991, false, 1), number("concrete", 0.9989, true, 1)}, "does not hold"},
		"small fails": {[]*Number{number("yacht", 0.9989, false, 1), number("concrete", 0.9991, true, 1)}, "does not hold at this size"},
	} {
		s := &Summary{Spec: Spec{Claims: []Claim{claim}}, Numbers: c.numbers}
		got := s.claims()
		if len(got) != 1 || !strings.HasPrefix(strings.ToLower(got[0]), c.want+" (r): so it is.") {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
		if measured := strings.Contains(got[0], "Measured: NPT") && strings.Contains(got[0], "Pearson's r: 0.99"); measured != (c.want != "not tested") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if (&Summary{}).claims() != nil {
		t.Error("claims of a report without any")
	}
}

// Who is the best on a data set, and who comes where by mean rank, speaks for or against a claim; a smaller network says so at its size.
func TestClaimsOnOrder(t *testing.T) {
	f := newFixture()
	f.params["npt"] = "layers: 2"
	headline := Layout{Where: []Where{{"ranking", []string{"yes"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	kick := headline
	kick.Where = append(kick.Where[:1:1], Where{"dataset", []string{"kick"}})
	two := headline
	two.Where = append(two.Where[:1:1], Where{"method", []string{"npt", "xgboost"}})
	f.Claims = []Claim{
		{ID: "best", Says: "NPT is the best.", Test: Best(headline, "NPT"), Count: 3},
		{ID: "k-NN", Says: "k-NN is the best.", Test: Best(headline, "k-NN")},
		{ID: "MLP", Says: "MLP is the best.", Test: Best(headline, "MLP")},
		{ID: "tied", Says: "XGBoost is the best.", Test: Best(kick, "XGBoost")},
		{ID: "smaller", Says: "NPT is better than XGBoost.", Test: Best(two, "NPT")},
		{ID: "second", Says: "NPT is second.", Test: Place("npt", 2, dataset.Regression)},
		{ID: "classes", Says: "NPT is first.", Test: Place("npt", 1, dataset.MultiClass)},
	}
	for method, value := range map[string]float64{"npt": 2, "knn": 1, "xgboost": 3} {
		f.expect("kick", published, method, 1) // without NPT's record; the others are as good
		if method != "npt" {
			f.ok("kick", published, method, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": 50, "nll": 1, "auroc": 0.7})
		}
		f.expect("protein", published, method, 1)
		f.ok("protein", published, method, 0, 0, mse(1), results.Metrics{"rmse": value, "rmse_se": 0.1})
		f.expect("higgs", published, method, 1) // the larger AUROC is the better one
		f.ok("higgs", published, method, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": 50, "nll": 1, "auroc": 1 - value/10, "auroc_se": 0.01})
	}
	want := []string{
		"does not hold at this size, on the 2 of 3 that were measured", "holds", "not tested", "holds", "holds at this size", "not tested", "not tested",
	}
	for i, f := range collect(t, f).findings() {
		if f.verdict+f.partly != want[i] {
			t.Errorf("%s: %s (%s), want %s", f.ID, f.verdict+f.partly, f.measured(), want[i])
		}
		if f.ID == "smaller" && !strings.Contains(f.measured(), "best on Protein: NPT, 2 layers") {
			t.Errorf("measured %s, want the network's size", f.measured())
		}
	}
}

// The best is so by the differences fold by fold, once they are clear; on a single split by the errors over its rows.
func TestBestIsClear(t *testing.T) {
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	for _, c := range []struct {
		dataset string
		npt     func(fold int) float64 // k-NN has the number of the fold
		stdErr  float64
		want    Answer
	}{
		{"boston-housing", func(fold int) float64 { return float64(fold) - 0.1 }, 0, Yes},
		{"boston-housing", func(fold int) float64 { return float64(fold) + 0.1 }, 0, No},
		{"boston-housing", func(fold int) float64 { return float64(fold) - float64(fold%2) + 0.4 }, 0, Unclear}, // -0.1 ± 0.17
		{"boston-housing", func(fold int) float64 { return float64(9 - fold) }, 0, Yes},                         // as good as the best
		{"protein", func(int) float64 { return -0.1 }, 0.03, Yes},
		{"protein", func(int) float64 { return -0.1 }, 0.04, Unclear}, // of 0.057
	} {
		f := newFixture()
		folds := 1
		if c.dataset != "protein" {
			folds = 10
		}
		for fold := range folds {
			for method, value := range map[string]float64{"npt": c.npt(fold), "knn": float64(fold)} {
				if fold == 0 {
					f.expect(c.dataset, published, method, 1)
				}
				f.ok(c.dataset, published, method, fold, 0, mse(1), results.Metrics{"rmse": value, "rmse_se": c.stdErr})
			}
		}
		all := Best(l, "NPT")(collect(t, f))
		if len(all) != 1 || all[0].For != c.want || strings.Contains(all[0].Text, "not clear") != (c.want == Unclear) {
			t.Errorf("%+v: %+v, want %v", c, all, c.want)
		}
	}
}

// One variant of a method, or one value of a parameter, is not the paper's, which chooses among them: it is neither the best nor in a place.
func TestClaimsOfOneVariant(t *testing.T) {
	l := Layout{Where: []Where{Ranking}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	for series, want := range map[string]int{"variant": 0, "setting": 0, "": 1} {
		f := newFixture()
		f.Series = strings.Fields(series)
		f.variants = map[string]string{"npt": "base: {setting: 0}, other: {setting: 1}"}
		for _, m := range []string{"npt", "knn"} {
			f.expect("yacht", published, m, 2)
			for fold := range 10 {
				for setting := range 2 {
					f.ok("yacht", published, m, fold, setting, mse(1), rmse(float64(setting+len(m))))
				}
			}
		}
		s := collect(t, f)
		for name, test := range map[string]Test{"best": Best(l, "NPT"), "place": Place("npt", 1, dataset.Regression)} {
			if all := test(s); len(all) != want {
				t.Errorf("%s, rows by %q: %+v", name, series, all)
			}
		}
	}
}

// Ranks over some of the paper's folds do not make anything the best.
func TestBestOverSomeFolds(t *testing.T) {
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}}, Rows: []string{"variant"}, Columns: []string{"dataset"}, Show: []Part{FoldRank}}
	for folds, want := range map[int]Evidence{
		3:  {Text: "Base, over 3 of the paper's 10 folds", For: NoBearing},
		10: {Text: "Base (not clear)", For: Unclear}, // 0.55 and 0.6
	} {
		all := Best(l, "Base")(ablation(t, folds))
		if len(all) != 1 || all[0].Text != want.Text || all[0].For != want.For {
			t.Errorf("%d folds: %+v, want %+v", folds, all, want)
		}
	}
}

// A claim about ranks is tested by all of the paper's methods on all of its data sets, and by nothing else.
func TestClaimsOnRanks(t *testing.T) {
	four := []string{"protein", "concrete", "boston-housing", "yacht"}
	headline := Layout{Where: []Where{{"method", nil}, {"dataset", four[:1]}, {"ranking", []string{"yes"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	for _, m := range results.PaperMethods {
		headline.Where[0].Values = append(headline.Where[0].Values, m.Name)
	}
	for _, c := range []struct {
		without          string
		datasets         []string
		own              bool // golearn-knn is there, too, and the best
		npt, catboost    float64
		rank, best, text string
	}{
		{"", four, false, 1, 0.5, "not clear", "does not hold", "2.00 on 4 of the paper's 4 regression data sets, place 2 among the paper's 9 methods, critical difference 6.00"},
		{"", four, true, 1, 0.5, "not clear", "does not hold", "place 2 among the paper's 9 methods (3.00 among all 10 methods here on 4 data sets), critical difference 6.00"},
		{"", four, true, 1, 1.5, "not clear", "holds", "1.00 on 4 of the paper's 4 regression data sets, place 1 among the paper's 9 methods"},
		{"", four, false, 99, 0.5, "does not hold", "does not hold", "9.00 on 4 of the paper's 4 regression data sets, place 9 among the paper's 9 methods"},
		{"catboost", four, false, 1, 0, "not tested", "not tested", "place 1 among 8 of the paper's 9 methods"},
		{"", four[:3], false, 1, 0.5, "not tested", "does not hold", "2.00 on 3 of the paper's 4 regression data sets, place 2 among the paper's 9 methods"},
		{"", append(four[:2:2], "lookup"), false, 1, 0.5, "not tested", "does not hold", "2.00 on 2 of the paper's 4 "},
	} {
		f := newFixture()
		f.Claims = []Claim{{ID: "rank", Says: "NPT is second.", Test: Place("npt", 2, dataset.Regression)}, {ID: "best", Says: "NPT is the best.", Test: Best(headline, "NPT")}}
		for _, d := range c.datasets {
			for i, m := range testMethods {
				value := map[string]float64{"npt": c.npt, "catboost": c.catboost, "golearn-knn": 0.1}[m.Name]
				if value == 0 {
					value = 2 + float64(i)
				}
				if m.Name == c.without || m.Extra && !c.own {
					continue
				}
				f.expect(d, published, m.Name, 1)
				for fold := range 10 {
					f.ok(d, published, m.Name, fold, 0, mse(1), results.Metrics{"rmse": value, "rmse_se": 0.1})
				}
			}
		}
		found := collect(t, f).findings()
		if found[0].verdict != c.rank || !strings.Contains(found[0].measured(), c.text) || found[1].verdict != c.best {
			t.Errorf("%+v: %s (%s), %s (%s)", c, found[0].verdict, found[0].measured(), found[1].verdict, found[1].measured())
		}
	}
}

// A claim on a rank has beside it that among all methods of the same problem, under published folds.
func TestRankAmongMore(t *testing.T) {
	npt, other := &Series{Title: "NPT"}, &Series{Title: "golearn"}
	table := func(all bool, protocol split.Protocol, problem dataset.Problem) *rankTable {
		return &rankTable{All: all, Protocol: protocol, Problem: problem, Datasets: make([]dataset.Info, 2),
			Rows: []rankRow{{Series: other, Own: meanRank{Mean: 1}}, {Series: npt, Own: meanRank{Mean: 2}}}}
	}
	right := table(true, published, dataset.Regression)
	for _, c := range []struct {
		table *rankTable
		of    *Series
		than  int
		want  string
	}{
		{right, npt, 1, " (2.00 among all 2 methods here on 2 data sets)"},
		{right, npt, 2, ""},
		{right, &Series{}, 1, ""},
		{table(false, published, dataset.Regression), npt, 1, ""},
		{table(true, corrected, dataset.Regression), npt, 1, ""},
		{table(true, published, dataset.Binary), npt, 1, ""},
	} {
		if got := (&Summary{ranks: []*rankTable{c.table}}).rankAmongMore(c.of, dataset.Regression, c.than); got != c.want {
			t.Errorf("%+v: %q, want %q", c.table, got, c.want)
		}
	}
}

func TestInPlace(t *testing.T) {
	means := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		at, place int
		critical  float64
		want      Answer
	}{
		{1, 2, 0.9, Yes}, {1, 2, 1.1, Unclear}, {0, 1, 0.9, Yes},
		{5, 2, 6.01, Unclear},                                  // the best is not clearly before it
		{8, 2, 6.01, No},                                       // two are
		{7, 2, 6.01, Unclear},                                  // one is, which the second place has before it
		{0, 2, 0.9, No}, {0, 2, 1.1, Unclear}, {0, 5, 3.9, No}, // five are behind it, the fifth has four
	} {
		if got := inPlace(means, c.at, c.place, c.critical); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The paper has no result of k-NN on Higgs, and ranks it last there; it is not missing among those of which one is the best.
func TestClaimWithoutAResultInThePaper(t *testing.T) {
	f := newFixture()
	all := Is("method")
	for i, m := range testMethods[:len(results.PaperMethods)] {
		all.Values = append(all.Values, m.Name)
		for _, d := range []string{"higgs", "breast-cancer", "income", "kick"} {
			if d == "higgs" && m.Name == "knn" {
				continue
			}
			f.expect(d, published, m.Name, 1)
			for fold := range 10 {
				f.ok(d, published, m.Name, fold, 0, results.Metrics{"nll": 1}, results.Metrics{"auroc": float64(i) / 10, "accuracy": 50, "nll": 1})
			}
		}
	}
	f.Claims = []Claim{{ID: "rank", Says: "NPT is first.", Test: Place("npt", 1, dataset.Binary)}}
	s := collect(t, f)
	if found := s.findings()[0]; found.verdict != "not clear" || !strings.Contains(found.measured(), "1.00 on 4 of the paper's 4") {
		t.Errorf("%s (%s)", found.verdict, found.measured())
	}
	l := Layout{Where: []Where{all, Ranking, Is("dataset", "higgs")}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	if best := Best(l, "NPT")(s); len(best) != 1 || best[0].For == NoBearing {
		t.Errorf("%+v", best)
	}
}

// Claims about methods that the sweep does not have are left out, and with the last one what the paper says.
func TestClaimsOfOtherMethods(t *testing.T) {
	npt, forest := Claim{ID: "npt", Says: "NPT is the best."}, Claim{ID: "forest", Says: "The forest is slow.", Method: "random-forest"}
	for _, c := range []struct {
		method string
		claims []Claim
		want   string
	}{
		{"npt", []Claim{npt, forest}, "npt The paper: So it is."}, {"random-forest", []Claim{npt, forest}, "forest The paper: So it is."},
		{"knn", []Claim{npt, forest}, " On: Yacht (10 folds)."}, {"knn", nil, " The paper: So it is."},
	} {
		f := newFixture()
		f.Says, f.Claims = "So it is.", c.claims
		f.expect("yacht", published, c.method, 1)
		s := collect(t, f)
		kept := ""
		for _, claim := range s.Claims {
			kept += claim.ID
		}
		if got := kept + " " + s.opening()[0].(List)[0]; got != c.want {
			t.Errorf("%s: %q, want %q", c.method, got, c.want)
		}
	}
}

// What is worse than all of the paper's baselines says something only if it was not so before; their worst on Protein is k-NN's 3.77.
func TestWorseThanBaselines(t *testing.T) {
	clean, after := metric.Metric{Name: "clean"}, metric.Metric{Name: "after", Digits: 2}
	protein := Where{"dataset", []string{"protein"}}
	for _, c := range []struct {
		clean, after float64
		want, subset string
	}{{3.41, 4.13, "holds", ""}, {3.41, 3.79, "not clear", ""}, {3.41, 3.7, "does not hold", ""}, {3.87, 4.08, "not tested", ""}, {3.77, 3.8, "holds", ""},
		{3.41, 4.13, "not tested", "half of the rows"}} {
		fold := &Fold{Chosen: &results.Record{Test: results.Metrics{"clean": c.clean}, Subset: c.subset}}
		series := &Series{Method: &method.Method{Name: "npt"}, Title: "NPT"}
		fold.group = &Group{Info: dataset.Info{Name: "protein", Title: "Protein", RunFolds: 1}, Protocol: published, Series: series, Folds: []*Fold{fold}}
		n := &Number{Group: fold.group, Metric: after, Mean: c.after, N: 1, StdErr: math.NaN(), RowStdErr: 0.0125}
		s := &Summary{Spec: Spec{Claims: []Claim{{ID: "c", Says: "So it is.", Test: WorseThanBaselines(clean, after, metric.RMSE, protein)}}}, Numbers: []*Number{n}}
		if f := s.findings()[0]; f.verdict != c.want || !strings.Contains(f.measured(), "baselines has 3.77") {
			t.Errorf("%v, then %v: %s (%s), want %s", c.clean, c.after, f.verdict, f.measured(), c.want)
		}
	}
}

// Where nothing is measured of what the paper claims a report says so, and whether there is anything else.
func TestNothingFound(t *testing.T) {
	for records, want := range map[int]string{0: "nothing yet of what it claims.", 1: "what the tables have; none of the paper's claims is about it."} {
		if got := (&Summary{Records: records}).found(); got != want {
			t.Errorf("%d records: %q, want %q", records, got, want)
		}
	}
	told := Claim{ID: "told", Test: func(*Summary) []Evidence { return []Evidence{{"yacht", "NPT", "", "2 days", NoBearing, false}} }}
	for want, claims := range map[string][]Claim{"NPT: 2 days.": {told}, "NPT, RMSE: 3 on Yacht.": {told, {ID: "tested", Test: func(*Summary) []Evidence {
		return []Evidence{{"yacht", "NPT", "RMSE", "3 on Yacht", Yes, false}}
	}}}} {
		if got := (&Summary{Spec: Spec{Claims: claims}}).found(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Numbers speak for or against a claim by how far they are from a value in standard errors; without an error they say nothing.
func TestClaimsOnNumbers(t *testing.T) {
	nan, at := math.NaN(), Where{"dataset", []string{"a"}}
	for _, c := range []struct {
		test         Test
		mean, stdErr float64
		want         string
		rows         float64 // the standard error over test rows
	}{
		{Below(1, at), 0.7, 0.1, "holds", nan}, {Below(1, at), 0.9, 0.1, "not clear", nan}, {Below(1, at), 1.3, 0.1, "does not hold", nan}, {Below(1, at), 0, nan, "not clear", nan}, {Below(1, at), 0.7, nan, "holds", 0.1},
		{Above(1, at), 1.3, 0.1, "holds", nan}, {Above(1, at), 1.1, 0.1, "not clear", nan}, {Above(1, at), 0.7, 0.1, "does not hold", nan}, {Above(1, at), 9, nan, "not clear", nan}, {Above(1, at), 1.3, nan, "holds", 0.1},
		{Near(1, 0.4, at), 1.1, 0.1, "holds", nan}, {Near(1, 0.4, at), 0.3, 0.1, "does not hold", nan}, {Near(1, 0.4, at), 1, 0, "not clear", nan}, {Near(1, 0.4, at), 1, nan, "not clear", nan},
		{Near(1, 0.4, at), 1.1, nan, "holds", 0.1}, {Near(1, 0.4, at), 1.7, nan, "does not hold", 0.1}, {Near(1, 0.4, at), 1.1, 9, "not clear", nan}, // an error that is large says nothing
		{Exactly(0, at), 0, nan, "holds", nan}, {Exactly(0, at), 1e-300, 1, "does not hold", nan},
		{Each(Exactly(0, at), Above(-1, at)), 0, 0.1, "holds", nan}, {Each(Exactly(0, at), Above(0, at)), 0, 0.1, "not clear", nan},
		{AtMost(1, at), 1, nan, "holds", nan}, {AtMost(1, at), 1.1, 9, "not clear", nan}, {AtMost(1, at), 1.3, 0.1, "does not hold", nan}, {AtMost(1, at), 9, nan, "not clear", nan}, {AtMost(1, at), nan, nan, "not clear", nan},
		{AtLeast(1, at), 1, 9, "holds", nan}, {AtLeast(1, at), 0.9, nan, "not clear", 0.1}, {AtLeast(1, at), 0.7, 0.1, "does not hold", nan}, {AtLeast(1, at), 0.7, nan, "not clear", nan}, {Tells(at), 1, 1, "not tested", nan},
		{Significant(0.01, at), -2.1, nan, "holds", nan}, {Significant(0.01, at), -1.9, nan, "not clear", nan}, // a p that is not small is no evidence against
	} {
		n := &Number{Group: &Group{Info: dataset.Info{Name: "a", RunFolds: 1}, Protocol: published, Series: &Series{Title: "NPT", Paper: true}, Folds: []*Fold{{}}},
			Metric: metric.Correlation, Mean: c.mean, StdErr: c.stdErr, RowStdErr: c.rows, N: 1}
		s := &Summary{Spec: Spec{Claims: []Claim{{ID: "c", Says: "So it is.", Test: c.test}}}, Numbers: []*Number{n}}
		if f := s.findings()[0]; f.verdict != c.want {
			t.Errorf("%v ± %v: %s (%s), want %s", c.mean, c.stdErr, f.verdict, f.measured(), c.want)
		}
	}
}

// The error of a correlation over 403 test rows, (1-r²)/20, is 0.0405 at 0.436 and 0.0416 at 0.41; of three rows there is none.
func TestErrorsOfCorrelations(t *testing.T) {
	for _, c := range []struct {
		r    float64
		rows int
		want Answer
	}{{0.436, 403, Unclear}, {0.41, 403, No}, {0.51, 403, Yes}, {0.1, 3, Unclear}} {
		g := &Group{Info: dataset.Info{Name: "a", RunFolds: 1}, Protocol: published, Series: &Series{Title: "NPT", Paper: true},
			Folds: []*Fold{{Chosen: &results.Record{Rows: [3]int{1, 1, c.rows}}}}}
		n := &Number{Group: g, Metric: metric.Correlation, Mean: c.r, StdErr: math.NaN(), RowStdErr: math.NaN(), N: 1}
		if got := n.reaches(c.r - 0.5); got != c.want {
			t.Errorf("%v over %d rows is 0.5 or more: %v, want %v", c.r, c.rows, got, c.want)
		}
	}
}

// Over ten folds with eight times as many training rows as test rows an error of 1 counts as 1.5: sqrt(1 + 10/8), by Nadeau and Bengio.
func TestErrorsOverFolds(t *testing.T) {
	below, near, atMost := Below(0), Near(0, 5), AtMost(0)
	for _, c := range []struct {
		test Test
		mean float64
		want Answer
	}{{below, -2.9, Unclear}, {below, -3.1, Yes}, {near, 2.1, Unclear}, {near, 1.9, Yes}, {atMost, 2.9, Unclear}, {atMost, 3.1, No}} {
		g := &Group{Info: dataset.Info{RunFolds: 10}, Protocol: published, Series: &Series{}}
		for fold := range 10 {
			g.Folds = append(g.Folds, &Fold{Number: fold, Chosen: &results.Record{Rows: [3]int{80, 10, 10}}})
		}
		n := &Number{Group: g, Metric: metric.Metric{Name: "rmse_change"}, Mean: c.mean, StdErr: 1, N: 10}
		if all := c.test(&Summary{Numbers: []*Number{n}}); len(all) != 1 || all[0].For != c.want {
			t.Errorf("%v: %+v, want %v", c.mean, all, c.want)
		}
	}
}

// Evidence of a small network that says nothing for or against a claim does not make it one of that size.
func TestSizeOfEvidenceWithoutBearing(t *testing.T) {
	test := func(*Summary) []Evidence { return []Evidence{{For: Yes}, {For: NoBearing, Smaller: true}} }
	s := &Summary{Spec: Spec{Claims: []Claim{{ID: "r", Test: test}}}}
	if got := s.findings()[0].verdict; got != holds {
		t.Errorf("%s, want %s", got, holds)
	}
}

// Two series on one data set are not two data sets.
func TestPartsOfAClaim(t *testing.T) {
	for second, want := range map[string]string{"yacht": ", on the 1 of 2 that were measured", "protein": ""} {
		test := func(*Summary) []Evidence {
			return []Evidence{{On: "yacht", For: Yes}, {On: second, For: Yes}, {On: "income", For: NoBearing}}
		}
		s := &Summary{Spec: Spec{Claims: []Claim{{ID: "r", Test: test, Count: 2}}}}
		if got := s.findings()[0].partly; got != want {
			t.Errorf("%s: %q, want %q", second, got, want)
		}
	}
}

// Changes under corrected folds say nothing of the paper's claims.
func TestClaimUnderCorrected(t *testing.T) {
	s := twoProtocols(t)
	s.Numbers = slices.DeleteFunc(s.Numbers, func(n *Number) bool { return n.Protocol == published })
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}, {"variant", []string{"No semi-supervision"}}}, Rows: []string{"variant"}, Show: []Part{VariantChange}, Paper: 4, Base: Where{"variant", []string{"Base"}}}
	if all := AsPaper(l)(s); len(all) != 1 || all[0].For != NoBearing {
		t.Errorf("%+v", all)
	}
}

// Where the paper prints two numbers alike, a clear change speaks neither for its direction nor against it: on Income all of Table 5 is 0.952.
func TestClaimOfNoChange(t *testing.T) {
	f := newFixture()
	f.Series = []string{"variant"}
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No ABA: {setting: 1}"}
	f.expect("income", published, "npt", 2)
	for setting, auroc := range []float64{0.95, 0.90} {
		f.ok("income", published, "npt", 0, setting, results.Metrics{"nll": 1}, results.Metrics{"auroc": auroc, "auroc_se": 1e-4})
	}
	l := Layout{Where: []Where{{"metric", []string{"auroc"}}, {"variant", []string{"No ABA"}}}, Rows: []string{"variant"}, Show: []Part{VariantChange}, Paper: 5, Base: Where{"variant", []string{"Base"}}}
	if all := AsPaper(l)(collect(t, f)); len(all) != 1 || all[0].For != NoBearing || !strings.Contains(all[0].Text, "-0.050") {
		t.Errorf("%+v", all)
	}
}

// Of metrics of which more is better the largest is the best.
func TestBestAmongLarger(t *testing.T) {
	l := Layout{Where: []Where{{"ranking", []string{"yes"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	f := newFixture()
	for method, auroc := range map[string]float64{"npt": 0.8, "knn": 0.9, "xgboost": 0.7} {
		f.expect("higgs", published, method, 1)
		f.ok("higgs", published, method, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": 50, "nll": 1, "auroc": auroc, "auroc_se": 0.01})
	}
	if all := Best(l, "NPT")(collect(t, f)); len(all) != 1 || all[0].For != No || !strings.HasPrefix(all[0].Text, "k-NN (1 method by another search)") {
		t.Errorf("%+v", all)
	}
}

// Who is ahead on three of ten folds decides nothing.
func TestBestAgainstComplete(t *testing.T) {
	l := Layout{Where: []Where{{"metric", []string{"rmse"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	f := newFixture()
	for _, method := range []string{"npt", "knn", "xgboost"} {
		f.expect("boston-housing", published, method, 1)
	}
	for fold := range 10 {
		f.ok("boston-housing", published, "npt", fold, 0, mse(1), rmse(2))
		f.ok("boston-housing", published, "xgboost", fold, 0, mse(1), rmse(3+0.1*float64(fold)))
		if fold < 3 {
			f.ok("boston-housing", published, "knn", fold, 0, mse(1), rmse(1+0.01*float64(fold)))
		}
	}
	if all := Best(l, "NPT")(collect(t, f)); len(all) != 1 || all[0].For != Yes {
		t.Errorf("%+v", all)
	}
}

// A larger rank is worse, whatever the metric.
func TestLargerRanks(t *testing.T) {
	rank := fact{Number: &Number{Metric: metric.Accuracy}, metric: "rank"}
	if rank.largerIsBetter() {
		t.Error("a larger rank is better")
	}
}

// Place says nothing as long as one of the paper's methods is to be run, also on data sets on which the paper has all.
func TestPlaceOfUnfinished(t *testing.T) {
	f := newFixture()
	for i, m := range testMethods[:len(results.PaperMethods)] {
		for _, d := range []string{"protein", "concrete", "boston-housing", "yacht"} {
			f.expect(d, published, m.Name, 1)
			value := float64(9 - i)
			for fold := range 10 {
				if m.Name == "xgboost" && d == "yacht" {
					continue
				}
				f.ok(d, published, m.Name, fold, 0, mse(1), rmse(value))
			}
		}
	}
	f.Claims = []Claim{{ID: "rank", Says: "NPT is first.", Test: Place("npt", 1, dataset.Regression)}}
	if found := collect(t, f).findings()[0]; found.verdict != notTested {
		t.Errorf("%s (%s)", found.verdict, found.measured())
	}
}

// partOfHiggs makes the records of Higgs those of some of its training rows.
func (f *fixture) partOfHiggs() {
	for _, rec := range f.records {
		if rec.Dataset == "higgs" {
			rec.Subset = "35,298 of 11,000,000 rows"
		}
	}
}

// What is measured with a part of the paper's training rows says nothing for or against its claims, but with a part of its test rows it does.
func TestClaimsByOtherTrainingRows(t *testing.T) {
	l := Layout{Where: []Where{{"ranking", []string{"yes"}}}, Rows: []string{"method"}, Columns: []string{"dataset"}, Show: []Part{Ours}}
	for _, part := range []bool{false, true} {
		f := newFixture()
		for place, m := range []string{"npt", "knn"} {
			f.expect("higgs", published, m, 1)
			f.ok("higgs", published, m, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"auroc": 0.8 - 0.1*float64(place), "auroc_se": 0.01, "accuracy": 50, "nll": 1})
			f.expect("poker-hand", published, m, 1)
			rec := f.ok("poker-hand", published, m, 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": 50 - float64(place), "accuracy_se": 0.1, "nll": 1})
			rec.Rows, rec.Subset = [3]int{21883, 3127, 100000}, "the first 100,000 test rows"
		}
		if part {
			f.partOfHiggs()
		}
		s := collect(t, f)
		higgs, want := Is("dataset", "higgs"), Yes
		if part {
			want = NoBearing
		}
		for name, test := range map[string]Test{
			"number": AtLeast(0.5, higgs, Is("metric", "auroc")), "best": Best(l, "NPT"), "exactly": Exactly(50, higgs, Is("metric", "accuracy")),
		} {
			for _, e := range test(s) {
				if e.On == "Poker Hand" {
					if e.For != Yes {
						t.Errorf("part %v, %s: %+v", part, name, e)
					}
				} else if e.For != want || part != strings.Contains(e.Text, ", by other training rows than the paper's") {
					t.Errorf("part %v, %s: %+v, want %v", part, name, e, want)
				}
			}
		}
	}
}

// Nor do changes, or ranks over the data sets that are left.
func TestChangesAndRanksByOtherTrainingRows(t *testing.T) {
	f := newFixture()
	f.Series = []string{"variant"}
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No ABA: {setting: 1}"}
	f.expect("higgs", published, "npt", 2)
	for setting, auroc := range []float64{0.88, 0.84} {
		f.ok("higgs", published, "npt", 0, setting, results.Metrics{"nll": 1}, results.Metrics{"auroc": auroc, "auroc_se": 1e-4})
	}
	l := Layout{Where: []Where{{"metric", []string{"auroc"}}, {"variant", []string{"No ABA"}}}, Rows: []string{"variant"}, Show: []Part{VariantChange}, Paper: 5, Base: Where{"variant", []string{"Base"}}}
	if all := AsPaper(l)(collect(t, f)); len(all) != 1 || all[0].For != Yes {
		t.Fatalf("%+v", all)
	}
	f.partOfHiggs()
	if all := AsPaper(l)(collect(t, f)); len(all) != 1 || all[0].For != NoBearing || !strings.HasSuffix(all[0].Text, "(not comparable)") {
		t.Errorf("%+v", all)
	}

	f = newFixture()
	for i, m := range testMethods[:len(results.PaperMethods)] {
		for _, d := range []string{"higgs", "breast-cancer", "income", "kick"} {
			f.expect(d, published, m.Name, 1)
			for fold := range 10 {
				f.ok(d, published, m.Name, fold, 0, results.Metrics{"nll": 1}, results.Metrics{"auroc": float64(i) / 10, "accuracy": 50, "nll": 1})
			}
		}
	}
	f.partOfHiggs()
	f.Claims = []Claim{{ID: "rank", Says: "NPT is first.", Test: Place("npt", 1, dataset.Binary)}}
	s := collect(t, f)
	if found := s.findings()[0]; found.verdict != notTested || !strings.Contains(found.measured(), "on 3 of the paper's 4 binary data sets") {
		t.Errorf("%s (%s)", found.verdict, found.measured())
	}
	if table := s.ranks[0]; len(table.Datasets) != 3 || len(table.Rows) != 9 ||
		!slices.Equal(withoutSearches(table.Notes), []string{"Higgs is left out, since its training rows are not all of the paper's: 35,298 of 11,000,000 rows."}) {
		t.Errorf("over %d data sets, notes %q", len(table.Datasets), table.Notes)
	}
}
