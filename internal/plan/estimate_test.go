package plan

import (
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/results"
)

// A record on the same data set says more than one of more similar work on another, and the median more than a slow one.
func TestNearest(t *testing.T) {
	far, near, slow, other := sample{"protein", 1, 10}, sample{"protein", 20, 30}, sample{"protein", 20, 300}, sample{"poker-hand", 100, 1}
	for _, c := range []struct {
		samples []sample
		want    float64
	}{
		{[]sample{far, near, other}, 1.5}, {[]sample{other, near, far}, 1.5}, {[]sample{near, other}, 1.5}, {[]sample{other}, 0.01},
		{[]sample{slow, far, near, near, other}, 1.5}, {[]sample{slow, near, slow, {"protein", 20, 3}}, 1.5}, // of four the second
		{[]sample{near, {"protein", 1, 0.1}, {"poker-hand", 20, 2}}, 1.5}, // fast ones of other work and on another data set
	} {
		if got, ok := nearest(c.samples, "protein", 100); !ok || got != c.want {
			t.Errorf("of %v the nearest takes %v for work of 1, want %v", c.samples, got, c.want)
		}
	}
	if _, ok := nearest(nil, "protein", 100); ok {
		t.Error("none is near")
	}
}

// A job takes the time of its fits and of all that is measured on them.
func TestEstimateOfMeasurements(t *testing.T) {
	m, info := &method.Method{Name: "mean"}, dataset.Info{Name: "waves"}
	with := method.Config{}
	e := &Estimate{totals: map[class]*total{{"waves", kind("mean", "", ""), ""}: {seconds: 5, cells: 1}, {"waves", kind("mean", "first", with.JSON()), ""}: {seconds: 2, cells: 1}}}
	measured := Cell{Cell: results.Cell{Measure: "first", With: results.Config(with.JSON())}}
	j := &Job{Dataset: &Dataset{Info: info}, Method: m, Configurations: []*Configuration{{Config: with, Cells: make([]Cell, 2), Measures: []*Measure{{Name: "first", With: with, Cells: []Cell{measured, measured, measured}}}}}}
	if took, known := e.Job(j); !known || took != 16*time.Second {
		t.Errorf("%v, %v", took, known)
	}
}

// A record is found by its own configuration, which may not be the canonical one.
func TestEstimateOfTheSameConfiguration(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2], same: [1]}", ""), Options{}, lib, nil)
	record := func(config string, seconds float64) *results.Record {
		return &results.Record{Status: results.OK, FitSeconds: seconds, FitCells: 1, Cell: results.Cell{Dataset: "waves", Method: "mean", Config: results.Config(config)}}
	}
	e := p.Estimate(func(yield func(*results.Record, error) bool) {
		_ = yield(record(`{"pause":0,"same":1,"shift":1}`, 2), nil) && yield(record(`{"pause":0,"same":1,"shift":2}`, 200), nil)
	})
	j := *p.Jobs()[0]
	for i, want := range []time.Duration{2 * time.Second, 200 * time.Second} {
		one := j
		one.Configurations = j.Configurations[i : i+1]
		if took, known := e.Job(&one); !known || took != want {
			t.Errorf("%v, %v, want %v", took, known, want)
		}
	}
}

// What a fit takes that goes on from cell to cell is shared by its cells, whatever the order of their records.
func TestEstimateOfGrowingFits(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2]}", ""), Options{}, lib, nil)
	p.Groups()[0].Method.GoesOn = true
	record := func(config string, seconds float64) *results.Record {
		return &results.Record{Status: results.OK, FitSeconds: seconds, FitCells: 2, Cell: results.Cell{Dataset: "waves", Method: "mean", Config: results.Config(config)}}
	}
	e := p.Estimate(func(yield func(*results.Record, error) bool) {
		_ = yield(record(`{"pause":0,"same":0,"shift":2}`, 10), nil) && yield(record(`{"pause":0,"same":0,"shift":1}`, 4), nil)
	})
	j := *p.Jobs()[0]
	for i := range j.Configurations {
		one := j
		one.Configurations = j.Configurations[i : i+1]
		if took, known := e.Job(&one); !known || took != 5*time.Second {
			t.Errorf("%v, %v, want a half of 10 s", took, known)
		}
	}
}

