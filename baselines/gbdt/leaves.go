package gbdt

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/dmitryikh/leaves"
)

// leavesScores has leaves predict raw scores of rows by the first trees of a LightGBM text model.
func leavesScores(text []byte, x []float32, features, iterations int) (scores []float64, err error) {
	defer func() {
		if r := recover(); r != nil { // leaves does not check the lengths of a tree's lists
			err = fmt.Errorf("leaves: damaged model: %v", r)
		}
	}()
	e, err := leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(text)), false)
	if err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	rows := len(x) / features
	scores = make([]float64, rows*e.NRawOutputGroups())
	if err := e.PredictDense(widened(x), rows, features, scores, iterations, 1); err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	return scores, nil
}

func widened(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}
