package transpose

import "unsafe"

// Eight transposes 8 rows and, 4 at a time, cols columns: column c becomes the 8 numbers at dst + c*ldDst. Strides are in bytes. It needs
// a processor with AVX.
//
//go:noescape
func Eight(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
