// Package report turns records into the paper's tables, beside the paper's own numbers.
//
// Collect reads a stream of records once and keeps, for every fold, the setting with the best validation result. A
// Summary of that writes the tables as text for a terminal, as Markdown, as LaTeX and as tidy CSV files; all of them are
// made from one Document. Warnings are data that travel with a result and are printed as footnotes.
//
// Verdicts. A cell of a table is called reproduced when our mean, rounded to the digits that the paper prints, is the
// paper's number. When only a part of the published test rows is at hand, a difference of at most two standard errors
// of sampling those rows counts too, with a footnote that says so. Every other complete cell is graded by its difference
// in standard errors. Only the published protocol is judged: the paper's numbers were made by it.
package report
