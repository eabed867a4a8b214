package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"nptbench/baselines/forest"
	"nptbench/baselines/gbdt"
	"nptbench/baselines/knn"
	"nptbench/baselines/mlp"
	"nptbench/baselines/tabnet"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
	"nptbench/npt"
)

// The rows of Higgs, and of them those for testing, the last ones.
const higgsRows, higgsTest = 11_000_000, 500_000

// higgsShares are the parts of them that are measured: one in so many.
var higgsShares = []int{64, 16, 4, 1}

// A bigFit is the part of a fit on a table of Higgs' shape that is measured, long enough to tell the time of the rest.
type bigFit struct {
	method *method.Method
	given  map[string]any
	says   string // what is measured
	unit   string // what times are of
	units  float64
	paper  float64 // how many of the unit the paper's settings take on all rows, a fit that serves several counted once; 0: not told
	most   int     // the largest share that is measured
	stop   int     // mini-batches after which it is stopped; 0: it is not
}

// lookedUp is how many test rows k-NN predicts here, of the rows for validation and test.
const lookedUp, toLookUp = 500, 1_812_500

// What the paper's settings take: of a grid of sizes, the smaller forests are parts of the largest one.
const (
	grownTrees   = 2 * 2 * 1000 // gini and entropy; sqrt and log2
	boostedTrees = 4 * 3 * 1000 // learning rates; depths
	longestMLP   = 6 * 200      // epochs
	nptSteps     = 500_000
	nptBatch     = 4096
)

func bigFits() []*bigFit {
	forests := func(n int) map[string]any { return map[string]any{"criterion": forest.Gini, "n_estimators": n} }
	trees := func(n int) map[string]any {
		return map[string]any{"learning_rate": 0.1, "max_depth": 5, "n_estimators": n}
	}
	network := func(batch int) map[string]any { // at full size, but for the batch
		return map[string]any{"dim_hidden": 64, "layers": 8, "heads": 8, "steps": nptSteps, "batch_size": batch, "p_feature": 0.15, "p_target": 1.0}
	}
	return []*bigFit{
		{method: knn.Method, given: map[string]any{"n_neighbors": 25, "weights": "distance"}, says: "500 test rows, k = 25",
			unit: "1,000 rows", units: lookedUp / 1000., paper: toLookUp / 1000., most: 1},
		{method: forest.Method, given: forests(2), says: "2 trees, gini, sqrt", unit: "tree", units: 2, paper: grownTrees, most: 1},
		{method: forest.Method, given: forests(50), says: "50 trees, gini, sqrt", unit: "tree", units: 50, paper: grownTrees, most: 16},
		{method: gbdt.LightGBM, given: trees(20), says: "20 trees of depth 5", unit: "tree", units: 20, paper: boostedTrees, most: 1},
		{method: gbdt.XGBoost, given: trees(10), says: "10 trees of depth 5", unit: "tree", units: 10, paper: boostedTrees, most: 1},
		{method: gbdt.CatBoost, given: trees(10), says: "10 trees of depth 5", unit: "tree", units: 10, paper: boostedTrees, most: 1},
		{method: gbdt.GradientBoosting, given: trees(2), says: "2 trees of depth 5", unit: "tree", units: 2, paper: boostedTrees, most: 1},
		{method: mlp.Method, given: map[string]any{"hidden_layer_sizes": []int{500, 500, 500}, "alpha": 0.0, "batch_size": 512}, stop: 500,
			says: "500-500-500, 500 batches of 512", unit: "epoch", paper: longestMLP, most: 1},
		{method: tabnet.Method, given: map[string]any{"n_d": 96, "n_a": 32, "n_steps": 8, "gamma": 2.0, "lambda_sparse": 1e-6, "batch_size": 8192,
			"virtual_batch_size": 256, "momentum": 0.9, "lr": 0.025, "sched_step": 10_000, "sched_gamma": 0.9}, stop: 12,
			says: "at full size, 12 batches of 8,192", unit: "epoch", paper: 330, most: 1},
		{method: npt.Method(), given: network(512), says: "at full size but for batches of 512", unit: "step", most: 1, stop: 3},
		{method: npt.Method(), given: network(256), says: "batches of 256", unit: "step", most: 64, stop: 3},
		{method: npt.Method(), given: network(1024), says: "batches of 1,024", unit: "step", most: 64, stop: 3},
		{method: npt.Method(), given: network(2048), says: "batches of 2,048", unit: "step", most: 64, stop: 2},
		{method: npt.Method(), given: network(nptBatch), says: "batches of 4,096, at full size", unit: "step", paper: nptSteps, most: 64, stop: 2},
	}
}

// name is what a measurement is kept by.
func (f *bigFit) name() string { return f.method.Name + ", " + f.says }

// A bigCost is what was measured at a share of the table.
type bigCost struct {
	Name    string
	Share   int
	Seconds float64 // of processor time, for one unit
	Memory  uint64  // bytes resident at most, of the process that fits and what it started, with the table
	Ended   bool    // for want of memory: it took more, and Seconds is not known
}

