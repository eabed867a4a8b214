// Package method says what a method of the comparison is: its parameters, its configurations, and how it turns a task
// into predictions. NPT and every baseline are a Method; sweeps are checked against its parameters, and the
// harness knows nothing of a method but this.
package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/machine"
	"nptbench/internal/spelling"
	"nptbench/internal/task"
)

// A Method is one of those that are compared.
type Method struct {
	Name   string // as in sweeps, records and reports: "random-forest"
	Title  string // as the paper prints it: "Random Forest"
	Doc    string // one sentence for -help
	Params []Param

	// Check refuses a configuration whose parameters are fine one by one but impossible together or for these data.
	// The error names the parameter and says what would be right. Nil refuses nothing.
	Check func(c Config, info dataset.Info) error

	// CheckBackend refuses a configuration that the named backend cannot run. Nil refuses nothing.
	CheckBackend func(c Config, backend string) error

	// CheckAttention refuses a configuration in whose models rows do not attend to each other. The error is like Check's. Nil: its models
	// have no attention.
	CheckAttention func(c Config) error

	// Canonical maps a configuration to a representative with the same predictions, by setting parameters that have no
	// effect to a fixed value: settings with equal canonical configurations are fitted once. Nil is the identity.
	Canonical func(c Config, kind dataset.Problem) Config

	// FitKey names the fit that serves a canonical configuration: configurations of one task with equal keys are handed
	// to Run together. Nil gives every configuration a fit of its own.
	FitKey func(c Config, kind dataset.Problem) string

	// GoesOn marks methods that reach the configurations of a batch one after another in one training (forests by size, TabNet by epochs).
	// Result.Fit counts from the beginning of the training; Result.Predict is what this configuration's prediction would take alone.
	GoesOn bool

	// Statistics says over which rows continuous features are standardised for a configuration. Nil: over all rows.
	Statistics func(c Config) task.Statistics

	// Work is about how many multiplications the fit of a configuration takes, for estimates of time from fits of others. Nil:
	// nothing is known but the size of the table.
	Work func(c Config, info dataset.Info) float64

	// EntryBytes is the peak memory of a fit, child processes included, per entry of the table (rows × columns), a lower bound measured by
	// `make bench-higgs`. 0: unknown.
	EntryBytes float64

	// Run fits on the task's training rows and predicts its validation and test rows, for every configuration of the
	// batch (canonical, distinct, with equal FitKey). It calls done once for each as soon as it is finished, in any
	// order, from one goroutine at a time. An error returned concerns the configurations not reported yet. Run uses at
	// most t.Threads threads, checks ctx often (at least every second) and returns ctx.Err() when it is done. It may not
	// modify t.
	Run func(ctx context.Context, t *task.Task, batch []Config, done func(Result)) error

	// Model opens the model that Run has left in t.ModelDir for a configuration of that task; an error says that it is not there, or
	// is another's. Nil: the method leaves none that could be asked for more predictions.
	Model func(ctx context.Context, t *task.Task, c Config) (Model, error)

	// Deterministic marks methods that draw nothing at random: another seed gives the same numbers, so one says all that there is to say.
	Deterministic bool

	// Lazy marks methods whose training rows are a part of their input when they predict, and are not boiled down to parameters.
	Lazy bool

	// Semiparametric marks methods that predict from parameters and from training rows, both.
	Semiparametric bool

	// Available says why the method cannot run on this machine (a missing interpreter, say), in one line; nil when it
	// can. A nil func is always available.
	Available func() error

	// Network marks methods that run on the task's Backend.
	Network bool

	// Sizes are the parameters by which a network can be smaller than published. Tables name them, and do not take a small
	// network for the paper's.
	Sizes []Size

	// AnyColumn marks methods that take tasks whose rows differ in the column that is their target (task.Task.TargetFeatures).
	AnyColumn bool

	// Extra marks methods that the paper's tables of UCI data sets do not have; they never enter its rank orders.
	Extra bool

	// Command is the program that a method of one's own is, which package internal/command runs; nil: the method is in Go.
	// A command may have parameters that are not declared, with values of type Any.
	Command *Command
}

