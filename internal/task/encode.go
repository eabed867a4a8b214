package task

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/machine"
	"nptbench/internal/split"
)

// Statistics says over which rows the means and deviations of continuous features are taken.
type Statistics uint8

const (
	AllRows   Statistics = iota // training, validation and test rows, as the paper's code did in its semi-supervised mode
	TrainRows                   // training rows only
)

// Encode makes the task of one split of a table, and the test targets that methods may not see. The caller sets what does
// not come from the data: Seed, SweepSeed, Threads and Backend. Encoded features and targets are finite; numbers too large or too small
// for that are an error, as are tables in which no feature has a value.
//
// Features: one-hot over the categories of all rows that are not flagged as missing; standardised by mean and population
// deviation. The regression target is standardised by the training rows. A deviation of zero counts as one. Flagged
// entries become zeros and enter no statistic, and so do all of a column in which none is left for the statistic.
//
// The flagged entries are the missing ones. But where dataset.Info.FlagsStay (Kick), under split.Published they are what the paper's code
// flagged: values moved with the split while the flags stayed where the missing entries had been in the file. So a missing
// entry that is not flagged shows up as the mean of its column, or as the category "?" of its own, and present entries are
// zeroed in its place.
func Encode(table *dataset.Table, s split.Split, p split.Protocol, fold int, stats Statistics) (*Task, *Truth, error) {
	if table.Rows != len(s.Train)+len(s.Val)+len(s.Test) {
		return nil, nil, fmt.Errorf("%s has %d rows, its split %d", table.Info.Name, table.Rows, len(s.Rows()))
	}
	t := &Task{
		Info: table.Info, Protocol: p, Fold: fold, Digest: table.Digest, Subset: table.Subset, Split: s.Digest(),
		Train: len(s.Train), Val: len(s.Val), Test: len(s.Test),
		TargetStd: 1, Threads: 1,
	}
	e := encoder{table: table, rows: s.Rows(), protocol: p, statRows: table.Rows}
	if stats == TrainRows {
		e.statRows = t.Train
	}
	if err := e.features(t); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", table.Info.Name, err)
	}
	if table.Groups != nil {
		for _, row := range s.Train {
			t.Groups = append(t.Groups, table.Groups[row])
		}
	}
	truth := e.targets(t)
	if err := e.check(t, truth); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", table.Info.Name, err)
	}
	if c := table.Info.Copies; c != nil {
		if c.AnyColumn {
			drawTargets(t, truth, table.Target().Name)
		}
		addCopies(t, truth, c)
	}
	return t, truth, nil
}

type encoder struct {
	table    *dataset.Table
	rows     []int32 // row of the table at each position of the task
	protocol split.Protocol
	statRows int // positions 0 to statRows enter means and deviations
}

// flagged reports whether the entry at a position of the task counts as missing.
func (e *encoder) flagged(c *dataset.Column, position int) bool {
	if e.protocol == split.Published && e.table.Info.FlagsStay {
		return c.IsMissing(position)
	}
	return c.IsMissing(int(e.rows[position]))
}

// A column encoder writes one feature of the row at a position into its place in X.
type columnEncoder func(position int, into []float32)

func (e *encoder) features(t *Task) error {
	var columns []*dataset.Column
	var encoders []columnEncoder
	anyMissing := false
	for j := range e.table.Columns {
		if j == e.table.Info.Target {
			continue
		}
		c := &e.table.Columns[j]
		width, encode := 1, columnEncoder(nil)
		if c.Type == dataset.Categorical {
			width, encode = e.oneHot(c)
		} else {
			encode = e.standardise(c)
		}
		t.Features = append(t.Features, Feature{Name: c.Name, Type: c.Type, Offset: t.Width, Width: width})
		t.Width += width
		columns, encoders = append(columns, c), append(encoders, encode)
		anyMissing = anyMissing || c.Missing != nil
	}
	if err := e.fits(t); err != nil {
		return err
	}
	t.X = make([]float32, len(e.rows)*t.Width)
	if anyMissing {
		t.Missing = make([]bool, len(e.rows)*len(columns))
	}
	for position := range e.rows {
		row := t.Row(position)
		for f, c := range columns {
			feature := &t.Features[f]
			encoders[f](position, row[feature.Offset:feature.Offset+feature.Width])
			if c.Missing != nil {
				t.Missing[position*len(columns)+f] = e.flagged(c, position)
			}
		}
	}
	return nil
}

// fits returns an error where the encoded features take more memory than is free, also when garbage is given back.
func (e *encoder) fits(t *Task) error {
	bytes, free := 4*float64(len(e.rows))*float64(t.Width), float64(machine.FreeMemory())
	if bytes > free && free > 0 {
		debug.FreeOSMemory() // of the task before
		free = float64(machine.FreeMemory())
	}
	if bytes <= free || free == 0 {
		return nil
	}
	// The same text every time: a method that fails always in the same way is given up.
	text := fmt.Sprintf("%d rows of %d encoded features take %.1f GB, more than are free", len(e.rows), t.Width, bytes/1e9)
	if widest := slices.MaxFunc(t.Features, func(a, b Feature) int { return cmp.Compare(a.Width, b.Width) }); widest.Width > 1 {
		text += fmt.Sprintf("; column %s alone has %d categories: declare it skip, or number", widest.Name, widest.Width)
	}
	return errors.New(text)
}

