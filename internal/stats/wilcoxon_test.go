package stats

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/vectors"
)

// against makes a test by the larger values the one by the smaller values of its mirror image, and says which is wanted.
func against(alternative string, x, y []float64) (left, right []float64, less bool) {
	if alternative == "greater" {
		x, y = y, x
	}
	return x, y, alternative != "two-sided"
}

// ranked are the signed ranks of pairs as SciPy has them: what differs by rounding alone has other ranks.
func ranked(x, y []float64) signedRanks {
	var d []float64
	for i := range x {
		if x[i] != y[i] {
			d = append(d, x[i]-y[i])
		}
	}
	return rankSigned(d)
}

// isAsSciPy compares the statistic with SciPy's; false where it is another, since pairs are equal but for rounding, or share ranks so.
func isAsSciPy(t *testing.T, name string, x, y []float64, less bool, statistic float64) bool {
	t.Helper()
	got := wilcoxon(x, y, less, 0)
	if got.Statistic == statistic {
		return true
	}
	if slices.ContainsFunc(slices.Concat(x, y), func(value float64) bool { return math.Round(10*value)/10 != value }) {
		t.Errorf("%s: statistic %v, want %v, of numbers with more than one decimal", name, got.Statistic, statistic)
	}
	return false
}

// hasP compares Wilcoxon's p with one of SciPy's ranks; false where it is by the other method, or rounding makes ranks others.
func hasP(t *testing.T, name string, x, y []float64, less bool, method string, p float64) bool {
	t.Helper()
	got, s := wilcoxon(x, y, less, 0), ranked(x, y)
	statistic := s.plus
	if !less {
		statistic = min(s.plus, s.minus)
	}
	if (got.N <= exactLimit) != (method == "exact") || got.N != len(s.doubled) || got.Statistic != statistic {
		return false
	}
	near(t, name+", Wilcoxon's p", got.P, p)
	return true
}

// p is that of the named method, whichever Wilcoxon would take.
func (s signedRanks) p(method string, less bool) (p, logP float64) {
	if method == "exact" {
		return s.exact(less)
	}
	return s.normal(less)
}

// The golden vectors are from SciPy 1.10.1; those of up to 60 pairs.
func TestWilcoxonEqualsGolden(t *testing.T) {
	var golden struct {
		Data  map[string]struct{ X, Y []float64 }
		Cases []struct {
			Data, Alternative, Method string
			ZeroMethod                string `json:"zero_method"`
			Statistic, PValue         float64
		}
	}
	vectors.Read(t, "testdata/wilcoxon.json.gz", &golden)
	count, same, sameP := 0, 0, 0
	for _, c := range golden.Cases {
		if c.ZeroMethod != "wilcox" { // other ways to rank differences of zero
			continue
		}
		count++
		d := golden.Data[c.Data]
		x, y, less := against(c.Alternative, d.X, d.Y)
		p, logP := ranked(x, y).p(c.Method, less)
		name := fmt.Sprint(c.Data, " ", c.Method, " ", c.Alternative)
		near(t, name+", p", p, c.PValue)
		near(t, name+", exp(log p)", math.Exp(logP), c.PValue)
		if c.Alternative != "greater" && isAsSciPy(t, name, x, y, less, c.Statistic) {
			same++
		}
		if hasP(t, name, x, y, less, c.Method, c.PValue) {
			sameP++
		}
	}
	if count < 60 || same < 100 || sameP < 50 {
		t.Errorf("only %d were compared, %d of them statistics, %d p of Wilcoxon", count, same, sameP)
	}
}

func TestWilcoxonEqualsOracle(t *testing.T) {
	count := map[string]int{}
	for i, c := range readOracle(t).Wilcoxon {
		for _, test := range c.Tests {
			x, y, less := against(test.Alternative, c.X, c.Y)
			p, logP := ranked(x, y).p(test.Method, less)
			name := fmt.Sprintf("case %d, %+v", i, test)
			near(t, name+", p", p, test.P)
			near(t, name+", exp(log p)", math.Exp(logP), test.P)
			if test.Statistic != nil && test.Alternative != "greater" && isAsSciPy(t, name, x, y, less, *test.Statistic) {
				count["statistic"]++
			}
			if test.Plus != nil {
				near(t, name+", sum of positive ranks", ranked(c.X, c.Y).plus, *test.Plus)
			}
			if hasP(t, name, x, y, less, test.Method, test.P) {
				count["Wilcoxon's "+test.Method]++
			}
			count[test.Method]++
		}
	}
	if count["exact"] < 70 || count["normal"] < 70 || count["statistic"] < 70 || count["Wilcoxon's exact"] < 70 || count["Wilcoxon's normal"] < 9 {
		t.Errorf("only %v were compared", count)
	}
}

