// Package weights lists the parameters of a network, draws their first values, and packs small ones into common arrays; it has the constant
// arrays, too, that graphs need beside them. Begin with Param and NewSet.
package weights

import (
	"cmp"
	"math"
	"math/rand/v2"
)

// A Param is one array of weights.
type Param struct {
	Name string
	Dims []int
	Init Initialiser

	// FanIn is the number of inputs that an output depends on: one number, or one for each entry of the first axis.
	FanIn []int

	Std float64 // of Normal; 0 stands for 1

	// Group assigns the entries of the first axis to the tensors of the published model, where this array packs several
	// of them: LAMB scales the step of each one by itself. Nil: the array is one tensor.
	Group []int
}

// An Initialiser is the distribution that weights begin with.
type Initialiser uint8

const (
	Uniform Initialiser = iota // U(-1/√FanIn, 1/√FanIn)
	Normal                     // N(0, Std²)
	Ones
	Zeros
)

// A Set is the parameters of a network, and the arrays that store them.
type Set struct {
	Params []Param
	Arrays []Array
}

// NewSet packs parameters.
func NewSet(params []Param) Set { return Set{params, pack(params)} }

// NewFlat puts all parameters into one array, one after the other, for optimisers that treat every weight alike.
func NewFlat(params []Param) Set {
	s := Set{Params: params}
	s.Arrays = []Array{{Param: Param{Name: "all", Dims: []int{s.Size()}}, Members: Indices(len(params))}}
	return s
}

// Size returns the number of all weights, or math.MaxInt where they are more.
func (s *Set) Size() int {
	sum := 0
	for _, p := range s.Params {
		sum += min(p.Size(), math.MaxInt-sum)
	}
	return sum
}

// Initial draws the weights of every array, each by its Init.
func (s *Set) Initial(rng *rand.Rand) [][]float64 {
	var params [][]float64
	for _, p := range s.Params {
		params = append(params, p.initial(rng))
	}
	return s.PackedNumbers(params)
}

func (p *Param) initial(rng *rand.Rand) []float64 {
	w := make([]float64, p.Size())
	inner := len(w) / p.Dims[0]
	switch p.Init {
	case Uniform:
		limit := bound(p.FanIn[0])
		for i := range w {
			if len(p.FanIn) > 1 && i%inner == 0 {
				limit = bound(p.FanIn[i/inner])
			}
			w[i] = (2*rng.Float64() - 1) * limit
		}
	case Normal:
		for i := range w {
			w[i] = cmp.Or(p.Std, 1) * rng.NormFloat64()
		}
	case Ones:
		for i := range w {
			w[i] = 1
		}
	}
	return w
}

// Size returns the number of weights, or math.MaxInt where they are more.
func (p *Param) Size() int {
	size := 1
	for _, d := range p.Dims {
		if size > math.MaxInt/max(1, d) {
			return math.MaxInt
		}
		size *= d
	}
	return size
}

// bound is the limit of the uniform distribution that weights with that many inputs are drawn from.
func bound(fanIn int) float64 { return 1 / math.Sqrt(float64(fanIn)) }
