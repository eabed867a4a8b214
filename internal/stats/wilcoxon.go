package stats

import (
	"errors"
	"fmt"
	"math"
)

// An Alternative is what a test holds against equality.
type Alternative uint8

const (
	TwoSided Alternative = iota
	Less                 // the first values are smaller
	Greater              // the first values are larger
)

// A ZeroMethod says what the signed-rank test does with differences of zero.
type ZeroMethod uint8

const (
	DropZeros  ZeroMethod = iota // before ranking, as Wilcoxon did
	Pratt                        // after ranking: JASA 54, 1959
	SplitZeros                   // they are ranked, and count half for either side
)

// A WilcoxonMethod is how the signed-rank test finds p.
type WilcoxonMethod uint8

const (
	Auto   WilcoxonMethod = iota // Exact for up to 50 differences other than zero, then Normal
	Exact                        // by the distribution over all signs, given the ranks, shared ones too; for up to 1,000
	Normal                       // approximation, with the variance that shared ranks have
)

// Auto is exact up to autoLimit, as in SciPy. maxExact keeps 2^n a float64.
const autoLimit, maxExact = 50, 1000

// WilcoxonOptions are those of a signed-rank test; zero values are the usual ones.
type WilcoxonOptions struct {
	Alternative Alternative
	Zeros       ZeroMethod
	Method      WilcoxonMethod
	Continuity  bool // Normal: correct by 0.5
}

// A WilcoxonTest is the result of a signed-rank test.
type WilcoxonTest struct {
	N           int     // pairs
	ZeroPairs   int     // of N, without a difference
	Plus, Minus float64 // sums of the ranks of positive and of negative differences
	Statistic   float64 // the smaller of both, or Plus when the test is one-sided
	Exact       bool    // P is exact

	// Z is (Plus - mean)/deviation under the null hypothesis, without a correction for continuity; 0 when there are no differences.
	Z float64

	P    float64
	LogP float64 // natural logarithm of P, also where P is too small for a float64

	Warnings []Warning
}

// Wilcoxon is the signed-rank test of pairs: is x-y symmetric around zero? (Wilcoxon, Biometrics Bulletin 1, 1945.) With the same
// method it equals scipy.stats.wilcoxon, but that exact p-values are those of the distribution given shared ranks, where SciPy
// has approximate ones. Differences that are all zero have P 1 and a warning.
func Wilcoxon(x, y []float64, o WilcoxonOptions) (*WilcoxonTest, error) {
	switch {
	case len(x) != len(y):
		return nil, fmt.Errorf("stats: %d values cannot be paired with %d", len(x), len(y))
	case len(x) == 0:
		return nil, errors.New("stats: the signed-rank test needs a pair of values at least")
	}
	differences := make([]float64, len(x))
	for i := range x {
		differences[i] = x[i] - y[i]
		if math.IsNaN(differences[i]) {
			return nil, fmt.Errorf("stats: pair %d, %v and %v, has no difference", i+1, x[i], y[i])
		}
	}
	t := &WilcoxonTest{N: len(x)}
	s := t.rank(differences, o.Zeros)
	t.Statistic = t.Plus
	if o.Alternative == TwoSided {
		t.Statistic = min(t.Plus, t.Minus)
	}
	signed := t.N - t.ZeroPairs
	t.Exact = o.Method == Exact || o.Method == Auto && signed <= autoLimit
	switch {
	case t.Exact && signed > maxExact:
		return nil, fmt.Errorf("stats: an exact signed-rank test takes at most %d differences, not %d", maxExact, signed)
	case s.variance > 0:
		t.Z = (t.Plus - s.mean) / math.Sqrt(s.variance)
	}
	switch {
	case s.variance == 0:
		t.P = 1
	case t.Exact:
		t.P, t.LogP = s.exact(t.Plus, o.Alternative)
	default:
		t.P, t.LogP = s.normal(t.Plus, o)
	}
	t.warn(o.Alternative, s.shared)
	return t, nil
}

