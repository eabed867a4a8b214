// Package sweeps reads, checks and expands sweep files: declarations of which methods are run with which settings on
// which data sets. It also holds the sweeps that come with the project.
//
// A sweep file is one YAML document.
//
//	name: example                     # default: the file's name
//	description: what it is for
//	seed: 42                          # default 42; all randomness is derived from it; that of the boosting libraries
//	                                  # is it plus the number of the fold, as in the paper's code, which has 42
//	protocols: [published, corrected] # one or both; default [published], of data sets of one's own [corrected]; of both kinds: none
//	datasets: [yacht, breast-cancer]
//	folds: all                        # default; or a count (3: folds 0, 1, 2), or a list ([0, 4])
//	select: {regression: mse, classification: nll} # validation metric that chooses a configuration; the defaults
//	budget: {time: 10m, memory: 4GiB} # of one cell, looked at ten times a second; default: no limit. Time is
//	                                  # counted once its data are loaded, and anew from where a measurement begins.
//	                                  # With a budget of time loading may take an hour, or the budget if that is more
//	methods:
//	  - method: knn
//	    datasets: [yacht]             # default: all of the sweep
//	    params: {p: 2}                # the same in all settings
//	    grid: {n_neighbors: [2, 5], weights: [uniform, distance]}
//
// An entry of methods says which settings of a method are run, in up to four ways:
//
//   - params are the same in all settings,
//   - variants are settings with names: {base: {}, 16 layers: {layers: 16}},
//   - list has one setting a line: [{lr: 0.1, steps: 100}, {lr: 0.01, steps: 1000}],
//   - grid has every combination of its parameters' values.
//
// When several of them are there, every combination of a variant, a line of the list and a point of the grid is one
// setting; the grid's last parameter changes fastest. A parameter may be set in only one of the four; those set nowhere
// have the method's default. An entry with none of the four is the method with its defaults. A method may have several
// entries, for different data sets or with different parameters, but no two settings of a data set may come to the same.
// Of all its settings validation chooses in each fold; the flag -rows of experiments/table1 gives variants, or values of
// parameters, rows of their own.
//
// What is to be measured on the model of each setting, beyond its predictions, stands under measure, with the parameters of the
// measurement, or a list of several such. Every measurement is a cell of its own; package internal/measure has them all.
//
//   - {method: npt, measure: {corruption: {rows: 100}}}
//
// A program of one's own is a method, too: the first entry that names it has its command, and may have a title (package
// internal/command says what it is given, and what it is to write).
//
//   - {method: mine, title: My method, command: [python3, mine.py], grid: {depth: [2, 5]}}
//
// Anchors and aliases save repetition: a grid named with &trees is used again as *trees. So do merge keys:
// {<<: *base, layers: 16} is *base with other layers.
//
// What is wrong in a file is reported before anything runs, each mistake with its line and column, and together as far as it shows.
//
// Begin with sweep.go, what a file comes to. Package internal/document reads YAML into nodes, parse.go, folds.go and entry.go read those,
// and expand.go makes the settings.
package sweeps
