package gbdt

import (
	"errors"
	"fmt"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// A library is one of the four, with what differs between them.
type library struct {
	method        string // in sweeps, and in the trainer
	pkg           string // the Python package
	read          func(a *fitAnswer, features int, link link) (*Model, error)
	tolerance     tolerance
	bytes         float64 // for method.Method.EntryBytes
	deterministic bool
}

var (
	scikit   = library{"gradient-boosting", "scikit-learn", readScikit, otherOrder, 9, false}
	xgboost  = library{"xgboost", "xgboost", readXGBoost, float32Sum, 20, true}
	lightgbm = library{"lightgbm", "lightgbm", readLightGBM, exact, 9, false}
	catboost = library{"catboost", "catboost", readCatBoost, otherOrder, 16, false}
)

// The four methods. Parameters of the libraries that are not listed keep the library's defaults.
var (
	// GradientBoosting is scikit-learn's GradientBoostingClassifier and -Regressor.
	GradientBoosting = newMethod(scikit,
		"Gradient Boosting", "scikit-learn's gradient-boosted trees, with exact splits", 0.1,
		method.Param{Default: 3, Min: 1, Doc: "largest depth of a tree"})

	// XGBoost is XGBClassifier and XGBRegressor. Of the four it alone draws nothing: it takes all rows and features for every tree, and
	// all rows for the quantiles of large tables, where LightGBM samples 200,000.
	XGBoost = newMethod(xgboost,
		"XGBoost", "XGBoost's gradient-boosted trees", 0.3,
		method.Param{Default: 6, Min: 1, Doc: "largest depth of a tree"})

	// LightGBM is LGBMClassifier and LGBMRegressor.
	LightGBM = newMethod(lightgbm,
		"LightGBM", "LightGBM's gradient-boosted trees, grown leaf by leaf to at most 31 leaves of at least 20 rows", 0.1,
		method.Param{Default: -1, Min: -1, Doc: "largest depth of a tree; -1 sets no limit"})

	// CatBoost is CatBoostClassifier and CatBoostRegressor.
	CatBoost = newMethod(catboost,
		"CatBoost", "CatBoost's gradient-boosted oblivious trees; categories come one-hot, as in the paper", 0.03,
		method.Param{Default: 6, Min: 1, Max: maxCatBoostDepth, Doc: "depth of the trees"})
)

func newMethod(lib library, title, doc string, rate float64, depth method.Param) *method.Method {
	depth.Name, depth.Type = "max_depth", method.Int
	return &method.Method{
		Name: lib.method, Title: title, Doc: doc,
		Params: []method.Param{
			{Name: "learning_rate", Type: method.Float, Default: rate, Min: 1e-6, Max: 1,
				Doc: "factor on the contribution of every tree"},
			depth,
			{Name: "n_estimators", Type: method.Int, Default: 100, Min: 1, Max: 100_000,
				Doc: "boosting iterations, each of one tree, or of one per class from three classes on; all numbers of a sweep are cut from one fit"},
		},
		Check: func(c method.Config, _ dataset.Info) error {
			if c.Int("max_depth") == 0 {
				return errors.New("max_depth: 0 is not allowed, want at least 1, or -1 for no limit")
			}
			return nil
		},
		FitKey: func(c method.Config, _ dataset.Problem) string {
			return fmt.Sprintf("learning_rate=%v max_depth=%d", c.Float("learning_rate"), c.Int("max_depth"))
		},
		Deterministic: lib.deterministic,
		EntryBytes:    lib.bytes,
		Run:           lib.run,
		Available:     func() error { return checkPackage(lib.pkg) },
	}
}

func readLightGBM(a *fitAnswer, _ int, _ link) (*Model, error) {
	m, err := parseModel(a.bytes("model"))
	if err != nil {
		return nil, err
	}
	m.source = a.bytes("model")
	return m, nil
}
