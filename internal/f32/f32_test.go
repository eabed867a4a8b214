package f32

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(rng *rand.Rand, n int) []float32 {
	x := Alloc(n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// product is the definition of a matrix product, in float64.
func product(a Strided, b []float32, rows, n, k int) []float64 {
	c := make([]float64, rows*n)
	for i := range rows {
		for j := range n {
			for p := range k {
				c[i*n+j] += float64(a.Data[i*a.Row+p*a.Col]) * float64(b[p*n+j])
			}
		}
	}
	return c
}

func TestMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kn := range All() {
		for _, rows := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 25, 100} {
			for _, n := range []int{16, 32, 48, 64, 112} {
				for _, k := range []int{1, 2, 3, 5, 8, 33, 64} {
					for _, transposed := range []bool{false, true} {
						a := Strided{Data: random(rng, rows*Pad(k)), Row: Pad(k), Col: 1}
						if transposed {
							a = Strided{Data: random(rng, Pad(rows)*k), Row: 1, Col: Pad(rows)}
						}
						b := random(rng, k*n)
						c := random(rng, rows*n+16)
						guard := c[rows*n]
						kn.Mul(c, a, b, rows, n, k, n)
						for i, want := range product(a, b, rows, n, k) {
							if !(math.Abs(float64(c[i])-want) <= 1e-4) {
								t.Fatalf("%s %dx%d, k %d, transposed %v: element %d is %v, want %v", kn.Name, rows, n, k, transposed, i, c[i], want)
							}
						}
						if c[rows*n] != guard {
							t.Fatalf("%s %dx%d, k %d: wrote behind the end", kn.Name, rows, n, k)
						}
					}
				}
			}
		}
	}
}

// TestVectorsRoundAlike compares the implementations in assembly with each other, bit for bit.
func TestVectorsRoundAlike(t *testing.T) {
	all := All()
	if len(all) < 3 {
		t.Skip("this processor has fewer than two of them")
	}
	rng := rand.New(rand.NewPCG(8, 9))
	const rows, n, k = 25, 48, 70
	a, b := Strided{Data: random(rng, rows*Pad(k)), Row: Pad(k), Col: 1}, random(rng, k*n)
	decay, start := random(rng, rows*n), random(rng, rows*n)
	var products, weights [2][]float32
	for i := range 2 {
		g, w, m, v := Alloc(rows*n), Alloc(rows*n), Alloc(rows*n), Alloc(rows*n)
		copy(w, start)
		all[i].Mul(g, a, b, rows, n, k, n)
		for step := range 3 {
			s := NewStep(0.01, step+1, 32)
			all[i].Adam(w, m, v, g, decay, &s)
		}
		products[i], weights[i] = g, w
	}
	if !slices.Equal(products[0], products[1]) || !slices.Equal(weights[0], weights[1]) {
		t.Errorf("%s and %s differ", all[0].Name, all[1].Name)
	}
}

func TestMulRefusesSmallSlices(t *testing.T) {
	for _, kn := range All() {
		for _, f := range []func(){
			func() {
				kn.Mul(make([]float32, 15), Strided{Data: make([]float32, 1), Row: 1, Col: 1}, make([]float32, 16), 1, 16, 1, 16)
			},
			func() {
				kn.Mul(make([]float32, 16), Strided{Data: make([]float32, 1), Row: 1, Col: 1}, make([]float32, 15), 1, 16, 1, 16)
			},
			func() {
				kn.Mul(make([]float32, 16), Strided{Data: make([]float32, 1), Row: 1, Col: 1}, make([]float32, 32), 1, 16, 2, 16)
			},
			func() {
				kn.Mul(make([]float32, 16), Strided{Data: make([]float32, 1), Row: 1, Col: 1}, make([]float32, 16), 1, 15, 1, 16)
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: sizes that do not fit were accepted", kn.Name)
					}
				}()
				f()
			}()
		}
	}
}

func TestReLU(t *testing.T) {
	nan := float32(math.NaN())
	for _, kn := range All() {
		x := Alloc(32)
		copy(x, []float32{-1, 0, 2, float32(math.Inf(1)), float32(math.Inf(-1)), nan})
		kn.ReLU(x)
		if x[0] != 0 || x[1] != 0 || x[2] != 2 || !math.IsInf(float64(x[3]), 1) || x[4] != 0 || x[5] == x[5] {
			t.Errorf("%s: ReLU gives %v", kn.Name, x[:6])
		}
		d := Alloc(32)
		for i := range d {
			d[i] = float32(i + 1)
		}
		kn.ReLUGrad(d, x)
		if d[0] != 0 || d[1] != 0 || d[2] != 3 || d[3] != 4 || d[4] != 0 || d[5] != 6 || d[6] != 0 {
			t.Errorf("%s: ReLUGrad gives %v", kn.Name, d[:7])
		}
	}
}

