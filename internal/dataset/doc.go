// Package dataset holds the tables of the paper: what is known of each, where its files are found or fetched, and how
// they become typed columns in memory.
//
// A data set is described in a file of its own (yacht.go, kick.go, ...) and listed in catalogue.go: its columns, the
// files it is made of, and every number that is known before a file is opened. A Library finds the files, fetches those
// that are missing if it may, and loads them. Loading either returns the published table (or a named subset of it) or one
// line that says what is wrong: row, column and class counts are always compared, and the values themselves by SHA-256
// wherever the right one is known.
//
// Nothing is encoded here. One-hot vectors, standardisation and the treatment of missing entries belong to package task.
package dataset
