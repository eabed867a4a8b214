package stats

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nptbench/internal/vectors"
)

var (
	alternatives = map[string]Alternative{"two-sided": TwoSided, "less": Less, "greater": Greater}
	zeroMethods  = map[string]ZeroMethod{"wilcox": DropZeros, "pratt": Pratt, "zsplit": SplitZeros}
	methods      = map[string]WilcoxonMethod{"exact": Exact, "approx": Normal, "normal": Normal}
)

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
	if len(golden.Cases) < 200 {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		d := golden.Data[c.Data]
		got, err := Wilcoxon(d.X, d.Y, WilcoxonOptions{Alternative: alternatives[c.Alternative], Zeros: zeroMethods[c.ZeroMethod], Method: methods[c.Method]})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(c.Data, " ", c.Method, " ", c.ZeroMethod, " ", c.Alternative)
		near(t, name+", statistic", got.Statistic, c.Statistic)
		near(t, name+", p", got.P, c.PValue)
		near(t, name+", exp(log p)", math.Exp(got.LogP), c.PValue)
	}
}

func TestWilcoxonEqualsOracle(t *testing.T) {
	count := map[string]int{}
	for i, c := range readOracle(t).Wilcoxon {
		for _, test := range c.Tests {
			got, err := Wilcoxon(c.X, c.Y, WilcoxonOptions{Alternative: alternatives[test.Alternative], Zeros: zeroMethods[test.Zeros],
				Method: methods[test.Method], Continuity: test.Continuity})
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("case %d, %+v", i, test)
			near(t, name+", p", got.P, test.P)
			near(t, name+", exp(log p)", math.Exp(got.LogP), test.P)
			if test.Statistic != nil {
				near(t, name+", statistic", got.Statistic, *test.Statistic)
			}
			if test.Plus != nil {
				near(t, name+", sum of positive ranks", got.Plus, *test.Plus)
			}
			count[test.Method]++
		}
	}
	if count["exact"] < 200 || count["normal"] < 400 {
		t.Errorf("only %v were compared", count)
	}
}

// large is the formula of oracle.py.
func large(n, shift int) (x, y []float64) {
	for i := range n {
		x = append(x, float64(7919*i%10007)/1000)
		y = append(y, float64(104729*i%10009+shift)/1000)
	}
	return x, y
}

// Probabilities below 1e-308 keep their logarithms.
func TestWilcoxonOfManyPairs(t *testing.T) {
	smallest := 0.0
	for _, c := range readOracle(t).Large {
		x, y := large(c.N, c.Shift)
		for alternative, want := range map[Alternative]float64{TwoSided: c.TwoSided, Less: c.Less, Greater: c.Greater} {
			got, err := Wilcoxon(x, y, WilcoxonOptions{Alternative: alternative})
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%d pairs, shift %d, alternative %d", c.N, c.Shift, alternative)
			near(t, name+", z", got.Z, c.Z)
			if want < -1e-300 { // else p is 1, and its logarithm too small for a float64
				near(t, name+", log p", got.LogP, want)
			}
			if alternative == TwoSided {
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
		{nil, nil}, {[]float64{1}, []float64{1, 2}}, {[]float64{1, nan}, []float64{1, 2}}, {[]float64{math.Inf(1)}, []float64{math.Inf(1)}},
	} {
		if got, err := Wilcoxon(c.x, c.y, WilcoxonOptions{}); err == nil {
			t.Errorf("%v and %v: %+v", c.x, c.y, got)
		}
	}
	many := make([]float64, 1001)
	for i := range many {
		many[i] = 1
	}
	if _, err := Wilcoxon(many, make([]float64, 1001), WilcoxonOptions{Method: Exact}); err == nil {
		t.Error("exact for 1,001 differences")
	}
	if got, err := Wilcoxon(many[:1000], make([]float64, 1000), WilcoxonOptions{Method: Exact}); err != nil || got.P != math.Ldexp(1, -999) {
		t.Errorf("1,000 differences of one sign: %+v, %v", got, err)
	}
	equal, err := Wilcoxon([]float64{1, 2, 3}, []float64{1, 2, 3}, WilcoxonOptions{})
	if err != nil || equal.P != 1 || equal.LogP != 0 || equal.Z != 0 || len(equal.Warnings) != 2 || equal.Warnings[1].Kind != Zeros {
		t.Errorf("all differences zero: %+v, %v", equal, err)
	}
}

// The alternatives mirror each other, and the two-sided p is at most twice the smaller of both.
func TestWilcoxonMirrors(t *testing.T) {
	for _, c := range readOracle(t).Wilcoxon {
		for _, method := range []WilcoxonMethod{Auto, Normal} {
			run := func(x, y []float64, a Alternative) float64 {
				got, err := Wilcoxon(x, y, WilcoxonOptions{Alternative: a, Method: method})
				if err != nil {
					t.Fatal(err)
				}
				return got.P
			}
			near(t, "mirrored", run(c.X, c.Y, Less), run(c.Y, c.X, Greater))
			near(t, "two-sided", run(c.X, c.Y, TwoSided), min(1, 2*min(run(c.X, c.Y, Less), run(c.X, c.Y, Greater))))
		}
	}
}

func TestWilcoxonSmallestP(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 1: 1, 5: 0.0625, 6: 0.03125, 10: 0.001953125} {
		if got := WilcoxonSmallestP(n, TwoSided); got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
		x, zero := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(i + 1)
		}
		if n > 0 {
			if got, err := Wilcoxon(x, zero, WilcoxonOptions{}); err != nil || got.P != want {
				t.Errorf("%d differences of one sign: p %v, %v", n, got.P, err)
			}
		}
	}
	if got := WilcoxonSmallestP(5, Less); got != 1./32 {
		t.Errorf("one-sided: %v", got)
	}
}

func TestPText(t *testing.T) {
	for logP, want := range map[float64]string{0: "1.0000", math.Log(0.0412): "0.0412", math.Log(8.77e-130): "8.8e-130",
		math.Log(9.96e-6): "1.0e-5", -1e5 * math.Ln10: "1.0e-100000", math.Inf(-1): "0"} {
		if got := PText(logP); got != want {
			t.Errorf("%v: %s, want %s", logP, got, want)
		}
	}
}
