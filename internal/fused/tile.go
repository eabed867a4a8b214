package fused

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// tileSize is how many elements of an array are computed at a time: few enough that all arrays of a program stay in the first
// caches, enough that interpreting the program costs little.
const tileSize = 1024

// A tileProgram computes the members of a unit, tile by tile.
type tileProgram struct {
	size  int // elements of every array
	slots []slot
	code  []instruction

	registers int
	inputs    []int // slots that are arrays, to be set for every tile
	outputs   []int
}

// A slot is what an instruction works on.
type slot struct {
	kind     slotKind
	view     view   // of inputs, and of numbers that are spread
	of       *value // that an output stores
	register int    // where it is; of an array, the copy of its last tile
	size     int    // bytes of an element
	first    int    // instruction that writes it
	last     int    // instruction that reads it last
}

type slotKind uint8

const (
	temporary slotKind = iota // a register
	input                     // an array that was computed before, whose elements come one behind the other
	output                    // an array that is stored
	spread                    // a register full of a number in memory
)

// An instruction computes slot dst of others.
type instruction struct {
	kernel        kernel // nil: see load and iota
	dst           int
	in            [3]int // slots; those that are not needed are dst
	load          view   // spread this view over the tile
	dims, strides []int  // of it
	iota          *value // the places of elements along an axis
}

// registerSize is that of a register in bytes.
const registerSize = tileSize * 8

// elementSize is that of an element in a slot.
func elementSize(t dtypes.DType) int {
	if t == dtypes.Bool {
		return 4
	}
	return t.Size()
}

// scratchSize is what every thread needs to run the program.
func (p *tileProgram) scratchSize() int { return p.registers * registerSize }

func (p *tileProgram) run(r *run) {
	tiles := (p.size + tileSize - 1) / tileSize
	step := max(1, tiles/(tasksPerThread*r.team.size)) * tileSize
	r.team.run((p.size+step-1)/step, func(worker, task int) {
		if cap(r.slots[worker]) < len(p.slots) {
			r.slots[worker] = make([]unsafe.Pointer, len(p.slots))
		}
		ptrs := r.slots[worker][:len(p.slots)]
		p.prepare(r, ptrs, r.scratch[worker])
		for start := task * step; start < min(p.size, (task+1)*step); start += tileSize {
			p.tile(r, ptrs, r.scratch[worker], start, min(tileSize, p.size-start))
		}
	})
}

// prepare sets the slots that are the same for all tiles.
func (p *tileProgram) prepare(r *run, ptrs []unsafe.Pointer, scratch unsafe.Pointer) {
	for i := range p.slots {
		s := &p.slots[i]
		register := unsafe.Add(scratch, s.register*registerSize)
		switch s.kind {
		case temporary:
			ptrs[i] = register
		case spread:
			ptrs[i] = register
			repeat(register, r.at(s.view), min(tileSize, (p.size+laneCount-1)/laneCount*laneCount), s.size)
		}
	}
}

func (p *tileProgram) tile(r *run, ptrs []unsafe.Pointer, scratch unsafe.Pointer, start, n int) {
	lanes := (n + laneCount - 1) / laneCount * laneCount
	for _, i := range p.inputs {
		s := &p.slots[i]
		ptrs[i] = unsafe.Add(r.at(s.view), start*s.size)
		if lanes != n {
			spare := unsafe.Add(scratch, s.register*registerSize)
			copy(array[byte](spare, n*s.size), array[byte](ptrs[i], n*s.size))
			ptrs[i] = spare
		}
	}
	for _, i := range p.outputs {
		s := &p.slots[i]
		ptrs[i] = unsafe.Add(r.memory[s.of.id], start*s.size)
		if lanes != n {
			ptrs[i] = unsafe.Add(scratch, s.register*registerSize)
		}
	}
	for k := range p.code {
		i := &p.code[k]
		switch {
		case i.kernel != nil:
			i.kernel(ptrs[i.dst], ptrs[i.in[0]], ptrs[i.in[1]], ptrs[i.in[2]], lanes)
		case i.iota != nil:
			places(ptrs[i.dst], i.iota, start, n)
		default:
			spreadView(ptrs[i.dst], r.at(i.load), i.dims, i.strides, start, n, i.load.dtype.Size())
		}
	}
	if lanes != n {
		for _, i := range p.outputs {
			s := &p.slots[i]
			copy(array[byte](unsafe.Add(r.memory[s.of.id], start*s.size), n*s.size), array[byte](ptrs[i], n*s.size))
		}
	}
}
