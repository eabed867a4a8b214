package npt

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/weights"
)

// A fifth of the rows, spread over the whole frame, is held out; numbers are standardised by the others alone.
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
	var mean, square float64
	for i := range table.Rows() {
		x := float64(table.Values[2*i])
		rows = append(rows, int(math.Round(x*column.Std+column.Mean)))
		if i < table.Train {
			mean, square = mean+x/float64(table.Train), square+x*x/float64(table.Train)
		}
	}
	if table.Train != 80 || table.Val != 20 || !(math.Abs(mean) <= 1e-6) || !(math.Abs(square-1) <= 1e-6) {
		t.Errorf("%d training and %d validation rows, the mean of training rows is %v, of their squares %v", table.Train, table.Val, mean, square)
	}
	if held := rows[80:]; slices.Min(held) >= 20 || slices.Max(held) < 80 {
		t.Errorf("held out are the rows %v", held)
	}
	if slices.Sort(rows); !slices.Equal(rows, weights.Indices(100)) {
		t.Errorf("the rows are %v", rows)
	}
}

// A class that validation rows alone have cannot be learnt.
func TestClassOfHeldOutRows(t *testing.T) {
	f := &Frame{Names: []string{"row", "y"}}
	for i := range 10 {
		f.Rows = append(f.Rows, []string{strconv.Itoa(i), []string{"a", "b"}[i%2]})
	}
	c := smallConfig()
	c.Layers, c.Steps = 2, 1
	p, err := Fit(t.Context(), f, "y", c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Rows {
		f.Rows[i][1] = "a"
	}
	for i := p.context.Train; i < p.context.Rows(); i++ { // whose numbers are those of rows
		f.Rows[int(math.Round(float64(p.context.Values[3*i])*p.columns[0].Std+p.columns[0].Mean))][1] = "b"
	}
	if _, err := Fit(t.Context(), f, "y", c); err == nil || !strings.Contains(err.Error(), `y is "a" in all training rows`) {
		t.Error(err)
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
