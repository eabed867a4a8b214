package fused

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

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
	s := c.read(x, dims, strides[0])
	c.known[key] = s
	return s
}

func (c *tileCompiler) read(x view, dims, strides []int) int {
	isBool := x.dtype == dtypes.Bool
	size := x.dtype.Size()
	constant := c.size > 1
	for _, s := range strides {
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
