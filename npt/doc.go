// Package npt implements Non-Parametric Transformers (Kossen, Band, Lyle, Gomez, Rainforth, Gal: "Self-Attention Between
// Datapoints", NeurIPS 2021) on GoMLX. An NPT sees a whole table at once, or a big batch of it: rows attend to rows and
// columns to columns, and entries that are hidden are predicted from all others.
//
// A Table holds encoded data. A Trainer trains on it by Config, keeps the weights with the lowest validation loss, and
// writes checkpoints. Its Model predicts new rows next to context rows, fills gaps, and shows attention weights. Method is
// the same for the comparison with other methods.
//
// A training that is killed goes on from its last checkpoint and ends with the bits that it would have ended with.
//
// To read the model, begin with network.go, the forward pass in the paper's equations, and loss.go, its objective; GoMLX
// derives the gradients. Around them: parameters.go lists the weights, masking.go and batching.go say what is masked and which
// rows form a batch, step.go is one training step as a graph, schedule.go the learning rate, train.go and passes.go the loop,
// program.go and engine.go how graphs are compiled and run. What other networks can share lies in packages of its own:
// internal/backends (what computes, by name), internal/weights, internal/optimiser, internal/batching, internal/checkpoint (files).
//
// Where the paper and the code that made its numbers differ, the code is followed; Config has switches for both forms.
//
// The computation runs on a backend of GoMLX: on a processor that of package internal/fused, which compiles a network in
// milliseconds; on a GPU XLA, which takes seconds for it, so trainings of the same shape share what it compiles. GPU.md says
// what is known of GPUs, PAPER.md what of the numbers of the paper.
package npt
