package npt

import (
	"context"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/weights"
)

// A fifth of the rows, spread over the whole frame, is held out.
func TestHeldOutRows(t *testing.T) {
	f := &Frame{Names: []string{"row", "y"}}
	for i := range 100 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), strconv.Itoa(i % 7)})
	}
	c := smallConfig()
	c.Layers, c.Steps = 2, 1
	p, err := Fit(t.Context(), f, "y", c)
	if err != nil {
		t.Fatal(err)
	}
	column, table := p.columns[0], p.context
	var rows []int // in the order of the table
	for i := range table.Rows() {
		rows = append(rows, int(math.Round(float64(table.Values[2*i])*column.Std+column.Mean)))
	}
	if table.Train != 80 || table.Val != 20 {
		t.Errorf("%d training and %d validation rows", table.Train, table.Val)
	}
	if held := rows[80:]; slices.Min(held) >= 20 || slices.Max(held) < 80 {
		t.Errorf("held out are the rows %v", held)
	}
	if slices.Sort(rows); !slices.Equal(rows, weights.Indices(100)) {
		t.Errorf("the rows are %v", rows)
	}
	// Those of a seed stay what they were in earlier versions.
	f.Rows, c.Seed = f.Rows[:12], 3
	if p, err = Fit(t.Context(), f, "y", c); err != nil || !slices.Equal(p.FitRows(), []int{4, 8, 10, 3, 11, 0, 1, 5, 9, 6, 2, 7}) {
		t.Errorf("rows %v, %v", p.FitRows(), err)
	}
}

// Numbers are standardised by the rows that training sees: those of features of validation rows with SemiSupervised alone, their targets
// never. So an outlier that a network is shown is at most the root of their number.
func TestStandardisedBy(t *testing.T) {
	f := &Frame{Names: []string{"x", "rare", "y"}}
	for i := range 30 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), "", strconv.Itoa(i % 7)})
	}
	f.Rows[27][1], f.Rows[28][1] = "1", "2"
	f.Rows[29][0], f.Rows[29][2] = "6e9", "100"
	o := FitOptions{Validation: []int{24, 25, 26, 27, 28, 29}}
	c := smallConfig()
	c.Layers, c.Steps, c.SemiSupervised = 2, 1, false
	if _, err := FitWith(t.Context(), f, "y", c, o); err == nil || err.Error() != `npt: column "rare" has no value in the 24 rows that it would be standardised by: leave it out` {
		t.Error(err)
	}
	for _, semi := range []bool{true, false} {
		rows, most := 24, 23.0
		if c.SemiSupervised = semi; semi {
			rows, most = 30, 6e9
		} else {
			f.Rows[0][1] = "1" // now the column has one value in the training rows
		}
		p, err := FitWith(t.Context(), f, "y", c, o)
		if err != nil {
			t.Fatal(err)
		}
		if x := p.columns[0]; x.Least != 0 || x.Most != most || p.columns[1].Constant == semi || p.columns[2].Most != 6 {
			t.Errorf("SemiSupervised %v: %+v", semi, p.columns)
		}
		for column, rows := range map[int]int{0: rows, 2: 24} {
			var mean, square float64
			for i := range rows {
				x := float64(p.context.Values[3*i+column])
				mean, square = mean+x/float64(rows), square+x*x/float64(rows)
			}
			if !(math.Abs(mean) <= 1e-6) || !(math.Abs(square-1) <= 1e-6) {
				t.Errorf("SemiSupervised %v, column %d: the mean of %d rows is %v, of their squares %v", semi, column, rows, mean, square)
			}
		}
	}
}

// Each class has a fifth of its rows held out, to a row more or less, more first where it would have none, and at least one is left.
func TestStratified(t *testing.T) {
	for _, c := range []struct{ rows, want []int }{
		{[]int{7, 233}, []int{1, 47}},
		{[]int{50, 30, 20}, []int{10, 6, 4}},
		{[]int{2, 98}, []int{1, 19}},
		{[]int{3, 4}, []int{0, 1}}, // one row in all
		{[]int{1, 49}, []int{0, 10}},
		{[]int{2, 2, 2, 94}, []int{1, 1, 0, 18}},
		{[]int{4, 5, 5}, []int{0, 1, 1}},
		{[]int{1, 1, 1, 1, 1, 1, 1, 9}, []int{0, 0, 0, 0, 0, 0, 0, 3}}, // more than a fifth, for there are no others
		{[]int{2, 2, 2, 2, 2}, []int{1, 1, 0, 0, 0}},
	} {
		var classes []string
		for k, n := range c.rows {
			classes = append(classes, slices.Repeat([]string{strconv.Itoa(k)}, n)...)
		}
		order := weights.Indices(len(classes))
		held := stratified(order, func(row int) string { return classes[row] })
		got := make([]int, len(c.rows))
		for _, i := range held {
			k, _ := strconv.Atoi(classes[i])
			got[k]++
		}
		slices.Sort(held)
		if !slices.Equal(got, c.want) || len(slices.Compact(held)) != len(classes)/5 {
			t.Errorf("of %v rows %v are held out, want %v", c.rows, got, c.want)
		}
	}
}

