package npt

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/optimiser"
	"nptbench/internal/task"
)

// A training that is interrupted at any pass and goes on from its checkpoint ends with the same bits.
func TestResumeEqualsUninterrupted(t *testing.T) {
	onBackends(t, testResume)
}

func testResume(t *testing.T, backend compute.Backend) {
	newTrainer := func(table *Table, c Config) *Trainer {
		tr := newTestTrainerOn(t, backend, table, c)
		tr.Checkpoint.Every = time.Nanosecond
		return tr
	}
	table := testTable(30, 10, 10, true)
	c := smallConfig()
	c.Layers, c.Steps, c.Precision, c.BatchSize, c.TargetMask, c.EvalEvery = 2, 22, Float32, 30, 0.5, 2
	whole := newTrainer(table, c)
	train(t, whole)
	want := allWeights(t, whole)
	for _, stop := range []int{2, 7, 12, 13, 21} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		ctx, cancel := context.WithCancel(context.Background())
		first := newTrainer(table, c)
		first.Checkpoint.Path = path
		first.Progress = func(p Progress) {
			if p.Step >= stop {
				cancel()
			}
		}
		if err := first.Train(ctx); stop < 20 && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped with %v", err)
		}
		second := newTrainer(table, c)
		if err := second.LoadCheckpoint(path); err != nil {
			t.Fatal(err)
		}
		if second.state.step == 0 || second.earlier <= 0 {
			t.Fatalf("the checkpoint is of step %d, after %v", second.state.step, second.earlier)
		}
		if second.state.step == first.state.step && (second.target != first.target || second.feature != first.feature) {
			t.Errorf("stopped at step %d, the last losses are %v and %v, want %v and %v", stop, second.target, second.feature, first.target, first.feature)
		}
		train(t, second)
		if !slices.Equal(allWeights(t, second), want) || second.bestLoss != whole.bestLoss || second.bestStep != whole.bestStep {
			t.Errorf("stopped at step %d, the training ends differently", stop)
		}
		if !slices.Equal(second.curve, whole.curve) {
			t.Errorf("stopped at step %d, the learning curve is another", stop)
		}
	}
}

