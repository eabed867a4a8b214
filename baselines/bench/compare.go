package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	_ "embed"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
)

//go:embed scikit.py
var scikit string

// compared names the rows of the comparison.
func compared() (rows []rowName) {
	for _, b := range benchmarks {
		rows = append(rows, rowName{b.method, b.table})
	}
	return rows
}

// compare measures all benchmarks that the flags let through and adds a row for each.
func compare(ctx context.Context, o *options, s *section) error {
	s.head("Method", "Table", "Training rows × columns, test rows", "Setting", "Ours, s", "scikit-learn, s", "Ratio", "Score, ours", "Score, scikit-learn")
	for i := range benchmarks {
		b := &benchmarks[i]
		if b.long && !o.long || !o.wants(b.method, b.table) {
			continue
		}
		t, truth, err := load(ctx, o.library, b.table, b.rows)
		if missing := (*dataset.MissingError)(nil); errors.As(err, &missing) {
			fmt.Fprintln(s.log, "left out:", err)
			continue
		}
		if err != nil {
			return err
		}
		t, truth = withoutVal(t, truth, b.queries)
		t.Threads = o.threads
		ours, err := b.ours(ctx, t, truth)
		if err != nil {
			return err
		}
		theirs, version, err := b.theirs(ctx, o, t, truth)
		if err != nil {
			return err
		}
		s.version = version
		best := slices.MinFunc(theirs, func(x, y outcome) int { return cmp.Compare(x.seconds, y.seconds) })
		s.row(b.method, b.table, fmt.Sprintf("%d × %d, %d", t.Train, t.Width, t.Test), b.setting(),
			significant(ours.seconds), significant(best.seconds)+best.note, fmt.Sprintf("%.1f", best.seconds/ours.seconds),
			spread(ours.scores), spread(best.scores))
	}
	return nil
}

// An outcome is the time of all runs together, and their scores.
type outcome struct {
	seconds float64
	scores  []float64
	note    string
}

// ours runs our method. Each of its fits is one run; the faster of two times counts.
func (b *benchmark) ours(ctx context.Context, t *task.Task, truth *task.Truth) (outcome, error) {
	best := outcome{seconds: math.Inf(1)}
	for range 2 {
		var o outcome
		m, tasks, given := b.jobs(t)
		start := subprocess.OwnTime()
		for i, job := range tasks {
			c, err := resolve(m, given[i], t.Info)
			if err != nil {
				return o, err
			}
			var result method.Result
			if err := m.Run(ctx, job, []method.Config{c}, func(r method.Result) { result = r }); err != nil {
				return o, err
			}
			switch {
			case errors.Is(result.Err, method.ErrDiverged):
			case result.Err != nil:
				return o, result.Err
			default:
				o.scores = append(o.scores, score(result.Test, truth, t.Info.Classes))
			}
		}
		if o.seconds = (subprocess.OwnTime() - start).Seconds(); o.seconds < best.seconds {
			best = o
		}
		if o.seconds > 10 {
			break
		}
	}
	return best, nil
}

// A request is what scikit.py reads.
type request struct {
	Method     string           `json:"method"`
	Classes    int              `json:"classes"`
	Train      int              `json:"train"`
	Test       int              `json:"test"`
	Width      int              `json:"width"`
	Threads    int              `json:"threads"`
	K          int              `json:"k"`
	Algorithms []string         `json:"algorithms"`
	Criterion  string           `json:"criterion"`
	Rule       string           `json:"rule"`
	Trees      int              `json:"trees"`
	Seeds      int              `json:"seeds"`
	Settings   []map[string]any `json:"settings"`
}

// theirs runs scikit-learn. Of k-NN it returns one outcome for each algorithm.
func (b *benchmark) theirs(ctx context.Context, o *options, t *task.Task, truth *task.Truth) ([]outcome, string, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	r := request{
		Method: b.method, Classes: t.Info.Classes, Train: t.Train, Test: t.Test, Width: t.Width, Threads: o.threads,
		K: b.k, Algorithms: []string{"brute", "kd_tree"},
		Criterion: b.criterion, Rule: b.rule, Trees: b.trees, Seeds: b.seeds,
	}
	if o.long {
		r.Algorithms = append(r.Algorithms, "ball_tree")
	}
	if b.step > 0 {
		r.Settings = b.mlpSettings()
	}
	line, err := json.Marshal(r)
	if err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "case.json"), line, 0o600); err != nil {
		return nil, "", err
	}
	if err := writeNumbers(filepath.Join(dir, "x"), t.X); err != nil {
		return nil, "", err
	}
	y := slices.Concat(t.Y, truth.Y)
	for _, label := range slices.Concat(t.Labels, truth.Labels) {
		y = append(y, float64(label))
	}
	if err := writeNumbers(filepath.Join(dir, "y"), y); err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, o.python, "-c", scikit, dir)
	said := &subprocess.Said{Tail: 4096}
	cmd.Stderr = said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		text := said.String()
		return nil, "", fmt.Errorf("%s: %w: %s", o.python, err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	return outcomes(out, b)
}

func outcomes(answer []byte, b *benchmark) ([]outcome, string, error) {
	var a struct {
		Version string
		Runs    []struct {
			Name         string
			Fit, Predict float64
			Score        *float64
		}
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, "", err
	}
	var out []outcome
	for _, run := range a.Runs {
		if len(out) == 0 || b.k > 0 {
			out = append(out, outcome{})
		}
		o := &out[len(out)-1]
		o.seconds += run.Fit + run.Predict
		if run.Score != nil {
			o.scores = append(o.scores, *run.Score)
		}
		if run.Name != "" {
			o.note = " (" + run.Name + ")"
		}
	}
	return out, a.Version, nil
}

func writeNumbers(path string, values any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := binary.Write(f, binary.LittleEndian, values); err != nil {
		return err
	}
	return f.Close()
}

// significant prints three digits.
func significant(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// spread prints mean and standard deviation over runs.
func spread(x []float64) string {
	if len(x) == 0 {
		return "diverged"
	}
	if len(x) == 1 {
		return fmt.Sprintf("%.4f", x[0])
	}
	mean, deviation := stat.MeanStdDev(x, nil)
	return fmt.Sprintf("%.4f ± %.4f", mean, deviation)
}