// P is exact for up to 50 differences other than zero.
func TestWilcoxonMethod(t *testing.T) {
	for n, method := range map[int]string{50: "exact", 51: "normal"} {
		x, y := large(n, 2000)
		got := WilcoxonLess(append(x, 1), append(y, 1))
		if want, _ := ranked(x, y).p(method, true); got.P != want {
			t.Errorf("%d differences: p %v, want the %s one, %v", n, got.P, method, want)
		}
	}
}

// large is the formula of oracle.py.
func large(n, shift int) (x, y []float64) {
	for i := range n {
		x = append(x, float64(7919*i%10007)/1024)
		y = append(y, float64(104729*i%10009+shift)/1024)
	}
	return x, y
}

// Probabilities below 1e-308 keep their logarithms.
func TestWilcoxonOfManyPairs(t *testing.T) {
	smallest := 0.0
	for _, c := range readOracle(t).Large {
		x, y := large(c.N, c.Shift)
		for alternative, want := range map[string]float64{"two-sided": c.TwoSided, "less": c.Less, "greater": c.Greater} {
			left, right, less := against(alternative, x, y)
			got := wilcoxon(left, right, less, 0)
			name := fmt.Sprintf("%d pairs, shift %d, alternative %s", c.N, c.Shift, alternative)
			if want < -1e-300 { // else p is 1, and its logarithm too small for a float64
				near(t, name+", log p", got.LogP, want)
			}
			if alternative == "two-sided" {
				near(t, name+", statistic", got.Statistic, c.Statistic)
				near(t, name+", p", got.P, c.SciPy)
			}
			smallest = min(smallest, got.LogP)
		}
	}
	if smallest > -1000 {
		t.Errorf("the smallest log p is %v", smallest)
	}
}

// The paper's test on 5,567 pairs, statistic 3125889.5: z is -38.55 and p about 1e-325, which a float64 does not have; it prints
// 8.77e-130, which belongs to z = -24.21.
func TestWilcoxonOfThePaper(t *testing.T) {
	n := 5567.0
	z := (3125889.5 - n*(n+1)/4) / math.Sqrt(n*(n+1)*(2*n+1)/24)
	if got := fmt.Sprintf("%.2f", z); got != "-38.55" {
		t.Errorf("z is %s", got)
	}
	if _, logP := upperTail(-z); PText(logP) != "1.8e-325" {
		t.Errorf("p is %s", PText(logP))
	}
	if _, logP := upperTail(24.21); !strings.HasSuffix(PText(logP), "e-130") {
		t.Errorf("p is %s", PText(logP))
	}
}

func TestWilcoxonOfNothing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ x, y []float64 }{
		{nil, nil}, {[]float64{1}, []float64{1, 2}}, {[]float64{1, nan}, []float64{1, 2}}, {[]float64{nan}, []float64{nan}},
	} {
		refused(t, func() { wilcoxon(c.x, c.y, false, 0) }, "%v and %v", c.x, c.y)
	}
	equal := wilcoxon([]float64{1, 2, math.Inf(1)}, []float64{1, 2, math.Inf(1)}, false, 0)
	if equal.P != 1 || equal.LogP != 0 || equal.N != 0 || !slices.Equal(equal.Warnings, []string{"Zero differences dropped: 3 of 3."}) {
		t.Errorf("all differences zero: %+v", equal)
	}
}

// The two-sided p is at most twice the smaller of both others.
func TestWilcoxonMirrors(t *testing.T) {
	for _, c := range readOracle(t).Wilcoxon {
		twoSided := wilcoxon(c.X, c.Y, false, 0).P
		near(t, "mirrored", twoSided, wilcoxon(c.Y, c.X, false, 0).P)
		near(t, "two-sided", twoSided, min(1, 2*min(WilcoxonLess(c.X, c.Y).P, WilcoxonLess(c.Y, c.X).P)))
	}
}

