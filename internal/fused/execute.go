package fused

import (
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// A run is a plan that is carried out.
type run struct {
	team    *team
	wide    *panelKernel[float32]
	memory  []unsafe.Pointer   // of stored values, by id
	shared  unsafe.Pointer     // scratch
	scratch []unsafe.Pointer   // of every thread
	slots   [][]unsafe.Pointer // of every thread, for tile programs
}

// at is where the first element of a view lies.
func (r *run) at(x view) unsafe.Pointer {
	return unsafe.Add(r.memory[x.base.id], x.offset*x.dtype.Size())
}

// Finalize implements compute.Executable.
func (p *plan) Finalize() {}

// Inputs implements compute.Executable.
func (p *plan) Inputs() (names []string, of []shapes.Shape) {
	for _, v := range p.parameters {
		names, of = append(names, v.name), append(of, v.shape)
	}
	return names, of
}

// Outputs implements compute.Executable.
func (p *plan) Outputs() []shapes.Shape { return p.shapes }

// Execute implements compute.Executable.
func (p *plan) Execute(inputs []compute.Buffer, donate []bool, _ compute.DeviceNum) ([]compute.Buffer, error) {
	if len(inputs) != len(p.parameters) {
		return nil, errors.Errorf("backend %s: %d arguments for %d parameters", p.backend.name, len(inputs), len(p.parameters))
	}
	donated := func(i int) bool { return i >= 0 && i < len(donate) && donate[i] }
	holds := map[unsafe.Pointer]int{} // how many arguments have that memory
	r := &run{team: p.backend.team, wide: p.backend.wide, memory: make([]unsafe.Pointer, p.values)}
	in := make([]*buffer, len(inputs))
	for i, v := range p.parameters {
		x, ok := inputs[i].(*buffer)
		switch {
		case !ok:
			return nil, errors.Errorf("backend %s: argument %d is of another backend", p.backend.name, i)
		case x.check() != nil:
			return nil, x.check()
		case !x.shape.Equal(v.shape):
			return nil, errors.Errorf("backend %s: argument %d has shape %s, not %s", p.backend.name, i, x.shape, v.shape)
		}
		in[i], r.memory[v.id] = x, x.memory.at
		holds[x.memory.at]++
	}
	for _, v := range p.constants {
		r.memory[v.id] = pointer(v.attr.([]byte))
	}
	const align = 64
	shared, each := (p.shared+align)/align*align, (p.scratch+align)/align*align
	memory, err := p.backend.takeArena(p.arena + shared + r.team.size*each)
	if err != nil {
		return nil, err
	}
	defer p.backend.giveArena(memory)
	for v, at := range p.places {
		r.memory[v.id] = unsafe.Add(memory.at, at)
	}
	r.shared = unsafe.Add(memory.at, p.arena)
	r.slots = make([][]unsafe.Pointer, r.team.size)
	for i := range r.team.size {
		r.scratch = append(r.scratch, unsafe.Add(memory.at, p.arena+shared+i*each))
	}
	out := make([]compute.Buffer, len(p.outputs))
	for k, v := range p.outputs {
		made := &buffer{backend: p.backend, shape: p.shapes[k]}
		if i := p.reuse[k]; donated(i) && holds[in[i].memory.at] == 1 {
			made.memory, in[i].memory = in[i].memory, block{}
		} else {
			made.memory = p.backend.takeBlock(int(v.shape.ByteSize()))
		}
		r.memory[v.id] = made.memory.at
		out[k] = made
	}
	for _, s := range p.steps {
		s.run(r)
	}
	for i, x := range in {
		if donated(i) {
			if err := x.Finalize(); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