// A rare class is for validation with every seed, and one that cannot be is named.
func TestRareClass(t *testing.T) {
	f := &Frame{Names: []string{"row", "y"}}
	for i := range 60 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), "no"})
	}
	f.Rows[7][1], f.Rows[40][1], f.Rows[41][1], f.Rows[52][1] = " yes", "yes", "yes ", "only"
	for seed := range uint64(10) {
		c := smallConfig()
		c.Layers, c.Steps, c.Seed = 2, 1, seed
		var warned []string
		p, err := FitWith(t.Context(), f, "y", c, FitOptions{Warn: func(err error) { warned = append(warned, err.Error()) }})
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]int{}
		for _, i := range p.FitRows()[p.context.Train:] {
			held[strings.TrimSpace(f.Rows[i][1])]++
		}
		if held["yes"] != 1 || held["no"] != 11 {
			t.Errorf("seed %d: held out are %v", seed, held)
		}
		const want = `npt: y: no validation row has one of the classes ["only"], of which ValidationLoss says nothing: want more rows of each, or some named in Validation`
		if !slices.Equal(warned, []string{want}) {
			t.Errorf("%q", warned)
		}
	}
}

// Rows that are named are for validation; those that a fit drew, when they are named, give the same fit.
func TestNamedValidationRows(t *testing.T) {
	f := &Frame{Names: []string{"row", "y", "class"}}
	for i := range 30 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), strconv.Itoa(i * 7 % 30), []string{"a", "b", "a"}[i%3]})
	}
	c := smallConfig()
	c.Layers, c.Steps = 2, 2
	fit := func(target string, named ...int) (p *Predictor, warned []string) {
		p, err := FitWith(t.Context(), f, target, c, FitOptions{Validation: named, Warn: func(err error) { warned = append(warned, err.Error()) }})
		if err != nil {
			t.Fatal(err)
		}
		return p, warned
	}
	for _, target := range []string{"y", "class"} {
		drawn, _ := fit(target)
		held := drawn.FitRows()[drawn.context.Train:]
		slices.Sort(held)
		if named, _ := fit(target, held...); !slices.Equal(named.FitRows(), drawn.FitRows()) || named.ValidationLoss != drawn.ValidationLoss {
			t.Errorf("%s: the fit differs where the rows %v are named", target, held)
		}
		p, warned := fit(target, 29, 0, 3, 2)
		held = p.FitRows()[p.context.Train:]
		if slices.Sort(held); !slices.Equal(held, []int{0, 2, 3, 29}) || p.context.Train != 26 || p.context.Val != 4 {
			t.Errorf("%s: held out are %v", target, held)
		}
		want := []string{`npt: class: no validation row has one of the classes ["b"], of which ValidationLoss says nothing: want more rows of each, or some named in Validation`}
		if target == "y" {
			want = nil
		}
		if !slices.Equal(warned, want) {
			t.Errorf("%s: warnings %q", target, warned)
		}
	}
	f.Rows[29][2] = "c"
	if _, warned := fit("class", 0, 1, 29); len(warned) != 1 || !strings.HasPrefix(warned[0], `npt: class: no training row has one of the classes ["c"], which cannot be learnt`) {
		t.Errorf("%q", warned)
	}
	for want, named := range map[string][]int{
		"npt: Validation: row 30, want one from 0 to 29":                        {3, 30},
		"npt: Validation: row -1, want one from 0 to 29":                        {3, -1},
		"npt: Validation: row 4 comes twice, want each once":                    {4, 2, 4},
		"npt: Validation: no row, want at least one, or nil for a fifth of all": {},
		"npt: Validation: all 30 rows, want some left for training":             weights.Indices(30),
	} {
		if _, err := FitWith(t.Context(), f, "y", c, FitOptions{Validation: named}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A column without a name, or with another text in each row, is refused, and can be left out.
func TestWithout(t *testing.T) {
	f := &Frame{Names: []string{" ", "id", "code", "y"}, Categories: []string{"code", "y"}}
	for i := range 21 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), "p" + strconv.Itoa(i), strconv.Itoa(i % 2), strconv.Itoa(i % 3)})
	}
	c := smallConfig()
	c.Layers, c.Steps = 2, 1
	without := func(f *Frame, names ...string) *Frame {
		left, err := f.Without(names...)
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	named := without(f, "")
	id := `npt: column "id" has another text in each of the 21 rows, as names and ids do: leave it out, by Without("id")`
	for want, odd := range map[string]*Frame{
		`npt: column 0, counted from 0, has no name, as an index that was written with the table: leave it out, by Without(""), or name it`: f,
		id: named,
	} {
		if _, err := Fit(t.Context(), odd, "y", c); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	few := &Frame{named.Names, named.Rows[:20], named.Categories}
	twice := &Frame{named.Names, append(slices.Clone(named.Rows), named.Rows[20]), named.Categories}
	for _, f := range []*Frame{without(f, "", "id"), few, twice} { // the texts of few rows, or that come again, may be categories
		if _, err := Fit(t.Context(), f, "y", c); err != nil {
			t.Error(err)
		}
	}
	left := without(f, "id", "y")
	if !slices.Equal(left.Names, []string{"", "code"}) || !slices.Equal(left.Rows[20], []string{"20", "0"}) || len(left.Rows) != 21 || !slices.Equal(left.Categories, []string{"code"}) {
		t.Errorf("%q", left)
	}
	left.Rows[20][0] = "x"
	if f.Names[0] != " " || f.Rows[20][0] != "20" || len(f.Categories) != 2 {
		t.Errorf("the frame itself is %q", f)
	}
	if _, err := f.Without("id", "cod"); err == nil || err.Error() != `npt: no column "cod" (did you mean "code"?)` {
		t.Error(err)
	}
}

// Where numbers are half of the values all are categories.
func TestHalfNumbers(t *testing.T) {
	f := &Frame{Names: []string{"a"}, Rows: [][]string{{"1"}, {"x"}, {""}}}
	if c, err := newFrameColumn(f, 0, []int{0, 1, 2}, 3); err != nil || !slices.Equal(c.Classes, []string{"1", "x"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A class that validation rows alone have cannot be learnt.
func TestClassOfHeldOutRows(t *testing.T) {
	f := &Frame{Names: []string{"row", "y"}}
	for i := range 10 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), []string{"a", "b"}[i/8]})
	}
	if _, err := FitWith(t.Context(), f, "y", smallConfig(), FitOptions{Validation: []int{8, 9}}); err == nil || !strings.Contains(err.Error(), `y is "a" in all training rows`) {
		t.Error(err)
	}
}

