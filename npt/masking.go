package npt

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Masking, section 2.6 and appendix C.4 of the paper. The masking matrix M says which values the network is not given. In section 2.1
// these are the ones that it is to predict; here, as in the published code, gaps and targets that must stay hidden have an M of 1, too,
// and randomised entries, which are predicted, one of 0.

// A code says what the network gets to see of an entry and whether it is asked to predict it.
type code = uint8

const (
	visible    code = iota
	masked          // zero, and M is 1; predicted
	randomised      // a random value, and M is 0; predicted (appendix C.4.3)
	hidden          // zero, and M is 1; not predicted: missing entries (appendix C.4.1), and targets that may not be seen
	flagged         // its value, and M is 1; not predicted: random features of copies as the official code makes them
	padding         // of a row that pads a batch: no row attends to it

	featureCandidate // may be masked, as the mask of the pass has it
	targetCandidate
)

// candidateKinds are the codes of entries that masks are drawn for, each with a probability of its own.
var candidateKinds = [2]code{featureCandidate, targetCandidate}

// maskShares are these probabilities.
func (c *Config) maskShares() [2]float64 { return [2]float64{c.FeatureMask, c.TargetMask} }

// A mode is the purpose of a pass over the data.
type mode uint8

const (
	trainMode mode = iota
	valMode
	testMode
)

// part returns the rows whose targets a pass of this mode is asked for.
func (m mode) part(t *Table) (from, to int) {
	switch m {
	case trainMode:
		return 0, t.Train
	case valMode:
		return t.Train, t.Train + t.Val
	}
	return t.Train + t.Val, t.Rows()
}

// present returns how many rows take part in a pass. Training and validation passes see the features of later rows in the
// semi-supervised setting only.
func (m mode) present(t *Table, semiSupervised bool) int {
	if _, to := m.part(t); !semiSupervised {
		return to
	}
	return t.Rows()
}

// modeCodes returns the codes of all entries (rows x columns, row-major) as a pass of this mode begins, and how many
// candidates of each kind, which training passes alone have, are among them. Absent rows keep the code 0.
//
//	entry                training pass      validation pass   test pass
//	missing              hidden             hidden            hidden
//	feature              featureCandidate   visible           visible
//	p_target < 1:
//	  training target    targetCandidate    visible           visible
//	  validation target  hidden             masked            visible
//	  test target        hidden             hidden            masked
//	p_target = 1:
//	  training target    masked             hidden            hidden
//	  validation target  hidden             masked            hidden
//	  test target        hidden             hidden            masked
//
// So with p_target = 1 no target is ever visible as an input: rows learn of others by their features alone. Copies (see Table) are
// visible whole, their targets too, but for what is missing, which is flagged where the table says so.
func modeCodes(t *Table, c *Config, m mode) (codes []code, candidates [2]int) {
	d := len(t.Columns)
	codes = make([]code, t.stored()*d)
	from, to := m.part(t)
	for i := t.Rows(); i < t.stored(); i++ { // copies
		for j := range t.Columns {
			switch {
			case t.flagged(i, j):
				codes[i*d+j] = flagged
			case t.missing(i, j):
				codes[i*d+j] = hidden
			}
		}
	}
	for i := range m.present(t, c.SemiSupervised) {
		for j := range t.Columns {
			at, target := i*d+j, t.target(i, j)
			switch {
			case t.missing(i, j):
				codes[at] = hidden
			case !target && m == trainMode:
				codes[at] = featureCandidate
				candidates[0]++
			case !target || c.TargetMask < 1 && i < from:
				codes[at] = visible
			case i < from || i >= to:
				codes[at] = hidden
			case m == trainMode && c.TargetMask < 1:
				codes[at] = targetCandidate
				candidates[1]++
			default:
				codes[at] = masked
			}
		}
	}
	return codes, candidates
}

// drawMask draws the codes for one pass, on the host.
func drawMask(rng *rand.Rand, t *Table, c *Config, m mode) []code {
	codes, candidates := modeCodes(t, c, m)
	for kind, p := range c.maskShares() {
		maskSome(rng, codes, candidateKinds[kind], candidates[kind], p)
	}
	return codes
}

