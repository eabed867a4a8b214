package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/plan"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/results/resultstest"
)

// testKeeper predicts a number, and keeps it as its model. It notes every fit in the folder of the models.
func testKeeper() *method.Method {
	file := func(t *task.Task, c method.Config) string {
		return filepath.Join(t.ModelDir, fmt.Sprintf("%d-%d", t.Fold, c.Int("number")))
	}
	return &method.Method{
		Name: "keeper", Title: "Keeper", Doc: "for tests",
		Params: []method.Param{
			{Name: "number", Type: method.Int, Default: 0},
			{Name: "pause", Type: method.Int, Default: 0, Doc: "milliseconds"},
			{Name: "mode", Type: method.Choice, Default: "ok", Choices: []string{"ok", "error", "unlucky", "exit", "panic", "forgetful", "garbled", "fickle", "fatal"}},
		},
		FitKey: func(c method.Config, _ dataset.Problem) string { return fmt.Sprint(c["mode"], c.Int("number")/10) },
		Canonical: func(c method.Config, _ dataset.Problem) method.Config {
			if c.String("mode") == "unlucky" {
				return c.With("pause", 0)
			}
			return c
		},
		Run: func(_ context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
			for i, c := range batch {
				time.Sleep(time.Duration(c.Int("pause")) * time.Millisecond)
				number := c.Int("number")
				r := method.Result{Index: i}
				_, err := os.Stat(file(t, c) + ".fits")
				again := err == nil
				switch c.String("mode") {
				case "error":
					r.Err = errors.New("no luck")
				case "unlucky": // but not the next time
					if !again {
						r.Err = errors.New("no luck")
					}
				case "exit", "panic": // at the last of several
					if i == 0 || i < len(batch)-1 {
						break
					}
					if c.String("mode") == "panic" {
						panic("out of its wits")
					}
					os.Exit(3)
				case "fickle": // another fit each time
					if again {
						number++
					}
				}
				if t.ModelDir != "" {
					os.MkdirAll(t.ModelDir, 0o777)
					fits, _ := os.OpenFile(file(t, c)+".fits", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
					fmt.Fprintln(fits, "fitted")
					fits.Close()
					if again && c.String("mode") == "fatal" {
						os.Exit(3)
					}
					switch c.String("mode") {
					case "forgetful":
					case "garbled":
						os.WriteFile(file(t, c), []byte("no number"), 0o666)
					default:
						os.WriteFile(file(t, c), []byte(strconv.Itoa(number)), 0o666)
					}
				}
				r.Val, r.Test = constant(number, t.Val), constant(number, t.Test)
				done(r)
			}
			return nil
		},
		Model: func(_ context.Context, t *task.Task, c method.Config) (method.Model, error) {
			text, err := os.ReadFile(file(t, c))
			if err != nil {
				return nil, err
			}
			number, err := strconv.Atoi(string(text))
			return &keptNumber{measure.Refit(&method.Method{}, t, c), number}, err
		},
	}
}

func constant(number, rows int) method.Prediction {
	p := make(method.Prediction, rows)
	for i := range p {
		p[i] = float64(number)
	}
	return p
}

type keptNumber struct {
	method.Model
	number int
}

func (k *keptNumber) Predict(_ context.Context, batches []*task.Task) (all []method.Prediction, err error) {
	for _, b := range batches {
		all = append(all, constant(k.number, b.Test))
	}
	return all, nil
}

var testMetric = metric.Metric{Name: "first", Title: "first prediction"}

// testMeasurements has one that measures the first prediction, and can misbehave.
func testMeasurements() []*measure.Measurement {
	return []*measure.Measurement{{
		Name: "first",
		Params: []method.Param{
			{Name: "times", Type: method.Int, Default: 1},
			{Name: "mode", Type: method.Choice, Default: "ok", Choices: []string{"ok", "panic", "error", "late", "exit", "hang", "nan"}},
		},
		Metrics: func(dataset.Info) []metric.Metric { return []metric.Metric{testMetric} },
		Run: func(ctx context.Context, s *measure.Subject, with method.Config) (*measure.Outcome, error) {
			switch with.String("mode") {
			case "panic":
				panic("out of its wits")
			case "error":
				return nil, errors.New("cannot be measured")
			case "late":
				return nil, context.DeadlineExceeded
			case "exit":
				os.Exit(3)
			case "hang":
				select {}
			}
			p, err := s.Model.Predict(ctx, []*task.Task{s.Select(s.Model.Batches()[0])})
			if err != nil {
				return nil, err
			}
			if err := s.Check(p[0]); err != nil {
				return nil, err
			}
			row := 0.0
			if with.String("mode") == "nan" {
				row = math.NaN()
			}
			return &measure.Outcome{
				Metrics: results.Metrics{"first": p[0][0] * float64(with.Int("times"))},
				Table:   &results.Table{Columns: []string{"row", "seed"}, Lines: [][]float64{{row, float64(s.Seed >> 40)}}},
			}, nil
		},
	}}
}

func measuring(more, keeper string) string {
	return "name: test\nseed: 7\nprotocols: [published]\ndatasets: [waves]\nfolds: 3\n" + more + "methods:\n  - method: keeper\n" + keeper
}

// measured runs a sweep in a folder, with models in it, and in some others.
func measured(t *testing.T, lib *dataset.Library, dir, sweep string, retry bool, moreModels ...string) Counts {
	t.Helper()
	p := planned(t, parse(t, sweep), lib, dir, plan.Options{Retry: retry})
	return execute(t, t.Context(), p, lib, dir, func(pool *Pool) {
		pool.Jobs, pool.Models, pool.MoreModels, pool.Checkpoints = 3, filepath.Join(dir, "models"), moreModels, filepath.Join(dir, "checkpoints")
	})
}

// fits counts how often the configurations with a number were fitted, on all folds.
func fits(t *testing.T, dir string) (n int) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "models", "*.fits"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(text), "\n")
	}
	return n
}

