package forest

import "math/bits"

// A key is a code in its upper half and an index in its lower half; keys are ordered by their codes.
type key uint64

func makeKey(code uint32, index int) key { return key(code)<<32 | key(uint32(index)) }
func (k key) code() uint32               { return uint32(k >> 32) }
func (k key) index() uint32              { return uint32(k) }

const (
	insertionLimit = 24  // up to that many keys, insertion sort is fastest
	bucketLimit    = 400 // up to that many, one pass over buckets by the leading bits leaves little to do
)

// sortKeys orders keys by code and returns them, either in place or in buffer, which has the same length. low and high
// are the smallest and the largest code.
func sortKeys(keys, buffer []key, low, high uint32) []key {
	switch width := bits.Len32(high - low); {
	case width == 0:
		return keys
	case len(keys) <= insertionLimit:
		insertionSort(keys)
		return keys
	case len(keys) <= bucketLimit:
		// With as many buckets as keys, keys end close to their places.
		shift := max(0, width-bits.Len(uint(len(keys)-1)))
		countingPass(keys, buffer, low, shift, int((high-low)>>shift)+1)
		if shift > 0 {
			insertionSort(buffer)
		}
		return buffer
	default:
		for shift := 0; shift < width; shift += 8 {
			countingPass(keys, buffer, low, shift, 256)
			keys, buffer = buffer, keys
		}
		return keys
	}
}

func insertionSort(keys []key) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1]>>32 > k>>32; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// countingPass distributes keys into out, stably, by the low-order bits of (code-low)>>shift that number the buckets, a
// power of two or all that occur, at most 512.
func countingPass(keys, out []key, low uint32, shift, buckets int) {
	var count [512]uint32
	mask := uint32(511)
	if buckets == 256 {
		mask = 255
	}
	for _, k := range keys {
		count[(k.code()-low)>>shift&mask&511]++
	}
	sum := uint32(0)
	for i := range count[:buckets] {
		sum, count[i] = sum+count[i], sum
	}
	out = out[:len(keys)]
	for _, k := range keys {
		b := (k.code() - low) >> shift & mask & 511
		out[count[b]] = k
		count[b]++
	}
}
