package f32

import "math"

// Portable is plain Go, for every processor. Training takes about twenty times as long as with AVX-512.
var Portable = &Kernel{Name: "portable", mul: mulPortable, transpose: transposePortable, ReLU: reluPortable,
	ReLUGrad: reluGradPortable, adam: adamPortable}

// mulPortable adds up four rows of B at a time, so that a row of C is read and written once for every eight operations.
func mulPortable(c []float32, a Strided, b []float32, rows, n, k, ld int) {
	for i := range rows {
		row := c[i*ld:][:n]
		clear(row)
		p := 0
		for ; p+4 <= k; p += 4 {
			at := i*a.Row + p*a.Col
			a0, a1, a2, a3 := a.Data[at], a.Data[at+a.Col], a.Data[at+2*a.Col], a.Data[at+3*a.Col]
			b0, b1, b2, b3 := b[p*ld:][:n], b[(p+1)*ld:][:n], b[(p+2)*ld:][:n], b[(p+3)*ld:][:n]
			for j := range row {
				row[j] += a0*b0[j] + a1*b1[j] + a2*b2[j] + a3*b3[j]
			}
		}
		for ; p < k; p++ {
			ap := a.Data[i*a.Row+p*a.Col]
			for j, x := range b[p*ld:][:n] {
				row[j] += ap * x
			}
		}
	}
}

func reluPortable(x []float32) {
	for i, v := range x {
		if v < 0 {
			x[i] = 0
		}
	}
}

func reluGradPortable(d, act []float32) {
	for i, v := range act {
		if v == 0 {
			d[i] = 0
		}
	}
}

func adamPortable(w, m, v, g, decay []float32, s *Step) {
	for i, wi := range w {
		gi := (g[i] + decay[i]*wi) * s.Scale
		mi := Beta1*m[i] + (1-Beta1)*gi
		if -tiny < mi && mi < tiny {
			mi = 0 // see tiny: a step of this size changes nothing either
		}
		vi := max(Beta2*v[i]+(1-Beta2)*gi*gi, tiny)
		m[i], v[i] = mi, vi
		w[i] = wi - s.Rate*mi/(float32(math.Sqrt(float64(vi)))+Epsilon)
	}
}

func transposePortable(dst []float32, ldDst int, src []float32, ldSrc, rows, cols int) {
	for i := range rows {
		for j, x := range src[i*ldSrc:][:cols] {
			dst[j*ldDst+i] = x
		}
	}
}