// The small network is that of the records of sweep npt-one-setting.
func TestSmallConfig(t *testing.T) {
	sweep, err := os.ReadFile("../sweeps/npt-one-setting.yaml")
	if err != nil || !strings.Contains(string(sweep), "{dim_hidden: 8, layers: 2, heads: 2, dropout: 0, steps: 150, lr: 0.05, eval_every: 10}") {
		t.Fatalf("%v, %s", err, sweep)
	}
	params := map[string]any{"dim_hidden": 8, "layers": 2, "heads": 2, "dropout": 0.0, "steps": 150, "lr": 0.05, "eval_every": 10}
	c, err := Method().Resolve(params, testTask(0, dataset.Regression).Info)
	if err != nil || configOf(c) != SmallConfig() {
		t.Errorf("%v: %+v, want %+v", err, SmallConfig(), configOf(c))
	}
}

// The validation loss is that of the model on the rows held out.
func TestValidationLossOfPredictor(t *testing.T) {
	f := &Frame{Names: []string{"x", "y"}}
	for i := range 50 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i * 7919 % 50), strconv.Itoa(i * 7919 % 50 * i)})
	}
	c := smallConfig()
	c.Layers, c.Steps, c.LR, c.EvalEvery = 2, 40, 0.05, 1 // so large a rate that the last step is not the best
	p, err := Fit(t.Context(), f, "y", c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.model.engine(p.context)
	if err != nil {
		t.Fatal(err)
	}
	defer e.free()
	loss, err := e.loss(t.Context(), p.model.weights, valMode, p.model.rng())
	if err != nil || !(math.Abs(loss/p.ValidationLoss-1) <= 1e-6) {
		t.Errorf("%v, %v, want %v", p.ValidationLoss, err, loss)
	}
}

