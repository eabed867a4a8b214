package stats

import (
	"math"
	"testing"

	"nptbench/internal/vectors"
)

// An oracle has what SciPy and mpmath give: see testdata/oracle.py.
type oracle struct {
	Wilcoxon []struct {
		X, Y  []float64
		Tests []struct {
			Alternative, Method string
			Statistic, Plus     *float64
			P                   float64
		}
	}
	Large []struct {
		N, Shift      int
		Statistic     float64
		SciPy         float64 `json:"scipy"`
		TwoSided      float64 `json:"two-sided"`
		Less, Greater float64
	}
	Friedman []struct {
		Results             [][]float64
		ChiSquare, P, F, FP float64
		Mean, StdErr        []float64
	}
	Range struct {
		Tails []struct {
			Q, P float64
			K    int
		}
		Quantiles []struct {
			Alpha, Q float64
			K        int
		}
	}
	Adjust []struct{ P, Holm []float64 }
	T      []struct {
		D                      []float64
		Share, T, P, Low, High float64
	}
	Two []struct {
		X, Y                    []float64
		T, DF, P, Delta, Median float64
	}
}

func readOracle(t *testing.T) *oracle {
	t.Helper()
	o := &oracle{}
	vectors.Read(t, "testdata/oracle.json.gz", o)
	return o
}

// near compares with a relative tolerance of 1e-12.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	within(t, what, got, want, 1e-12)
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

// refused wants a panic.
func refused(t *testing.T, call func(), format string, args ...any) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf(format, args...)
		}
	}()
	call()
}
