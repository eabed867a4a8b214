//go:build !amd64

package kernel

// All lists the implementations that this processor can run, the fastest first.
func All() []*Kernel { return []*Kernel{Portable} }
