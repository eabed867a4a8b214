package gbdt

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dmitryikh/leaves"

	"nptbench/internal/method"
	"nptbench/internal/program"
	"nptbench/internal/task"
)

// An Origin says which fit a model comes from. It travels in the header of the model's text, under a key that LightGBM
// and leaves pass over.
type Origin struct {
	Method       string  `json:"method"`
	Library      string  `json:"library"` // with its version
	Dataset      string  `json:"dataset"`
	Protocol     string  `json:"protocol"`
	Fold         int     `json:"fold"`
	LearningRate float64 `json:"learning_rate"`
	MaxDepth     int     `json:"max_depth"`
	Iterations   int     `json:"iterations"`
	Counts       []int   `json:"n_estimators"` // of the configurations that the fit served: each is the model's first so many iterations
	Seed         int     `json:"seed"`

	// Columns are the table's columns that the features come from, in order: a number becomes one feature, a category as
	// many as it has values.
	Columns []string `json:"columns"`

	// Classes are the data set's classes that the training rows had, ascending: class i of the model is Classes[i].
	Classes []int `json:"classes,omitempty"`

	// Regression: a prediction in the target's units is prediction*TargetStd + TargetMean.
	TargetMean float64 `json:"target_mean"`
	TargetStd  float64 `json:"target_std"`
}

const originKey = "nptbench"

func parseOrigin(text string, predictions int) (Origin, error) {
	var o Origin
	if text == "" {
		return o, nil
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return o, fmt.Errorf("%s: %w", originKey, err)
	}
	if o.Classes != nil && len(o.Classes) != predictions {
		return o, fmt.Errorf("%s: %d classes, but the model predicts %d", originKey, len(o.Classes), predictions)
	}
	if !slices.IsSorted(o.Classes) || len(slices.Compact(slices.Clone(o.Classes))) < len(o.Classes) {
		return o, fmt.Errorf("%s: classes %v, want each once and in order", originKey, o.Classes)
	}
	return o, nil
}

// addTo returns the model text with the origin in its header.
func (o *Origin) addTo(text []byte) []byte {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // numbers, strings and integers always marshal
	}
	line = bytes.ReplaceAll(line, []byte("="), []byte(`\u003d`)) // leaves takes one "=" per line
	head, rest, _ := bytes.Cut(text, []byte("\nnum_class="))
	return slices.Concat(head, []byte("\n"+originKey+"="), line, []byte("\nnum_class="), rest)
}

// fileName says which fit it is.
func (o *Origin) fileName() string {
	return fmt.Sprintf("%s-%s-fold%d-%s-rate%v-depth%d-trees%d-seed%d.txt.gz",
		o.Dataset, o.Protocol, o.Fold, o.Method, o.LearningRate, o.MaxDepth, o.Iterations, o.Seed)
}

// keep saves the model, if that can be written, after making sure that leaves, for which anybody may want it, predicts the same numbers
// by it.
func (f *fit) keep(m *Model) error {
	text := f.origin.addTo(m.text())
	x := f.unseen()[:min(f.task.Val+f.task.Test, keptRows)*m.Features]
	ours, err := m.rawScores(context.Background(), x, []int{m.Iterations()}, 1)
	if err != nil {
		return err
	}
	theirs, err := leavesScores(text, x, m.Features, m.Iterations())
	if err != nil {
		return err
	}
	if !slices.Equal(ours[0], theirs) {
		return errors.New("leaves predicts other numbers by the model's text")
	}
	f.unkept = saveModel(filepath.Join(f.task.ModelDir, f.origin.fileName()), text)
	return nil
}

// keptRows is how many rows leaves predicts before a model is kept.
const keptRows = 64

// leavesScores has leaves predict raw scores of rows by the first trees of a LightGBM text model.
func leavesScores(text []byte, x []float32, features, iterations int) (scores []float64, err error) {
	defer func() {
		if r := recover(); r != nil { // leaves does not check the lengths of a tree's lists
			err = fmt.Errorf("leaves: damaged model: %v", r)
		}
	}()
	e, err := leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(text)), false)
	if err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	rows := len(x) / features
	scores = make([]float64, rows*e.NRawOutputGroups())
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	if err := e.PredictDense(wide, rows, features, scores, iterations, 1); err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	return scores, nil
}

// saveModel writes compressed model text, atomically.
func saveModel(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return program.WriteFile(file, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if _, err := z.Write(text); err != nil {
			return err
		}
		return z.Close()
	})
}

// maxRatio is how many times its size a large file may unpack to; what is made to fill the memory has a thousand.
const maxRatio = 64

// LoadModel reads a model from a file of LightGBM text; a name that ends in .gz means that it is compressed.
func LoadModel(file string) (*Model, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	limit := 64<<20 + maxRatio*info.Size()
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s: it unpacks to more than %d times its size: not a model", file, maxRatio)
	}
	m, err := parseModel(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// Check says in one line why the model cannot predict the rows of a task: it has other features, or other classes.
func (m *Model) Check(t *task.Task) error {
	if m.Features != t.Width {
		return fmt.Errorf("the model wants %d features, %s has %d encoded ones", m.Features, t.Info.Name, t.Width)
	}
	// Names of one's own are fine. The ones that an export gives must be at their places.
	exported := columnNames(m.Features)
	for i, name := range m.names {
		if i < m.Features && name != exported[i] && slices.Contains(exported, name) {
			return fmt.Errorf("the model was fitted on columns in another order: %s is its column %d", name, i)
		}
	}
	if classes := m.Origin.Classes; classes != nil {
		if slices.Min(classes) < 0 || slices.Max(classes) >= t.Outputs() || !t.Info.Problem.Classification() {
			return fmt.Errorf("the model knows classes %v, %s has %d", classes, t.Info.Name, t.Info.Classes)
		}
	} else if m.Predictions() != t.Outputs() {
		return fmt.Errorf("the model predicts %d number(s) for a row, %s (%s) wants %d", m.Predictions(), t.Info.Name, t.Info.Problem, t.Outputs())
	}
	return nil
}

// PredictTask predicts the validation and test rows of a task with the model's first n iterations, for each n of counts.
// Classes that the model does not know get probability 0.
func (m *Model) PredictTask(ctx context.Context, t *task.Task, counts []int) (val, test []method.Prediction, err error) {
	if err := m.Check(t); err != nil {
		return nil, nil, err
	}
	both, err := m.Predict(ctx, t.X[t.Train*t.Width:], counts, t.Threads)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range both {
		p = m.spread(p, t.Outputs())
		val = append(val, p[:t.Val*t.Outputs()])
		test = append(test, p[t.Val*t.Outputs():])
	}
	return val, test, nil
}

// spread puts the probabilities of the model's classes at their places among all classes.
func (m *Model) spread(p method.Prediction, classes int) method.Prediction {
	known := m.Origin.Classes
	if known == nil || len(known) == classes {
		return p
	}
	out := make(method.Prediction, len(p)/len(known)*classes)
	for i, v := range p {
		out[i/len(known)*classes+known[i%len(known)]] = v
	}
	return out
}
