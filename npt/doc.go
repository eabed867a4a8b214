// Package npt implements Non-Parametric Transformers (Kossen, Band, Lyle, Gomez, Rainforth, Gal: "Self-Attention Between
// Datapoints", NeurIPS 2021) on GoMLX. An NPT sees a whole table at once, or a big batch of it: rows attend to rows and
// columns to columns, and entries that are hidden are predicted from all others.
//
// A Table holds encoded data. A Trainer trains on it by Config, keeps the weights with the lowest validation loss, and
// writes checkpoints. Its Model predicts new rows next to context rows, fills gaps, and shows attention weights. ReadCSV, Fit and
// Predictor go from a CSV file to predictions and filled gaps. Method is the same for the comparison with other methods.
//
// A training that is killed goes on from its last checkpoint and, on a processor of the same kind, ends with the bits that it would have
// ended with; on a GPU a new process may choose other kernels (GPU.md).
//
// # Reading the code
//
// To read the model, begin with network.go, the forward pass in the paper's equations, and loss.go, its objective; GoMLX
// derives the gradients. Around them: parameters.go lists the weights, masking.go and batching.go say what is masked and which
// rows form a batch, step.go is one training step as a graph, schedule.go the learning rate, train.go and passes.go the loop,
// program.go and engine.go how graphs are compiled and run, pruning.go what they do not compute. What other networks can share lies in
// packages of its own: internal/backends (what computes, by name), internal/weights, internal/optimiser,
// internal/checkpoint (files).
//
// Another kind of layer is a method of forward beside abd and aba and a case in predict (network.go), its weights in listParams
// (parameters.go), and where rows attend to other rows in it, between has to say so: padding and what is not computed depend on that.
//
// From Train to the loss, on the host:
//
//	Trainer.Train   evaluations, checkpoints, and in between runPasses: passes over the data (train.go, passes.go)
//	runPass         draws the mask and the batches of a pass, and plans a step for each batch
//	plan            collects steps until they are enough for a call of the device; takePlanned makes it and checks the losses
//	engine.take     makes the steps' arguments; advance runs the graph on them, and after every sixth step Lookahead's (engine.go)
//
// and in the graph that is run:
//
//	stepsGraph      a loop of oneStep over the steps of the call (program.go)
//	trainStep       randomises what batch has gathered and hidden, and after gradients descends by LAMB (step.go)
//	gradients       predict (network.go), loss (loss.go), and their derivative
//
// A call of a GPU has up to six steps, until Lookahead is next, because it does nothing while the host prepares a call. On a
// processor a call has one step: to copy weights and moments into the variables of a loop would take longer.
//
// # The paper and its code
//
// Where the paper's text and the code that made its numbers (OATML/Non-Parametric-Transformers) differ, the code is followed:
//
//   - Normalisation before attention: of queries, keys and values in equation 4, in the code of queries alone. Config.LayerNormKeys is
//     the paper's form.
//   - Scale of attention: √h, which in the code is the root of the layer's full width, h or e, not of a head's.
//   - Biases: none in the formulas; in the code every matrix has one.
//   - Type embedding: always in the paper; in the code not where all columns are of one type.
//   - First weights: the text does not say; in the code PyTorch's, for matrices and biases drawn from U(-1/√f, 1/√f) with f inputs, for
//     the embeddings of index and type from N(0, 1).
//   - Dropout: of e^s in the paper's appendix C.2.1, of the attention weights in C.1.1; in the code of the weights after the softmax, which
//     then do not sum to 1. Both have it after the input embedding, before the output embedding and after W^O; the code also on both layers
//     of rFF.
//   - Randomised entries: one in ten of those chosen; in the code one more, from three chosen on (randomisedOf). How many are chosen is
//     drawn from a normal distribution, not entry by entry (numberMasked).
//   - Masked features: among training entries; in the code of all rows that take part, with Config.SemiSupervised validation and test
//     rows too.
//   - Targets in sight of test rows: those of training rows; in the code those of validation rows too, and none where p_target is 1
//     (modeCodes).
//   - Loss of a number: the negative log-likelihood; in the code the squared error, without the ½ that a normal distribution has.
//   - Clipping of gradients at 1: the text does not say how. The code clamps every entry, not the norm (Config.Clip).
//   - LAMB without correction of the moments' bias, and with the norm of a tensor's weights capped at 10. The slow weights of Lookahead
//     are first set at its first synchronisation, which so changes nothing.
//   - Cosine-cyclic schedule: two cycles that end at 1e-7; in the code the second is twice as long as the first and half as high, and
//     training ends in its middle (Schedule).
//   - Flat-and-anneal schedule, where the last pass goes beyond the steps: the code's rate rises again; here it stays 0.
//   - Steps with p_target below 1: more by 1/p_target; in the code that is so on Breast Cancer and Boston Housing, while Concrete and Yacht
//     have as many as with 1 for 0.5, and twice as many for 0.1 (sweeps/table1-paper.yaml).
//   - Early stopping: the published commands take all steps, or on tables of one batch all but the last, which is taken here, and keep the
//     weights with the lowest validation loss. (The code also stops after as many passes as all rows would need for the steps. Where fewer
//     rows are in a pass, as without semi-supervision, that may be long before them; not here.)
//   - Standardisation: by which rows the text does not say; in the code features by all rows with Config.SemiSupervised, else, like targets
//     always, by training rows. Method follows it (with train_statistics features are by training rows alone); so does Fit, with the rows it has.
//   - Annealing of lambda from 1 to 0 over the training: in the code a step late (tradeoffAt).
//
// Two things that the code does are not done here: its data loader gives each batch four times in a row on Protein, Kick, Higgs and in the
// ablation on Boston Housing, and twice on Income (Config.Repeat can do that, but draws new values for the entries that are randomised),
// and a batch without a masked target has no finite loss (here it is 0). How its folds differ from the paper's is in RESULTS.md.
//
// # Backends
//
// The computation runs on a backend of GoMLX: on a processor that of package internal/fused, which compiles a network in
// milliseconds; on a GPU XLA, which takes seconds for it, so trainings of the same shape share what it compiles. GPU.md says
// what is known of GPUs, PAPER.md what of the numbers of the paper.
//
// On a GPU the table stays on the device, and so do the codes of the masks, which a graph of their own draws for many passes at a time
// (masksGraph). For each step the host says only which rows are its batch, its learning rate and the like. Batches are padded to a multiple
// of eight rows, to which nobody attends (rowUnitOn); padding draws random numbers, too, so that a GPU's differ from a processor's. Small
// parameters are packed into arrays (package internal/weights), because starting operations takes most of the time on small tables.
// A fit that runs out of memory goes on from its last checkpoint with Config.Recompute.
//
// A nil backend is what the environment variable GOMLX_BACKEND names, which a program may also set itself (os.Setenv) before it trains
// or loads a model:
//
//	fused      this project's, for processors; it needs nothing
//	go         GoMLX's own, in Go: several times slower, but with every operation
//	xla:cpu    XLA on the processor, where its plugin is installed (make xla)
//	xla:cuda   XLA on an NVIDIA GPU, where its plugin is installed (make xla-cuda)
//
// XLA is only in programs that were built with a C compiler (cgo). What it warns of comes back as an error, and is in the log of GoMLX
// (k8s.io/klog), on standard error where a program leaves it there.
// Without the variable that is xla:cuda where there are a GPU and the plugin, else fused. All names: go doc ./internal/backends Open.
package npt