func TestWilcoxonSmallestP(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 1: 1, 5: 0.0625, 6: 0.03125, 10: 0.001953125} {
		if got := WilcoxonSmallestP(n); got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
		x, zero := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(i + 1)
		}
		if n > 0 {
			if got := wilcoxon(x, zero, false, 0); got.P != want {
				t.Errorf("%d differences of one sign: p %v", n, got.P)
			}
		}
	}
}

// Of ten methods the 45 pairs' smallest p is multiplied by 45, that of a single pair by 1; no p is above 1.
func TestWilcoxonPairsSmallestP(t *testing.T) {
	for of, want := range map[[2]int]float64{{2, 6}: 0.03125, {3, 6}: 0.09375, {10, 10}: 45 * 0.001953125, {10, 3}: 1} {
		k, n := of[0], of[1]
		if got := WilcoxonPairsSmallestP(k, n); got != want {
			t.Errorf("%d methods on %d data sets: %v, want %v", k, n, got, want)
		}
		means := make([][]float64, n) // the second method is the best everywhere, by ever more, and the others are equal
		for i := range means {
			means[i] = make([]float64, k)
			means[i][1] = float64(i + 1)
		}
		_, adjusted := WilcoxonPairs(means, true)
		if got := adjusted[0][1]; got != want {
			t.Errorf("%d methods on %d data sets of which one is the best everywhere: p %v, want %v", k, n, got, want)
		}
	}
}

// Every pair of methods has the P of its own test, in both places; here all six differ.
func TestWilcoxonPairsOfMethods(t *testing.T) {
	var columns [4][]float64
	var means [][]float64
	for d := range 8 {
		means = append(means, nil)
		for j := range columns {
			x := float64(3*(j+1)*(d+1)*(d+1)%23 + 5*j)
			columns[j], means[d] = append(columns[j], x), append(means[d], x)
		}
	}
	_, adjusted := WilcoxonPairs(means, true)
	var p, got, mirrored []float64
	for i := range columns {
		for j := i + 1; j < len(columns); j++ {
			p = append(p, wilcoxon(columns[i], columns[j], false, 0).P)
			got, mirrored = append(got, adjusted[i][j]), append(mirrored, adjusted[j][i])
		}
	}
	if want := Holm(p); !slices.Equal(got, want) || !slices.Equal(mirrored, want) {
		t.Errorf("%v, mirrored %v, want %v", got, mirrored, want)
	}
}

