package gbdt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// run fits once, with as many trees as the largest configuration wants, and cuts all configurations from that.
func (lib *library) run(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
	start := time.Now()
	f, err := lib.newFit(t, batch)
	if err != nil {
		return err
	}
	answer, err := trainers.fit(ctx, f.request())
	if err != nil {
		return err
	}
	model, err := f.load(answer)
	if err != nil {
		return fmt.Errorf("cannot take over the model: %w", err)
	}
	loaded := time.Now()
	raw, err := model.rawScores(ctx, f.unseen(), f.counts, t.Threads)
	if err != nil {
		return err
	}
	predictTime := time.Since(loaded)
	difference, err := f.compare(model, raw, answer)
	if err != nil {
		return err
	}
	fitTime := time.Duration(answer.FitSeconds * float64(time.Second))
	details := map[string]any{
		"library":                   lib.pkg + " " + answer.Version,
		"python":                    answer.Python,
		"largest_difference":        difference,
		"trainer_peak_memory_bytes": answer.PeakBytes,
		"overhead_seconds":          (time.Since(start) - fitTime).Seconds(),
	}
	method.Warn(details, "the model cannot be kept", f.unkept)
	for i, scores := range raw {
		p := model.spread(model.predictions(scores), t.Outputs())
		cut := t.Val * t.Outputs()
		done(method.Result{Index: i, Val: p[:cut:cut], Test: p[cut:], Fit: fitTime, Predict: predictTime, Details: details})
	}
	return nil
}

// A fit is one fit of a library on a task, for several numbers of trees.
type fit struct {
	lib    *library
	task   *task.Task
	origin Origin
	counts []int // boosting iterations, one number per configuration
	labels []int32
	save   func(file string, text []byte) error // saveModel, but in tests of full disks
	unkept error                                // why the model could not be saved
}

// Seed is a fit's: the sweep's plus the number of the fold, as in the paper's code, whose 42 gives the paper's digits. Libraries
// take 31 bits.
func Seed(sweep uint64, fold int) int { return int((sweep + uint64(fold)) & math.MaxInt32) }

func (lib *library) newFit(t *task.Task, batch []method.Config) (*fit, error) {
	f := &fit{lib: lib, task: t, save: saveModel}
	for _, c := range batch {
		f.counts = append(f.counts, c.Int("n_estimators"))
	}
	f.origin = Origin{
		Method: lib.method, Dataset: t.Info.Name, DataDigest: t.Digest, Protocol: string(t.Protocol), Fold: t.Fold,
		LearningRate: batch[0].Float("learning_rate"), MaxDepth: batch[0].Int("max_depth"), Iterations: slices.Max(f.counts),
		Counts: slices.Sorted(slices.Values(f.counts)),
		Seed:   Seed(t.SweepSeed, t.Fold), TargetMean: t.TargetMean, TargetStd: t.TargetStd,
	}
	for _, feature := range t.Features {
		f.origin.Columns = append(f.origin.Columns, feature.Name)
	}
	if !t.Info.Problem.Classification() {
		return f, nil
	}
	numbers, classes := t.TrainClasses()
	if len(classes) < 2 {
		return nil, fmt.Errorf("all %d training rows are of one class, want at least two", t.Train)
	}
	f.origin.Classes = classes
	for _, n := range numbers {
		f.labels = append(f.labels, int32(n))
	}
	return f, nil
}

func (f *fit) link() link {
	switch len(f.origin.Classes) {
	case 0:
		return identity
	case 2:
		return logistic
	}
	return softmax
}

// longFit is from how many entries of the table times iterations on a fit takes so long that it should say how far it is.
const longFit = 100_000_000

func (f *fit) request() *fitRequest {
	t := f.task
	rows := f.checkedRows()
	r := &fitRequest{
		Method: f.lib.method, Classify: f.origin.Classes != nil, Seed: f.origin.Seed, Threads: max(t.Threads, 1),
		Params: map[string]any{
			"learning_rate": f.origin.LearningRate, "max_depth": f.origin.MaxDepth, "n_estimators": f.origin.Iterations,
		},
		Counts: slices.DeleteFunc(slices.Clone(f.counts), func(n int) bool { return n == f.origin.Iterations }), Rows: t.Train, Width: t.Width,
		CheckRows: len(rows), Stride: stride(len(rows)),
		x: t.TrainX(), labels: f.labels,
	}
	if !r.Classify {
		r.y = t.Y[:t.Train]
	}
	if t.Progress != nil && t.Train*t.Width*f.origin.Iterations >= longFit {
		start := time.Now()
		r.TellSeconds = 1
		r.grown = func(iterations int) {
			share := float64(iterations) / float64(f.origin.Iterations)
			left := time.Duration(float64(time.Since(start)) * (1 - share) / share)
			t.Progress(task.Progress{Share: share, Left: left, Text: fmt.Sprintf("%d of %d iterations", iterations, f.origin.Iterations)})
		}
	}
	for _, row := range rows {
		r.check = append(r.check, t.Row(t.Train+row)...)
	}
	return r
}

// unseen returns the features of the validation and test rows.
func (f *fit) unseen() []float32 { return f.task.X[f.task.Train*f.task.Width:] }

// load turns the library's model into one of ours, and keeps it where the task wants models kept.
func (f *fit) load(answer *fitAnswer) (*Model, error) {
	m, err := f.lib.read(answer, f.task.Width, f.link())
	if err != nil {
		return nil, err
	}
	f.origin.Library = f.lib.pkg + " " + answer.Version
	m.Origin = f.origin
	if err := m.Check(f.task); err != nil {
		return nil, err
	}
	if f.task.ModelDir != "" {
		if err := f.keep(m); err != nil {
			return nil, fmt.Errorf("cannot keep the model: %w", err)
		}
	}
	return m, nil
}
