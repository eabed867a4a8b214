package npt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// dealBatches cuts the rows of a pass into batches of at most c.BatchSize rows. Every batch gets its proportional share of
// training, validation and test rows, and with class balancing of every class among the training rows, to within one row.
// The rows of a batch are in random order. Without a batch size all rows are one batch, in order: their order has no
// effect on an NPT.
func dealBatches(rng *rand.Rand, t *Table, c *Config, m mode) [][]int32 {
	rows, batches := m.present(t, c.SemiSupervised), batchCount(t, c, m)
	switch {
	case t.Copies:
		return pairBatches(rng, t, m, batches)
	case batches == 1:
		return [][]int32{rowsBetween(0, rows)}
	}
	return deal(rng, strata(t, c.ClassBalancing, rows), batches)
}

// deal deals the rows of strata, which it shuffles, into batches. Every batch gets its proportional share of every stratum, to within
// one row. The rows of a batch are in random order, and so are the batches.
func deal(rng *rand.Rand, strata [][]int32, batches int) [][]int32 {
	// Position p of the strata, one after the other, belongs to batch p mod batches: this fixes how many rows of each
	// stratum a batch gets. Which rows these are is random.
	out := make([][]int32, batches)
	position := 0
	for _, stratum := range strata {
		rng.Shuffle(len(stratum), func(i, j int) { stratum[i], stratum[j] = stratum[j], stratum[i] })
		for _, row := range stratum {
			b := position % batches
			out[b] = append(out[b], row)
			position++
		}
	}
	for _, b := range out {
		rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// batchCount returns how many batches a pass has.
func batchCount(t *Table, c *Config, m mode) int {
	rows, size := m.present(t, c.SemiSupervised), c.BatchSize
	if t.Copies { // pairs
		from, to := m.part(t)
		rows, size = to-from, max(1, c.BatchSize/2)
	}
	if c.BatchSize == 0 {
		return min(rows, 1)
	}
	return (max(rows, 1)-1)/size + min(rows, 1)
}

// checkBatches returns an error where some batch of a pass would hold none of the rows of context, whose targets are known: training
// rows, in a test pass validation rows, too. Where rows do not attend to others, or their copies are the context, only training needs
// them.
func checkBatches(t *Table, c *Config, m mode) error {
	from, _ := m.part(t)
	known, batches := max(from, t.Train), batchCount(t, c, m)
	if batches <= known || m != trainMode && (t.Copies || c.lastBetween() < 0) {
		return nil
	}
	return fmt.Errorf("npt: BatchSize: %d rows make %d batches, of which some would hold none of the %d rows of context, "+
		"want a larger one, 0 for all, or fewer rows to predict", c.BatchSize, batches, known)
}

// pairBatches deals the rows of a pass's own part, and puts the copy of each into its batch.
func pairBatches(rng *rand.Rand, t *Table, m mode, batches int) [][]int32 {
	out := deal(rng, [][]int32{rowsBetween(m.part(t))}, batches)
	for i, rows := range out {
		for _, row := range rows {
			out[i] = append(out[i], row+int32(t.Rows()))
		}
	}
	return out
}

// strata groups the first rows of the table into training (by class, if asked), validation and test rows.
func strata(t *Table, byClass bool, rows int) [][]int32 {
	train := [][]int32{rowsBetween(0, t.Train)}
	if byClass {
		train = make([][]int32, slices.Max(t.classes)+1)
		for i, class := range t.classes {
			train[class] = append(train[class], int32(i))
		}
	}
	rest := [][]int32{
		rowsBetween(t.Train, min(rows, t.Train+t.Val)),
		rowsBetween(t.Train+t.Val, rows),
	}
	return slices.Concat(train, rest)
}

// balanced returns the table with what class balancing, if it is asked for, needs to know of its values.
func (t *Table) balanced(c *Config) (*Table, error) {
	if !c.ClassBalancing {
		return t, nil
	}
	with := *t
	var err error
	with.classes, err = t.trainClasses()
	return &with, err
}

// trainClasses are the classes of the training rows, one more than there are where the label is missing. The error says why there are none:
// the target is not one column of categories.
func (t *Table) trainClasses() ([]int, error) {
	target := func(c Column) bool { return c.Target }
	j := slices.IndexFunc(t.Columns, target)
	if j < 0 || t.Columns[j].Categories == 0 || slices.ContainsFunc(t.Columns[j+1:], target) {
		return nil, errors.New("npt: ClassBalancing: true, want false where the target is not one column of categories")
	}
	classes, at, n := make([]int, t.Train), channels(t.Columns[:j]), t.Columns[j].Categories
	for i := range classes {
		if classes[i] = n; !t.missing(i, j) {
			classes[i] = slices.Index(t.Values[i*t.Channels()+at:][:n], 1)
		}
	}
	return classes, nil
}

func rowsBetween(from, to int) []int32 {
	rows := make([]int32, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		rows = append(rows, int32(i))
	}
	return rows
}