// An error of 0 has no ratio, and scores are not compared by theirs.
func TestByRatios(t *testing.T) {
	for _, c := range []struct {
		smallest     float64
		larger, want bool
	}{{0.5, false, true}, {0.5, true, false}, {0, false, false}} {
		if got := ByRatios([][]float64{{1, 2}, {c.smallest, 1}}, c.larger); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestPText(t *testing.T) {
	for logP, want := range map[float64]string{0: "1.0000", math.Log(0.0412): "0.0412", math.Log(0.0005): "0.0005", math.Log(8.77e-130): "8.8e-130",
		math.Log(9.96e-6): "1.0e-5", -1e5 * math.Ln10: "1.0e-100000", math.Inf(-1): "0"} {
		if got := PText(logP); got != want {
			t.Errorf("%v: %s, want %s", logP, got, want)
		}
	}
	for p, want := range map[float64]string{1: "1.000", 0.0412: "0.041", 0.001: "0.001", 0.0004: "0.0004", 1.23e-5: "1.2e-5", 0: "0", math.NaN(): "NaN"} {
		if got := ShortPText(math.Log(p)); got != want {
			t.Errorf("%v for short: %s, want %s", p, got, want)
		}
	}
}

// Where both signs have the same ranks, p is 1.
func TestWilcoxonOfSymmetry(t *testing.T) {
	var x, y []float64
	for i := range 52 {
		x, y = append(x, float64(i%2)), append(y, float64(1-i%2))
	}
	if w := wilcoxon(x, y, false, 0); w.P != 1 || w.LogP != 0 {
		t.Errorf("%v %v", w.P, w.LogP)
	}
}

// A single pair has its sign or the other one: a half for the smaller value first, and 1 for all that is possible.
func TestWilcoxonOfAPair(t *testing.T) {
	for _, c := range []struct {
		x, y, p float64
		less    bool
	}{{1, 2, 0.5, true}, {2, 1, 1, true}, {1, 2, 1, false}, {2, 1, 1, false}} {
		if w := wilcoxon([]float64{c.x}, []float64{c.y}, c.less, 0); w.P != c.p || w.LogP != math.Log(c.p) {
			t.Errorf("%+v: %+v", c, w)
		}
	}
}

// No probability is above 1, and no logarithm of one above 0.
func TestWilcoxonLogPOfCertainty(t *testing.T) {
	var x, zero []float64
	for i := range exactLimit {
		x, zero = append(x, float64(i+1)), append(zero, 0)
		if w := WilcoxonLess(x, zero); !(w.P <= 1 && w.LogP <= 0 && w.LogP > -1e-12) {
			t.Errorf("%d differences above 0: %v, %v", i+1, w.P, w.LogP)
		}
	}
}

// An equal pair is named, and not counted.
func TestWilcoxonWarns(t *testing.T) {
	w := wilcoxon([]float64{1, 2, 3, 4, 5, 6, 7, 7}, []float64{0, 0, 0, 0, 0, 0, 0, 7}, false, 0)
	if w.N != 7 || !slices.Equal(w.Warnings, []string{"Zero differences dropped: 1 of 8."}) {
		t.Errorf("%d differences, %q", w.N, w.Warnings)
	}
}

// Accuracies of 57 rows are multiples of 100/57, and so are their differences: those of one row share a rank, though they were rounded.
func TestWilcoxonTiesRoundedDifferences(t *testing.T) {
	var x, y, rowsX, rowsY []float64
	for _, right := range [][2]float64{{54, 55}, {55, 56}, {56, 53}, {53, 54}, {57, 56}, {51, 53}, {52, 52}} {
		x, y = append(x, 100*(right[0]/57)), append(y, 100*(right[1]/57))
		rowsX, rowsY = append(rowsX, right[0]), append(rowsY, right[1])
	}
	if slices.Equal(ranked(x, y).doubled, ranked(rowsX, rowsY).doubled) {
		t.Error("nothing is rounded here")
	}
	test, want := wilcoxon(x, y, false, 0), wilcoxon(rowsX, rowsY, false, 0)
	if !reflect.DeepEqual(test, want) {
		t.Errorf("%+v, of numbers of rows %+v", test, want)
	}
	third := 0.1
	third += 0.2 // not 0.3, as that of constants would be
	equal := wilcoxon([]float64{third, math.Inf(1)}, []float64{0.3, 1}, false, 0)
	if equal.Statistic != 0 || !slices.Contains(equal.Warnings, "Zero differences dropped: 1 of 2.") {
		t.Errorf("of 0.1 + 0.2 and 0.3: %+v", equal)
	}
}

func TestTieRounded(t *testing.T) {
	third := 0.1
	third += 0.2 // not 0.3, as that of constants would be
	got := TieRounded([]float64{0.3, math.Inf(1), third, 1e300, math.Inf(-1), 0, 1e-300})
	want := []float64{0.3, math.Inf(1), 0.3, 1e300, math.Inf(-1), 0, 1e-300}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The unit of a data set does not matter for errors; for scores, which have the same one everywhere, a large difference counts.
func TestPairsInUnitsOfDataSets(t *testing.T) {
	a := []float64{1.0, 2.1, 3.3, 4.2, 5.6, 6.9, 7.7, 8.0}
	b := []float64{1.4, 2.5, 3.5, 4.9, 5.9, 6.8, 7.9, 8.8} // better on the sixth alone, by little
	p := func(larger bool) float64 {
		var means [][]float64
		for i := range a {
			means = append(means, []float64{a[i], b[i]})
		}
		_, adjusted := WilcoxonPairs(means, larger)
		return adjusted[0][1]
	}
	errors, scores := p(false), p(true)
	a[5], b[5] = 1000*a[5], 1000*b[5]
	if got := p(false); got != errors {
		t.Errorf("p of errors %v, with another unit %v", errors, got)
	}
	a0 := a[0]
	a[0], b[0] = 1, 1+1e-13 // the same but for rounding
	near := p(false)
	if a[0], b[0] = 10, 10+1e-12; p(false) != near {
		t.Errorf("p %v where two errors of 1 are the same, %v in another unit", near, p(false))
	}
	a[0], b[0] = a0, 1.4
	if got := p(true); got <= scores {
		t.Errorf("p of scores %v, with a larger difference against the others %v", scores, got)
	}
	a[5], b[5] = 0, 0.5 // no logarithm
	if got := p(false); got >= errors {
		t.Errorf("p %v, where one differs for all pairs %v", errors, got)
	}
}
