package mlp

import (
	"math"
	"math/rand/v2"
	"slices"

	"nptbench/internal/f32"
)

// block is the number of rows of a weight matrix whose gradient is computed, and used, at a time.
const block = 8

// A layer computes out units from in units. A unit's bias is the weight of a further input that is always 1.
type layer struct {
	in, out int
	ld      int       // row stride: in+1, padded
	w       []float32 // out x ld: in weights, the bias, zeros
	m, v    []float32 // Adam's first and second moments of w
	decay   []float32 // block x ld: the L2 factor of each parameter in a block of rows; biases have none
}

// A network is a multi-layer perceptron with ReLU between its layers.
type network struct {
	kernel *f32.Kernel
	layers []layer
	params []float32 // the w of all layers
	grad   []float32 // block rows of a gradient
	steps  int       // of Adam, so far
}

// newNetwork returns a network with the given numbers of units, inputs first. Weights and biases are uniform within
// sqrt(6 / (in + out)), as scikit-learn draws them for ReLU (Glorot and Bengio, 2010).
func newNetwork(units []int, alpha float64, rng *rand.Rand) *network {
	nw := &network{kernel: f32.All()[0]}
	total, widest := 0, 0
	for l, out := range units[1:] {
		ld := f32.Pad(units[l] + 1)
		nw.layers = append(nw.layers, layer{in: units[l], out: out, ld: ld})
		total += out * ld
		widest = max(widest, ld)
	}
	nw.params, nw.grad = f32.Alloc(total), f32.Alloc(block*widest)
	m, v, used := f32.Alloc(total), f32.Alloc(total), 0
	for i := range nw.layers {
		l := &nw.layers[i]
		end := used + l.out*l.ld
		l.w, l.m, l.v = nw.params[used:end], m[used:end], v[used:end]
		used = end
		l.decay = f32.Alloc(block * l.ld)
		for j := range l.decay {
			if j%l.ld < l.in {
				l.decay[j] = float32(alpha)
			}
		}
		bound := math.Sqrt(6 / float64(l.in+l.out))
		for o := range l.out {
			for j := range l.in + 1 {
				l.w[o*l.ld+j] = float32(bound * (2*rng.Float64() - 1))
			}
		}
	}
	return nw
}

// finite reports whether all parameters are numbers.
func (nw *network) finite() bool {
	return !slices.ContainsFunc(nw.params, func(w float32) bool { return w-w != 0 }) // as of NaN and infinities
}

// A pass holds the activations of one batch. Matrices are units x rows, because then the rows of a batch, whose number is
// usually a multiple of the vector length, lie next to each other, and every product but the weights' gradient reads
// weights and activations as they are.
type pass struct {
	nw   *network
	ld   int         // row stride of act: the largest number of rows, padded
	rows int         // of the current batch
	act  [][]float32 // inputs, then the output of every layer; below all but the last a row of ones
	flat [][]float32 // the same as rows x units with a column of ones, padded; only the inputs' when not training
	d    [][]float32 // training: derivative of the loss by what each hidden layer computes before its ReLU
}

func (nw *network) newPass(rows int, training bool) *pass {
	p := &pass{nw: nw, ld: f32.Pad(rows)}
	for i := range nw.layers {
		l := &nw.layers[i]
		act := f32.Alloc(l.ld * p.ld) // room for Transpose
		ones(act[l.in*p.ld:][:p.ld], 1)
		p.act = append(p.act, act)
		if i == 0 || training {
			flat := f32.Alloc(p.ld * l.ld)
			ones(flat[l.in:], l.ld)
			p.flat = append(p.flat, flat)
		}
		if i > 0 && training {
			p.d = append(p.d, f32.Alloc(l.in*p.ld))
		}
	}
	p.act = append(p.act, f32.Alloc(nw.layers[len(nw.layers)-1].out*p.ld))
	return p
}

func ones(x []float32, stride int) {
	for i := 0; i < len(x); i += stride {
		x[i] = 1
	}
}

// forward computes the network's outputs (before any sigmoid or softmax) for the given rows of x, which has width columns.
// It returns them as units x rows with row stride p.ld.
func (p *pass) forward(x []float32, width int, rows []int32) []float32 {
	p.rows = len(rows)
	layers := p.nw.layers
	flat, ld := p.flat[0], layers[0].ld
	for i, r := range rows {
		copy(flat[i*ld:], x[int(r)*width:(int(r)+1)*width])
	}
	p.nw.kernel.Transpose(p.act[0], p.ld, flat, ld, p.rows, width)
	for i := range layers {
		l, out := &layers[i], p.act[i+1]
		p.nw.kernel.Mul(out, f32.Strided{Data: l.w, Row: l.ld, Col: 1}, p.act[i], l.out, f32.Pad(p.rows), l.in+1, p.ld)
		if i < len(layers)-1 {
			p.nw.kernel.ReLU(out[:l.out*p.ld])
		}
	}
	return p.act[len(layers)]
}

// backward makes one step of Adam. d, units x rows like the outputs, is the derivative of the batch's summed loss by the
// outputs.
func (p *pass) backward(d []float32, rate float64) {
	nw := p.nw
	nw.steps++
	step := f32.NewStep(rate, nw.steps, p.rows)
	for i := len(nw.layers) - 1; i >= 0; i-- {
		l := &nw.layers[i]
		if i == 0 {
			p.update(l, d, p.flat[0], &step)
			return
		}
		nw.kernel.Transpose(p.flat[i], l.ld, p.act[i], p.ld, l.in, p.rows)
		below := p.d[i-1]
		nw.kernel.Mul(below, f32.Strided{Data: l.w, Row: 1, Col: l.ld}, d, l.in, f32.Pad(p.rows), l.out, p.ld)
		nw.kernel.ReLUGrad(below, p.act[i][:len(below)])
		p.update(l, d, p.flat[i], &step) // after the weights have been used above
		d = below
	}
}

// update computes the gradient of a layer's weights from d, the derivatives by its units, and its inputs, rows x ld. A
// block of rows at a time, so that the gradient stays in the nearest cache until Adam has used it.
func (p *pass) update(l *layer, d, inputs []float32, step *f32.Step) {
	nw := p.nw
	for done := 0; done < l.out; {
		first := max(0, min(done, l.out-block)) // the last block begins early, full blocks being the faster ones
		end := min(first+block, l.out)
		a := f32.Strided{Data: d[first*p.ld:], Row: p.ld, Col: 1}
		nw.kernel.Mul(nw.grad, a, inputs, end-first, l.ld, p.rows, l.ld)
		from, to := done*l.ld, end*l.ld
		nw.kernel.Adam(l.w[from:to], l.m[from:to], l.v[from:to], nw.grad[from-first*l.ld:], l.decay, step)
		done = end
	}
}
