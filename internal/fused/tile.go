package fused

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
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
	kernel  kernel // nil: see load and iota
	dst     int
	in      [3]int // slots; those that are not needed are dst
	load    view   // spread this view over the tile
	strides [][]int
	dims    []int
	iota    *value // the places of elements along an axis
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

// A tileCompiler makes the program of a unit.
type tileCompiler struct {
	*tileProgram
	member map[*value]int // slots
	known  map[string]int // slots of what is read
}

// newTileProgram compiles a unit of elementwise operations; stored tells which of its members others need.
func newTileProgram(u *unit, stored func(*value) bool) *tileProgram {
	c := &tileCompiler{&tileProgram{size: u.members[0].shape.Size()}, map[*value]int{}, map[string]int{}}
	for _, v := range u.members {
		c.compile(v, stored(v))
	}
	c.assign()
	return c.tileProgram
}

func (c *tileCompiler) newSlot(s slot) int {
	c.slots = append(c.slots, s)
	return len(c.slots) - 1
}

func (c *tileCompiler) emit(i instruction) { c.code = append(c.code, i) }

func (c *tileCompiler) compile(v *value, stored bool) {
	kind := temporary
	if stored && v.shape.DType != dtypes.Bool {
		kind = output
	}
	var in []int
	for k := range v.in {
		in = append(in, c.operand(v, k))
	}
	dst := c.newSlot(slot{kind: kind, of: v, size: elementSize(v.shape.DType)})
	c.member[v] = dst
	i := instruction{dst: dst, in: [3]int{dst, dst, dst}}
	switch v.op {
	case compute.OpTypeIota:
		i.iota = v
	case compute.OpTypeConvertDType:
		i.kernel = kernels.conversions[[2]dtypes.DType{v.in[0].shape.DType, v.shape.DType}]
	case compute.OpTypeWhere:
		i.kernel = kernels.of[opKey{v.op, v.shape.DType}]
		in = []int{in[1], in[2], in[0]}
	default:
		i.kernel = kernels.of[opKey{v.op, v.in[0].shape.DType}]
	}
	copy(i.in[:], in)
	c.emit(i)
	if stored && v.shape.DType == dtypes.Bool {
		out := c.newSlot(slot{kind: output, of: v, size: 1})
		c.emit(instruction{kernel: kernels.storeMask, dst: out, in: [3]int{dst, out, out}})
	}
}

// operand is the slot of an operand.
func (c *tileCompiler) operand(v *value, k int) int {
	x := v.source(k)
	if s, ok := c.member[x.base]; ok {
		return s
	}
	x = x.broadcast(v.shape.Dimensions)
	dims, strides := collapse(x.dims, x.strides)
	key := fmt.Sprint(x.base.id, x.offset, x.dtype, dims, strides)
	if s, ok := c.known[key]; ok {
		return s
	}
	s := c.read(x, dims, strides)
	c.known[key] = s
	return s
}

func (c *tileCompiler) read(x view, dims []int, strides [][]int) int {
	isBool := x.dtype == dtypes.Bool
	size := x.dtype.Size()
	constant := c.size > 1
	for _, s := range strides[0] {
		constant = constant && s == 0
	}
	if constant && !isBool {
		return c.newSlot(slot{kind: spread, view: x, size: size})
	}
	var s int
	if x.inOrder() {
		s = c.newSlot(slot{kind: input, view: x, size: size})
	} else {
		s = c.newSlot(slot{size: size})
		c.emit(instruction{dst: s, in: [3]int{s, s, s}, load: x, dims: dims, strides: strides})
	}
	if isBool {
		bytes := s
		s = c.newSlot(slot{size: 4})
		c.emit(instruction{kernel: kernels.loadMask, dst: s, in: [3]int{bytes, s, s}})
	}
	return s
}

// assign gives every slot that needs one a register. A temporary may take that of an operand that is not needed any more.
func (c *tileCompiler) assign() {
	for n, i := range c.code {
		c.slots[i.dst].first = n
		for _, s := range i.in {
			c.slots[s].last = max(c.slots[s].last, n)
		}
	}
	for i := range c.slots {
		s := &c.slots[i]
		if s.kind != temporary {
			s.register = c.registers
			c.registers++
		}
		switch s.kind {
		case input:
			c.inputs = append(c.inputs, i)
		case output:
			c.outputs = append(c.outputs, i)
		}
	}
	var free []int
	for n, i := range c.code {
		release := func() {
			for k, s := range i.in {
				if x := c.slots[s]; x.kind == temporary && x.last == n && s != i.dst && slices.Index(i.in[:], s) == k {
					free = append(free, x.register)
				}
			}
		}
		same := true // sizes: a wider result would overwrite operands that are still to be read
		for _, s := range i.in {
			same = same && c.slots[s].size == c.slots[i.dst].size
		}
		if same {
			release()
		}
		if d := &c.slots[i.dst]; d.kind == temporary {
			if len(free) > 0 {
				d.register, free = free[len(free)-1], free[:len(free)-1]
			} else {
				d.register = c.registers
				c.registers++
			}
		}
		if !same {
			release()
		}
	}
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
			spreadView(ptrs[i.dst], r.at(i.load), i.dims, i.strides[0], start, n, i.load.dtype.Size())
		}
	}
	if lanes != n {
		for _, i := range p.outputs {
			s := &p.slots[i]
			copy(array[byte](unsafe.Add(r.memory[s.of.id], start*s.size), n*s.size), array[byte](ptrs[i], n*s.size))
		}
	}
}

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
		fill(dst, *(*T)(src), n)
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
			if size == 4 {
				fill32(unsafe.Pointer(&d[done]), *(*uint32)(p), run)
				break
			}
			fill(unsafe.Pointer(&d[done]), *(*T)(p), run)
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

// places computes Iota.
func places(dst unsafe.Pointer, v *value, start, n int) {
	axis := v.attr.([]int)[0]
	dim, below := v.shape.Dimensions[axis], sizeOf(v.shape.Dimensions[axis+1:])
	if v.shape.DType == dtypes.Uint32 {
		placesOf[uint32](dst, dim, below, start, n)
		return
	}
	placesOf[int32](dst, dim, below, start, n)
}

func placesOf[T int32 | uint32](dst unsafe.Pointer, dim, below, start, n int) {
	d := array[T](dst, n)
	at, within := start/below%dim, start%below
	for i := range d {
		d[i] = T(at)
		if within++; within == below {
			within = 0
			if at++; at == dim {
				at = 0
			}
		}
	}
}
