package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"nptbench/internal/picture"
	"nptbench/results"
)

// learningCurves are those of the chosen settings, of methods whose records have them, where the report is to show them.
func (s *Summary) learningCurves() (curves []picture.LearningCurve) {
	if !s.Curves {
		return nil
	}
	shown := map[results.ID]bool{}
	for _, g := range s.Groups {
		c, logs, folds, fresh := picture.LearningCurve{Dataset: g.Info.Title, Series: g.title()}, []float64(nil), 0.0, false
		for _, rec := range g.chosen() {
			steps, _ := rec.Details["steps"].(float64)
			points, _ := rec.Details["learning_curve"].([]any)
			of := make([]float64, len(points))
			for i, p := range points {
				loss, _ := p.(float64)
				of[i] = math.Log(loss)
			}
			if len(of) < 2 || steps <= 0 || !finiteAll(of) || folds > 0 && (len(of) != len(logs) || steps != c.Steps) {
				continue
			}
			if folds++; folds == 1 {
				c.Steps, logs = steps, make([]float64, len(of))
			}
			floats.Add(logs, of)
			fresh, shown[rec.ID] = fresh || !shown[rec.ID], true
		}
		if !fresh {
			continue // none, or all under the other protocol
		}
		if len(s.Plan.Protocols) > 1 {
			c.Folds = string(g.Protocol) + " folds"
		}
		for _, l := range logs {
			c.Losses = append(c.Losses, math.Exp(l/folds))
		}
		curves = append(curves, c)
	}
	return curves
}

func finiteAll(x []float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}