func removeModels(t *testing.T, dir string) {
	t.Helper()
	models, _ := filepath.Glob(filepath.Join(dir, "models", "*-*[0-9]"))
	if len(models) == 0 {
		t.Fatal("no models are kept")
	}
	for _, m := range models {
		os.Remove(m)
	}
}

// What is measured is a cell of its own: it has its record, is not measured again, and the training is not repeated for what is
// added later; only where the model is lost it is, and gives the same.
func TestMeasurements(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	grid := "    grid: {number: [3, 4]}\n"
	if o := measured(t, lib, dir, measuring("", grid), false); o != (Counts{OK: 6}) {
		t.Fatal(o)
	}
	if _, err := os.Stat(filepath.Join(dir, "models")); err == nil {
		t.Error("models are kept that nothing is measured on")
	}
	first := measuring("", grid+"    measure: {first: {}}\n")
	if o := measured(t, lib, dir, first, false); o != (Counts{OK: 6}) || fits(t, dir) != 6 {
		t.Errorf("%+v after %d fits; the models, which were not kept, take 6", o, fits(t, dir))
	}
	both := measuring("", grid+"    measure: {first: [{}, {times: 10}]}\n")
	if o := measured(t, lib, dir, both, false); o != (Counts{OK: 6}) || fits(t, dir) != 6 {
		t.Errorf("%+v after %d fits, want another measurement on the same models", o, fits(t, dir))
	}
	removeModels(t, dir)
	three := measuring("", grid+"    measure: {first: [{}, {times: 10}, {times: 100}]}\n")
	if o := measured(t, lib, dir, three, false); o != (Counts{OK: 6}) || fits(t, dir) != 12 {
		t.Errorf("%+v after %d fits, want the lost models fitted again", o, fits(t, dir))
	}
	if o := measured(t, lib, dir, three, false); o != (Counts{}) || fits(t, dir) != 12 {
		t.Errorf("%+v after %d fits when all was done", o, fits(t, dir))
	}
	trainings, seeds := map[results.ID]*results.Record{}, map[float64]bool{}
	all := resultstest.Records(t, dir)
	for _, r := range all {
		if r.Measure == "" {
			trainings[r.ID] = r
		}
	}
	for _, r := range all {
		if r.Measure == "" {
			continue
		}
		training := r.Training()
		of := trainings[training.ID()]
		times := 1.0
		if _, after, many := strings.Cut(string(r.With), `"times":`); many {
			fmt.Sscan(after, &times)
		}
		number := 3.0
		if strings.Contains(string(r.Config), `"number":4`) {
			number = 4
		}
		if of == nil || r.Test["first"] != number*times || r.Val["mse_standardised"] != of.Val["mse_standardised"] || r.Details["model"] != "kept by the training" {
			t.Errorf("%s with %s of %s: %+v", r.Measure, r.With, r.Config, r)
		}
		seed := r.Table.Column("seed")[0]
		if seeds[seed] = true; r.Fold == 0 && number == 3 && times == 1 && seed != 10400842 {
			t.Errorf("measured with a seed that begins with %.0f, want 10400842", seed)
		}
	}
	if len(all) != 24 || len(seeds) != 18 {
		t.Errorf("%d records, want 6 trainings and 18 measurements, with %d seeds", len(all), len(seeds))
	}
	// In one go, the same comes out.
	once := t.TempDir()
	if o := measured(t, lib, once, three, false); o != (Counts{OK: 24}) || fits(t, once) != 6 {
		t.Errorf("in one go: %+v after %d fits", o, fits(t, once))
	}
	values := map[results.ID]float64{}
	for _, r := range all {
		values[r.ID] = r.Test["first"] + r.Test["rmse"]
	}
	for _, r := range resultstest.Records(t, once) {
		if values[r.ID] != r.Test["first"]+r.Test["rmse"] {
			t.Errorf("%s of %s: %v, step by step %v", r.Measure, r.Config, r.Test, values[r.ID])
		}
	}
	// Models that are in another folder are found there.
	elsewhere := filepath.Join(t.TempDir(), "models")
	if err := os.Rename(filepath.Join(once, "models"), elsewhere); err != nil {
		t.Fatal(err)
	}
	another := measuring("", grid+"    measure: {first: {times: 2}}\n")
	if o := measured(t, lib, once, another, false, elsewhere); o != (Counts{OK: 6}) || fits(t, once) != 0 {
		t.Errorf("with models elsewhere: %+v after %d fits, want none", o, fits(t, once))
	}
}

