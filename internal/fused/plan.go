package fused

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// A step computes values of a plan.
type step interface{ run(r *run) }

// A plan is a compiled graph: what is computed in which order, and where it lies in memory.
type plan struct {
	backend    *Backend
	values     int // how many ids there are
	parameters []*value
	outputs    []*value       // every one with memory of its own
	shapes     []shapes.Shape // of the outputs, which may be reshaped values
	steps      []step

	constants []*value
	places    map[*value]int // of results that lie in the arena
	arena     int            // bytes
	shared    int            // bytes of scratch for all threads
	scratch   int            // bytes of scratch for every thread

	reuse []int // for every output: the parameter whose memory it may take, or -1
}

func compile(f *function) (*plan, error) {
	if f.outputs == nil {
		return nil, errors.Errorf("backend %s: a graph without results", Name)
	}
	var need func(v *value)
	need = func(v *value) {
		if !v.useful {
			v.useful = true
			for _, x := range v.in {
				need(x)
			}
		}
	}
	for _, v := range f.outputs {
		need(v)
	}
	order := resolve(f)
	p := &plan{backend: f.builder.backend, parameters: f.parameters, places: map[*value]int{}}
	isOutput := map[*value]bool{}
	for _, v := range f.outputs {
		x := v.view
		own := x.base.op != compute.OpTypeParameter && x.base.op != compute.OpTypeConstant && x.base.op != compute.OpTypeRNGBitGenerator
		if !own || isOutput[x.base] || !x.isWhole() || x.dtype != x.base.shape.DType {
			c := copyOf(f, x)
			order = append(order, c)
			x = c.view
		}
		isOutput[x.base] = true
		p.outputs, p.shapes = append(p.outputs, x.base), append(p.shapes, v.shape)
	}
	p.values = len(f.values)

	units := clusters(order)
	turn := map[*value]int{} // of the unit of a value
	for i, u := range units {
		for _, v := range u.members {
			turn[v] = i
		}
	}
	last := map[*value]int{} // unit that reads a value last
	stored := map[*value]bool{}
	for i, u := range units {
		for _, v := range u.members {
			for k := range v.in {
				base := v.source(k).base
				last[base] = max(last[base], i)
				stored[base] = stored[base] || turn[base] != i
			}
			stored[v] = stored[v] || isOutput[v] || !v.isElementwise()
		}
	}
	memory := new(arena)
	p.reuse = slices.Repeat([]int{-1}, len(p.outputs))
	for i, u := range units {
		p.add(u, func(v *value) bool { return stored[v] }, func(v *value) bool { return last[v] <= i })
		for _, v := range u.members {
			if stored[v] && !isOutput[v] && v.op != compute.OpTypeParameter && v.op != compute.OpTypeConstant {
				p.places[v] = memory.take(int(v.shape.ByteSize()), i, last[v])
			}
		}
	}
	p.arena = memory.size
	return p, nil
}

// add appends the step for a unit. ends tells whether no later unit reads a value.
func (p *plan) add(u *unit, stored, ends func(*value) bool) {
	v := u.members[0]
	switch v.op {
	case compute.OpTypeParameter:
		return
	case compute.OpTypeConstant:
		p.constants = append(p.constants, v)
		return
	case compute.OpTypeDotGeneral:
		d := newProduct(v)
		shared, each := d.scratchSize(p.backend.wide)
		p.shared, p.scratch = max(p.shared, shared), max(p.scratch, each)
		p.steps = append(p.steps, d)
	case compute.OpTypeReduceSum, compute.OpTypeReduceMax:
		d := v.reduction()
		p.shared = max(p.shared, d.scratchSize())
		p.steps = append(p.steps, &d)
	case compute.OpTypeConcatenate, opCopy:
		for _, c := range newCopies(v) {
			p.steps = append(p.steps, c)
		}
	case compute.OpTypeGather:
		p.steps = append(p.steps, &gathering{v, v.in[0].view, v.in[1].view})
	case compute.OpTypeScatterSum:
		p.steps = append(p.steps, &scattering{v, v.in[0].view, v.in[1].view, v.in[2].view})
	case compute.OpTypeRNGBitGenerator:
		p.steps = append(p.steps, &drawing{v, v.in[0].view})
	default:
		t := newTileProgram(u, stored)
		p.scratch = max(p.scratch, t.scratchSize())
		p.steps = append(p.steps, t)
		p.findReuse(t, ends)
	}
}

// findReuse finds outputs of the plan that a tile program may write where it reads a parameter: nobody reads that later.
func (p *plan) findReuse(t *tileProgram, ends func(*value) bool) {
	for _, o := range t.outputs {
		out := t.slots[o]
		k := slices.Index(p.outputs, out.of)
		if k < 0 {
			continue
		}
		for i, parameter := range p.parameters {
			if slices.Contains(p.reuse, i) || !ends(parameter) || parameter.shape.ByteSize() != out.of.shape.ByteSize() {
				continue
			}
			reads, fits := 0, false
			for _, s := range t.slots {
				if (s.kind == input || s.kind == spread) && s.view.base == parameter {
					reads++
					fits = s.kind == input && s.view.isWhole() && s.last <= out.first
				}
			}
			for _, c := range t.code {
				if c.kernel == nil && c.iota == nil && c.load.base == parameter {
					fits = false
				}
			}
			if reads == 1 && fits {
				p.reuse[k] = i
				break
			}
		}
	}
}

// An arena lays out arrays in memory so that those that are needed at the same time do not overlap.
type arena struct {
	size int
	used []extent // by offset
}

type extent struct{ from, to, until int }

// take finds the first free place for an array that is written at one time and read last at another.
func (a *arena) take(size, now, until int) int {
	const align = 64
	size = (size + align - 1) / align * align
	a.used = slices.DeleteFunc(a.used, func(e extent) bool { return e.until < now })
	at, i := 0, 0
	for ; i < len(a.used) && a.used[i].from < at+size; i++ {
		at = max(at, a.used[i].to)
	}
	a.used = slices.Insert(a.used, i, extent{at, at + size, max(until, now)})
	a.size = max(a.size, at+size)
	return at
}
