//go:build !amd64 || purego

package f32

// All lists the implementations that this processor can run, the fastest first.
func All() []*Kernel { return []*Kernel{Portable} }