// oneHot numbers the categories that occur in entries not flagged; those of missing entries not flagged are one more.
func (e *encoder) oneHot(c *dataset.Column) (width int, encode columnEncoder) {
	gap := len(c.Categories) // stands for the category "?", which comes last here and among the others in the paper's code
	code := func(position int) int {
		if row := int(e.rows[position]); !c.IsMissing(row) {
			return int(c.Codes[row])
		}
		return gap
	}
	place := make([]int, gap+1)
	for position := range e.rows {
		if !e.flagged(c, position) {
			place[code(position)] = 1
		}
	}
	for i, occurs := range place {
		place[i] = width
		width += occurs
	}
	return width, func(position int, into []float32) {
		if !e.flagged(c, position) {
			into[place[code(position)]] = 1
		}
	}
}

func (e *encoder) standardise(c *dataset.Column) columnEncoder {
	value := func(position int) float64 { return c.Float(int(e.rows[position])) }
	if c.Missing != nil {
		// Over all rows, as in the paper's code, whatever rows the statistics are of.
		mean, _ := MeanStd(e.table.Rows, c.Float, func(row int) bool { return !c.IsMissing(row) })
		value = func(position int) float64 {
			if row := int(e.rows[position]); !c.IsMissing(row) {
				return c.Float(row)
			}
			return mean
		}
	}
	enters := func(position int) bool { return !e.flagged(c, position) }
	mean, std := MeanStd(e.statRows, value, enters)
	if first := 0; c.Missing != nil {
		for first < e.statRows && !enters(first) {
			first++
		}
		if first == e.statRows { // no training row has a value, say: what others have is on no scale
			return func(int, []float32) {}
		}
	}
	return func(position int, into []float32) {
		if !e.flagged(c, position) {
			into[0] = float32((value(position) - mean) / std)
		}
	}
}

// MeanStd returns the mean and the population standard deviation of the included ones of n values. Like scikit-learn's
// StandardScaler it corrects the sum of squares for the rounding of the mean, and returns 1 where the values are constant
// up to rounding. Both are NaN where squares are too large or too small for float64.
func MeanStd(n int, value func(int) float64, include func(int) bool) (mean, std float64) {
	count, sum := 0.0, 0.0
	for i := range n {
		if include(i) {
			count++
			sum += value(i)
		}
	}
	if count == 0 {
		return 0, 1
	}
	mean = sum / count
	rest, squares, largest := 0.0, 0.0, 0.0
	for i := range n {
		if include(i) {
			d := value(i) - mean
			rest += d
			squares += d * d
			largest = max(largest, math.Abs(d))
		}
	}
	variance := (squares - rest*rest/count) / count
	const epsilon = 0x1p-52
	noise := count * mean * epsilon
	if !finite(variance) || variance < 0x1p-1022/epsilon && largest > math.Abs(noise) {
		return math.NaN(), math.NaN()
	}
	if variance <= count*epsilon*variance+noise*noise {
		return mean, 1
	}
	return mean, math.Sqrt(variance)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// check says why no method could use a task.
func (e *encoder) check(t *Task, truth *Truth) error {
	if t.Train == 0 || t.Width == 0 {
		return fmt.Errorf("%d training rows and %d encoded features, want at least one of each", t.Train, t.Width)
	}
	const wrong = "column %s has numbers too large or too small to be standardised: divide or multiply them all by a power of ten"
	for i, x := range t.X {
		if x-x != 0 { // NaN or infinite
			at := slices.IndexFunc(t.Features, func(f Feature) bool { return i%t.Width < f.Offset+f.Width })
			return fmt.Errorf(wrong, t.Features[at].Name)
		}
	}
	for _, y := range slices.Concat(t.Y, truth.Y) {
		if !finite(y) {
			return fmt.Errorf(wrong, e.table.Target().Name)
		}
	}
	return nil
}

// targets sets the task's training and validation targets and returns those of the test rows.
func (e *encoder) targets(t *Task) *Truth {
	known := t.Train + t.Val
	target := e.table.Target()
	if t.Info.Problem.Classification() {
		labels := make([]uint16, len(e.rows))
		for position, row := range e.rows {
			labels[position] = target.Codes[row]
		}
		t.Labels = slices.Clip(slices.Clone(labels[:known]))
		return &Truth{Labels: slices.Clone(labels[known:])}
	}
	value := func(position int) float64 { return target.Float(int(e.rows[position])) }
	t.TargetMean, t.TargetStd = MeanStd(t.Train, value, func(int) bool { return true })
	y := make([]float64, len(e.rows))
	for position := range y {
		y[position] = (value(position) - t.TargetMean) / t.TargetStd
	}
	// Cloned, so that the test targets are not behind the end of the task's slice.
	t.Y = slices.Clip(slices.Clone(y[:known]))
	return &Truth{Y: slices.Clone(y[known:])}
}
