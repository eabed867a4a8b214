package golearn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nptbench/baselines/forest"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
)

// notBuilt says why there is no worker to test.
var notBuilt string

// TestMain builds the worker, once for all tests.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "golearn")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	path := filepath.Join(dir, "golearn")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = "worker"
	if out, err := build.CombinedOutput(); err != nil {
		notBuilt = fmt.Sprintf("golearn cannot be built here, it needs cgo, a C++ compiler and its modules: %v: %s", err, out)
	}
	os.Setenv("NPT_GOLEARN", path)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// table makes a task whose training rows have the given classes, or targets without any, and whose test rows follow.
func table(width, classes int, train []float32, y []float64, test []float32) *task.Task {
	t := &task.Task{
		Train: len(train) / width, Test: len(test) / width,
		X: slices.Concat(train, test), Width: width, TargetStd: 1, Threads: 2,
	}
	if classes == 0 {
		t.Y = y
		return t
	}
	t.Info = dataset.Info{Problem: dataset.MultiClass, Classes: classes}
	for _, label := range y {
		t.Labels = append(t.Labels, uint16(label))
	}
	return t
}

// predict runs golearn and returns its predictions for validation and test rows: numbers, or the class of probability 1.
func predict(t *testing.T, m *method.Method, tk *task.Task, given map[string]any) []float64 {
	t.Helper()
	if notBuilt != "" {
		t.Skip(notBuilt)
	}
	c, err := m.Resolve(given, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	err = m.Run(t.Context(), tk, []method.Config{c}, func(r method.Result) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if r.Details["library"] != "golearn v0.0.0-20221228163002-74ae077eafb2" {
			t.Errorf("details %v", r.Details)
		}
		if len(r.Val) != tk.Val*tk.Outputs() {
			t.Errorf("%d predictions of %d validation rows, want %d a row", len(r.Val), tk.Val, tk.Outputs())
		}
		if out = slices.Concat(r.Val, r.Test); tk.Labels != nil {
			out = labels(t, out, tk.Info.Classes)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// labels wants one probability 1 in every row and zeros else: golearn has no others.
func labels(t *testing.T, p method.Prediction, classes int) (out []float64) {
	t.Helper()
	for row := range slices.Chunk(p, classes) {
		label := slices.Index(row, 1)
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if label < 0 || sum != 1 {
			t.Fatalf("probabilities %v", row)
		}
		out = append(out, float64(label))
	}
	return out
}

func share(got, want []float64) float64 {
	n := 0
	for i := range got {
		if got[i] == want[i] {
			n++
		}
	}
	return float64(n) / float64(len(got))
}

// cloud draws rows of uniform numbers between -1 and 1, and their classes.
func cloud(rows, width int, class func(x []float32) float64) (x []float32, y []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range rows {
		row := make([]float32, width)
		for i := range row {
			row[i] = 2*rng.Float32() - 1
		}
		x, y = append(x, row...), append(y, class(row))
	}
	return x, y
}

// nearest is k-NN by definition: the mean target, or the most frequent of two classes, of the k nearest training rows.
func nearest(tk *task.Task, y []float64, k int) (out []float64) {
	for q := range tk.Val + tk.Test {
		order := make([]int, tk.Train)
		distance := make([]float64, tk.Train)
		for i := range order {
			order[i] = i
			for j, v := range tk.Row(tk.Train + q) {
				d := float64(v) - float64(tk.Row(i)[j])
				distance[i] += d * d
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if distance[a] < distance[b] {
				return -1
			}
			return 1
		})
		mean := 0.0
		for _, i := range order[:k] {
			mean += y[i] / float64(k)
		}
		if tk.Labels != nil {
			mean = float64(int(mean + 0.5))
		}
		out = append(out, mean)
	}
	return out
}

// What golearn gets right.
func TestLinearSearch(t *testing.T) {
	sign := func(x []float32) float64 {
		if x[0]*x[1] > 0 {
			return 1
		}
		return 0
	}
	x, y := cloud(200, 3, sign)
	query, _ := cloud(250, 3, sign)
	query = query[200*3:]
	regression := table(3, 0, x, y, query)
	for i, got := range predict(t, KNN, regression, map[string]any{"n_neighbors": 5}) {
		if want := nearest(regression, y, 5)[i]; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("regression, row %d: %v, want %v", i, got, want)
		}
	}
	classes := table(3, 2, x, y, query)
	classes.Val, classes.Test = 20, 30
	for _, optimised := range []bool{true, false} {
		got := predict(t, KNN, classes, map[string]any{"n_neighbors": 5, "allow_optimisations": optimised})
		if want := nearest(classes, y, 5); !slices.Equal(got, want) {
			t.Errorf("classes, optimised %v: %v, want %v", optimised, got, want)
		}
	}
}

// Of two rows one is the nearest by Euclidean distance, 2.8 to 3, the other by Manhattan distance, 3 to 4.
func TestMetric(t *testing.T) {
	tk := table(2, 2, []float32{2, 2, 0, 3}, []float64{0, 1}, []float32{0, 0})
	for want, metric := range []string{"euclidean", "manhattan"} {
		if got := predict(t, KNN, tk, map[string]any{"n_neighbors": 1, "metric": metric}); got[0] != float64(want) {
			t.Errorf("%s: class %v, want %v", metric, got[0], want)
		}
	}
}

// The nearest neighbour of (1, 1) is (5, 5), of class 1. The k-d tree finds the other row, of class 0,
// at the origin.
func TestKDTreeFindsPointsThatAreNotThere(t *testing.T) {
	tk := table(2, 2, []float32{6, 6, 5, 5}, []float64{0, 1}, []float32{1, 1})
	if got := predict(t, KNN, tk, map[string]any{"n_neighbors": 1}); got[0] != 1 {
		t.Errorf("linear search finds class %v", got[0])
	}
	if got := predict(t, KNN, tk, map[string]any{"n_neighbors": 1, "algorithm": "kdtree"}); got[0] != 0 {
		t.Errorf("the k-d tree finds class %v now: the documentation is out of date", got[0])
	}
}

// By distance, one row of class 1 nearby outweighs two far ones of class 0.
func TestWeightsAreIgnored(t *testing.T) {
	tk := table(1, 2, []float32{0, 10, 11}, []float64{1, 0, 0}, []float32{0.1})
	for _, c := range []struct {
		optimised bool
		want      float64
	}{{false, 1}, {true, 0}} {
		given := map[string]any{"n_neighbors": 3, "weights": "distance", "allow_optimisations": c.optimised}
		if got := predict(t, KNN, tk, given); got[0] != c.want {
			t.Errorf("optimisations %v: class %v, want %v", c.optimised, got[0], c.want)
		}
	}
}

// Two neighbours of different classes, 64 times the same question: golearn gives both answers.
func TestTiesAreDecidedByChance(t *testing.T) {
	query := make([]float32, 64)
	for name, c := range map[string]struct {
		train []float32
		given map[string]any
	}{
		"votes":       {[]float32{-1, 1}, map[string]any{"n_neighbors": 2}},
		"distances 0": {[]float32{0, 0}, map[string]any{"n_neighbors": 2, "weights": "distance", "allow_optimisations": false}},
	} {
		got := predict(t, KNN, table(1, 2, c.train, []float64{0, 1}, query), c.given)
		if !slices.Contains(got, 0) || !slices.Contains(got, 1) {
			t.Errorf("%s: always class %v now: the documentation is out of date", name, got[0])
		}
	}
	// Two rows at the same distance, of which one is the neighbour.
	got := predict(t, KNN, table(1, 0, []float32{-1, 1}, []float64{0, 1}, query), map[string]any{"n_neighbors": 1})
	if !slices.Contains(got, 0) || !slices.Contains(got, 1) {
		t.Errorf("regression: always %v now: the documentation is out of date", got[0])
	}
}

func noise(x []float32) float64 { return float64(int(1e6*(x[0]+1)) % 2) }

func TestForestHasNoSeed(t *testing.T) {
	x, y := cloud(500, 8, noise)
	tk := table(8, 2, x[:100*8], y[:100], x[100*8:])
	given := map[string]any{"n_estimators": 5, "max_features": "all"}
	if slices.Equal(predict(t, Forest, tk, given), predict(t, Forest, tk, given)) {
		t.Error("two fits agree now: the documentation is out of date")
	}
}

// Forests on classes that a tree learns with more than one test of a feature, or with features that nodes draw anew.
func TestForestLearnsLess(t *testing.T) {
	band := func(x []float32) float64 {
		if x[0] > -0.3 && x[0] < 0.3 {
			return 1
		}
		return 0
	}
	half := func(x []float32) float64 {
		if x[0] > 0.2 {
			return 1
		}
		return 0
	}
	chequers := func(x []float32) float64 {
		if (x[0] > 0) != (x[1] > 0) {
			return 1
		}
		return 0
	}
	for name, c := range map[string]struct {
		width   int
		class   func([]float32) float64
		rule    string
		between [2]float64 // golearn's accuracy
	}{
		"a feature is tested once":    {2, band, "all", [2]float64{0.6, 0.85}},
		"one feature is no feature":   {2, half, "log2", [2]float64{0.5, 0.7}},
		"features are drawn per tree": {8, chequers, "log2", [2]float64{0.4, 0.75}},
	} {
		x, y := cloud(900, c.width, c.class)
		tk := table(c.width, 2, x[:600*c.width], y[:600], x[600*c.width:])
		if got := share(predict(t, Forest, tk, map[string]any{"n_estimators": 50, "max_features": c.rule}), y[600:]); got < c.between[0] || got > c.between[1] {
			t.Errorf("%s: accuracy %.3f, not from %v to %v: the documentation is out of date", name, got, c.between[0], c.between[1])
		}
		rule := map[string]string{"all": "auto", "log2": "log2"}[c.rule]
		var ours []float64
		config := method.Config{"criterion": forest.Entropy, "max_features": rule, "n_estimators": 200}
		if err := forest.Method.Run(t.Context(), tk, []method.Config{config}, func(r method.Result) { ours = r.Test }); err != nil {
			t.Fatal(err)
		}
		right := 0.0
		for i, p := range slices.Collect(slices.Chunk(ours, 2)) {
			if (p[1] > 0.5) == (y[600+i] == 1) {
				right += 1.0 / 300
			}
		}
		if right < 0.85 {
			t.Errorf("%s: accuracy %.3f of a forest that draws features at every node", name, right)
		}
	}
}

func TestRefusals(t *testing.T) {
	regression, classes := dataset.Info{Problem: dataset.Regression}, dataset.Info{Problem: dataset.Binary, Classes: 2}
	for _, c := range []struct {
		method *method.Method
		info   dataset.Info
		given  map[string]any
		want   string
	}{
		{Forest, regression, nil, "predicts classes alone, want a classification"},
		{KNN, regression, map[string]any{"weights": "distance"}, `weights: "distance" is not allowed, want one of uniform`},
		{KNN, regression, map[string]any{"algorithm": "kdtree"}, `algorithm: "kdtree" is not allowed, want one of linear`},
		{KNN, classes, map[string]any{"n_neighbors": 0}, "n_neighbors: 0 is not allowed, want integer from 1 to 1000000"},
	} {
		if _, err := c.method.Resolve(c.given, c.info); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.method.Name, err, c.want)
		}
	}
}

// fake makes a shell script the worker.
func fake(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "worker")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NPT_GOLEARN", path)
}

