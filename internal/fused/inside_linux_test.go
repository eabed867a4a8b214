package fused

import (
	"os"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A product that reads a matrix where it lies reads nothing behind it: there is memory that nobody may read.
func TestMultiplyOnceStaysInside(t *testing.T) {
	page := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	if err := unix.Mprotect(memory[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	const m, n, k = 13, 7, 37
	x := array[float32](unsafe.Pointer(&memory[page-m*k*4]), m*k)
	copy(x, slices.Repeat([]float32{1}, m*k))
	y, c, scratch := slices.Repeat([]float32{1}, k*n), make([]float32, m*n), make([]float32, panelSize)
	for _, p := range []panelKernel[float32]{gemm32, narrow32} {
		for _, a := range []matrix[float32]{{pointer(x), k, 1}, {pointer(x), 1, m}} {
			p.multiplyOnce(matrix[float32]{pointer(c), n, 1}, a, matrix[float32]{pointer(y), n, 1}, n, k, span{0, m}, scratch)
			if want := slices.Repeat([]float32{k}, m*n); !slices.Equal(c, want) {
				t.Fatalf("%v, not all %d", c, k)
			}
		}
	}
}
