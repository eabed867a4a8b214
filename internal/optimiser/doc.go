// Package optimiser moves weights along gradients, as operations of a graph: LAMB (lamb.go) inside Lookahead (lookahead.go).
package optimiser