func TestFailures(t *testing.T) {
	for want, script := range map[string]string{
		"golearn's process: crashed: exit status 2: panic: no": "read -r request; echo 'panic: no rows' >&2; echo 'goroutine 7:' >&2; exit 2",
		"golearn's process: no answer: ":                       "read -r request; echo KNN: 50 %",
		"golearn's process: 0 labels and 0 numbers, want 1 a":  "read -r request; echo '{}'",
		"golearn's process: 0 labels and 1 numbers, want 1 a":  `read -r request; echo '{"y": [0.5]}'`,
		"golearn's process: label 2, want 0 to 1":              `read -r request; echo '{"labels": [2]}'`,
		"golearn's process: label -1, want 0 to 1":             `read -r request; echo '{"labels": [-1]}'`,
		"golearn panicked: index out of range":                 `read -r request; echo '{"error": "golearn panicked: index out of range"}'`,
		"n_neighbors: 3 is more than the 2 training rows":      "exit 1",
		"golearn's process: fork/exec /nowhere: no such file":  "",
	} {
		t.Run(want, func(t *testing.T) {
			fake(t, script)
			given := map[string]any{"n_neighbors": 1}
			if strings.HasPrefix(want, "n_neighbors") {
				given["n_neighbors"] = 3
			}
			if script == "" {
				_, err := ask(t.Context(), "/nowhere", 1, &request{Width: 1})
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("error %v", err)
				}
				return
			}
			var result error
			tk := table(1, 2, []float32{1, 2}, []float64{0, 1}, []float32{3})
			c, err := KNN.Resolve(given, tk.Info)
			if err != nil {
				t.Fatal(err)
			}
			if err := KNN.Run(t.Context(), tk, []method.Config{c}, func(r method.Result) { result = r.Err }); err != nil {
				t.Fatal(err)
			}
			if result == nil || !strings.HasPrefix(result.Error(), want) || strings.Contains(result.Error(), "\n") {
				t.Errorf("error %v, want %s", result, want)
			}
		})
	}
}

