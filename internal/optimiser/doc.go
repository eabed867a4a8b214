// Package optimiser moves weights along gradients, as operations of a graph: Adam (adam.go), and LAMB (lamb.go) inside Lookahead
// (lookahead.go).
package optimiser
