// Package gbdt holds the four gradient-boosting methods of the comparison: scikit-learn's, XGBoost, LightGBM and CatBoost.
//
// The official Python libraries fit the trees, in one long-lived process per concurrent fit (worker.go, trainer.py). A
// fitted ensemble comes back in the library's own form (scikit.go, xgboost.go, catboost.go) and is rewritten as LightGBM
// text, version 3 (ensemble.go), which LightGBM reads too. That text is loaded and evaluated in Go with
// github.com/dmitryikh/leaves (model.go, predict.go), and kept if wanted (saved.go). In every fit the predictions of
// leaves are compared with the library's own (compare.go); a fit in which they differ fails.
//
// One fit serves all tree counts: the first n trees of an ensemble are the ensemble that a fit of n trees gives.
package gbdt