// TestAdam compares with the formula in float64 over several steps, with gradients of very different sizes.
func TestAdam(t *testing.T) {
	for _, kn := range All() {
		rng := rand.New(rand.NewPCG(3, 4))
		const n = 48
		w, m, v, decay := random(rng, n), Alloc(n), Alloc(n), Alloc(n)
		w64, m64, v64 := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range w {
			w64[i] = float64(w[i])
			decay[i] = float32(i%3) / 10
		}
		for step := 1; step <= 50; step++ {
			g := random(rng, n)
			for i := range g {
				g[i] *= float32(math.Pow(10, float64(i%12-8)))
				if step > 5 && i%5 == 0 {
					g[i] = 0
				}
			}
			s := NewStep(0.01, step, 8)
			for i := range w {
				gi := (float64(g[i]) + float64(decay[i])*w64[i]) / 8
				m64[i] = 0.9*m64[i] + 0.1*gi
				v64[i] = 0.999*v64[i] + 0.001*gi*gi
				rate := 0.01 * math.Sqrt(1-math.Pow(0.999, float64(step))) / (1 - math.Pow(0.9, float64(step)))
				w64[i] -= rate * m64[i] / (math.Sqrt(v64[i]) + 1e-8)
			}
			kn.Adam(w, m, v, g, decay, &s)
		}
		for i := range w {
			if !(math.Abs(float64(w[i])-w64[i]) <= 1e-5) {
				t.Errorf("%s: parameter %d is %v after 50 steps, want %v", kn.Name, i, w[i], w64[i])
			}
		}
	}
}

func TestAdamShowsNaN(t *testing.T) {
	for _, kn := range All() {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			w, m, v, g, decay := Alloc(16), Alloc(16), Alloc(16), Alloc(16), Alloc(16)
			g[3] = float32(bad)
			s := NewStep(0.1, 1, 1)
			kn.Adam(w, m, v, g, decay, &s)
			if w[3] == w[3] {
				t.Errorf("%s: a gradient of %v gives the weight %v", kn.Name, bad, w[3])
			}
			if w[2] != 0 {
				t.Errorf("%s: a neighbour became %v", kn.Name, w[2])
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, kn := range All() {
		for _, rows := range []int{1, 4, 7, 8, 9, 32} {
			for _, cols := range []int{1, 4, 5, 16, 50} {
				src, dst := random(rng, Pad(rows)*Pad(cols)), Alloc(Pad(cols)*Pad(rows))
				kn.Transpose(dst, Pad(rows), src, Pad(cols), rows, cols)
				for i := range rows {
					for j := range cols {
						if dst[j*Pad(rows)+i] != src[i*Pad(cols)+j] {
							t.Fatalf("%s, %d x %d: element %d, %d is wrong", kn.Name, rows, cols, i, j)
						}
					}
				}
			}
		}
	}
}

func BenchmarkMul(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, kn := range All() {
		for _, size := range [][3]int{{500, 32, 501}, {500, 256, 501}, {8, 512, 32}, {25, 32, 26}, {25, 64, 26}, {250, 64, 251}} {
			rows, n, k := size[0], size[1], size[2]
			for _, transposed := range []bool{false, true} {
				a := Strided{Data: random(rng, Pad(rows)*Pad(k)), Row: Pad(k), Col: 1}
				if transposed {
					a.Row, a.Col = 1, Pad(rows)
				}
				x, c := random(rng, k*n), Alloc(rows*n)
				b.Run(fmt.Sprintf("%s/%dx%dx%d/%v", kn.Name, rows, n, k, transposed), func(b *testing.B) {
					for b.Loop() {
						kn.Mul(c, a, x, rows, n, k, n)
					}
					b.ReportMetric(2*float64(rows*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

func BenchmarkAdam(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, kn := range All() {
		for _, rows := range []int{25, 500} {
			const n = 512
			w, m, v, g, decay := random(rng, rows*n), Alloc(rows*n), Alloc(rows*n), random(rng, n), Alloc(n)
			b.Run(fmt.Sprintf("%s/%dx%d", kn.Name, rows, n), func(b *testing.B) {
				s := NewStep(0.001, 10, 32)
				for b.Loop() {
					for i := 0; i < rows*n; i += n {
						kn.Adam(w[i:i+n], m[i:], v[i:], g, decay, &s)
					}
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(rows*n)*1e9, "ns/parameter")
			})
		}
	}
}

func BenchmarkTranspose(b *testing.B) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, kn := range All() {
		const rows, cols = 500, 64
		src, dst := random(rng, Pad(rows)*cols), Alloc(cols*Pad(rows))
		b.Run(kn.Name, func(b *testing.B) {
			for b.Loop() {
				kn.Transpose(dst, Pad(rows), src, cols, rows, cols)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(rows*cols)*1e9, "ns/element")
		})
	}
}
