package npt

import (
	"math"
	"math/rand/v2"
)

// A code says what the network gets to see of an entry and whether it is asked to predict it.
type code uint8

const (
	visible    code = iota
	masked          // zero with mask token 1; predicted
	randomised      // a random value with mask token 0; predicted
	hidden          // zero with mask token 1; not predicted: missing entries, and targets that may not be seen
	filler          // of a row that only fills a batch up: nobody attends to it

	featureCandidate // while a mask is drawn: may be masked
	targetCandidate
)

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

// drawMask draws the codes of all entries (rows x columns, row-major) for one pass. Absent rows keep the code 0.
//
// Features of all rows present are masked in training passes with probability p_feature. Targets: with p_target = 1 all of
// them are masked in every pass. Otherwise training passes mask p_target of the training targets, validation passes show
// all training targets, testing passes show training and validation targets.
func drawMask(rng *rand.Rand, t *Table, c *Config, m mode) []code {
	d := len(t.Columns)
	codes := make([]code, t.Rows()*d)
	features, targets := 0, 0 // candidates
	from, to := m.part(t)
	for i := range m.present(t, c.SemiSupervised) {
		for j, column := range t.Columns {
			at := i*d + j
			switch {
			case t.missing(i, j):
				codes[at] = hidden
			case !column.Target && m == trainMode:
				codes[at] = featureCandidate
				features++
			case !column.Target || c.TargetMask < 1 && i < from:
				codes[at] = visible
			case i < from || i >= to:
				codes[at] = hidden
			case m == trainMode && c.TargetMask < 1:
				codes[at] = targetCandidate
				targets++
			default:
				codes[at] = masked
			}
		}
	}
	maskSome(rng, codes, featureCandidate, features, c.FeatureMask)
	maskSome(rng, codes, targetCandidate, targets, c.TargetMask)
	return codes
}

// maskSome masks or randomises a share p of the n entries that have the given code, and makes the others visible. How many
// is drawn from the normal approximation of the binomial distribution; one in ten of them (and one more, from three on) is
// randomised. Every choice of that many entries is equally likely.
func maskSome(rng *rand.Rand, codes []code, candidate code, n int, p float64) {
	left := int(p*float64(n) + math.Sqrt(float64(n)*p*(1-p))*rng.NormFloat64())
	left = min(max(left, 0), n)
	random := randomisedOf(left)
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

// randomisedOf returns how many of the drawn entries get a random value instead of the mask, as in the published code.
func randomisedOf(drawn int) int {
	switch drawn {
	case 0, 2:
		return 0
	case 1:
		return 1
	}
	return drawn - int(0.9*float64(drawn)) + 1
}
