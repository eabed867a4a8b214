package sweeps

import (
	"errors"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// catalogue has made-up methods and data sets, so that these tests know every name and bound.
func catalogue() Catalogue {
	return Catalogue{
		Methods: []*method.Method{
			{Name: "neighbours", Params: []method.Param{
				{Name: "k", Type: method.Int, Default: 5, Min: 1},
				{Name: "weights", Type: method.Choice, Default: "uniform", Choices: []string{"uniform", "distance"}},
			}},
			{Name: "trees", Params: []method.Param{
				{Name: "criterion", Type: method.Choice, Default: "gini", Choices: []string{"gini", "entropy"},
					RegressionDefault: "mse", RegressionChoices: []string{"mae", "mse"}},
				{Name: "count", Type: method.Int, Default: 100, Min: 1},
				{Name: "rate", Type: method.Float, Default: 0.1, Min: 0, Max: 1},
			}},
			{Name: "network", Params: []method.Param{
				{Name: "shape", Type: method.Ints, Default: []int{100}, Min: 1},
				{Name: "width", Type: method.Int, Default: 64, Min: 1},
				{Name: "heads", Type: method.Int, Default: 8, Min: 1},
				{Name: "balanced", Type: method.Bool, Default: false},
			}, Check: func(c method.Config, _ dataset.Info) error {
				if c.Int("width")%c.Int("heads") != 0 {
					return errors.New("heads: must divide width")
				}
				return nil
			}},
		},
		Datasets: []dataset.Info{
			{Name: "boat", Problem: dataset.Regression, Folds: 10, RunFolds: 10},
			{Name: "house", Problem: dataset.Regression, Folds: 10, RunFolds: 10},
			{Name: "cells", Problem: dataset.Binary, Classes: 2, Folds: 10, RunFolds: 10},
			{Name: "forest", Problem: dataset.MultiClass, Classes: 7, Folds: 5, RunFolds: 1},
			{Name: "hands", Problem: dataset.MultiClass, Classes: 10, Folds: 5, RunFolds: 1, TestAt: 25010},
		},
	}
}