// signedRanks are the ranks that get a sign, doubled to make them integers, and the moments of their sum under the null hypothesis.
type signedRanks struct {
	doubled        []int
	constant       float64 // what both sums have of zeros
	mean, variance float64 // of the sum of positive ranks
	shared         bool    // some ranks are shared
}

// rank ranks differences by their size and sums the ranks of either sign.
func (t *WilcoxonTest) rank(differences []float64, zeros ZeroMethod) (s signedRanks) {
	var sizes []float64
	var signs []int
	for _, d := range differences {
		sign := 0
		switch {
		case d > 0:
			sign = 1
		case d < 0:
			sign = -1
		default:
			t.ZeroPairs++
			if zeros == DropZeros {
				continue
			}
		}
		sizes, signs = append(sizes, math.Abs(d)), append(signs, sign)
	}
	for i, r := range Ranks(sizes, false) {
		switch {
		case signs[i] > 0:
			t.Plus += r
		case signs[i] < 0:
			t.Minus += r
		case zeros == Pratt:
			continue
		default:
			s.constant += r / 2
		}
		s.mean += r / 2
		s.variance += r * r / 4
		if signs[i] != 0 {
			s.doubled = append(s.doubled, int(2*r))
		}
	}
	s.shared = shared(s.doubled)
	t.Plus += s.constant
	t.Minus += s.constant
	return s
}

// exact counts the signs under which the sum of positive ranks is as extreme.
func (s signedRanks) exact(plus float64, a Alternative) (p, logP float64) {
	total := 0
	for _, r := range s.doubled {
		total += r
	}
	sum := int(math.Round(2 * (plus - s.constant)))
	var count float64 // of 2^n
	switch a {
	case Less:
		count = s.atMost(sum)
	case Greater: // the distribution is symmetric
		count = s.atMost(total - sum)
	default:
		count = min(2*s.atMost(min(sum, total-sum)), math.Ldexp(1, len(s.doubled)))
	}
	return math.Ldexp(count, -len(s.doubled)), math.Log(count) - float64(len(s.doubled))*math.Ln2
}

// atMost is the number of signs of the ranks for which those of one sign sum to sum at most.
func (s signedRanks) atMost(sum int) (all float64) {
	counts := make([]float64, sum+1)
	counts[0] = 1
	reached := 0
	for _, r := range s.doubled {
		reached = min(reached+r, sum)
		for k := reached; k >= r; k-- {
			counts[k] += counts[k-r]
		}
	}
	for _, c := range counts {
		all += c
	}
	return all
}

// normal takes the sum of positive ranks for normally distributed.
func (s signedRanks) normal(plus float64, o WilcoxonOptions) (p, logP float64) {
	deviation := math.Sqrt(s.variance)
	distance, correction := plus-s.mean, 0.0
	if o.Continuity {
		correction = 0.5
	}
	switch o.Alternative {
	case Less:
		return upperTail(-(distance + correction) / deviation)
	case Greater:
		return upperTail((distance - correction) / deviation)
	}
	if distance != 0 {
		distance = math.Abs(distance) - correction
	}
	p, logP = upperTail(distance / deviation)
	return min(2*p, 1), min(logP+math.Ln2, 0)
}

func (t *WilcoxonTest) warn(a Alternative, ties bool) {
	signed := t.N - t.ZeroPairs
	if least := WilcoxonSmallestP(signed, a); least > 0.05 {
		t.Warnings = append(t.Warnings, Warning{TooFew, fmt.Sprintf("With %d differences the signed-rank test cannot give a p below %.3g.", signed, least)})
	}
	if t.ZeroPairs > 0 {
		t.Warnings = append(t.Warnings, Warning{Zeros, fmt.Sprintf("%d of %d pairs are equal.", t.ZeroPairs, t.N)})
	}
	if ties {
		t.Warnings = append(t.Warnings, Warning{Ties, "Differences of equal size share ranks."})
	}
}

// WilcoxonSmallestP is the smallest p that the exact signed-rank test can give for n differences other than zero: that of all
// having one sign, 2^-n, doubled when two-sided.
func WilcoxonSmallestP(n int, a Alternative) float64 {
	if a == TwoSided {
		n--
	}
	return math.Ldexp(1, -max(n, 0))
}
