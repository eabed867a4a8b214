package forest

import "math/bits"

// A key is a code in its upper half and an index in its lower half; keys are ordered by their codes.
type key uint64

func makeKey(code uint32, index int) key { return key(code)<<32 | key(uint32(index)) }
func (k key) code() uint32               { return uint32(k >> 32) }
func (k key) index() uint32              { return uint32(k) }

// insertionLimit is up to how many keys insertion sort is fastest.
const insertionLimit = 24

// sortKeys orders keys by code and returns them, either in place or in buffer, which has the same length. low and high
// are the smallest and the largest code.
func sortKeys(keys, buffer []key, low, high uint32) []key {
	switch width := bits.Len32(high - low); {
	case width == 0:
		return keys
	case len(keys) <= insertionLimit:
		insertionSort(keys)
		return keys
	default:
		for shift := 0; shift < width; shift += 8 {
			countingPass(keys, buffer, low, shift)
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

// countingPass distributes keys into out, stably, by the low-order byte of (code-low)>>shift.
func countingPass(keys, out []key, low uint32, shift int) {
	var count [256]uint32
	for _, k := range keys {
		count[uint8((k.code()-low)>>shift)]++
	}
	sum := uint32(0)
	for i := range count {
		sum, count[i] = sum+count[i], sum
	}
	out = out[:len(keys)]
	for _, k := range keys {
		b := uint8((k.code() - low) >> shift)
		out[count[b]] = k
		count[b]++
	}
}
