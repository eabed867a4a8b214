package npt

import (
	"math"
	"strings"
	"testing"
)

// Weights begin as the published code's do: those of a matrix, and its bias, uniformly within 1/√fan-in, which for the embedding of an
// attribute of width e_j is e_j + 1 (its values and the token of the mask), for a layer the width w of its tokens, and for the second
// matrix of rFF 4w; embeddings of attributes and types from a standard normal; norms with scale 1 and shift 0.
func TestInitialWeights(t *testing.T) {
	columns := []Column{{}, {Categories: 3}, {Categories: 2}, {Target: true}}
	c := smallConfig()
	c.Hidden, c.Layers = 16, 2
	n := newNetwork(c, columns)
	values := map[string][]float64{}
	for i, array := range n.Initial(newRand(5)) {
		size := len(array) / len(n.Arrays[i].Members)
		for at, m := range n.Arrays[i].Members {
			values[n.Params[m].Name] = array[at*size : (at+1)*size]
		}
	}
	if len(values) != len(n.Params) {
		t.Fatalf("%d parameters, want %d", len(values), len(n.Params))
	}
	embedded := []int{0, 1, 1, 1, 2, 2, 3, 0, 1, 2, 3} // the attribute of each row of in.weight: of channels, then of the mask
	for name, x := range values {
		fan, uniform := 0, true
		kind := name[strings.LastIndexByte(name, '.')+1:]
		width := 16 // of tokens
		if strings.HasPrefix(name, "layer0.") {
			width = 4 * 16
		}
		switch {
		case kind == "scale" || kind == "shift":
			for _, v := range x {
				if want := map[string]float64{"scale": 1, "shift": 0}[kind]; v != want {
					t.Fatalf("%s begins with %v", name, v)
				}
			}
			continue
		case strings.HasPrefix(name, "embedding."):
			uniform = false
		case strings.Contains(name, "ff2."):
			fan = 4 * width
		default:
			fan = width
		}
		squares := 0.0
		for i, v := range x {
			if strings.HasPrefix(name, "in.") {
				j := i / 16
				if kind == "weight" {
					j = embedded[j]
				}
				fan = []int{2, 4, 3, 2}[j]
			}
			if uniform {
				if v *= math.Sqrt(float64(fan)); !(math.Abs(v) <= 1) {
					t.Fatalf("%s: number %d is %v of 1/√%d", name, i, v, fan)
				}
			}
			squares += v * v / float64(len(x))
		}
		want, deviation := 1.0, math.Sqrt(2/float64(len(x))) // of a mean of squares
		if uniform {
			want, deviation = 1./3, math.Sqrt(4./45/float64(len(x)))
		}
		if !(math.Abs(squares-want) <= 4*deviation) {
			t.Errorf("%s: mean square %.3f of that of its distribution, want %.3f ± %.3f", name, squares, want, deviation)
		}
	}
}
