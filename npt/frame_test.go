package npt

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"
)

// Columns of half as many different numbers, or texts, as there are rows take no longer than columns of few.
func TestManyDifferentValues(t *testing.T) {
	for _, letter := range []string{"", "n"} {
		f := &Frame{Names: []string{"x"}}
		for i := range 200_000 {
			f.Rows = append(f.Rows, []string{letter + strconv.Itoa(i*7919%100_000)})
		}
		start := time.Now()
		c, err := newFrameColumn(f, 0, count(len(f.Rows)), 150_000)
		if took := time.Since(start); err != nil || !slices.IsSorted(c.Classes) || len(c.Classes) != len(letter)*100_000 || took > 5*time.Second {
			t.Errorf("%d classes after %v, error %v", len(c.Classes), took, err)
		}
	}
}

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
	if table.Train != 80 || table.Val != 20 || math.Abs(mean) > 1e-6 || math.Abs(square-1) > 1e-6 {
		t.Errorf("%d training and %d validation rows, the mean of training rows is %v, of their squares %v", table.Train, table.Val, mean, square)
	}
	if held := rows[80:]; slices.Min(held) >= 20 || slices.Max(held) < 80 {
		t.Errorf("held out are the rows %v", held)
	}
	if slices.Sort(rows); !slices.Equal(rows, count(100)) {
		t.Errorf("the rows are %v", rows)
	}
}
