package npt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Config holds the settings of a network and of its training. DefaultConfig has the published ones, SmallConfig those of a small network;
// the comments name the symbols of the paper.
//
// Sweeps have the same names in small letters with underscores (batch_size is BatchSize), but for dim_hidden (Hidden), aba and abd (false for
// NoABA and NoABD), norm_keys (LayerNormKeys), p_feature and p_target (FeatureMask, TargetMask), tradeoff_annealing (Anneal) and
// train_statistics, which only Method has. Seed and Recompute are no parameters: Method sets them.
type Config struct {
	// Architecture.
	Hidden  int     // e, width of the embedding of one entry; a row has the width h = e times the number of columns
	Layers  int     // L, attention layers, half of them ABD and half of them ABA; even
	Heads   int     // k, divides Hidden
	Dropout float64 // share of activations set to zero in training, below 1
	NoABA   bool    // ablation: leave the ABA layers out, L/2 ABD layers remain
	NoABD   bool    // leave the ABD layers out: no row is told of another

	// SelfOnly lets a row of an ABD layer attend to itself alone: no row is told of another, as with NoABD, but these layers,
	// in which nearly all weights are, stay. Of their 13 h² weights the 2 h² of queries and keys have no effect, since the one
	// attention weight is 1, and dropout takes it away from a head as a whole.
	SelfOnly bool

	LayerNormKeys bool // normalises the input of keys and values, like that of the queries, as in equation 4

	// Masking.
	FeatureMask    float64 // p_feature, share of feature entries masked in a training pass
	TargetMask     float64 // p_target, share of training targets masked in a training pass; 1 masks all targets always
	SemiSupervised bool    // training passes also see the features of validation and test rows, validation passes those of test rows

	// Batches.
	BatchSize      int  // rows at most; 0 takes all rows at once. Memory grows with its square: each row attends to each
	ClassBalancing bool // batches match the label distribution of the training rows (one categorical target)
	Repeat         int  // each batch is used that many times in a row, at least 1

	// Optimisation: Lookahead over LAMB.
	Steps     int      // of the optimiser; the pass over the data in which their number is reached is finished, so there may be more
	LR        float64  // peak learning rate
	Schedule  Schedule // of the learning rate
	FlatShare float64  // share of the steps at LR before it is annealed; of no effect but under FlatAnneal, the default
	Warmup    float64  // share of the steps with a rising rate; of no effect but under CosineCyclic and Polynomial

	// Tradeoff is lambda, the weight of the feature loss at step 0; that of the targets is 1 - lambda. Of no effect, like Anneal, where
	// FeatureMask is 0. With 1 targets have no weight in the first two steps: a training that takes no more never learns them.
	Tradeoff float64

	Anneal      bool    // lambda falls to 0 along a cosine; otherwise it is constant
	Clip        float64 // gradients are clamped to [-Clip, Clip], entry by entry; 0 leaves them alone
	WeightDecay float64 // of LAMB, added to the step before its trust ratio; 0 in all published runs

	EvalEvery int       // passes over the data between two evaluations
	Precision Precision // of the computation
	Seed      uint64    // of everything random

	// Recompute keeps of each layer its input alone, and computes the layer again for its gradient (gradient
	// checkpointing): on a GPU a third of the memory beside the weights, for a third more arithmetic. XLA on the processor
	// recognises that and keeps everything. Results are the same but for rounding.
	Recompute bool
}

// A Precision is the type of number that the network computes with.
type Precision string

const (
	Float32  Precision = "float32"
	Float64  Precision = "float64"
	BFloat16 Precision = "bfloat16" // activations and gradients; weights, moments and losses stay in float32
)

// DefaultConfig returns NPT-Base (appendix C.1.1), the setting from which all published runs start, with the 2,000 steps of Breast
// Cancer and Boston Housing.
//
// What each data set changes is in sweeps/table1-paper.yaml, by the names that Method has for these fields. On the small ones (NPT-Small,
// appendix C.1.2): FlatShare 0.5, Hidden 128 (Breast Cancer 32, and LR 5e-4), 10,000 Steps on Concrete and Yacht, and eight variants of
// these. On the large ones Steps and BatchSize, mostly TargetMask, and EvalEvery 5 but on Higgs; further Hidden 128 on Protein,
// ClassBalancing on Poker Hand and Forest Cover, a Polynomial schedule with LR 5e-3 and Warmup 0.01 on Forest Cover, and no FeatureMask on
// Income.
func DefaultConfig() Config {
	return Config{
		Hidden: 64, Layers: 8, Heads: 8, Dropout: 0.1,
		FeatureMask: 0.15, TargetMask: 1, SemiSupervised: true,
		Repeat: 1,
		Steps:  2000, LR: 1e-3, Schedule: FlatAnneal, FlatShare: 0.7, Warmup: 0.2,
		Tradeoff: 1, Anneal: true, Clip: 1,
		EvalEvery: 1, Precision: Float32,
	}
}

// SmallConfig returns a small network for a processor and tables of some hundred rows: an ABD and an ABA layer of two heads, Hidden 8, no
// Dropout, 150 Steps at LR 0.05, EvalEvery 10; the rest is as in DefaultConfig. A fit takes seconds there, where that of DefaultConfig
// takes a quarter of an hour or more. It is not the paper's NPT-Small (see DefaultConfig), but the one setting of
// sweeps/npt-one-setting.yaml: the small NPT of sweeps/table1-quick.yaml at that of its two rates which had the lower geometric mean of
// validation losses in sweeps/npt-pilot.yaml. PAPER.md ("The small network") has its errors on the paper's small data sets.
func SmallConfig() Config {
	c := DefaultConfig()
	c.Hidden, c.Layers, c.Heads, c.Dropout = 8, 2, 2, 0
	c.Steps, c.LR, c.EvalEvery = 150, 0.05, 10
	return c
}

