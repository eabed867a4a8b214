package fused

import (
	endian "encoding/binary"
	"math/rand/v2"
)

// A drawing computes RNGBitGenerator: the next state, which takes the first words, and random bits after it.
type drawing struct {
	out  *value
	from view
}

func (d *drawing) run(r *run) {
	state := array[uint64](r.at(d.from), stateWords)
	out := array[uint64](r.memory[d.out.id], d.out.shape.Size())
	pcg := rand.NewPCG(state[0], state[1])
	for i := range out[stateWords:] {
		out[stateWords+i] = pcg.Uint64()
	}
	next, _ := pcg.MarshalBinary() // "pcg:" and two words, which are read in the other byte order: published results depend on it
	out[0], out[1], out[2] = endian.LittleEndian.Uint64(next[4:]), endian.LittleEndian.Uint64(next[12:]), state[2]
}