// A fit whose process is killed ran out of memory if the kernel has killed something for that meanwhile, and else crashed.
func TestKilled(t *testing.T) {
	defer func(before func() int) { oomKills = before }(oomKills)
	fake(t, "read -r request; kill -9 $$")
	for before, want := range map[int]error{-1: method.ErrMemory, math.MaxInt: method.ErrCrash} {
		oomKills = func() int { return before }
		_, err := ask(t.Context(), os.Getenv("NPT_GOLEARN"), 1, &request{Width: 1})
		for _, kind := range []error{method.ErrMemory, method.ErrCrash} {
			if errors.Is(err, kind) != (kind == want) {
				t.Errorf("%v is %q: %v", err, kind, kind != want)
			}
		}
	}
}

func TestRunStops(t *testing.T) {
	fake(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	tk := table(1, 2, []float32{1, 2}, []float64{0, 1}, []float32{3})
	c, err := Forest.Resolve(nil, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = Forest.Run(ctx, tk, []method.Config{c}, func(method.Result) { t.Error("a result") })
	if !errors.Is(err, context.Canceled) || time.Since(start) > 10*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

// The worker ends when its input does, in the middle of a fit: it does not outlive the program that asked.
func TestWorkerEndsWithItsInput(t *testing.T) {
	if notBuilt != "" {
		t.Skip(notBuilt)
	}
	x, y := cloud(2000, 8, noise)
	tk := table(8, 2, x, y, x[:8])
	line, err := json.Marshal(&request{Model: "forest", Width: 8, Classes: 2, X: x, Labels: tk.Labels, Query: x[:8], Trees: 100_000, Features: 8})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Getenv("NPT_GOLEARN"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil && subprocess.ProcessorTime(cmd.Process.Pid) < 300*time.Millisecond { // to read the request takes a fifth of that
		time.Sleep(10 * time.Millisecond)
	}
	in.Close()
	if cmd.Wait(); ctx.Err() != nil {
		t.Error("it had to be stopped")
	}
}

func TestUnavailable(t *testing.T) {
	t.Setenv("NPT_GOLEARN", "")
	t.Chdir(t.TempDir())
	if err := KNN.Available(); err == nil || !strings.Contains(err.Error(), "make golearn") {
		t.Errorf("error %v", err)
	}
}
