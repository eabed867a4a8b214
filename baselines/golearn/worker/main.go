// Worker fits one of golearn's models and predicts with it: a request as JSON on standard input, an answer on standard
// output. It ends when its standard input does, even in the middle of a fit: nobody would read the answer. It is a program
// and a module of its own because golearn needs an old tablewriter and a C++ compiler, cannot be stopped while it fits,
// prints progress, and panics in goroutines of its own, where nobody can recover.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/ensemble"
	"github.com/sjwhitworth/golearn/knn"
	"gonum.org/v1/gonum/mat"
)

// A request holds rows of Width features, row-major: X to fit on, with the targets Y or the Labels, and Query to predict.
type request struct {
	Model   string    `json:"model"` // "knn" or "forest"
	Width   int       `json:"width"`
	Classes int       `json:"classes"` // 0: regression
	X       []float32 `json:"x"`
	Y       []float64 `json:"y"`
	Labels  []int     `json:"labels"`
	Query   []float32 `json:"query"`

	Neighbours int    `json:"neighbours"`
	Algorithm  string `json:"algorithm"`
	Distance   string `json:"distance"`
	Weighted   bool   `json:"weighted"`
	Optimised  bool   `json:"optimised"`

	Trees    int `json:"trees"`
	Features int `json:"features"`
}

type answer struct {
	Error   string        `json:"error"`
	Library string        `json:"library"`
	Y       []float64     `json:"y"`      // regression: one number per query
	Labels  []int         `json:"labels"` // classification: one class per query
	Fit     time.Duration `json:"fit"`
	Predict time.Duration `json:"predict"`
}

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // golearn prints its progress there
	base.SetLoggerOut(io.Discard)
	a := serve(os.Stdin)
	if err := json.NewEncoder(out).Encode(a); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(in io.Reader) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a.Error = fmt.Sprintf("golearn panicked: %v", p)
		}
	}()
	var r request
	err := json.NewDecoder(in).Decode(&r)
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	if err == nil {
		switch {
		case r.Model == "knn" && r.Classes == 0:
			r.regress(&a)
		case r.Model == "knn":
			c := knn.NewKnnClassifier(r.Distance, r.Algorithm, r.Neighbours)
			c.Weighted, c.AllowOptimisations = r.Weighted, r.Optimised
			err = r.classify(c, &a)
		case r.Model == "forest" && r.Classes > 0:
			err = r.classify(ensemble.NewRandomForest(r.Trees, r.Features), &a)
		default:
			err = errors.New("want the model knn, or forest with classes")
		}
	}
	if err != nil {
		a.Error = err.Error()
	}
	a.Library = library()
	return a
}

func (r *request) regress(a *answer) {
	start := time.Now()
	m := knn.NewKnnRegressor(r.Distance)
	m.Fit(r.Y, floats(r.X), len(r.Y), r.Width)
	a.Fit = time.Since(start)
	start = time.Now()
	query := floats(r.Query)
	for i := 0; i < len(query); i += r.Width {
		a.Y = append(a.Y, m.Predict(mat.NewDense(1, r.Width, query[i:i+r.Width]), r.Neighbours))
	}
	a.Predict = time.Since(start)
}

func floats(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// A classifier is what is used of golearn's base.Classifier.
type classifier interface {
	Fit(base.FixedDataGrid) error
	Predict(base.FixedDataGrid) (base.FixedDataGrid, error)
}

func (r *request) classify(c classifier, a *answer) error {
	train, query := r.grid(), r.grid()
	if err := train.fill(r.X, r.Labels); err != nil {
		return err
	}
	if err := query.fill(r.Query, nil); err != nil {
		return err
	}
	start := time.Now()
	if err := c.Fit(train.rows); err != nil {
		return err
	}
	a.Fit = time.Since(start)
	start = time.Now()
	predicted, err := c.Predict(query.rows)
	if err != nil {
		return err
	}
	a.Predict = time.Since(start)
	for row := range len(r.Query) / r.Width {
		name := base.GetClass(predicted, row)
		label, err := strconv.Atoi(name)
		if err != nil || label < 0 || label >= r.Classes {
			return fmt.Errorf("golearn predicts the class %q, want a number below %d", name, r.Classes)
		}
		a.Labels = append(a.Labels, label)
	}
	return nil
}

// A grid is golearn's table. It does not keep columns in order, so that they are held by what it calls a specification.
type grid struct {
	rows    *base.DenseInstances
	columns []base.AttributeSpec
	class   *base.CategoricalAttribute
	label   base.AttributeSpec
}

// grid returns an empty table of numeric columns and a class, whose values are numbered as they are here.
func (r *request) grid() *grid {
	g := &grid{rows: base.NewDenseInstances(), class: base.NewCategoricalAttribute()}
	for i := range r.Width {
		g.columns = append(g.columns, g.rows.AddAttribute(base.NewFloatAttribute(strconv.Itoa(i))))
	}
	g.class.SetName("class")
	for i := range r.Classes {
		g.class.GetSysValFromString(strconv.Itoa(i))
	}
	g.label = g.rows.AddAttribute(g.class)
	return g
}

// fill sets all rows, and their classes if there are any.
func (g *grid) fill(x []float32, labels []int) error {
	if err := g.rows.AddClassAttribute(g.class); err != nil {
		return err
	}
	width := len(g.columns)
	if err := g.rows.Extend(len(x) / width); err != nil {
		return err
	}
	for i, v := range x {
		g.rows.Set(g.columns[i%width], i/width, base.PackFloatToBytes(float64(v)))
	}
	for row, label := range labels {
		g.rows.Set(g.label, row, g.class.GetSysValFromString(strconv.Itoa(label)))
	}
	return nil
}

// library names golearn and its version.
func library() string {
	const path = "github.com/sjwhitworth/golearn"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return "golearn " + m.Version
			}
		}
	}
	return "golearn"
}
