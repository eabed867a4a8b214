// Package gbdt has the four gradient-boosting methods of the comparison: scikit-learn's, XGBoost, LightGBM and CatBoost.
// Read run.go first: what one fit does, from a task to compared predictions.
//
// The official Python libraries fit the trees, in one long-lived process per concurrent fit (pool.go, worker.go,
// trainer.py). A fitted ensemble comes back in the library's own form (scikit.go, xgboost.go, catboost.go) and becomes what
// LightGBM has: binary trees with the learning rate and the initial scores in their leaves (model.go, tree.go). Go predicts
// by these. In every fit our predictions are compared with the library's own (compare.go); a fit in which they differ fails.
// A model can be kept (saved.go) as LightGBM text, version 3 (text.go), which LightGBM and github.com/dmitryikh/leaves read
// too; tests compare our predictions with those of leaves, bit by bit.
//
// One fit serves all tree counts: the first n trees of an ensemble are the ensemble that a fit of n trees gives.
//
// What a library refuses is an error here, too, in one line: its own trees are what is compared, and a prediction made without it would
// stand under its name. So CatBoost takes neither a table of constant features alone nor equal targets, where the other methods predict that value; and
// training rows of one class, which some of the libraries refuse, are refused for all four, before any is asked.
//
// Probabilities are those of the scores in double precision. XGBoost's own are in single: of two classes the first has exactly 0 from a
// score of 17.3 on, where here it has 3e-8.
//
// PAPER.md says which of the paper's digits come out, and why others do not.
//
// # Overhead
//
// `make bench-boosting` measures what a fit of 1,000 trees on a small table takes from the request until all predictions are
// there and compared, besides the library's own fit: 1 to 5 % of that, with LightGBM, which fits Yacht in a tenth of a
// second, 3 to 15 %. Starting a trainer takes a second, once.
package gbdt
