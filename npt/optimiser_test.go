package npt

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"nptbench/internal/weights"
)

// fixture reads columns of the official optimiser's trajectories.
func fixture(t *testing.T) map[string][]float64 {
	t.Helper()
	f, err := os.Open("testdata/optimizer_fixture.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]float64{}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			x, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = append(out[name], x)
		}
	}
	return out
}

// optimiserEngine steps a single parameter along gradients that are given as an argument.
func optimiserEngine(t *testing.T, p weights.Param) *engine {
	t.Helper()
	c := DefaultConfig()
	c.Precision, c.Clip = Float64, 0
	n := &network{Config: c, Set: weights.NewSet([]weights.Param{p})}
	e := &engine{net: n, backend: testBackend(t)}
	var err error
	e.steps, err = graph.NewExec(e.backend, func(in []*graph.Node) []*graph.Node {
		next := n.descend(stateNodes{in[2:3], in[3:4], in[4:5]}, in[:1], in[1])
		return slices.Concat([]*graph.Node{in[1]}, next.weights, next.m, next.v)
	})
	if err == nil {
		e.sync, err = graph.NewExec(e.backend, syncGraph)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLookaheadLAMBEqualsOfficial(t *testing.T) {
	want := fixture(t)
	for _, start := range []struct {
		name string
		w    []float64
	}{{"lookahead_lamb_3_4", []float64{3, 4}}, {"lamb_3_4", []float64{3, 4}}, {"lamb_30_40", []float64{30, 40}}, {"lamb_0_0", []float64{0, 0}}} {
		p := weights.Param{Name: start.name, Dims: []int{2}, Init: weights.Zeros}
		e := optimiserEngine(t, p)
		s := e.newState()
		s.weights[0] = e.net.array(start.w, p.Dims...)
		for i := range want["step"] {
			if start.name[:4] == "lamb" {
				s.step = 0 // never at a step of Lookahead
			}
			g := []float64{want["g0"][i], want["g1"][i]}
			if _, err := e.advance(s, []any{e.net.array(g, p.Dims...), e.net.array([]float64{0.01})}, 1, nil); err != nil {
				t.Fatal(err)
			}
			closeTo(t, start.name, toFloats(t, s.weights[0]),
				[]float64{want[start.name+"_w0"][i], want[start.name+"_w1"][i]}, 1e-13)
		}
	}
}

// Arrays that pack several tensors must step like these tensors one by one.
func TestPackedLAMBEqualsSeparate(t *testing.T) {
	packed := weights.Param{Name: "packed", Dims: []int{3, 2}, Group: []int{0, 1, 0}, Init: weights.Zeros}
	e := optimiserEngine(t, packed)
	s := e.newState()
	s.weights[0] = e.net.array([]float64{1, 2, 30, 40, 3, 4}, packed.Dims...)
	grad := []float64{0.1, -0.2, 3, 1, 0.5, 0}
	if _, err := e.advance(s, []any{e.net.array(grad, packed.Dims...), e.net.array([]float64{0.1})}, 1, nil); err != nil {
		t.Fatal(err)
	}
	got := toFloats(t, s.weights[0])
	for _, part := range []struct{ w, g, got []float64 }{
		{[]float64{1, 2, 3, 4}, []float64{0.1, -0.2, 0.5, 0}, []float64{got[0], got[1], got[4], got[5]}},
		{[]float64{30, 40}, []float64{3, 1}, []float64{got[2], got[3]}},
	} {
		single := weights.Param{Name: "single", Dims: []int{len(part.w)}, Init: weights.Zeros}
		e := optimiserEngine(t, single)
		s := e.newState()
		s.weights[0] = e.net.array(part.w, single.Dims...)
		if _, err := e.advance(s, []any{e.net.array(part.g, single.Dims...), e.net.array([]float64{0.1})}, 1, nil); err != nil {
			t.Fatal(err)
		}
		closeTo(t, "packed weights", part.got, toFloats(t, s.weights[0]), 1e-14)
	}
}

func TestGradientsAreClamped(t *testing.T) {
	p := weights.Param{Name: "w", Dims: []int{3}, Init: weights.Zeros}
	e := optimiserEngine(t, p)
	e.net.Clip = 1
	s := e.newState()
	s.weights[0] = e.net.array([]float64{1, 1, 1}, p.Dims...)
	if _, err := e.advance(s, []any{e.net.array([]float64{5, -0.5, -7}, p.Dims...), e.net.array([]float64{0.1})}, 1, nil); err != nil {
		t.Fatal(err)
	}
	closeTo(t, "first moment", toFloats(t, s.m[0]), []float64{0.1, -0.05, -0.1}, 1e-14)
}

// Weight decay is part of what the trust ratio scales: r = m/(√v + ε) + λ w.
func TestWeightDecay(t *testing.T) {
	p := weights.Param{Name: "w", Dims: []int{2}, Init: weights.Zeros}
	e := optimiserEngine(t, p)
	e.net.WeightDecay = 0.5
	s, w, g, rate := e.newState(), []float64{3, 4}, []float64{0.1, -0.2}, 0.01
	s.weights[0] = e.net.array(w, p.Dims...)
	if _, err := e.advance(s, []any{e.net.array(g, p.Dims...), e.net.array([]float64{rate})}, 1, nil); err != nil {
		t.Fatal(err)
	}
	var r, want [2]float64
	for i := range r {
		r[i] = 0.1*g[i]/(math.Sqrt(0.001)*math.Abs(g[i])+1e-6) + 0.5*w[i]
	}
	for i := range r {
		want[i] = w[i] - rate*5/math.Hypot(r[0], r[1])*r[i]
	}
	closeTo(t, "weights", toFloats(t, s.weights[0]), want[:], 1e-14)
}

func TestSchedules(t *testing.T) {
	c := DefaultConfig()
	c.Steps, c.LR = 1000, 2e-3
	rate := func(s Schedule, step int) float64 { c.Schedule = s; return c.learningRate(step) }
	c.FlatShare = 0.5
	for _, v := range []struct {
		schedule Schedule
		step     int
		want     float64
	}{
		{FlatAnneal, 0, 2e-3}, {FlatAnneal, 499, 2e-3},
		{FlatAnneal, 500, 2e-3 * 0.5 * (1 + math.Cos(math.Pi/500))}, // one step ahead, as coded
		{FlatAnneal, 749, 1e-3}, {FlatAnneal, 999, 0}, {FlatAnneal, 1005, 0},
		// Warm-up to 200, first cycle to 600, second at half the height, cut in its middle.
		{CosineCyclic, 0, 1e-7}, {CosineCyclic, 100, 1e-7 + 0.5*(2e-3-1e-7)}, {CosineCyclic, 200, 2e-3},
		{CosineCyclic, 400, 1e-7 + 0.5*(2e-3-1e-7)}, {CosineCyclic, 600, 1e-3},
		{CosineCyclic, 1000, 0.5e-7 + 0.5*(1e-3-0.5e-7)},
		{Constant, 700, 2e-3},
	} {
		if got := rate(v.schedule, v.step); !(math.Abs(got-v.want) <= 1e-17) {
			t.Errorf("%s at step %d: %v, want %v", v.schedule, v.step, got, v.want)
		}
	}
	c.Warmup = 0.05
	if got := rate(CosineCyclic, 350); !(math.Abs(got-5e-4) <= 1e-17) { // the third cycle begins
		t.Errorf("%s at step 350: %v, want %v", CosineCyclic, got, 5e-4)
	}
	c.Steps, c.FlatShare = 350, 0.7 // their product is a little less than 245 in floating point
	for step, want := range map[int]float64{243: 2e-3, 244: 2e-3 * 0.5 * (1 + math.Cos(math.Pi/105))} {
		if got := rate(FlatAnneal, step); !(math.Abs(got-want) <= 1e-17) {
			t.Errorf("0.7 of 350 steps: %v at step %d, want %v", got, step, want)
		}
	}
	c.Steps = 1000
	c.Warmup = 0.01
	for step, want := range map[int]float64{0: 0, 5: 1e-3, 10: 2e-3, 505: 1e-7 + (2e-3-1e-7)*0.5, 1000: 1e-7} {
		if got := rate(Polynomial, step); !(math.Abs(got-want) <= 1e-17) {
			t.Errorf("%s at step %d: %v, want %v", Polynomial, step, got, want)
		}
	}
}

func TestTradeoff(t *testing.T) {
	c := DefaultConfig()
	c.Steps = 100
	for step, want := range map[int]float64{0: 1, 1: 1, 51: 0.5, 101: 0, 102: 0, 200: 0} {
		if got := c.tradeoffAt(step); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("step %d: %v, want %v", step, got, want)
		}
	}
	c.Tradeoff = 0.5
	if got := c.tradeoffAt(51); !(math.Abs(got-0.25) <= 1e-15) {
		t.Errorf("half of the trade-off of 0.5: %v", got)
	}
	c.Anneal = false
	if got := c.tradeoffAt(70); got != 0.5 {
		t.Errorf("constant trade-off: %v", got)
	}
	if c.FeatureMask = 0; c.tradeoffAt(0) != 0 {
		t.Error("without masked features there must be no feature loss")
	}
}

func TestWarmupIsRoundedDown(t *testing.T) {
	c := DefaultConfig()
	c.Steps, c.Warmup = 15, 0.1
	if got := c.warmupSteps(); got != 1 {
		t.Error(got)
	}
}