// mostLayers is how many there may be; the paper has at most 16. The time to plan a step grows faster than their number: 5 s for 100.
const mostLayers = 100

// mostHidden is how wide an entry may be, whatever memory there is.
const mostHidden = 1_000_000

// mostSteps is how many steps there may be, and how often a batch may be used in a row: more than any machine takes in years.
const mostSteps = 1_000_000_000

// check reports the first setting that is impossible, as one line that begins with the field's name.
func (c *Config) check() error {
	bad := func(field, format string, args ...any) error {
		return fmt.Errorf("npt: %s: %s", field, fmt.Sprintf(format, args...))
	}
	share := func(x float64) bool { return x >= 0 && x <= 1 }
	switch {
	case c.Hidden < 1 || c.Hidden > mostHidden:
		return bad("Hidden", "%d, want 1 to %d", c.Hidden, mostHidden)
	case c.Heads < 1 || c.Hidden%c.Heads != 0:
		return bad("Heads", "%d does not divide Hidden, which is %d", c.Heads, c.Hidden)
	case c.Layers < 2 || c.Layers%2 != 0 || c.Layers > mostLayers:
		return bad("Layers", "%d, want an even number from 2 to %d, half ABD and half ABA", c.Layers, mostLayers)
	case c.NoABA && c.NoABD:
		return bad("NoABD", "there are no layers without ABA and ABD, want one of them")
	case c.SelfOnly && c.NoABD:
		return bad("SelfOnly", "true, want false: there are no ABD layers in which rows could attend to themselves")
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return bad("Dropout", "%v, want a share of at least 0 and below 1", c.Dropout)
	case !share(c.FeatureMask):
		return bad("FeatureMask", "%v, want a share from 0 to 1", c.FeatureMask)
	case !share(c.TargetMask) || c.TargetMask == 0:
		return bad("TargetMask", "%v, want a share above 0 and up to 1", c.TargetMask)
	case c.BatchSize < 0:
		return bad("BatchSize", "%d, want rows, or 0 for all", c.BatchSize)
	case c.Repeat < 1 || c.Repeat > mostSteps:
		return bad("Repeat", "%d, want 1 to %d", c.Repeat, mostSteps)
	case c.Steps < 1 || c.Steps > mostSteps:
		return bad("Steps", "%d, want 1 to %d", c.Steps, mostSteps)
	case !(c.LR > 0 && finite(c.LR)):
		return bad("LR", "%v, want a positive rate", c.LR)
	case !slices.Contains(schedules, string(c.Schedule)):
		return bad("Schedule", "%q, want one of %s", c.Schedule, strings.Join(schedules, ", "))
	case !share(c.FlatShare):
		return bad("FlatShare", "%v, want a share from 0 to 1", c.FlatShare)
	case !share(c.Warmup):
		return bad("Warmup", "%v, want a share from 0 to 1", c.Warmup)
	case c.Schedule == CosineCyclic && c.warmupSteps() < 1:
		return bad("Warmup", "%v of %d steps is none, want at least one: the cycles of %s are multiples of it", c.Warmup, c.Steps, CosineCyclic)
	case (c.Schedule == CosineCyclic || c.Schedule == Polynomial) && c.LR < minimalRate:
		return bad("LR", "%v, want at least %v, the lowest rate of %s", c.LR, minimalRate, c.Schedule)
	case !share(c.Tradeoff):
		return bad("Tradeoff", "%v, want a weight from 0 to 1", c.Tradeoff)
	case c.Tradeoff == 1 && !c.Anneal && c.FeatureMask > 0:
		return bad("Tradeoff", "1 without Anneal: the loss of the targets has no weight in any step, want Anneal or a smaller one")
	case !(c.Clip >= 0 && finite(c.Clip)):
		return bad("Clip", "%v, want a positive bound, or 0 for none", c.Clip)
	case !(c.WeightDecay >= 0 && finite(c.WeightDecay)):
		return bad("WeightDecay", "%v, want 0 or more", c.WeightDecay)
	case c.EvalEvery < 1:
		return bad("EvalEvery", "%d, want at least 1", c.EvalEvery)
	case c.Precision != Float32 && c.Precision != Float64 && c.Precision != BFloat16:
		return bad("Precision", "%q, want %s, %s or %s", c.Precision, Float32, Float64, BFloat16)
	}
	return nil
}

// suits returns an error where a configuration cannot train on a table with copies, or on one in which rows differ in their target.
func (c *Config) suits(copies, rowTargets bool) error {
	switch {
	case copies && c.SemiSupervised:
		return errors.New("npt: SemiSupervised: true, want false: a pass has rows of its own part alone, with their copies")
	case copies && c.BatchSize == 1:
		return errors.New("npt: BatchSize: 1, want at least 2, or 0 for all: each row of the table comes with its copy")
	case rowTargets && c.FeatureMask > 0:
		return fmt.Errorf("npt: FeatureMask: %v, want 0: rows differ there in the column that is their target, and others are not masked", c.FeatureMask)
	}
	return nil
}
