// Package split cuts a table's rows into training, validation and test rows, bit for bit as scikit-learn does with
// NumPy's legacy generator and seed 42, under two protocols.
//
// Corrected is true cross-validation: the test rows of the folds partition the table. Published is what the paper's code
// did: it re-ordered the table by each fold, training rows first, and applied the next fold's indices, made for the
// original order, to the re-ordered table. Fold 0 is the same under both. The folds after it are valid random partitions
// one by one, but over ten of them only about two thirds of all rows are ever tested, some of them up to five times, and
// only fold 0 is stratified. The paper's numbers come out to the printed digit under Published.
package split

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"nptbench/internal/dataset"
)

// A Protocol says how folds are made, and in package task how missing entries are flagged.
type Protocol string

const (
	Published Protocol = "published"
	Corrected Protocol = "corrected"
)

// Protocols lists both.
var Protocols = []Protocol{Published, Corrected}

// numpySeed seeds fold assignment and validation draws, the latter anew for every fold.
const numpySeed = 42

// A Split holds the row numbers of the three parts of one fold, in the order in which a task holds its rows.
type Split struct {
	Train, Val, Test []int32
}

// Rows returns all row numbers: training, validation, test.
func (s Split) Rows() []int32 {
	rows := make([]int32, 0, len(s.Train)+len(s.Val)+len(s.Test))
	return append(append(append(rows, s.Train...), s.Val...), s.Test...)
}

