package fused

import "unsafe"

// repeat fills dst with one number.
func repeat(dst, number unsafe.Pointer, n, size int) {
	switch size {
	case 1:
		fill(dst, *(*uint8)(number), n)
	case 4:
		fill32(dst, *(*uint32)(number), n)
	case 8:
		fill(dst, *(*uint64)(number), n)
	}
}

// spreadView copies elements start to start+n, in order, of an array with these dimensions and strides (collapsed).
func spreadView(dst, src unsafe.Pointer, dims, strides []int, start, n, size int) {
	switch size {
	case 1:
		spreadOf[uint8](dst, src, dims, strides, start, n)
	case 4:
		spreadOf[uint32](dst, src, dims, strides, start, n)
	case 8:
		spreadOf[uint64](dst, src, dims, strides, start, n)
	}
}

func spreadOf[T uint8 | uint32 | uint64](dst, src unsafe.Pointer, dims, strides []int, start, n int) {
	d := array[T](dst, n)
	var t T
	size := int(unsafe.Sizeof(t))
	last := len(dims) - 1
	if last < 0 {
		repeat(dst, src, n, size)
		return
	}
	var few [8]int
	index := few[:] // of the first element of the run
	if last >= len(few) {
		index = make([]int, last+1)
	}
	at, rest := 0, start
	for i := last; i >= 0; i-- {
		index[i] = rest % dims[i]
		at += index[i] * strides[i]
		rest /= dims[i]
	}
	for done := 0; done < n; {
		run := min(dims[last]-index[last], n-done)
		p := unsafe.Add(src, at*size)
		switch strides[last] {
		case 0:
			repeat(unsafe.Pointer(&d[done]), p, run, size)
		case 1:
			copy(d[done:done+run], array[T](p, run))
		default:
			for i := range d[done : done+run] {
				d[done+i] = *(*T)(unsafe.Add(p, i*strides[last]*size))
			}
		}
		done += run
		at -= index[last] * strides[last]
		index[last] = 0
		for i := last - 1; i >= 0; i-- {
			index[i]++
			at += strides[i]
			if index[i] < dims[i] {
				break
			}
			at -= dims[i] * strides[i]
			index[i] = 0
		}
	}
}

// places computes Iota, of int32 or uint32: places have the same bits as either.
func places(dst unsafe.Pointer, v *value, start, n int) {
	axis := v.attr.([]int)[0]
	dim, below := v.shape.Dimensions[axis], sizeOf(v.shape.Dimensions[axis+1:])
	d := array[uint32](dst, n)
	at, within := start/below%dim, start%below
	for i := range d {
		d[i] = uint32(at)
		if within++; within == below {
			within = 0
			if at++; at == dim {
				at = 0
			}
		}
	}
}
