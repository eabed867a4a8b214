package golearn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"nptbench/baselines/forest"
	"nptbench/internal/filesystem"
	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
)

// A request is what the worker is asked; worker/main.go explains it.
type request struct {
	Model   string    `json:"model"`
	Width   int       `json:"width"`
	Classes int       `json:"classes"`
	X       []float32 `json:"x"`
	Y       []float64 `json:"y,omitempty"`
	Labels  []uint16  `json:"labels,omitempty"`
	Query   []float32 `json:"query"`

	Neighbours int    `json:"neighbours,omitempty"`
	Algorithm  string `json:"algorithm,omitempty"`
	Distance   string `json:"distance,omitempty"`
	Weighted   bool   `json:"weighted,omitempty"`
	Optimised  bool   `json:"optimised,omitempty"`

	Trees    int `json:"trees,omitempty"`
	Features int `json:"features,omitempty"`
}

type answer struct {
	Error   string        `json:"error"`
	Library string        `json:"library"`
	Y       []float64     `json:"y"`
	Labels  []int         `json:"labels"`
	Fit     time.Duration `json:"fit"`
	Predict time.Duration `json:"predict"`
}

func runKNN(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	return run(ctx, t, batch, done, func(r *request, c method.Config) error {
		r.Model, r.Neighbours = "knn", c.Int(neighboursParam)
		r.Algorithm, r.Distance = c.String(algorithmParam), c.String(metricParam)
		r.Weighted, r.Optimised = c.String(weightsParam) == "distance", c.Bool(optimiseParam)
		return checkRows(c, t.Train)
	})
}

func runForest(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	return run(ctx, t, batch, done, func(r *request, c method.Config) error {
		r.Model, r.Trees, r.Features = "forest", c.Int(treesParam), forest.MaxFeatures(c.String(featuresParam), t.Width)
		return nil
	})
}

// run asks the worker for every configuration of the batch.
func run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result),
	set func(*request, method.Config) error) error {
	path, err := workerPath()
	if err != nil {
		return err
	}
	r := request{Width: t.Width, X: t.TrainX(), Query: t.X[t.Train*t.Width:]}
	if t.Info.Problem.Classification() {
		r.Classes, r.Labels = t.Info.Classes, t.Labels[:t.Train]
	} else {
		r.Y = t.Y[:t.Train]
	}
	for i, c := range batch {
		result := method.Result{Index: i}
		var a *answer
		err := set(&r, c)
		if err == nil {
			a, err = ask(ctx, path, t.Threads, &r)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			result.Err = err
			done(result)
			continue
		}
		p := a.prediction(t.Outputs())
		cut := t.Val * t.Outputs()
		result.Val, result.Test = p[:cut:cut], p[cut:]
		result.Fit, result.Predict = a.Fit, a.Predict
		result.Details = map[string]any{"library": a.Library}
		done(result)
	}
	return nil
}

// prediction gives a predicted class the probability 1.
func (a *answer) prediction(outputs int) method.Prediction {
	if a.Labels == nil {
		return a.Y
	}
	p := make(method.Prediction, len(a.Labels)*outputs)
	for i, label := range a.Labels {
		p[i*outputs+label] = 1
	}
	return p
}

var oomKills = machine.OOMKills // tests set it

// ask starts a worker for one request. It is killed when ctx is done, and ends when its standard input does: with this process.
func ask(ctx context.Context, path string, threads int, r *request) (*answer, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", max(1, threads)))
	cmd.WaitDelay = time.Second
	subprocess.EndWithParent(cmd, syscall.SIGKILL)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	before := oomKills()
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		in.Write(append(line, '\n')) // where this fails the process has ended, and Wait says how
		err = cmd.Wait()
	}
	switch {
	case subprocess.KilledForMemory(err, before):
		err = fmt.Errorf("%w: %w", method.ErrMemory, err)
	case cmd.ProcessState != nil && !cmd.ProcessState.Success():
		err = fmt.Errorf("%w: %w", method.ErrCrash, err)
	}
	if err != nil {
		return nil, fmt.Errorf("golearn's process: %w%s", err, panicLine(stderr.String()))
	}
	a := &answer{}
	if err := json.Unmarshal(out.Bytes(), a); err != nil {
		return nil, fmt.Errorf("golearn's process: no answer: %w", err)
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	want := len(r.Query) / r.Width
	labels, numbers := 0, want
	if r.Classes > 0 {
		labels, numbers = want, 0
	}
	if len(a.Labels) != labels || len(a.Y) != numbers {
		return nil, fmt.Errorf("golearn's process: %d labels and %d numbers, want %d and %d", len(a.Labels), len(a.Y), labels, numbers)
	}
	for _, label := range a.Labels {
		if label < 0 || label >= r.Classes {
			return nil, fmt.Errorf("golearn's process: label %d, want 0 to %d", label, r.Classes-1)
		}
	}
	return a, nil
}

// panicLine finds the line that says why a Go program died.
func panicLine(stderr string) string {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return ": " + strings.TrimSpace(line)
		}
	}
	return ""
}

// workerPath is $NPT_GOLEARN, or bin/golearn in the working directory or one above.
func workerPath() (string, error) {
	if path := os.Getenv("NPT_GOLEARN"); path != "" {
		path, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("NPT_GOLEARN: want the program that make golearn builds: %w", err)
		}
		return path, nil
	}
	if path := filesystem.HereOrAbove("bin/golearn"); path != "" {
		return path, nil
	}
	return "", errors.New("no bin/golearn here or above, and NPT_GOLEARN is not set; run `make golearn`, which needs a C++ compiler")
}

func available() error {
	_, err := workerPath()
	return err
}