// A Command is a program that a sweep declares as a method.
type Command struct {
	Name, Title string
	Args        []string // the program first
	Dir         string   // of the sweep; arguments that are files there are made absolute
	Digest      string   // of the content of these files, hexadecimal; empty: there are none
}

// Refuse says why a configuration, whose parameters are fine one by one, is impossible on a data set; nil: it is possible.
func (m *Method) Refuse(c Config, info dataset.Info) error {
	switch {
	case info.AnyColumn() && !m.AnyColumn:
		return fmt.Errorf("rows differ there in the column that is their target, and %s predicts one column; give the entry other datasets", m.Name)
	case m.Check != nil:
		return m.Check(c, info)
	}
	return nil
}

// StatisticsOf says over which rows continuous features are standardised for a configuration.
func (m *Method) StatisticsOf(c Config) task.Statistics {
	if m.Statistics == nil {
		return task.AllRows
	}
	return m.Statistics(c)
}

// IsSize reports whether a parameter is one of Sizes.
func (m *Method) IsSize(param string) bool {
	return slices.ContainsFunc(m.Sizes, func(s Size) bool { return s.Param == param })
}

// A Size is an integer parameter that says how large a network is or how long it is trained.
type Size struct {
	Param     string
	Published int    // the smallest that the paper has; what it has on a data set, results.PaperSize knows
	Name      string // behind the number as in "2 layers"; one that ends in = stands before it, as in "e = 16"
}

// Text names sizes from min to max: "2 layers", "e ≤ 16".
func (s Size) Text(min, max int) string {
	symbol, before := strings.CutSuffix(s.Name, " =")
	most := spelling.Thousands(max)
	switch {
	case before && min == max:
		return symbol + " = " + most
	case before:
		return symbol + " ≤ " + most
	case min == max:
		return most + " " + s.Name
	}
	return "≤ " + most + " " + s.Name
}

// A Result is what one configuration gave.
type Result struct {
	Index     int // of the configuration in the batch
	Val, Test Prediction
	Fit       time.Duration // of the fit that served this configuration, shared by the batch or not; see Method.GoesOn

	// Predict is the time for val and test rows together. A prediction that serves several configurations counts in full in each: with k-NN
	// that of the whole batch, with boosting that of the most trees.
	Predict time.Duration

	Err error // failed: Val and Test are not set

	// Details are facts worth keeping in the record, such as the step of the best checkpoint or a library's version.
	Details map[string]any
}

// Warning is the detail of a result that says what else was wanted of its fit and could not be done, such as to keep the model in
// a folder that cannot be written to. It is shown when it comes up first.
const Warning = "warning"

// Warn adds to the warnings in a result's details what could not be done, unless the error is nil.
func Warn(details map[string]any, what string, err error) {
	if err == nil {
		return
	}
	text := what + ": " + err.Error()
	if earlier, ok := details[Warning]; ok {
		text = fmt.Sprintf("%v; %s", earlier, text)
	}
	details[Warning] = text
}

// ErrDiverged is what training errors wrap when the loss or the weights ceased to be numbers.
var ErrDiverged = errors.New("training diverged")

// ErrMemory is what the error of a fit wraps that ran out of memory, on an accelerator or in a library.
var ErrMemory = errors.New("out of memory")

// CheckMemory returns an error that wraps ErrMemory if a training needs more bytes than are free; what names the setting that makes it so
// large.
func CheckMemory(bytes float64, what string) error {
	if free := float64(machine.FreeMemory()); free > 0 && bytes > free {
		return fmt.Errorf("%w: %s, whose training takes at least %.1f GB, and %.1f GB are free", ErrMemory, what, bytes/1e9, free/1e9)
	}
	return nil
}

// ErrCrash is what the error of a fit wraps whose process died, for another reason as far as is known.
var ErrCrash = errors.New("crashed")

// A Prediction holds one number per row for regression, on the standardised scale of the task's targets, and one
// probability per row and class for classification, row-major; those of a row have the sum 1.
type Prediction []float64

// Softmax turns the logits of a row into probabilities.
func Softmax(z []float64) {
	largest, sum := slices.Max(z), 0.0
	for i, x := range z {
		z[i] = math.Exp(x - largest)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
}
