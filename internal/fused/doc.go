// Package fused is a backend of GoMLX for processors, in Go and, for amd64, assembly. It computes what networks of package npt
// are made of, several times as fast as GoMLX's own backend in pure Go, and compiles in milliseconds what takes XLA seconds.
//
//   - Matrix products (gemm.go, dot.go) work on packed panels in registers, with AVX-512 or AVX2; of bfloat16 also with AMX.
//   - Chains of elementwise operations (cluster.go, tile.go) become one pass over memory: each is a list of vector instructions
//     that is interpreted for a thousand elements at a time, which stay in the first cache.
//   - Transposes, slices, broadcasts and most reshapes (view.go) cost nothing: who reads such an array reads the original. A reshape that
//     joins axes which do not lie one behind the other copies.
//   - Memory (plan.go) is laid out when a graph is compiled; arrays that are not needed at the same time share it.
//
// To read it, follow a graph. A builder collects its operations as values, with the methods of builder.go and elementwise.go. compile in
// plan.go makes a plan of them: resolve (view.go) turns reshapes and their like into views, clusters (cluster.go) groups elementwise
// operations into units, and add turns each unit into a step: a tileProgram (made in assemble.go, run in tile.go), product (dot.go),
// reduction (reduce.go), copying, gathering, scattering (copy.go) or drawing (random.go). Its Execute (execute.go) runs the steps, whose
// tasks a team of threads shares (parallel.go).
//
// All is there in Go for every processor (kernels.go). Faster kernels for one kind of processor are a file like kernels_amd64.go, which
// replaces what it has of kernels and of rows32, and an implementation in package f32 for matrix products; tests compare them with Go's.
//
// Results depend neither on the number of threads nor on whether there is AVX-512. Operations and types that no network of this
// project uses are not implemented, half precision among them; but NewBFloat16 multiplies in it, and there AMX sums in another order.
package fused