// maskSome masks or randomises a share p of the n entries that have the given code, and makes the others visible. Every
// choice of as many entries is equally likely.
func maskSome(rng *rand.Rand, codes []code, candidate code, n int, p float64) {
	left, random := numberMasked(rng, n, p)
	for i, c := range codes {
		if c != candidate {
			continue
		}
		codes[i] = visible
		if left > 0 && rng.IntN(n) < left { // of the n candidates from here on, left are to be taken
			codes[i] = masked
			if rng.IntN(left) < random {
				codes[i] = randomised
				random--
			}
			left--
		}
		n--
	}
}

// numberMasked draws how many of n candidates are masked or randomised, from the normal approximation of the binomial
// distribution. About one in ten of them is randomised (appendix C.4.3).
func numberMasked(rng *rand.Rand, n int, p float64) (drawn, random int) {
	drawn = int(p*float64(n) + math.Sqrt(float64(n)*p*(1-p))*rng.NormFloat64())
	drawn = min(max(drawn, 0), n)
	return drawn, randomisedOf(drawn)
}

// randomisedOf returns how many of the drawn entries get a random value instead of the mask: one in ten, and one more from three on.
func randomisedOf(drawn int) int {
	switch drawn {
	case 0, 2:
		return 0
	case 1:
		return 1
	}
	return drawn - int(0.9*float64(drawn)) + 1
}

// A maskDraw is what the host draws for the mask of a pass that the device draws.
type maskDraw struct {
	words   [2]uint32 // random
	numbers [4]int32  // of each kind of candidates, how many are drawn, and how many of these randomised
}

func newMaskDraw(rng *rand.Rand, c *Config, candidates [2]int) (m maskDraw) {
	m.words = [2]uint32{rng.Uint32(), rng.Uint32()}
	for kind, p := range c.maskShares() {
		drawn, random := numberMasked(rng, candidates[kind], p)
		m.numbers[2*kind], m.numbers[2*kind+1] = int32(drawn), int32(random)
	}
	return m
}

// masksGraph draws the codes for passes (passes x rows x columns) on the device, with the distribution of drawMask: every
// entry gets a random key, the candidates with the smallest keys are drawn, and the first of these randomised.
//
// Arguments: the codes of the mode (rows x columns), and words and numbers of the draws (passes x 2 and x 4).
func masksGraph(args []*graph.Node) []*graph.Node {
	modeCodes, words, numbers := args[0], args[1], args[2]
	g, passes, entries := modeCodes.Graph(), words.Shape().Dimensions[0], modeCodes.Shape().Size()
	column := func(x *graph.Node, i int) *graph.Node { return graph.SliceAxis(x, 1, graph.AxisRange(i, i+1)) }
	all := func(x *graph.Node) *graph.Node { return graph.BroadcastToDims(x, passes, entries) }
	constant := func(x any) *graph.Node { return all(graph.Reshape(graph.Const(g, x), 1, 1)) }

	// A hash of the entry's index, one to one: no two entries of a pass have the same key.
	keys := graph.Add(graph.Iota(g, shapes.Make(dtypes.Uint32, passes, entries), 1), all(column(words, 0)))
	keys = hash32(graph.BitwiseXor(hash32(keys), all(column(words, 1))))

	codes := all(graph.Reshape(modeCodes, 1, entries))
	for kind, candidate := range candidateKinds {
		candidates := graph.Equal(codes, constant(candidate))
		sorted := graph.Sort(graph.Where(candidates, keys, constant(uint32(math.MaxUint32))), 1, true)
		first := func(number *graph.Node) *graph.Node { // the candidates whose keys are that many smallest
			last := graph.MaxScalar(graph.AddScalar(number, -1), 0)
			pass := graph.Iota(g, number.Shape(), 0)
			key := graph.Gather(sorted, graph.Concatenate([]*graph.Node{pass, last}, 1))
			below := graph.LessOrEqual(keys, all(graph.Reshape(key, passes, 1)))
			return graph.LogicalAnd(below, all(graph.GreaterThan(number, graph.ZerosLike(number))))
		}
		drawn := graph.Where(first(column(numbers, 2*kind+1)), constant(randomised),
			graph.Where(first(column(numbers, 2*kind)), constant(masked), constant(visible)))
		codes = graph.Where(candidates, drawn, codes)
	}
	return []*graph.Node{graph.Reshape(codes, append([]int{passes}, modeCodes.Shape().Dimensions...)...)}
}