// rowsOf are rows with a number, which is missing in every third one, its sign, and ten times the number.
func rowsOf(n int) *Frame {
	f := &Frame{Names: []string{"x", "sign", "y"}}
	rng := newRand(3)
	for i := range n {
		x := rng.Float64() - 0.5
		text, sign := fmt.Sprint(x), "plus"
		if x < 0 {
			sign = "minus"
		}
		if i%3 == 0 {
			text = ""
		}
		f.Rows = append(f.Rows, []string{text, sign, fmt.Sprint(10 * x)})
	}
	return f
}

// fitRows fits a small network, for a few steps, on fifty rows.
func fitRows(t *testing.T, batchSize int) *Predictor {
	t.Helper()
	c := smallConfig()
	c.Layers, c.Steps, c.BatchSize, c.Precision = 2, 3, batchSize, Float32
	p, err := FitWith(t.Context(), rowsOf(50), "y", c, FitOptions{Backend: testBackend(t)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// More rows than have a row of the fit in each of their batches are predicted in several passes.
func TestPassesOfBatches(t *testing.T) {
	p := fitRows(t, 4)
	asked := rowsOf(256)
	var want []Prediction
	for _, rows := range [][][]string{asked.Rows[:150], asked.Rows[150:]} {
		part, err := p.Predict(t.Context(), &Frame{Names: asked.Names, Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, part...)
	}
	if got, err := p.Predict(t.Context(), asked); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("256 rows: error %v, or not those of 150 and 106", err)
	}
	if got, err := p.Impute(t.Context(), asked); err != nil || len(got.Rows) != 256 {
		t.Errorf("gaps in 256 rows: error %v", err)
	}
	fields, err := p.ordered(asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		change func(*Config)
		passes int
	}{
		{func(*Config) {}, 2},
		{func(c *Config) { c.BatchSize = 2 }, 6},
		{func(c *Config) { c.BatchSize = 6 }, 2},
		{func(c *Config) { c.BatchSize = 7 }, 1},
		{func(c *Config) { c.BatchSize = math.MaxInt }, 1},
		{func(c *Config) { c.BatchSize = 0 }, 1},
		{func(c *Config) { c.BatchSize = 1 }, 1},
		{func(c *Config) { c.NoABD = true }, 1},
	} {
		n := *p.model.net
		v.change(&n.Config)
		q := Predictor{context: p.context, columns: p.columns, target: p.target, model: &Model{net: &n}}
		if got := q.passes(fields); len(got) != v.passes {
			t.Errorf("BatchSize %d, NoABD %v: %d passes, want %d", n.BatchSize, n.NoABD, len(got), v.passes)
		}
	}
}

// A batchCounter is a context that counts the batches under it: before each it is asked for its error.
type batchCounter struct {
	context.Context
	batches int
}

func (c *batchCounter) Err() error {
	c.batches++
	return c.Context.Err()
}

// Gaps are filled by the batches and the passes that have some, with the numbers that all batches give.
func TestImputeComputesTheAsked(t *testing.T) {
	p := fitRows(t, 8)
	gap, whole, far := []string{"", "plus", ""}, []string{"0.1", "plus", ""}, []string{"1e9", "minus", ""}
	for _, v := range []struct {
		rows    [][]string
		batches int
	}{{[][]string{gap}, 1}, {[][]string{whole, gap}, 2}, {[][]string{whole, whole}, 0}, {[][]string{far}, 0}, {[][]string{far, gap, far}, 1}} {
		ctx := batchCounter{Context: t.Context()}
		got, err := p.Impute(&ctx, &Frame{Names: rowsOf(0).Names, Rows: v.rows})
		if err != nil || ctx.batches != v.batches {
			t.Errorf("%q: %d batches, want %d, error %v", v.rows, ctx.batches, v.batches, err)
		}
		for i, row := range v.rows {
			if row[0] != "" && !slices.Equal(got.Rows[i], row) || got.Rows[i][0] == "" {
				t.Errorf("%q is %q", row, got.Rows[i])
			}
		}
	}
	table, err := p.Table(rowsOf(20))
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.model.Impute(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	some, err := p.model.impute(t.Context(), table, p.context.Rows())
	if err != nil {
		t.Fatal(err)
	}
	from, d := p.context.Rows()*table.Channels(), p.context.Rows()*len(table.Columns)
	if !slices.Equal(some.Values[from:], all.Values[from:]) || !slices.Equal(some.Missing[d:], all.Missing[d:]) || slices.Contains(all.Missing, true) {
		t.Error("other numbers than those of all batches")
	}
	if !slices.Equal(some.Values[:from], table.Values[:from]) || !slices.Equal(some.Missing[:d], table.Missing[:d]) {
		t.Error("rows that nobody asked for are others")
	}
}