// bigVariable is set in the environment of a process that fits, to what it is to fit: NAME|SHARE.
const bigVariable = "NPTBENCH_BENCH_BIG"

// higgsRowNames names the rows of the table of Higgs.
func higgsRowNames() (rows []rowName) {
	for _, f := range bigFits() {
		rows = append(rows, rowName{f.method.Name, "higgs"})
	}
	return rows
}

// higgs measures what has not been kept by an earlier run, and makes a table of all that has.
func higgs(ctx context.Context, o *options, s *section) error {
	kept, err := readCosts(o.kept)
	if err != nil {
		return err
	}
	for _, share := range higgsShares {
		for _, f := range bigFits() {
			before, done := kept[f.name()][share]
			if done && before.Ended && float64(before.Memory) < o.memory*1e9 {
				done = false // there is clearly more memory now
			}
			if done || share < max(f.most, o.largest) || !o.wants(f.method.Name, "higgs") {
				continue
			}
			cost, err := measureBig(ctx, f, share, uint64(o.memory*1e9))
			if err != nil {
				return fmt.Errorf("%s, 1/%d of the rows: %w", f.name(), share, err)
			}
			fmt.Fprintf(s.log, "%s, 1/%d of the rows: %s s, %.2f GB\n", f.name(), share, significant(cost.Seconds), float64(cost.Memory)/1e9)
			if err := keepCost(o.kept, cost); err != nil {
				return err
			}
			if kept[f.name()] == nil {
				kept[f.name()] = map[int]bigCost{}
			}
			kept[f.name()][share] = *cost
		}
	}
	s.head("Method", "Measured", "Time of a", "1/64, s", "1/16, s", "1/4, s", "All, s", "Exponent", "Paper's settings, one core",
		"Memory at 1/64, GB", "1/16", "1/4", "All", "Exponent")
	for _, f := range bigFits() {
		if costs := kept[f.name()]; costs != nil {
			times, exponent, all := growth(costs, false, func(c bigCost) float64 { return c.Seconds })
			if largest, ok := costs[f.most]; ok && f.unit == "step" { // which costs the same however many rows there are
				all = largest.Seconds
			}
			sizes, memory, _ := growth(costs, true, func(c bigCost) float64 { return float64(c.Memory) / 1e9 })
			row := append([]string{f.method.Name, f.says, f.unit}, times...)
			row = append(row, exponent, days(all*f.paper))
			s.row(append(append(row, sizes...), memory)...)
		}
	}
	return nil
}

// growth writes a cost at all shares, with > where memory ended the fit, and with ≈ where it was not measured: what the best fit of
// cost ~ rows^exponent gives or, of what has a part that does not grow, the line through the two largest shares. It returns that
// exponent and the cost of all rows; with one share there is no exponent.
func growth(costs map[int]bigCost, line bool, of func(bigCost) float64) (texts []string, slope string, all float64) {
	var rows, values []float64
	for _, share := range higgsShares {
		if c, ok := costs[share]; ok && !c.Ended {
			rows, values = append(rows, 1/float64(share)), append(values, of(c))
		}
	}
	slope, all = "–", math.NaN()
	e := math.NaN()
	if len(rows) > 1 {
		e = exponent(rows, values)
		slope = fmt.Sprintf("%.2f", e)
	}
	for _, share := range higgsShares {
		c, ok := costs[share]
		last := len(rows) - 1
		switch {
		case ok && c.Ended && of(c) > 0:
			texts = append(texts, "> "+significant(of(c)))
		case ok && !c.Ended:
			all = of(c)
			texts = append(texts, significant(all))
		case len(rows) > 1:
			if all = values[last] * math.Pow(1/float64(share)/rows[last], e); line {
				all = values[last] + (values[last]-values[last-1])/(rows[last]-rows[last-1])*(1/float64(share)-rows[last])
			}
			texts = append(texts, "≈ "+significant(all))
		default:
			all = math.NaN()
			texts = append(texts, "–")
		}
	}
	return texts, slope, all
}

// days writes processor seconds as people do.
func days(seconds float64) string {
	switch d := seconds / 86400; {
	case math.IsNaN(d) || d == 0:
		return "–"
	case d < 2:
		return significant(seconds/3600) + " h"
	case d < 1000:
		return fmt.Sprintf("%.0f days", d)
	default:
		return fmt.Sprintf("%.0f years", d/365)
	}
}

// readCosts reads what was kept, by name and share. There may be nothing yet.
func readCosts(path string) (map[string]map[int]bigCost, error) {
	all := map[string]map[int]bigCost{}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var c bigCost
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if all[c.Name] == nil {
			all[c.Name] = map[int]bigCost{}
		}
		all[c.Name][c.Share] = c
	}
	return all, nil
}

