package npt

import (
	"github.com/gomlx/compute"

	"nptbench/internal/backends"
)

// OpenBackend opens what networks compute on: one of the names in "Backends" in the package's doc, such as "fused" or "xla:cuda", or
// "fused,products=bfloat16", which multiplies numbers that are rounded to bfloat16, on processors that can; "" is the one that nil stands for.
// threads is how many cores it uses on a processor, 0 all of them (XLA has a number of its own). A backend is opened once and shared: do
// not finalize it. Where it is XLA on a processor, the C library of this whole process keeps what is freed from then on, in one arena
// (mallopt, on Linux), until ReturnMemory.
func OpenBackend(name string, threads int) (compute.Backend, error) {
	return backends.Open(name, threads)
}

// orDefault returns a backend, for nil the best one.
func orDefault(backend compute.Backend) (compute.Backend, error) {
	if backend != nil {
		return backend, nil
	}
	return OpenBackend("", 0)
}

// ReturnMemory gives back what backends keep for the next training or prediction like the last one, which may be gigabytes: the values
// between the layers of a network. Whatever is computed next takes that memory anew. Up to 12 compiled networks stay, as
// they do when trainers and models are closed.
func ReturnMemory() { backends.ReturnMemory() }
