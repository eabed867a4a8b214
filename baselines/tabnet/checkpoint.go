package tabnet

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/checkpoint"
)

// A checkpointHeader describes a checkpoint; the arrays that follow are the state's, then those of the best epoch.
type checkpointHeader struct {
	Config  config
	Backend string
	Columns columns
	Data    [2]string // digests of table and split
	At      position
	Elapsed time.Duration
}

func (tr *training) header() checkpointHeader {
	return checkpointHeader{tr.net.config, backends.Name(tr.backend), tr.net.columns, tr.table.digests, tr.at, tr.elapsed()}
}

// save writes a checkpoint. Everything random is derived from the seed and the number of the epoch.
func (tr *training) save(path string) error {
	var arrays []*tensors.Tensor
	for _, t := range tr.saved() {
		arrays = append(arrays, *t)
	}
	return checkpoint.Write(path, "tabnet", tr.header(), arrays)
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