// Digest identifies a split: 16 hex digits over the row numbers of the three parts.
func (s Split) Digest() string {
	h := sha256.New()
	for _, part := range [][]int32{s.Train, s.Val, s.Test} {
		binary.Write(h, binary.LittleEndian, uint64(len(part)))
		binary.Write(h, binary.LittleEndian, part)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// A Rule is all that a table's splits depend on.
type Rule struct {
	Rows   int
	Labels []uint16 // class of every row, to stratify by; nil: not stratified
	Groups []uint16 // group of every row, from 0 without gaps, whose rows are kept together, instead of being stratified; nil: rows are free
	Parts  []uint16 // part of every row, as in dataset.Table; where none is for validation, such are drawn; nil: no split is given
	Folds  int      // number of folds, each with 1/Folds of the rows for testing, unless TestAt or Parts is set; 1 with Parts
	TestAt int      // first row of a fixed test set that reaches to the end; 0: test rows are drawn
}

// RuleOf returns the paper's rule for a table: stratified exactly when the target is a class. Groups and Parts are of data sets of one's own
// alone.
func RuleOf(t *dataset.Table) Rule {
	r := Rule{Rows: t.Rows, Folds: t.Info.Folds, TestAt: t.Info.TestAt, Groups: t.Groups, Parts: t.Parts}
	if t.Info.Problem.Classification() {
		r.Labels = t.Labels()
	}
	return r
}

// valShare is the share of all rows that validates: 0.2 for the small tables, which are cut into ten folds, else 0.1.
func (r Rule) valShare() float64 {
	if r.Folds == 10 {
		return 0.2
	}
	return 0.1
}

// ErrNoFold is the error of a fold that a rule does not make.
var ErrNoFold = errors.New("does not exist")

// Make returns one fold. The error says why it cannot be made, or wraps ErrNoFold.
func Make(r Rule, p Protocol, fold int) (Split, error) {
	if r.Parts == nil && (r.Folds < 2 || r.TestAt == 0 && r.Rows < r.Folds) {
		return Split{}, fmt.Errorf("%d rows cannot be cut into %d folds", r.Rows, r.Folds)
	}
	switch last := r.folds() - 1; {
	case fold >= 0 && fold <= last:
	case last == 0:
		return Split{}, fmt.Errorf("fold %d %w: fold 0 is the only one", fold, ErrNoFold)
	default:
		return Split{}, fmt.Errorf("fold %d %w: the folds are 0 to %d", fold, ErrNoFold, last)
	}
	if p != Published {
		return r.clean(fold)
	}
	if r.Groups != nil && fold > 0 {
		return Split{}, fmt.Errorf("published fold %d would put rows of a group into several parts: want corrected folds", fold)
	}
	order := arange(r.Rows)
	for f := 0; ; f++ {
		s, err := r.clean(f)
		if err != nil {
			return Split{}, err
		}
		for _, part := range [][]int32{s.Train, s.Val, s.Test} {
			for i, position := range part {
				part[i] = order[position]
			}
		}
		if f == fold {
			return s, nil
		}
		order = s.Rows()
	}
}

func (r Rule) folds() int {
	if r.TestAt > 0 {
		return 1
	}
	return r.Folds
}

// Sizes returns how many training, validation and test rows a fold without Groups and Parts has, whatever the labels and the protocol.
func (r Rule) Sizes(fold int) (train, val, test int) {
	switch {
	case r.TestAt > 0:
		test = r.Rows - r.TestAt
	case fold < r.Rows%r.Folds:
		test = r.Rows/r.Folds + 1
	default:
		test = r.Rows / r.Folds
	}
	// Evaluated at run time in float64: 0.2/(1-0.1) is a little more than 2/9, which gives Concrete 207 validation rows.
	testShare := 1 / float64(r.Folds)
	share := r.valShare() / (1 - testShare)
	val = int(math.Ceil(share * float64(r.Rows-test)))
	return r.Rows - test - val, val, test
}

// clean makes one fold of the table in its original order.
func (r Rule) clean(fold int) (Split, error) {
	if r.Groups != nil {
		return r.grouped(fold)
	}
	var rest, test []int32
	switch {
	case r.Parts != nil:
		var rows [3][]int32
		for row, part := range r.Parts {
			rows[part] = append(rows[part], int32(row))
		}
		if rows[dataset.ValPart] != nil {
			return Split{Train: rows[dataset.TrainPart], Val: rows[dataset.ValPart], Test: rows[dataset.TestPart]}, nil
		}
		rest, test = rows[dataset.TrainPart], rows[dataset.TestPart]
		r.Folds, r.TestAt = 5, len(rest) // as many for validation as where the test rows are the last
	case r.TestAt > 0:
		all := arange(r.Rows)
		rest, test = all[:r.TestAt], all[r.TestAt:]
	case r.Labels != nil:
		rest, test = stratifiedFold(r.Labels, r.Folds, fold)
	default:
		rest, test = plainFold(r.Rows, r.Folds, fold)
	}
	train, val, _ := r.Sizes(fold)
	if val == 0 || train <= 0 || len(test) == 0 {
		return Split{}, fmt.Errorf("%d rows leave %d for test, %d for validation and %d for training; each needs one at least",
			r.Rows, len(test), val, max(0, train))
	}
	var trainAt, valAt []int32
	if r.Labels != nil {
		labels := make([]uint16, len(rest))
		for i, row := range rest {
			labels[i] = r.Labels[row]
		}
		trainAt, valAt = stratifiedHoldOut(labels, val)
	} else {
		p := newTwister(numpySeed).permutation(len(rest))
		valAt, trainAt = p[:val], p[val:]
	}
	return Split{Train: pick(rest, trainAt), Val: pick(rest, valAt), Test: test}, nil
}

// grouped makes one fold of groups: test rows are those of scikit-learn's GroupKFold with shuffling, which deals groups as KFold deals rows,
// validation rows those of its GroupShuffleSplit of the rest. The rows of each part ascend.
func (r Rule) grouped(fold int) (Split, error) {
	groups := int(slices.Max(r.Groups)) + 1
	if groups < r.Folds {
		return Split{}, fmt.Errorf("%d groups of rows cannot be cut into %d folds", groups, r.Folds)
	}
	rest, test := plainFold(groups, r.Folds, fold)
	_, val, _ := Rule{Rows: groups, Folds: r.Folds}.Sizes(fold)
	part := make([]uint8, groups) // 0: training
	for _, at := range newTwister(numpySeed).permutation(len(rest))[:val] {
		part[rest[at]] = 1
	}
	for _, group := range test {
		part[group] = 2
	}
	var rows [3][]int32
	for row, group := range r.Groups {
		rows[part[group]] = append(rows[part[group]], int32(row))
	}
	if len(rows[0]) == 0 {
		return Split{}, fmt.Errorf("%d groups of rows leave %d for test, %d for validation and none for training", groups, len(test), val)
	}
	return Split{Train: rows[0], Val: rows[1], Test: rows[2]}, nil
}

func pick(rows, at []int32) []int32 {
	out := make([]int32, len(at))
	for i, a := range at {
		out[i] = rows[a]
	}
	return out
}

// plainFold is scikit-learn's KFold with shuffling: consecutive chunks of a shuffled order, the first rows mod folds of
// them one row longer; both index lists ascend.
func plainFold(rows, folds, fold int) (rest, test []int32) {
	order := newTwister(numpySeed).permutation(rows)
	start := fold*(rows/folds) + min(fold, rows%folds)
	end := start + rows/folds
	if fold < rows%folds {
		end++
	}
	inTest := make([]bool, rows)
	for _, row := range order[start:end] {
		inTest[row] = true
	}
	return divide(rows, func(row int) bool { return inTest[row] })
}

// stratifiedFold is scikit-learn's StratifiedKFold with shuffling: classes, numbered by first appearance, are dealt to
// the folds as evenly as possible, and which of a class's rows go to which fold is shuffled class by class.
func stratifiedFold(labels []uint16, folds, fold int) (rest, test []int32) {
	counts, class := byAppearance(labels)
	t := newTwister(numpySeed)
	deals := make([][]uint8, len(counts)) // per class, the folds of its rows in row order
	first := 0                            // place of the class's first row in the order sorted by class
	for c, count := range counts {
		deal := make([]uint8, 0, count)
		for f := range folds {
			// Every folds-th row of the sorted order, beginning with the f-th, goes to fold f.
			skipped := ((f-first)%folds + folds) % folds
			for range (count - skipped + folds - 1) / folds {
				deal = append(deal, uint8(f))
			}
		}
		shuffle(t, deal)
		deals[c] = deal
		first += count
	}
	seen := make([]int, len(counts))
	return divide(len(labels), func(row int) bool {
		c := class[row]
		seen[c]++
		return int(deals[c][seen[c]-1]) == fold
	})
}

// byAppearance renumbers classes in the order in which they first appear, and counts their rows.
func byAppearance(labels []uint16) (counts []int, class []int) {
	number := map[uint16]int{}
	class = make([]int, len(labels))
	for row, label := range labels {
		c, ok := number[label]
		if !ok {
			c = len(counts)
			number[label] = c
			counts = append(counts, 0)
		}
		counts[c]++
		class[row] = c
	}
	return counts, class
}

func divide(rows int, isTest func(row int) bool) (rest, test []int32) {
	for row := range rows {
		if isTest(row) {
			test = append(test, int32(row))
		} else {
			rest = append(rest, int32(row))
		}
	}
	return rest, test
}

// stratifiedHoldOut is scikit-learn's train_test_split with stratification: per class, numbered ascending, the most
// likely numbers of rows for the two parts, then the rows themselves from a permutation, then both parts shuffled.
// A class of a single row, which scikit-learn refuses, goes where the counts put it.
func stratifiedHoldOut(labels []uint16, val int) (trainAt, valAt []int32) {
	rows := make([][]int32, int(slices.Max(labels))+1)
	for i, label := range labels {
		rows[label] = append(rows[label], int32(i))
	}
	rows = slices.DeleteFunc(rows, func(r []int32) bool { return len(r) == 0 }) // classes without a row
	sizes := make([]int, len(rows))
	for c, r := range rows {
		sizes[c] = len(r)
	}
	t := newTwister(numpySeed)
	trainCounts := t.approximateMode(sizes, len(labels)-val)
	remaining := make([]int, len(sizes))
	for c := range sizes {
		remaining[c] = sizes[c] - trainCounts[c]
	}
	valCounts := t.approximateMode(remaining, val)
	for c, r := range rows {
		p := pick(r, t.permutation(len(r)))
		trainAt = append(trainAt, p[:trainCounts[c]]...)
		valAt = append(valAt, p[trainCounts[c]:trainCounts[c]+valCounts[c]]...)
	}
	shuffle(t, trainAt)
	shuffle(t, valAt)
	return trainAt, valAt
}
