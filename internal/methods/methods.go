// Package methods lists what can be compared. Adding a method takes a package that declares it and a line here.
package methods

import (
	"nptbench/baselines/dkl"
	"nptbench/baselines/forest"
	"nptbench/baselines/gbdt"
	"nptbench/baselines/golearn"
	"nptbench/baselines/knn"
	"nptbench/baselines/mlp"
	"nptbench/baselines/tabnet"
	"nptbench/internal/method"
	"nptbench/npt"
)

// All returns the methods in the order of the paper's tables, then those that the paper does not have.
func All() []*method.Method {
	return []*method.Method{
		forest.Method,
		gbdt.GradientBoosting,
		gbdt.XGBoost,
		gbdt.CatBoost,
		gbdt.LightGBM,
		mlp.Method,
		knn.Method,
		tabnet.Method,
		npt.Method(),
		dkl.Method,
		golearn.KNN,
		golearn.Forest,
	}
}
