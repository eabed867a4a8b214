// Package dataset holds the tables of the paper, and those of one's own: what is known of each, where its files are found or
// fetched, and how they become typed columns in memory. A Library (library.go) finds the files, fetches those that are missing if
// it may (fetch.go), and loads them (load.go).
//
// A built-in data set is described in a file of its own (concrete.go is a short one) and listed in catalogue.go: its columns, the
// files it is made of, and every number that is known before a file is opened. A data set of one's own is a CSV file with a
// Declaration in YAML beside it (own.go). Loading either returns the table that is described, or a named subset of it, or one
// line that says what is wrong: row, column and class counts are always compared, and the values themselves by SHA-256 wherever
// the right one is known.
//
// Nothing is encoded here. One-hot vectors, standardisation and the treatment of missing entries belong to package task.
package dataset
