// Package task turns a split of a table into what a method may see, a Task (task.go), and keeps apart what it may not, a Truth.
// Loader.Load (load.go) makes a task from the name of a data set; Encode (encode.go) says how features become numbers.
package task

import (
	"slices"
	"strconv"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/split"
)

// A Task is one split of one data set as a method sees it: the encoded features of all rows, and the targets of the
// training and validation rows. The targets of test rows are not in it: Encode returns them separately, as a Truth, to
// the harness alone.
//
// Rows are ordered training, validation, test. Several goroutines may read a task; nobody modifies it.
type Task struct {
	Info     dataset.Info
	Protocol split.Protocol
	Fold     int
	Digest   string // of the table
	Subset   string // empty, or which part of the published table this is
	Split    string // digest of the row numbers of the three parts

	Train, Val, Test int // numbers of rows

	// Copies is the number of training rows, the last ones, that are copies: of all other rows, in the order training,
	// validation, test, as dataset.Copies says. Their targets, those of the rows that they are copies of plus
	// dataset.Copies.Add, are to be looked up. 0: none.
	Copies int

	// X is the encoded feature matrix, row-major, Rows() x Width: continuous features are standardised, categorical ones
	// one-hot, missing entries all zeros, but for the random ones of copies (Copies.Flagged); all are finite. This is the matrix that all
	// baselines are given.
	X     []float32
	Width int

	Features []Feature // in data-set order, the target left out, unless there are TargetFeatures
	Missing  []bool    // Rows() x len(Features), row-major; nil when nothing is missing

	// TargetFeatures has, by row, the feature that is its target, where that is not the same column in all rows
	// (dataset.Copies.AnyColumn): in X that entry is zero and flagged as missing, in Y it has its value. Then the table's target is
	// one of the features, and TargetMean and TargetStd are 0 and 1. nil: the target is no feature.
	TargetFeatures []int

	// Targets of the training and then the validation rows (Train+Val of them); one of the two is set.
	Y      []float64 // regression: standardised by mean and population deviation of the training rows
	Labels []uint16  // classification: class index

	// Groups are those of the training rows, numbered as in dataset.Table: rows of one are in the same part of the split, and are to stay
	// together where a method holds some of them out. nil: rows are free.
	Groups []uint16

	// TargetMean and TargetStd undo the standardisation of Y: original = Y*TargetStd + TargetMean. 0 and 1 for classes.
	TargetMean, TargetStd float64

	// Seed is derived from the sweep's seed, the data set, the protocol (the published one, where the task is the same
	// under both) and the fold. A method derives from it, with seed.Derive, what a configuration's random choices need.
	Seed uint64

	// SweepSeed is the sweep's own, for methods that take their seeds from the number of the fold as the paper's code does.
	SweepSeed uint64

	Threads int // a method may use that many at the same time

	// Backend is where networks run: "auto", "fused", "go" or "xla:...". Methods without a network ignore it.
	Backend string

	// ModelDir is the folder in which methods that can save fitted models do so, one file per fit; empty: nowhere.
	ModelDir string

	// CheckpointDir is a folder for this batch of configurations alone, where a method may leave what it needs to go on
	// after an interruption, and finds it the next time. It need not exist. The harness removes it when the batch is
	// finished. Empty: there is none.
	CheckpointDir string

	// Progress, when set, may be told how far the fit is, as often as a method likes, from the goroutine that reports results.
	Progress func(Progress) `json:"-"`
}

// A Progress says how far a fit is.
type Progress struct {
	Share float64       // of the fit that is done, 0 to 1
	Left  time.Duration // to its end, estimated; 0: not known
	Text  string        // what else there is to say, in a line
}

// Shared reports whether a fold of a data set is the same task under both protocols: the first fold, unless the
// published one has flags of missing entries in other places, as Kick has.
func Shared(info dataset.Info, fold int) bool { return fold == 0 && !info.FlagsStay }

// Canonical returns the protocol by which a fold's task is known: the published one where both make the same.
func Canonical(info dataset.Info, p split.Protocol, fold int) split.Protocol {
	if Shared(info, fold) {
		return split.Published
	}
	return p
}

// ColumnNames names the columns of X: the feature, and of a categorical one behind it the number of the category among those that occur.
// Names that are taken, or would come twice, end in "_".
func (t *Task) ColumnNames(taken ...string) (names []string) {
	used := map[string]bool{}
	for _, name := range taken {
		used[name] = true
	}
	for _, f := range t.Features {
		for i := range f.Width {
			name := f.Name
			if f.Type == dataset.Categorical {
				name += "_" + strconv.Itoa(i)
			}
			for used[name] {
				name += "_"
			}
			used[name] = true
			names = append(names, name)
		}
	}
	return names
}

// A Feature is a column of the table and its place in X.
type Feature struct {
	Name          string
	Type          dataset.ColumnType
	Offset, Width int // columns Offset to Offset+Width of X; Width is 1 for continuous features, else the number of categories
}

// A FeatureColumns tells other programs where a feature stands in a file with a column for each of X: one column of standardised numbers,
// or one for each category; a missing entry is all zeros.
type FeatureColumns struct {
	Name    string `json:"name"`
	Type    string `json:"type"`    // "number" or "category"
	Column  int    `json:"column"`  // the first one; the first of the file is 0
	Columns int    `json:"columns"` // how many
}

// FeatureColumns are those of all features, in a file with so many columns before them.
func (t *Task) FeatureColumns(before int) []FeatureColumns {
	all := make([]FeatureColumns, len(t.Features))
	for i, f := range t.Features {
		all[i] = FeatureColumns{f.Name, f.Type.String(), before + f.Offset, f.Width}
	}
	return all
}

// Rows returns the number of all rows.
func (t *Task) Rows() int { return t.Train + t.Val + t.Test }

// Row returns the encoded features of one row; 0 is the first training row.
func (t *Task) Row(i int) []float32 { return t.X[i*t.Width : (i+1)*t.Width] }

// TrainX, ValX and TestX return the rows of one part, row-major.
func (t *Task) TrainX() []float32 { return t.X[:t.Train*t.Width] }
func (t *Task) ValX() []float32   { return t.X[t.Train*t.Width : (t.Train+t.Val)*t.Width] }
func (t *Task) TestX() []float32  { return t.X[(t.Train+t.Val)*t.Width : t.Rows()*t.Width] }

// Outputs is the number of numbers a method predicts per row: 1 for regression, else the number of classes.
func (t *Task) Outputs() int {
	if t.Info.Problem == dataset.Regression {
		return 1
	}
	return t.Info.Classes
}

// TrainClasses lists the classes that occur in the training rows, ascending, and numbers them in that order from 0 on: what those
// learn who are not to predict the others. Numbers are by training row.
func (t *Task) TrainClasses() (numbers []uint16, classes []int) {
	numbers = slices.Clone(t.Labels[:t.Train])
	number := make([]uint16, t.Info.Classes)
	for _, class := range numbers {
		number[class] = 1
	}
	for class, occurs := range number {
		if occurs == 1 {
			number[class] = uint16(len(classes))
			classes = append(classes, class)
		}
	}
	for i, class := range numbers {
		numbers[i] = number[class]
	}
	return numbers, classes
}

// A Truth holds the targets of a task's test rows, in the order of the task. Methods never get one.
type Truth struct {
	Y      []float64 // regression: standardised like Task.Y
	Labels []uint16  // classification
}