// A training that goes on takes what its own fit took; what is measured on its models, what that took with the same configuration, which
// need not be the canonical one.
func TestEstimateOfSeveralGrowingFits(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2, 30], same: [1]}", ""), Options{}, lib, nil)
	g := p.Groups()[0]
	g.Method.GoesOn = true
	record := func(setting, fitCells int, measure string, seconds float64) *results.Record {
		return &results.Record{Status: results.OK, FitSeconds: seconds, FitCells: fitCells,
			Cell: results.Cell{Dataset: "waves", Method: "mean", Config: results.Config(g.Settings[setting].JSON), Measure: measure, With: "{}"}}
	}
	e := p.Estimate(func(yield func(*results.Record, error) bool) {
		for _, r := range []*results.Record{record(0, 2, "", 4), record(1, 2, "", 10), record(2, 1, "", 100), record(0, 1, "first", 3), record(2, 1, "first", 7)} {
			if !yield(r, nil) {
				return
			}
		}
	})
	for i, want := range []time.Duration{10 * time.Second, 100 * time.Second} { // two cells of a fit, and one of another
		if took, known := e.Job(p.Jobs()[i]); !known || took != want {
			t.Errorf("job %d: %v, %v, want %v", i, took, known, want)
		}
	}
	for setting, want := range map[int]float64{0: 3, 2: 7} {
		s := g.Settings[setting]
		if got, known := e.cell(g.Dataset.Info, g.Method, s.Canonical, s.JSON, "first", "{}"); !known || got != want {
			t.Errorf("what is measured on setting %d: %v s, %v, want %v s", setting, got, known, want)
		}
	}
}

// Of networks a GPU's times say nothing of a processor's, nor the other way round; of data sets and methods that are not known no record
// says anything.
func TestEstimateWithoutRecordsOfItsKind(t *testing.T) {
	lib := datasettest.Library(t)
	for _, c := range []struct {
		dataset, method, backend string
		onGPU, known             bool
	}{
		{"waves", "mean", "xla:cuda", false, false}, {"waves", "mean", "xla:cuda", true, true}, {"waves", "mean", "xla:cpu", false, true},
		{"waves", "mean", "xla:cpu", true, false}, {"nowhere", "mean", "xla:cpu", false, false}, {"waves", "nobody", "xla:cpu", false, false},
	} {
		p := planned(t, parse(t, lib, "{shift: [1]}", ""), Options{}, lib, nil)
		p.OnGPU = c.onGPU
		p.Groups()[0].Method.Network = true
		r := &results.Record{Status: results.OK, FitSeconds: 10, FitCells: 1, Cell: results.Cell{Dataset: c.dataset, Method: c.method},
			Provenance: results.Provenance{Backend: c.backend}}
		e := p.Estimate(func(yield func(*results.Record, error) bool) { yield(r, nil) })
		if took, known := e.Job(p.Jobs()[0]); known != c.known || known && took != 10*time.Second {
			t.Errorf("%+v: %v, %v", c, took, known)
		}
	}
}

// Ten seconds of four threads are forty of a core.
func TestEstimateOfThreads(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2]}", ""), Options{}, lib, nil)
	m := p.Groups()[0].Method
	m.Work, m.GoesOn = func(c method.Config, _ dataset.Info) float64 { return float64(c.Int("shift")) }, true
	r := &results.Record{Status: results.OK, FitSeconds: 10, FitCells: 2, Cell: results.Cell{Dataset: "waves", Method: "mean", Config: `{"shift":1}`}, Provenance: results.Provenance{Threads: 4}}
	e := p.Estimate(func(yield func(*results.Record, error) bool) { yield(r, nil) })
	if s := e.samples["mean"]; len(s) != 1 || s[0].seconds != 40 {
		t.Errorf("%+v", s)
	}
}
