// Package fused is a backend of GoMLX for processors, in Go and, for amd64, assembly. It computes what networks of package npt
// are made of, several times as fast as GoMLX's own backend in pure Go, and compiles in milliseconds what takes XLA seconds.
//
//   - Matrix products (gemm.go, dot.go) work on packed panels in registers, with AVX-512 or AVX2.
//   - Chains of elementwise operations (cluster.go, tile.go) become one pass over memory: each is a list of vector instructions
//     that is interpreted for a thousand elements at a time, which stay in the first cache.
//   - Reshapes, transposes, slices and broadcasts (view.go) cost nothing: who reads such an array reads the original.
//   - Memory (plan.go) is laid out when a graph is compiled; arrays that are not needed at the same time share it.
//
// Results depend neither on the number of threads nor on whether there is AVX-512. Operations and types that no network of this
// project uses are not implemented, half precision among them.
package fused
