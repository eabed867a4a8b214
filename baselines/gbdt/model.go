package gbdt

import (
	"math"
	"strings"
	"sync"
)

// A Model is a boosted ensemble that can predict. It is safe for concurrent use.
type Model struct {
	Features int    // columns that it was fitted on
	Outputs  int    // raw scores per row: the number of classes from three classes on, else 1
	Origin   Origin // where it comes from; zero for models that this package did not write

	columns  []string // names, as the text has them
	link     link
	trees    []tree // those of an iteration together
	compiled func() *compiled
}

// ParseModel reads a boosted ensemble in LightGBM's text format, version 2, 3 or 4. Averaged ensembles (random forests) and
// linear trees are refused. An error says what the text has and what would be right.
func ParseModel(text []byte) (*Model, error) {
	e, header, err := parseEnsemble(text)
	if err != nil {
		return nil, err
	}
	origin, err := parseOrigin(header[originKey], e.link.predictions(e.outputs))
	if err != nil {
		return nil, err
	}
	m := newModel(e, origin)
	m.columns = strings.Fields(header["feature_names"])
	return m, nil
}

func newModel(e *ensemble, origin Origin) *Model {
	return &Model{
		Features: e.features, Outputs: e.outputs, Origin: origin, link: e.link, trees: e.trees,
		compiled: sync.OnceValue(func() *compiled { return compile(e.trees, e.features, e.outputs) }),
	}
}

// Iterations is the number of boosting iterations, each of Outputs trees.
func (m *Model) Iterations() int { return len(m.trees) / m.Outputs }

// Predictions is the number of numbers that Predict gives for a row: 1 for regression, else the number of classes.
func (m *Model) Predictions() int { return m.link.predictions(m.Outputs) }

// largestLeaf is the largest of all leaf values without their signs.
func (m *Model) largestLeaf() float64 {
	largest := 0.0
	for i := range m.trees {
		for _, v := range m.trees[i].leaf {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}
