package npt

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
)

// A checkpointHeader describes a checkpoint; the arrays that follow are named in Sets. Everything random is derived from
// the seed and the numbers of step and pass, so these are the whole random state.
type checkpointHeader struct {
	Config  Config
	Backend string // its name
	Columns []Column
	Rows    [3]int // training, validation, test
	Data    string // digest of the table
	Step    int
	position
	EvaluateNext bool // see Trainer
	BestStep     int
	BestLoss     *float64 // nil before the first evaluation, and without validation labels
	ValLoss      *float64
	LastLosses   [2]float64 // of targets and of features, in the last step
	Elapsed      time.Duration
	Curve        curve
	Sets         []string // each with all arrays
}

// SaveCheckpoint writes everything that a training needs to go on. The file is replaced as a whole, and its
// folder made where another run has removed it.
func (tr *Trainer) SaveCheckpoint(path string) error {
	if tr.closed {
		return errClosed
	}
	data, err := tr.dataDigest()
	if err != nil {
		return err
	}
	h := checkpointHeader{
		Data:   data,
		Config: tr.config, Backend: backends.Name(tr.engine.backend), Columns: tr.table.Columns, Rows: [3]int{tr.table.Train, tr.table.Val, tr.table.Test},
		Step: tr.state.step, position: tr.at, EvaluateNext: tr.evaluateNext, BestStep: tr.bestStep,
		BestLoss: optional(tr.bestLoss), ValLoss: optional(tr.valLoss), LastLosses: [2]float64{tr.target, tr.feature},
		Elapsed: tr.elapsed(), Curve: tr.curve,
	}
	var arrays []*tensors.Tensor
	for _, set := range tr.sets() {
		if *set.tensors != nil {
			h.Sets = append(h.Sets, set.name)
			arrays = append(arrays, *set.tensors...)
		}
	}
	if err := checkpoint.Write(path, "checkpoint", h, arrays); err != nil {
		return fmt.Errorf("npt: %w", err)
	}
	return nil
}

// LoadCheckpoint continues where the training that wrote the file was: same table, same configuration, a backend of the same
// name. Steps then give what they would have given without the interruption, on the backend fused bit for bit between processors with AVX2, and
// between those of one architecture without it, or with programs that were built with the tag purego; with products of bfloat16, if both have
// a matrix unit (AMX), or neither. An error, which is fs.ErrNotExist where
// there is no file, changes nothing.
func (tr *Trainer) LoadCheckpoint(path string) error {
	if tr.closed {
		return errClosed
	}
	var h checkpointHeader
	arrays, err := checkpoint.Read(path, "checkpoint", &h, func() (of []shapes.Shape, err error) {
		h.Config.Recompute = tr.config.Recompute // which does not matter
		if h.Config != tr.config || !slices.Equal(h.Columns, tr.table.Columns) ||
			h.Rows != [3]int{tr.table.Train, tr.table.Val, tr.table.Test} {
			return nil, fmt.Errorf("is of another training: configuration, columns or numbers of rows differ")
		}
		if own := backends.Name(tr.engine.backend); h.Backend != own {
			return nil, fmt.Errorf("is of a training on backend %q, this is %q: go on there, or remove the file to begin anew here", h.Backend, own)
		}
		data, err := tr.dataDigest()
		if err == nil && data != h.Data {
			err = fmt.Errorf("is of another training: the data differ")
		}
		for _, name := range []string{"weights", "m", "v"} {
			if !slices.Contains(h.Sets, name) {
				return nil, fmt.Errorf("damaged: without %s", name)
			}
		}
		for range h.Sets {
			of = append(of, tr.engine.net.Shapes(tr.config.master())...)
		}
		return of, err
	})
	if err != nil {
		return fmt.Errorf("npt: %w", err)
	}
	n := len(tr.engine.net.Arrays)
	for _, set := range tr.sets() {
		*set.tensors = nil
		if i := slices.Index(h.Sets, set.name); i >= 0 {
			*set.tensors = arrays[i*n : (i+1)*n]
		}
	}
	tr.state.step, tr.at, tr.evaluateNext = h.Step, h.position, h.EvaluateNext
	tr.bestStep, tr.earlier, tr.curve = h.BestStep, h.Elapsed, h.Curve
	tr.target, tr.feature = h.LastLosses[0], h.LastLosses[1]
	tr.bestLoss, tr.valLoss = math.Inf(1), math.NaN()
	if h.BestLoss != nil {
		tr.bestLoss = *h.BestLoss
	} else if h.BestStep > 0 { // no validation row has a label
		tr.bestLoss = math.NaN()
	}
	if h.ValLoss != nil {
		tr.valLoss = *h.ValLoss
	}
	return nil
}

// dataDigest returns a digest of what the training sees of its table. Another fold has the same columns and numbers of rows,
// but its training rows are test rows here.
func (tr *Trainer) dataDigest() (string, error) {
	if tr.digest != "" {
		return tr.digest, nil
	}
	sum := sha256.New()
	err := tensors.ConstFlatData(tr.engine.values, func(values []float32) {
		for part := range slices.Chunk(values, 1<<16) { // of which Write makes a copy
			binary.Write(sum, binary.LittleEndian, part)
		}
	})
	if err != nil {
		return "", fmt.Errorf("npt: %w", backends.Error(err))
	}
	binary.Write(sum, binary.LittleEndian, tr.table.Missing)
	for _, j := range tr.table.RowTargets {
		binary.Write(sum, binary.LittleEndian, int32(j))
	}
	tr.digest = fmt.Sprintf("%x", sum.Sum(nil))
	return tr.digest, nil
}

type tensorSet struct {
	name    string
	tensors *[]*tensors.Tensor
}

// sets names all arrays of a training.
func (tr *Trainer) sets() []tensorSet {
	s := tr.state
	return []tensorSet{{"weights", &s.weights}, {"m", &s.m}, {"v", &s.v}, {"slow", &s.slow}, {"best", &tr.best}}
}

// optional returns nil for numbers that JSON cannot hold.
func optional(x float64) *float64 {
	if !finite(x) {
		return nil
	}
	return &x
}
