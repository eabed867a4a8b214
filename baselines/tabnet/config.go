package tabnet

import "fmt"

// A config holds the settings of a network and of its training. defaults are the library's; the comments name its
// parameters where they differ.
type config struct {
	// Architecture.
	Decision    int     // n_d, width of what a step adds to the prediction
	Attention   int     // n_a, width of what it tells the next step's mask
	Steps       int     // n_steps, decision steps
	Gamma       float64 // 1: a feature can be used in one step only; more relaxes that
	Shared      int     // n_shared, layers of every feature transformer whose matrices all have in common
	Independent int     // n_independent, layers that each has for itself

	// Normalisation.
	VirtualBatch int     // rows that are normalised together, at most
	Momentum     float64 // weight of a virtual batch in the running statistics

	// Optimisation: Adam.
	Sparsity  float64 // lambda_sparse, weight of the entropy of the masks in the loss
	BatchSize int
	DropLast  bool    // leave the last rows of an epoch out where they make no whole batch
	LR        float64 // learning rate
	DecayStep int     // epochs after which the learning rate is multiplied by Decay (StepLR)
	Decay     float64 // 1 leaves it alone
	Clip      float64 // gradients are scaled to this norm where they are longer; 0 leaves them alone

	Seed   uint64 // of everything random
	Double bool   // compute in float64 instead of float32
}

// A stop says when a training ends.
type stop struct {
	MaxEpochs int
	Patience  int // epochs without a lower validation loss
}

// defaults are the settings of the library.
var defaults = config{
	Decision: 8, Attention: 8, Steps: 3, Gamma: 1.3, Shared: 2, Independent: 2,
	VirtualBatch: 128, Momentum: 0.02,
	Sparsity: 1e-3, BatchSize: 1024, LR: 0.02, DecayStep: 10, Decay: 1, Clip: 1,
}

// virtualBatches returns how a batch is cut, as PyTorch's chunk does it: so many virtual batches of size rows, and one of the
// rest of them.
func virtualBatches(batch, atMost int) (count, size, rest int) {
	want := (batch + atMost - 1) / atMost
	size = (batch + want - 1) / want
	return batch / size, size, batch % size
}

// checkBatches reports that the batches that a training part of so many rows makes cannot be normalised: a row that is alone in
// its virtual batch has no variance.
func (c *config) checkBatches(rows int) error {
	batches := []int{min(c.BatchSize, rows)}
	if rest := rows % batches[0]; rest > 0 && !c.DropLast {
		batches = append(batches, rest)
	}
	for _, batch := range batches {
		if batch == 1 {
			return fmt.Errorf("batch_size: %d leaves one of the %d training rows as a batch of its own, which has no variance; want another size, or drop_last", c.BatchSize, rows)
		}
		if _, size, rest := virtualBatches(batch, c.VirtualBatch); size == 1 || rest == 1 {
			return fmt.Errorf("virtual_batch_size: %d cuts a batch of %d of the %d training rows so that a row is alone, which has no variance; want another size",
				c.VirtualBatch, batch, rows)
		}
	}
	return nil
}