// Whatever goes wrong with a measurement costs that one, and a training that fails costs what would be measured on its model.
func TestFailuresOfMeasurements(t *testing.T) {
	lib := library(t)
	for _, c := range []struct {
		name, more, keeper string
		want               Counts
		message            string
	}{
		{"panic", "", "    measure: {first: [{mode: panic}, {}]}\n", Counts{OK: 6, Failed: 3}, "panic: out of its wits at internal/run/model_test.go"},
		{"error", "", "    measure: {first: [{mode: error}, {}]}\n", Counts{OK: 6, Failed: 3}, "cannot be measured"},
		{"nan", "", "    measure: {first: [{mode: nan}, {}]}\n", Counts{OK: 6, Failed: 3}, "what it gave has a number that is NaN"},
		{"late", "", "    measure: {first: [{mode: late}, {}]}\n", Counts{OK: 6, Failed: 3}, "context deadline exceeded"},
		{"exit", "", "    measure: {first: [{}, {mode: exit}]}\n", Counts{OK: 6, Failed: 3}, "exit status 3"},
		{"hang", "budget: {time: 2s}\n", "    measure: {first: [{}, {mode: hang}]}\n", Counts{OK: 6, Failed: 3}, "budget of 2s"},
		{"exit first", "", "    measure: {first: [{mode: exit}, {}]}\n", Counts{OK: 6, Failed: 3}, "exit status 3"},
		{"hang first", "budget: {time: 2s}\n", "    measure: {first: [{mode: hang}, {}]}\n", Counts{OK: 6, Failed: 3}, "budget of 2s"},
		{"exit twice", "", "    measure: {first: [{mode: exit}, {mode: exit, times: 2}, {}]}\n", Counts{OK: 6, Failed: 6}, "exit status 3"},
		{"training", "", "    params: {mode: error}\n    measure: {first: {}}\n", Counts{Failed: 6}, "no luck"},
		{"no model", "", "    params: {mode: forgetful}\n    measure: {first: {}}\n", Counts{OK: 3, Failed: 3}, "left no model in"},
		{"damaged model", "", "    params: {mode: garbled}\n    measure: {first: {}}\n", Counts{OK: 3, Failed: 3}, `left no model that can be opened: strconv.Atoi: parsing "no number"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if o := measured(t, lib, dir, measuring(c.more, c.keeper), false); o != c.want {
				t.Errorf("%+v, want %+v", o, c.want)
			}
			if n := fits(t, dir); n != 3 {
				t.Errorf("%d fits, want one for each fold", n)
			}
			for _, r := range resultstest.Records(t, dir) {
				if r.Failure != nil && !strings.Contains(r.Failure.Message, c.message) {
					t.Errorf("%s failed: %s, want ...%s...", r.Measure, r.Failure.Message, c.message)
				}
			}
			if o := measured(t, lib, dir, measuring(c.more, c.keeper), false); o != (Counts{}) {
				t.Errorf("again: %+v; failures are records", o)
			}
		})
	}
}

// What a worker was doing when it ended gets the failure: a fit that has come to nothing, or goes on in an order of its own, with all that
// it serves, or a single configuration or measurement; what was not tried does not. Of a fit that panicked what it served is measured
// before the failure is known.
func TestBlamed(t *testing.T) {
	cell := func(letter byte) plan.Cell { return plan.Cell{ID: results.ID{letter}, Variant: string(letter)} }
	measured := func(letter byte) []*plan.Measure { return []*plan.Measure{{Cells: []plan.Cell{cell(letter)}}} }
	j := &plan.Job{Configurations: []*plan.Configuration{
		{Measures: measured('u')}, {Cells: []plan.Cell{cell('a')}}, {Cells: []plan.Cell{cell('b')}, Measures: measured('v')},
	}}
	lost := &plan.Job{Configurations: []*plan.Configuration{{Measures: append(measured('u'), measured('w')...)}, {Measures: measured('v')}}}
	for _, c := range []struct {
		job             *plan.Job
		goesOn          bool
		doing, reported string
		want            string
	}{
		{j, false, "fits", "", "abv"}, {j, false, "fits", "a", "b"}, {j, false, "fits", "ab", "u"},
		{j, true, "fits", "", "abv"}, {j, true, "fits", "a", "bv"}, {j, true, "fits", "b", "a"},
		{j, false, "measures", "a", "u"}, {j, false, "measures", "au", "b"}, {j, false, "measures", "ab", "u"}, {j, false, "measures", "abu", "v"},
		{j, false, "measures", "abuv", ""},
		{j, false, "finished", "", "uabv"}, {j, false, "finished", "a", "ubv"}, {j, false, "finished", "abu", "v"},
		{lost, false, "fits", "", "uwv"}, {lost, false, "measures", "", "u"}, {lost, false, "measures", "uw", "v"},
	} {
		c.job.Method = &method.Method{GoesOn: c.goesOn}
		a, got := &attempt{job: c.job, reported: map[results.ID]bool{}, measuring: c.doing == "measures"}, ""
		for i := range c.reported {
			a.reported[results.ID{c.reported[i]}] = true
		}
		for _, c := range a.blamed(c.doing == "finished") {
			got += c.Variant
		}
		if got != c.want {
			t.Errorf("%s with records of %q, goes on %v: %q is blamed, want %q", c.doing, c.reported, c.goesOn, got, c.want)
		}
	}
}

// A fit whose model was lost is blamed with all that is to be measured on it, and not repeated for each of that.
func TestFatalRefit(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	keeper := "    params: {mode: fatal}\n"
	measured(t, lib, dir, measuring("", keeper+"    measure: {first: {}}\n"), false)
	removeModels(t, dir)
	if o := measured(t, lib, dir, measuring("", keeper+"    measure: {first: [{}, {times: 2}, {times: 3}]}\n"), false); o != (Counts{Failed: 6}) || fits(t, dir) != 6 {
		t.Errorf("%+v after %d fits, want one more on each of three folds", o, fits(t, dir))
	}
}

// A worker says when each measurement begins, after its fit.
func TestSaysThatItMeasures(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	lib, dir := library(t), t.TempDir()
	s := parse(t, measuring("", "    measure: {first: [{}, {times: 2}]}\n"))
	r := &poolRun{Pool: &Pool{Library: lib, Sweep: s, Models: filepath.Join(dir, "models")}}
	var said bytes.Buffer
	w := &worker{methods: testMethods(), measurements: testMeasurements(), out: json.NewEncoder(&said)}
	if err := w.serve(t.Context(), r.request(planned(t, s, lib, dir, plan.Options{}).Jobs()[0], 1)); err != nil {
		t.Fatal(err)
	}
	got := ""
	for d := json.NewDecoder(&said); ; {
		var r reply
		if d.Decode(&r) != nil {
			break
		}
		switch {
		case r.Measuring:
			got += " measuring"
		case len(r.Records) > 0:
			got += " " + cmp.Or(r.Records[0].Measure, "fit")
		}
	}
	if want := " fit measuring first measuring first"; got != want {
		t.Errorf("said%s, want%s", got, want)
	}
}

// A training whose record is a failure is not repeated for a measurement that the sweep has had since, unless it is asked for.
func TestMeasurementOfFailedTraining(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	measured(t, lib, dir, measuring("", "    params: {mode: error}\n"), false)
	sweep := measuring("", "    params: {mode: error}\n    measure: {first: {}}\n")
	if o := measured(t, lib, dir, sweep, false); o != (Counts{Failed: 3}) || fits(t, dir) != 0 {
		t.Errorf("%+v after %d fits", o, fits(t, dir))
	}
	if o := measured(t, lib, dir, sweep, true); o != (Counts{Failed: 6}) || fits(t, dir) != 3 {
		t.Errorf("to be tried again: %+v after %d fits", o, fits(t, dir))
	}
	lucky := t.TempDir()
	sweep = measuring("", "    params: {mode: unlucky}\n    measure: {first: {}}\n")
	if o := measured(t, lib, lucky, sweep, false); o != (Counts{Failed: 6}) {
		t.Errorf("%+v", o)
	}
	if o := measured(t, lib, lucky, sweep, true); o != (Counts{OK: 6}) {
		t.Errorf("tried again with more luck: %+v", o)
	}
}

// A training that succeeds is measured, whatever is recorded of an equivalent one; what is known to have failed is not trained again.
func TestMeasurementOfEquivalentTraining(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	measured(t, lib, dir, measuring("", "    params: {mode: unlucky, pause: 1}\n    measure: {first: {}}\n"), false)
	two := "    grid: {pause: [0, 1], mode: [unlucky]}\n    measure: {first: [{}, {times: 2}]}\n"
	if o := measured(t, lib, dir, measuring("", two), false); o != (Counts{OK: 12}) || fits(t, dir) != 6 {
		t.Errorf("%+v after %d fits, want all measurements on the trainings that were lucky", o, fits(t, dir))
	}
	for times, order := range map[int]string{3: "[0, 1]", 4: "[1, 0]"} { // the record of 1 is a failure, that of 0 is not
		again := fmt.Sprintf("    grid: {pause: %s, mode: [unlucky]}\n    measure: {first: {times: %d}}\n", order, times)
		if o := measured(t, lib, dir, measuring("", again), false); o != (Counts{OK: 6}) {
			t.Errorf("pause %s: %+v", order, o)
		}
	}
}

// What is said of a failed measurement is not that its training failed.
func TestSaysWhatFailed(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	p := planned(t, parse(t, measuring("", "    measure: {first: {mode: error}}\n")), lib, dir, plan.Options{})
	var said bytes.Buffer
	if _, err := executed(t.Context(), p, lib, dir, false, &said, func(p *Pool) { p.Models = filepath.Join(dir, "models") }); err != nil ||
		!strings.Contains(said.String(), `fold 1 first {"mode":"error","times":1}: cannot be measured`) {
		t.Errorf("%v: %s", err, &said)
	}
}

// A crash or a panic costs the configuration that it happens at, and what would be measured on its model, which is not fitted again; what
// the same fit has served before is measured.
func TestCrashAfterTraining(t *testing.T) {
	lib := library(t)
	for _, mode := range []string{"exit", "panic"} {
		dir := t.TempDir()
		sweep := measuring("", "    grid: {number: [1, 2, 3], mode: ["+mode+"]}\n    measure: {first: {}}\n")
		if o := measured(t, lib, dir, sweep, false); o != (Counts{OK: 12, Failed: 6}) || fits(t, dir) != 6 {
			t.Errorf("%s: %+v after %d fits", mode, o, fits(t, dir))
		}
		for _, r := range resultstest.Records(t, dir) {
			if bad := strings.Contains(string(r.Config), `"number":3`); bad != (r.Status == results.Failed) {
				t.Errorf("%s %s is %s: %+v", r.Config, r.Measure, r.Status, r.Failure)
			}
		}
	}
}

// A model that has other metrics than the record of its training is not measured.
func TestAnotherModel(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	keeper := "    params: {mode: fickle, number: 5}\n"
	measured(t, lib, dir, measuring("", keeper+"    measure: {first: {}}\n"), false)
	removeModels(t, dir)
	if o := measured(t, lib, dir, measuring("", keeper+"    measure: {first: {times: 2}}\n"), false); o != (Counts{Failed: 3}) {
		t.Error(o)
	}
	for _, r := range resultstest.Records(t, dir) {
		if r.Failure != nil && !strings.Contains(r.Failure.Message, "not the model of the record: its test mse is") {
			t.Error(r.Failure.Message)
		}
	}
}

// However often a run is killed, every training and every measurement ends with one record, and the same numbers.
func TestMeasurementsKilled(t *testing.T) {
	dir := t.TempDir()
	command := planner(t, dir, measuring("", "    grid: {number: [1, 2, 3, 4], pause: [20]}\n    measure: {first: [{}, {times: 10}, {times: 100}]}\n"))
	counts := killed(t, dir, command, 100*time.Millisecond, func(kills int) {
		if kills < 3 {
			os.RemoveAll(filepath.Join(dir, "models"))
		}
	})
	if len(counts) != 48 {
		t.Errorf("%d cells have a record, want 48", len(counts))
	}
	for _, r := range resultstest.Records(t, dir) {
		if counts[r.ID] > 1 || r.Failure != nil {
			t.Errorf("%d records, failure %+v", counts[r.ID], r.Failure)
		}
	}
}

// Of a network whose errors are tiny, the rows of a batch in another order changed the mean square by 1.05 ten-thousandths.
func TestSameMetrics(t *testing.T) {
	recorded := results.Metrics{"mse": 0.0012577946131555671, "mse_se": 1}
	for now, same := range map[float64]bool{0.0012576629724768522: true, 0.001262: false, 0.001253: false, math.NaN(): false} {
		if err := sameMetrics(recorded, results.Metrics{"mse": now, "mse_se": 2}); (err == nil) != same {
			t.Errorf("%v: %v", now, err)
		}
	}
}

// A measurement that failed is no failure of its training: what is added later is measured.
func TestAfterAFailedMeasurement(t *testing.T) {
	lib, dir := library(t), t.TempDir()
	if o := measured(t, lib, dir, measuring("", "    measure: {first: {mode: error}}\n"), false); o != (Counts{OK: 3, Failed: 3}) {
		t.Fatal(o)
	}
	if o := measured(t, lib, dir, measuring("", "    measure: {first: [{mode: error}, {}]}\n"), false); o != (Counts{OK: 3}) {
		t.Errorf("%+v", o)
	}
}

// An open model counts how many there are.
type openModel struct {
	method.Model
	open *int
}

func (m openModel) Close() { *m.open-- }

// A model is closed when it was looked for, and when it was measured, whatever came of that.
func TestModelsAreClosed(t *testing.T) {
	opened, open := 0, 0
	m := &method.Method{Model: func(context.Context, *task.Task, method.Config) (method.Model, error) {
		opened++
		open++
		return openModel{open: &open}, nil
	}}
	s := &serving{worker: &worker{measurements: testMeasurements()}, request: request{ModelDir: "models"}, method: m, task: &task.Task{}}
	if s.lost(t.Context(), nil) || opened != 1 || open != 0 {
		t.Errorf("looked for: %d of %d models are open", open, opened)
	}
	for _, mode := range []string{"error", "panic"} {
		o := s.measured(t.Context(), nil, &plan.Measure{Name: "first", With: method.Config{"mode": mode}}, outcome{})
		if o.failure == nil || open != 0 {
			t.Errorf("%s: %d of %d models are open, failure %+v", mode, open, opened, o.failure)
		}
	}
	if opened != 3 {
		t.Errorf("%d models were opened", opened)
	}
}