// endsAfter is a context that ends after its error was asked for that many times.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A training whose context ends anywhere, in the middle of a pass or in an evaluation, ends with the same bits when Train is
// called again, and when another trainer goes on, from where it is saved or from the checkpoint of its last step.
func TestCancelledAnywhere(t *testing.T) {
	table := testTable(20, 10, 10, true)
	for name, change := range map[string]func(*Config){
		"batches": func(c *Config) { c.BatchSize = 20 },
		"repeat":  func(c *Config) { c.Repeat = 4 },
		"loop":    func(c *Config) { c.BatchSize, c.EvalEvery = 20, 4 },
	} {
		t.Run(name, func(t *testing.T) {
			newTrainer := func(c Config) *Trainer {
				if name != "loop" {
					return newTestTrainer(t, table, c)
				}
				tr := newTestTrainerOn(t, loopBackend(t), table, c)
				tr.engine.callSteps, tr.engine.passes = optimiser.LookaheadSteps, 2 // as on an accelerator, other masks between two synchronisations
				return tr
			}
			c := smallConfig()
			c.Hidden, c.Layers, c.Steps, c.Precision, c.TargetMask, c.EvalEvery = 4, 2, 9, Float32, 0.5, 2
			change(&c)
			whole := newTrainer(c)
			train(t, whole)
			want := allWeights(t, whole)
			for stop := 0; ; stop++ {
				first, written := newTrainer(c), filepath.Join(t.TempDir(), "written")
				first.Checkpoint.Path, first.Checkpoint.Every = written, time.Nanosecond
				err := first.Train(&endsAfter{context.Background(), stop})
				if err == nil {
					break // stop is beyond the end
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				at, path := first.state.step, filepath.Join(t.TempDir(), "checkpoint")
				if err := first.SaveCheckpoint(path); err != nil {
					t.Fatal(err)
				}
				second := newTrainer(c)
				if err := second.LoadCheckpoint(path); err != nil {
					t.Fatal(err)
				}
				third := newTrainer(c)
				if err := third.LoadCheckpoint(written); at > 0 && (err != nil || third.state.step != at) {
					t.Fatalf("stopped after step %d, the checkpoint is of step %d, error %v", at, third.state.step, err)
				}
				for how, tr := range map[string]*Trainer{"called again": first, "saved": second, "written": third} {
					train(t, tr)
					if !slices.Equal(allWeights(t, tr), want) || tr.state.step != whole.state.step || tr.bestStep != whole.bestStep {
						t.Errorf("stopped after step %d, %s: ends differently, at step %d with best %d, want %d and %d",
							at, how, tr.state.step, tr.bestStep, whole.state.step, whole.bestStep)
					}
				}
			}
		})
	}
}

// A checkpoint that a user saves whenever progress is told goes on to the same end.
func TestSavedWithinProgress(t *testing.T) {
	table := testTable(20, 10, 10, true)
	c := smallConfig()
	c.Hidden, c.Layers, c.Steps, c.Precision, c.TargetMask, c.BatchSize, c.EvalEvery = 4, 2, 9, Float32, 0.5, 14, 2
	test := func(t *testing.T, backend compute.Backend, callSteps int) {
		whole := newTestTrainerOn(t, backend, table, c)
		whole.engine.callSteps = callSteps
		var files []string
		whole.Progress = func(Progress) {
			files = append(files, filepath.Join(t.TempDir(), "checkpoint"))
			if err := whole.SaveCheckpoint(files[len(files)-1]); err != nil {
				t.Fatal(err)
			}
			whole.reported = time.Time{} // the next one comes soon
		}
		train(t, whole)
		if len(files) < 3 {
			t.Fatalf("progress was told %d times", len(files))
		}
		for _, file := range files {
			tr := newTestTrainerOn(t, backend, table, c)
			if err := tr.LoadCheckpoint(file); err != nil {
				t.Fatal(err)
			}
			at := tr.state.step
			train(t, tr)
			if !slices.Equal(allWeights(t, tr), allWeights(t, whole)) || tr.bestStep != whole.bestStep || tr.bestLoss != whole.bestLoss {
				t.Errorf("saved at step %d: ends with best step %d and loss %v, want %d and %v", at, tr.bestStep, tr.bestLoss, whole.bestStep, whole.bestLoss)
			}
		}
	}
	t.Run("steps", func(t *testing.T) { test(t, testBackend(t), 1) })
	t.Run("loops", func(t *testing.T) { test(t, loopBackend(t), optimiser.LookaheadSteps) })
}

func TestDamagedCheckpoints(t *testing.T) {
	table := testTable(10, 4, 4, false)
	table.Values[0] = 0
	c := smallConfig()
	path := filepath.Join(t.TempDir(), "checkpoint")
	tr := newTestTrainer(t, table, c)
	if err := tr.SaveCheckpoint(path); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{ // more of them has internal/checkpoint
		"checksum":  func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"without m": func(b []byte) []byte { return bytes.Replace(b, []byte(`"weights","m"`), []byte(`"weights","w"`), 1) },
	} {
		if err := os.WriteFile(path, damage(slices.Clone(sound)), 0o644); err != nil {
			t.Fatal(err)
		}
		err := newTestTrainer(t, table, c).LoadCheckpoint(path)
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := os.WriteFile(path, sound, 0o644); err != nil {
		t.Fatal(err)
	}
	fold, flagged, divided := *table, *table, *table
	fold.Values = append(slices.Clone(table.Values[4*6:]), table.Values[:4*6]...) // the same columns and numbers of rows
	flagged.Missing = make([]bool, table.Rows()*len(table.Columns))
	flagged.Missing[0] = true // whose value is 0
	divided.Train, divided.Val = table.Train-2, table.Val+2
	for other, want := range map[*Table]string{&fold: "the data differ", &flagged: "the data differ", &divided: "numbers of rows differ"} {
		if err := newTestTrainer(t, other, c).LoadCheckpoint(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a checkpoint of another table: %v, want %s", err, want)
		}
	}
	for _, c.Recompute = range []bool{false, true} { // which does not matter
		if err := newTestTrainer(t, table, c).LoadCheckpoint(path); err != nil {
			t.Errorf("its own checkpoint, with Recompute %v: %v", c.Recompute, err)
		}
	}
	c.Recompute, c.LR = false, 2*c.LR
	if err := newTestTrainer(t, table, c).LoadCheckpoint(path); err == nil || !strings.Contains(err.Error(), "another training") {
		t.Errorf("a checkpoint of another configuration: %v", err)
	}
}

// When its context ends, a training with a file for checkpoints writes one, however long the last one was ago.
func TestCheckpointWhenCancelled(t *testing.T) {
	table, c := testTable(20, 10, 10, true), smallConfig()
	want := newTestTrainer(t, table, c)
	train(t, want)
	ctx, cancel := context.WithCancel(context.Background())
	first := newTestTrainer(t, table, c)
	first.Checkpoint.Path, first.Checkpoint.Every = filepath.Join(t.TempDir(), "checkpoint"), time.Hour
	first.Progress = func(p Progress) {
		if p.Step == 7 {
			cancel()
		}
	}
	if err := first.Train(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	second := newTestTrainer(t, table, c)
	if err := second.LoadCheckpoint(first.Checkpoint.Path); err != nil || second.state.step != 7 {
		t.Fatalf("the checkpoint is of step %d, error %v", second.state.step, err)
	}
	if train(t, second); !slices.Equal(allWeights(t, second), allWeights(t, want)) {
		t.Error("ends with other weights")
	}
	second.Close()
	_, err := second.Model()
	for _, err := range []error{err, second.Train(t.Context()), second.SaveCheckpoint(first.Checkpoint.Path), second.LoadCheckpoint(first.Checkpoint.Path)} {
		if err == nil || err.Error() != "npt: the trainer is closed" {
			t.Errorf("closed, error %v", err)
		}
	}
	lost := newTestTrainer(t, table, c)
	lost.Checkpoint.Path = t.TempDir() // a folder
	if err := lost.Train(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "a folder") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q, want both that of the context and that of the file, in a line", err)
	}
}

// Results of a training are those of one backend: another one does not go on with it.
func TestCheckpointOfAnotherBackend(t *testing.T) {
	table, c, path := testTable(10, 4, 4, false), smallConfig(), filepath.Join(t.TempDir(), "checkpoint")
	on, other := openTestBackend(t, backends.Fused, 0), openTestBackend(t, backends.Go, 0)
	if err := newTestTrainerOn(t, on, table, c).SaveCheckpoint(path); err != nil {
		t.Fatal(err)
	}
	err := newTestTrainerOn(t, other, table, c).LoadCheckpoint(path)
	if err == nil || !strings.HasSuffix(err.Error(), `is of a training on backend "fused", this is "go": go on there, or remove the file to begin anew here`) {
		t.Errorf("error %v", err)
	}
	if err := newTestTrainerOn(t, on, table, c).LoadCheckpoint(path); err != nil {
		t.Errorf("on its own backend: %v", err)
	}
}

// killedVariable makes the test's program a process that trains to a step, before which it may be killed, with its checkpoint in a file:
// "500 /tmp/checkpoint".
const killedVariable = "NPT_TEST_KILLED"

// trainToBeKilled prints a line for the step that it goes on from, from the next evaluation on one after every step, and at the end a digest
// of all weights.
func trainToBeKilled(order string) {
	step, path, _ := strings.Cut(order, " ")
	end, err := strconv.Atoi(step)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := smallConfig()
	c.Hidden, c.Layers, c.Steps, c.Precision, c.TargetMask, c.BatchSize, c.EvalEvery = 4, 2, neverStep, Float32, 0.5, 10, 5
	backend, err := backends.Open(cmp.Or(os.Getenv(compute.ConfigEnvVar), backends.Processor), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	tr, err := NewTrainer(testTable(12, 4, 4, true), c, backend)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := tr.LoadCheckpoint(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Println(err)
		return
	}
	fmt.Println("step", tr.state.step)
	tr.Checkpoint.Path, tr.Checkpoint.Every = path, time.Nanosecond
	ctx, cancel := context.WithCancel(context.Background())
	tr.Progress = func(p Progress) {
		tr.reported = time.Time{} // the next step is told, too
		if fmt.Println("step", p.Step); p.Step >= end {
			cancel()
		}
	}
	if err := tr.Train(ctx); !errors.Is(err, context.Canceled) {
		fmt.Println(err)
		return
	}
	sum := sha256.New()
	for _, set := range tr.sets() {
		for _, w := range *set.tensors {
			values, _ := backends.Floats(w)
			for _, x := range values {
				sum.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		}
	}
	fmt.Printf("end %x %v %d\n", sum.Sum(nil), tr.bestLoss, tr.bestStep)
}

// Killed twenty times without warning, a training ends with the bits of one that was left alone, and each time it goes on
// from the last step, or the one before when the kill hit it before its checkpoint was in place.
func TestKilledTwentyTimes(t *testing.T) {
	if method.Accelerated(os.Getenv(compute.ConfigEnvVar)) {
		t.Skip("every process chooses the GPU's kernels anew, and with them the last bits")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "checkpoint")
	reached := 0
	for range 20 {
		lines, process := startTraining(t, path, neverStep)
		first := readStep(t, lines)
		if first < reached-1 {
			t.Fatalf("goes on at step %d, but step %d was reached before", first, reached)
		}
		last := first
		for range rng.IntN(4) {
			last = readStep(t, lines)
		}
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond) // into a step, or into the writing of a checkpoint
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it printed before it died
			if _, err := fmt.Sscanf(lines.Text(), "step %d", &last); err != nil {
				t.Fatalf("%q after step %d: finished too early", lines.Text(), last)
			}
		}
		process.Wait()
		reached = last
	}
	end := reached + 50
	if got, want := finish(t, path, end), finish(t, filepath.Join(t.TempDir(), "checkpoint"), end); got != want {
		t.Errorf("killed at times the training ends with %s, left alone with %s", got, want)
	}
}

// neverStep is one that no training takes before it is killed.
const neverStep = 1_000_000

func startTraining(t *testing.T, path string, end int) (*bufio.Scanner, *exec.Cmd) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", killedVariable, end, path))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out), cmd
}

func readStep(t *testing.T, lines *bufio.Scanner) (step int) {
	t.Helper()
	if !lines.Scan() {
		t.Fatal("the training ended without a word")
	}
	if _, err := fmt.Sscanf(lines.Text(), "step %d", &step); err != nil {
		t.Fatalf("the training says %q", lines.Text())
	}
	return step
}

// finish lets a training run to a step and returns the digest that it prints.
func finish(t *testing.T, path string, end int) string {
	t.Helper()
	lines, process := startTraining(t, path, end)
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if err := process.Wait(); err != nil || !strings.HasPrefix(last, "end ") {
		t.Fatalf("the training says %q, error %v", last, err)
	}
	return last
}

// In the harness an interrupted fit goes on from the checkpoint in the task's folder.
func TestMethodResumes(t *testing.T) {
	m, tk := Method(), testTask(1, dataset.Regression)
	c := quickConfig(t, m, tk.Info, map[string]any{"steps": 30})
	run := func() method.Result {
		t.Helper()
		var result method.Result
		if err := m.Run(context.Background(), tk, []method.Config{c}, func(r method.Result) { result = r }); err != nil || result.Err != nil {
			t.Fatal(err, result.Err)
		}
		if _, err := json.Marshal(result.Details); err != nil {
			t.Errorf("the record of the fit cannot be written: %v", err)
		}
		return result
	}
	want := run()

	tk.CheckpointDir = filepath.Join(t.TempDir(), "fit")
	if got := run(); !slices.Equal(got.Test, want.Test) || got.Details["resumed_at_step"] != nil {
		t.Errorf("with a folder for checkpoints the predictions differ, or the fit was resumed: %v", got.Details)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tk.Progress = func(p task.Progress) {
		if p.Share >= 0.4 { // much less than a minute after the beginning
			cancel()
		}
	}
	err := m.Run(ctx, tk, []method.Config{c}, func(method.Result) { t.Error("an interrupted fit has a result") })
	if tk.Progress = nil; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	path := filepath.Join(tk.CheckpointDir, fmt.Sprintf("%016x.npt", trainingConfig(tk, c).Seed))
	interrupted := newTestTrainerOn(t, openTestBackend(t, tk.Backend, tk.Threads), tableOf(tk), trainingConfig(tk, c))
	if err := interrupted.LoadCheckpoint(path); err != nil {
		t.Fatal(err)
	}
	interrupted.earlier = time.Hour
	if err := interrupted.SaveCheckpoint(path); err != nil {
		t.Fatal(err)
	}
	got := run()
	if at, _ := got.Details["resumed_at_step"].(int); !slices.Equal(got.Test, want.Test) || at < 12 || at >= 30 {
		t.Errorf("the resumed fit predicts differently, or began anew: %v", got.Details)
	}
	if got.Fit < time.Hour || got.Predict >= time.Hour {
		t.Errorf("a fit that took an hour before it was interrupted took %v, its predictions %v", got.Fit, got.Predict)
	}

	tk.CheckpointDir = filepath.Join(t.TempDir(), "predicting")
	ctx, cancel = context.WithCancel(t.Context())
	tk.Progress = func(p task.Progress) {
		if p.Share == 1 { // what is left is to predict
			cancel()
		}
	}
	err = m.Run(ctx, tk, []method.Config{c}, func(method.Result) { t.Error("a fit that was interrupted while it predicted has a result") })
	if tk.Progress = nil; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := run(); !slices.Equal(got.Test, want.Test) || got.Details["resumed_at_step"] != 30 {
		t.Errorf("a fit that was interrupted while it predicted trains again: %v", got.Details)
	}

	path = filepath.Join(tk.CheckpointDir, filepath.Base(path))
	if err := os.WriteFile(path, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	got = run()
	if warning, _ := got.Details[method.Warning].(string); !strings.HasPrefix(warning, "the training began anew: ") {
		t.Errorf("of a damaged checkpoint is said %q", warning)
	}
	if !slices.Equal(got.Test, want.Test) || got.Details["resumed_at_step"] != nil {
		t.Errorf("after a damaged checkpoint the fit did not begin anew: %v", got.Details)
	}

	tk.CheckpointDir = path // a file
	if got := run(); !slices.Equal(got.Test, want.Test) {
		t.Error("without a folder for checkpoints the predictions differ")
	}
	ctx, cancel = context.WithCancel(t.Context())
	tk.Progress = func(task.Progress) { cancel() }
	err = m.Run(ctx, tk, []method.Config{c}, func(method.Result) { t.Error("an interrupted fit has a result") })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("%v, which does not say that the checkpoint of an interrupted fit could not be written", err)
	}
}

// A record says that a checkpoint could not be written.
func TestMethodWarnsOfCheckpoints(t *testing.T) {
	m, tk := Method(), testTask(1, dataset.Regression)
	tk.Backend, tk.CheckpointDir = backends.Fused, filepath.Join(t.TempDir(), "file")
	openTestBackend(t, tk.Backend, tk.Threads)
	c := quickConfig(t, m, tk.Info, nil)
	synctest.Test(t, func(t *testing.T) { // in which minutes pass at once
		tk.Progress = func(task.Progress) {
			os.WriteFile(tk.CheckpointDir, nil, 0o666)
			time.Sleep(2 * time.Minute)
		}
		err := m.Run(t.Context(), tk, []method.Config{c}, func(r method.Result) {
			if warning, _ := r.Details[method.Warning].(string); r.Err != nil || !strings.HasPrefix(warning, "a checkpoint cannot be written: ") {
				t.Errorf("error %v, warning %q", r.Err, warning)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Checkpoints never end a training: their folder is made again when another run removed it, and where none can be made or
// the disk is full, the training goes on without.
func TestCheckpointsCannotBeWritten(t *testing.T) {
	table := testTable(12, 4, 4, true)
	c := smallConfig()
	c.Layers, c.Steps = 2, 6
	train := func(path string) (*Trainer, []float64) {
		tr := newTestTrainer(t, table, c)
		tr.Checkpoint.Path, tr.Checkpoint.Every = path, time.Nanosecond
		tr.Progress = func(Progress) { os.RemoveAll(filepath.Dir(path)) }
		if path == "" {
			tr.Progress = nil
		}
		if err := tr.Train(t.Context()); err != nil {
			t.Fatalf("with the checkpoint %q: %v", path, err)
		}
		return tr, allWeights(t, tr)
	}
	_, want := train("")
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, writable := range map[string]bool{filepath.Join(dir, "removed", "checkpoint"): true, filepath.Join(file, "below", "checkpoint"): false} {
		tr, got := train(path)
		if (tr.Checkpoint.Err == nil) != writable || !slices.Equal(got, want) {
			t.Errorf("%s: error %v, or other weights", path, tr.Checkpoint.Err)
		}
	}
}
