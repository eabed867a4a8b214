// Package report turns records into the paper's tables, beside the paper's own numbers.
//
// Collect reads a stream of records once and keeps, for every fold of a Series, the record of the setting with the best
// validation result. A Number is what the folds come to: the mean of a metric with its error, the paper's number, and a
// Verdict. Layouts, which are data (tables.go), say how numbers become tables: which of them, in what rows and columns, and
// what of each is shown. Markdown, HTML, LaTeX, a terminal's text and figures are written from the same numbers, and CSV files
// have all of them. Warnings are data that travel with a number and are printed as footnotes.
//
// Begin with collect.go and layout.go; an experiment with tables of its own needs a Layout for each, and nothing else.
//
// # Verdicts
//
// A number is called reproduced when our mean, rounded to the digits that the paper prints, is the paper's; a mean
// over a part of the paper's test rows that is within two standard errors of such a sample has a verdict of its own. Every other
// complete number is given with its difference, and graded by what a rerun would change, where records have it under at least three
// seeds: not excluded by seeds, when the prediction interval of one more seed's mean has the paper's number (Student's, 95 %),
// and "differs" otherwise. Both sides of a comparison share their folds, so that standard errors over folds grade nothing.
// Only the published protocol is judged, by which the paper's numbers were made; no network that is smaller than the paper's, and nothing
// that was chosen among another number of settings.
//
// Every report says how often its verdicts would be wrong, by comparing our numbers with the paper's for other methods
// ("How to read this").
package report
