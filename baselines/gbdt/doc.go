// Package gbdt holds the four gradient-boosting methods of the comparison: scikit-learn's, XGBoost, LightGBM and CatBoost.
//
// The official Python libraries fit the trees, in one long-lived process per concurrent fit (worker.go, trainer.py). A
// fitted ensemble comes back in the library's own form (scikit.go, xgboost.go, catboost.go) and becomes what LightGBM has:
// binary trees with the learning rate and the initial scores in their leaves (ensemble.go). That is evaluated here
// (predict.go), and kept if wanted as LightGBM text, version 3 (saved.go), which LightGBM reads too, and so does
// github.com/dmitryikh/leaves (leaves.go). In every fit our predictions are compared with the library's own (compare.go);
// a fit in which they differ fails. Tests hold them against those of leaves, bit by bit.
//
// One fit serves all tree counts: the first n trees of an ensemble are the ensemble that a fit of n trees gives.
//
// PAPER.md says which of the paper's digits come out, and why others do not.
//
// # Prediction
//
// For many rows the trees are compiled (compiled.go): those that ask few different questions become tables of their
// answers (table.go), the others arrays that four rows go through side by side (walk.go). Seconds for the 9,146 validation
// and test rows of Protein and 1,000 trees, on one thread of a server, by leaves, and by the library itself, of an array
// that is in its process already:
//
//	                   depth 3                 depth 5                 depth 10
//	                   here   leaves library   here   leaves library   here   leaves library
//	scikit-learn       0.022  0.362  0.119     0.124  0.510  0.177     0.286  1.454  0.387
//	XGBoost            0.027  0.363  0.071     0.124  0.544  0.154     0.212  0.829  0.394
//	LightGBM           0.026  0.386  0.389     0.108  0.540  0.623     0.264  0.901  1.084
//	CatBoost           0.010  0.473  0.013     0.014  0.706  0.015     0.027  2.046  0.049
//
// # Overhead
//
// What a fit of 1,000 trees on a small table takes from the request until all predictions are there and compared, besides
// the library's own fit; the mean of settings of the paper's grid, and the worst of them:
//
//	                Yacht                  Boston Housing         Concrete               Breast Cancer
//	scikit-learn    13 ms, 2.4 % (3.1 %)   20 ms, 1.6 % (2.2 %)   34 ms, 2.0 % (3.3 %)    8 ms, 0.3 % (0.5 %)
//	XGBoost          4 ms, 1.4 % (1.9 %)    9 ms, 2.0 % (2.5 %)   15 ms, 2.9 % (3.6 %)    5 ms, 0.9 % (1.6 %)
//	LightGBM         2 ms, 3.5 % (4.6 %)    3 ms, 2.1 % (3.4 %)    5 ms, 2.4 % (4.8 %)    3 ms, 0.9 % (1.7 %)
//	CatBoost         3 ms, 3.9 % (4.2 %)    4 ms, 1.3 % (1.3 %)    4 ms, 1.9 % (2.0 %)    5 ms, 0.4 % (0.4 %)
//
// LightGBM's models are read here while the library, at the end of its fit, reads them again itself, which takes nothing
// more where another core is idle. Starting a trainer takes a second, once.
//
// `make bench-boosting` measures all of this again.
package gbdt
