// Package seed derives the seeds of everything random from what it is for, so that any part of a sweep can be computed
// alone, in any order, with the same result.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Derive returns a seed for the purpose that the parts describe, such as a parent seed, a data set and a fold. It is the
// beginning of a SHA-256 over the parts' printed forms: different parts give unrelated seeds.
func Derive(parts ...any) uint64 {
	h := sha256.New()
	for _, p := range parts {
		s := fmt.Sprint(p)
		binary.Write(h, binary.LittleEndian, uint64(len(s)))
		h.Write([]byte(s))
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// Rand returns a generator of its own for the purpose that the parts describe, seeded with [Derive].
func Rand(parts ...any) *rand.Rand { return rand.New(rand.NewPCG(Derive(parts...), 0)) }
