// Package transpose holds the transposition of float32 in registers that the matrix products of the MLP and of networks begin with.
package transpose
