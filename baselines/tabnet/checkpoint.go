package tabnet

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
)

// A checkpointer writes what a training needs to go on, from time to time. Everything random is derived from the seed and the
// number of the epoch.
type checkpointer struct {
	path string
	due  time.Time
	err  error // the first one of a checkpoint that could not be written: training goes on
}

// interval is about how long it is between two checkpoints.
var interval = time.Minute // tests shorten it

// A checkpointHeader describes a checkpoint; the arrays that follow are the state's, then those of the best epoch.
type checkpointHeader struct {
	Config  config
	Backend string
	Columns columns
	Data    string // digest of the table
	At      position
	Elapsed time.Duration
}

func (tr *training) header() checkpointHeader {
	return checkpointHeader{tr.net.config, backends.Name(tr.backend), tr.net.columns, tr.dataDigest(), tr.at, tr.elapsed()}
}

// save writes a checkpoint if one is due. Before there is a best epoch there is nothing worth it.
func (tr *training) save() {
	c := tr.checkpoint
	if c == nil || time.Now().Before(c.due) || tr.at.BestEpoch == 0 {
		return
	}
	var arrays []*tensors.Tensor
	for _, t := range tr.saved() {
		arrays = append(arrays, *t)
	}
	err := checkpoint.Write(c.path, "tabnet", tr.header(), arrays)
	if c.err == nil {
		c.err = err
	}
	c.due = time.Now().Add(interval)
}

// saved are the arrays of a checkpoint.
func (tr *training) saved() []**tensors.Tensor {
	return append(tr.state.tensors(), &tr.best.weights, &tr.best.running)
}

// load goes on where the training that wrote the file was: same table, configuration and backend, and none of the stops reached.
func (tr *training) load(path string, stops []stop) error {
	var h checkpointHeader
	arrays, err := checkpoint.Read(path, "tabnet", &h, func() (of []shapes.Shape, err error) {
		want := tr.header()
		want.At, want.Elapsed = h.At, h.Elapsed
		if !reflect.DeepEqual(h, want) {
			err = fmt.Errorf("is of another training")
		} else if slices.ContainsFunc(stops, h.At.ends) {
			err = fmt.Errorf("is of epoch %d, when this training is over", h.At.Epochs)
		}
		p, s := shapes.Make(tr.net.dtype(), tr.net.params.Size()), shapes.Make(tr.net.dtype(), tr.net.statistics.Size())
		return []shapes.Shape{p, p, p, s, p, s}, err
	})
	if err != nil {
		return fmt.Errorf("tabnet: %w", err)
	}
	for i, t := range tr.saved() {
		*t = arrays[i]
	}
	tr.at, tr.earlier = h.At, h.Elapsed
	return nil
}

// dataDigest is one of what the training sees of its table.
func (tr *training) dataDigest() string {
	if tr.digest == "" {
		t, sum := tr.table, sha256.New()
		write(sum, []int64{int64(t.Train), int64(t.Val)})
		write(sum, t.Numbers)
		write(sum, t.Codes)
		write(sum, t.Targets)
		write(sum, t.Labels)
		tr.digest = fmt.Sprintf("%x", sum.Sum(nil))
	}
	return tr.digest
}

// write writes numbers in parts, of which binary.Write makes copies.
func write[T any](to io.Writer, numbers []T) {
	for part := range slices.Chunk(numbers, 1<<16) {
		binary.Write(to, binary.LittleEndian, part)
	}
}
