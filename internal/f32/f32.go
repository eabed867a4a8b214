// Package f32 has matrix products, transposition, ReLU and the Adam step for float32, for one thread; the elementwise kernels and sums of
// networks are in package fused. A Kernel (start there) is one of three implementations: AVX-512 and AVX2 (with FMA) in assembly for
// amd64, and plain Go for all other processors and the build tag purego. Products by AVX-512 and by AVX2 are the same to the
// bit; plain Go rounds otherwise.
//
// The MLP multiplies small matrices as they lie in memory (Mul); its rows are padded to a multiple of Lanes, so that no loop
// has a remainder. Networks of package internal/fused pack large ones into panels first (Panel).
package f32

import (
	"math"
	"unsafe"
)

// Lanes is the number of float32 in the widest vector register. Row strides and vector lengths are multiples of it.
const Lanes = 16

// Pad returns the smallest multiple of Lanes that is at least n.
func Pad(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// Alloc returns n zeros that start on a cache line, so that no vector of a padded row lies across two.
func Alloc(n int) []float32 {
	s := make([]float32, n+Lanes)
	skip := 0
	for uintptr(unsafe.Pointer(&s[skip]))%(4*Lanes) != 0 {
		skip++
	}
	return s[skip : skip+n : skip+n]
}

// A Kernel is one implementation.
type Kernel struct {
	Name string

	// mul computes C = A B. Sizes are checked by Mul.
	mul func(c []float32, a Strided, b []float32, rows, n, k, ld int)

	transpose func(dst []float32, ldDst int, src []float32, ldSrc, rows, cols int)
	ReLU      func(x []float32)      // sets x to max(x, 0); NaN stays. len(x) is a multiple of Lanes
	ReLUGrad  func(d, act []float32) // sets d to 0 where act, the output of the ReLU, is 0. len(act) = len(d) is a multiple of Lanes
	adam      func(w, m, v, g, decay []float32, s *Step)

	// For packed panels. Portable has none of them.
	Wide, Narrow Panel // for most products, and for those of at most 16 columns

	// Transpose8 transposes 8 rows and, 4 at a time, cols columns: column c of src becomes the 8 numbers at dst + c*ldDst.
	// Strides are in bytes.
	Transpose8 func(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)

	// Pairs multiplies in bfloat16, with sums in float32, packed panels whose rows, or columns of a, hold pairs of bfloat16, made of two
	// rows. PairRows makes them of k rows of width numbers, a multiple of 8, ldSrc bytes apart; dst may be src if the rows lie one behind
	// the other. PairTranspose8 makes them as Transpose8 would, 8 columns at a time: columns c and c+1 of src become the 8 pairs at
	// dst + c/2*ldDst. Prefetch asks for rows of so many cache lines, ld bytes apart, to be in the second cache soon. All are missing where
	// the processor does not multiply pairs of bfloat16.
	Pairs          Panel
	PairRows       func(dst, src unsafe.Pointer, ldSrc uintptr, k, width int)
	PairTranspose8 func(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
	Prefetch       func(at unsafe.Pointer, ld uintptr, rows, lines int)
}

// PanelRows is the Height of a Kernel's panels.
const PanelRows = 8

// A Panel multiplies A (Height x k) and B (k x Width) into C (Height x Width). A's rows are row numbers apart and its columns col, which is
// 1 and Height in a packed panel; b holds B row by row; rows of C are ldc numbers apart.
type Panel struct {
	Width, Height int
	Multiply      func(c, a, b unsafe.Pointer, row, col, k, ldc int, mode Mode)
}

// A Mode says how a product is combined with what C holds. Add and Continue differ in rounding: Add sums A B first, Continue starts each sum
// from C.
type Mode int

const (
	Set      Mode = iota // C = A B
	Add                  // C = C + A B; the matrix unit begins its sums with C, as Continue does
	Continue             // every sum of A B begins with what C holds; only for numbers, not for pairs and tiles
)

// A Strided is a matrix whose element (i, p) is Data[i*Row + p*Col], so that a transposed matrix needs no copy.
type Strided struct {
	Data     []float32
	Row, Col int
}

// Mul computes the product of a (rows x k) and b (k x n) into c (rows x n). n and ld, the row stride of b and c, are
// multiples of Lanes; nothing is empty. c shares no memory with a and b.
func (kn *Kernel) Mul(c []float32, a Strided, b []float32, rows, n, k, ld int) {
	if min(rows, n, k) < 1 || n%Lanes != 0 || ld%Lanes != 0 || ld < n ||
		len(c) < (rows-1)*ld+n || len(b) < (k-1)*ld+n || len(a.Data) <= (rows-1)*a.Row+(k-1)*a.Col {
		panic("f32: matrix sizes do not fit")
	}
	kn.mul(c, a, b, rows, n, k, ld)
}

// A Step holds the numbers that are the same for all parameters in one step of Adam.
type Step struct {
	Scale float32 // of the gradient: 1/rows of the batch
	Rate  float32 // the learning rate with both bias corrections in it

	// The constants below, where assembly can read them.
	beta1, rest1, beta2, rest2, epsilon, floor float32
	noSign                                     uint32 // all bits of a float32 but its sign
}

// NewStep returns the numbers of Adam's step t, which counts from 1, for a batch of the given number of rows.
func NewStep(rate float64, t, rows int) Step {
	corrected := rate * math.Sqrt(1-math.Pow(Beta2, float64(t))) / (1 - math.Pow(Beta1, float64(t)))
	return Step{Scale: 1 / float32(rows), Rate: float32(corrected),
		beta1: Beta1, rest1: 1 - Beta1, beta2: Beta2, rest2: 1 - Beta2, epsilon: Epsilon, floor: tiny, noSign: 1<<31 - 1}
}

// Adam's constants, scikit-learn's and the original paper's defaults.
const (
	Beta1   = 0.9
	Beta2   = 0.999
	Epsilon = 1e-8

	// Second moments are kept at or above tiny: its root vanishes beside Epsilon, so no step changes, and denormal
	// numbers, which cost a hundred times more, do not appear.
	tiny = 1e-32
)

// Adam makes one step for one row of parameters w with first and second moments m and v:
//
//	g = (g + decay*w) * Scale
//	m = Beta1*m + (1-Beta1)*g
//	v = Beta2*v + (1-Beta2)*g*g
//	w = w - Rate * m / (sqrt(v) + Epsilon)
//
// All slices have the same length, a multiple of Lanes.
func (kn *Kernel) Adam(w, m, v, g, decay []float32, s *Step) {
	n := len(w)
	kn.adam(w, m[:n], v[:n], g[:n], decay[:n], s)
}

// Transpose writes the rows x cols matrix src (row stride ldSrc) to dst (row stride ldDst) as cols x rows. It may round
// rows up to a multiple of 8 and cols to one of 4, for which both matrices need to have room.
func (kn *Kernel) Transpose(dst []float32, ldDst int, src []float32, ldSrc, rows, cols int) {
	up8, up4 := (rows+7)&^7, (cols+3)&^3
	if min(rows, cols) < 1 || ldSrc < up4 || ldDst < up8 || len(src) < (up8-1)*ldSrc+up4 || len(dst) < (up4-1)*ldDst+up8 {
		panic("f32: matrix sizes do not fit")
	}
	kn.transpose(dst, ldDst, src, ldSrc, rows, cols)
}
