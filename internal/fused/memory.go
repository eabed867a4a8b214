package fused

import "unsafe"

// A block is aligned memory.
type block struct {
	at   unsafe.Pointer
	size int
}

// newBlock returns memory that is zero.
func newBlock(size int) block {
	const align = 64
	raw := unsafe.Pointer(unsafe.SliceData(make([]byte, size+align)))
	return block{unsafe.Add(raw, -uintptr(raw)&(align-1)), size}
}
