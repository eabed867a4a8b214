package npt

import "github.com/gomlx/gomlx/core/graph"

// What a forward pass does not compute, or does not keep. Predictions, losses and gradients do not depend on it, but for rounding.

// lastBetween returns the index of the last layer in which rows attend to other rows, -1 if there is none.
func (c *Config) lastBetween() int {
	for l := c.Layers - 1; l >= 0; l-- {
		if c.between(l) {
			return l
		}
	}
	return -1
}

// needed keeps those rows of x for which the output of a layer has to be computed (-1: of the input embedding): all rows before the
// last layer in which rows attend to others, and from that one on those that are asked for. Of the others it takes keys and values
// alone. A step of lookup-quick, where half of the rows are copies, takes a quarter less time so.
func (f *forward) needed(layer int, x *graph.Node) *graph.Node {
	if layer != f.lastBetween() {
		return x
	}
	return f.wanted(x)
}

// wanted keeps the rows that are asked for.
func (f *forward) wanted(x *graph.Node) *graph.Node {
	if f.asked == nil {
		return x
	}
	return f.asked(x)
}

// scored picks the rows of a batch that may be scored, nil: all. Copies never are.
func (n *network) scored() func(*graph.Node) *graph.Node {
	if !n.copies {
		return nil
	}
	return func(x *graph.Node) *graph.Node {
		return graph.SliceAxis(x, 0, graph.AxisRange(0, x.Shape().Dimensions[0]/2))
	}
}

// forget marks the input of a layer, in a training with Recompute: what the layer makes of it is computed again for the gradient.
func (f *forward) forget(h *graph.Node) *graph.Node {
	if !f.recomputes() {
		return h
	}
	return h.Checkpoint()
}

// remember marks the output of the last layer: from there on everything is kept.
func (f *forward) remember(h *graph.Node) *graph.Node {
	if !f.recomputes() {
		return h
	}
	return h.StopCheckpoint()
}

func (f *forward) recomputes() bool { return f.Recompute && f.drop != nil }