func keepCost(path string, c *bigCost) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// measureBig has a process of its own fit, and ends it where that and what it has started take more memory than the limit.
func measureBig(ctx context.Context, f *bigFit, share int, limit uint64) (*bigCost, error) {
	self, err := subprocess.Self()
	if err != nil {
		return nil, err
	}
	limited, end := context.WithCancel(ctx)
	defer end()
	cmd := exec.CommandContext(limited, self)             // a trainer that it started ends with it
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal reaches this process alone
	subprocess.EndWithParent(cmd, syscall.SIGKILL)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", bigVariable, f.name(), share))
	cmd.Stderr = os.Stderr
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	peak := watchMemory(cmd.Process.Pid, func(peak uint64) {
		if peak > limit {
			end()
		}
	})
	err = cmd.Wait()
	cost := &bigCost{Name: f.name(), Share: share, Memory: peak()}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cost.Ended = err != nil && cost.Memory > limit; cost.Ended {
		return cost, nil
	}
	if err == nil {
		_, err = fmt.Sscan(out.String(), &cost.Seconds)
	}
	return cost, err
}

// used is what this process and all it started have used of processors, in seconds.
func used() float64 { return subprocess.ProcessorTime(os.Getpid()).Seconds() }

// fitBig is what that process does: it fits on generated rows, and prints the seconds of processor time that a unit took. A tiny fit
// before has Python import its libraries.
func fitBig(ctx context.Context, asked string, out io.Writer) error {
	name, number, _ := strings.Cut(asked, "|")
	fits := bigFits()
	at := slices.IndexFunc(fits, func(f *bigFit) bool { return f.name() == name })
	share := 0
	if _, err := fmt.Sscan(number, &share); err != nil || at < 0 {
		return fmt.Errorf("%s=%q: want the name of a fit and a share", bigVariable, asked)
	}
	f := fits[at]
	t := higgsTask(higgsRows/share, higgsTest/share)
	if f.method == knn.Method {
		t.X, t.Labels, t.Val, t.Test = t.X[:(t.Train+lookedUp)*t.Width], t.Labels[:t.Train], 0, lookedUp
	}
	c, err := resolve(f.method, f.given, t.Info)
	if err != nil {
		return err
	}
	if f.stop == 0 {
		if err := fitOnce(ctx, f.method, c, higgsTask(1000, 100)); err != nil {
			return err
		}
		before := used()
		if err := fitOnce(ctx, f.method, c, t); err != nil {
			return err
		}
		fmt.Fprintln(out, (used()-before)/f.units)
		return nil
	}
	watch := &stopper{stop: f.stop}
	watch.Context, watch.cancel = context.WithCancel(ctx)
	if f.unit == "step" {
		t.Progress = func(p task.Progress) { watch.step(int(math.Round(p.Share * nptSteps))) }
	} else {
		watch.batches = float64(t.Train) / float64(c.Int("batch_size"))
		if f.method == mlp.Method {
			watch.batches *= 0.9 // a tenth is held out
		}
		watch.stop = min(watch.stop, int(watch.batches)-1) // after the epoch it is asked in other places
	}
	if err := fitOnce(watch, f.method, c, t); ctx.Err() != nil || !errors.Is(err, context.Canceled) {
		return fmt.Errorf("ended before it was stopped: %v", err)
	}
	fmt.Fprintln(out, watch.perStep()*max(1, watch.batches))
	return nil
}

func fitOnce(ctx context.Context, m *method.Method, c method.Config, t *task.Task) error {
	t.Threads, t.Backend, t.TargetStd = 1, "auto", 1
	var result method.Result
	err := m.Run(ctx, t, []method.Config{c}, func(r method.Result) { result = r })
	return errors.Join(err, result.Err)
}

// higgsTask has rows of Higgs' shape, split as those of Higgs are.
func higgsTask(rows, test int) *task.Task {
	train, val, test := split.Rule{Rows: rows, Folds: 5, TestAt: rows - test}.Sizes(0)
	t, _ := generated(train+val, test)
	t.Train, t.Val = train, val
	return t
}

// A stopper ends a training after some mini-batches, and knows what those after the first took, in which networks are compiled. The
// MLP and TabNet ask for the context's error before every batch; NPT tells of its steps.
type stopper struct {
	context.Context
	cancel  func()
	stop    int
	batches float64 // of an epoch; 0: steps are told

	asked, first, last int // steps
	from, to           float64
}

func (s *stopper) Err() error {
	if s.batches > 0 {
		s.step(s.asked)
		s.asked++
	}
	return s.Context.Err()
}

// step notes that so many have begun or ended.
func (s *stopper) step(n int) {
	if s.Context.Err() != nil || n == 0 {
		return
	}
	if s.first == 0 {
		s.first = n
		s.from = used()
	}
	if n >= s.stop && n > s.first {
		s.last = n
		s.to = used()
		s.cancel()
	}
}

func (s *stopper) perStep() float64 { return (s.to - s.from) / float64(s.last-s.first) }
