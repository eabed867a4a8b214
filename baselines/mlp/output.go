package mlp

import (
	"math"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// An output is what a network's last layer means: its loss, its score on held-out rows, its predictions. Matrices z are
// what the last layer computes, units x rows with row stride ld; rows are indices of training rows.
type output interface {
	units() int

	// derivative replaces z by the derivative of the summed loss (half the squared error, or cross-entropy).
	derivative(z []float32, ld int, rows []int32)

	// misses returns how wrong z is: the sum of squared errors, or the number of wrong classes.
	misses(z []float32, ld int, rows []int32) float64

	// score turns the misses of all held-out rows into the score that early stopping watches: R² or the accuracy.
	score(misses float64, held []int32) float64

	// predict writes the predictions of n rows, one number or one probability per class each.
	predict(to method.Prediction, z []float32, ld, n int)
}

// newOutput chooses the output for a task's training rows. Only classes that occur in them are learnt, as in
// scikit-learn: two make a logistic unit, more a softmax. One class alone needs no network: the output is nil.
func newOutput(t *task.Task) output {
	if !t.Info.Problem.Classification() {
		y := make([]float32, t.Train)
		for i := range y {
			y[i] = float32(t.Y[i])
		}
		return linear{y}
	}
	class, known := t.TrainClasses()
	c := classified{class: class, known: known, all: t.Outputs()}
	switch len(known) {
	case 1:
		return nil
	case 2:
		return logistic{c}
	}
	return softmax{c}
}

// linear is the output of regression.
type linear struct{ y []float32 }

func (linear) units() int { return 1 }

func (o linear) derivative(z []float32, _ int, rows []int32) {
	for i, r := range rows {
		z[i] -= o.y[r]
	}
}

func (o linear) misses(z []float32, _ int, rows []int32) (sum float64) {
	for i, r := range rows {
		e := float64(z[i]) - float64(o.y[r])
		sum += e * e
	}
	return sum
}

// score is R², with scikit-learn's convention for a target that does not vary: 1 when it is met exactly, else 0. R² of a
// single row is not defined, and minus the squared error takes its place.
func (o linear) score(misses float64, held []int32) float64 {
	if len(held) == 1 {
		return -misses
	}
	var mean, total float64
	for _, r := range held {
		mean += float64(o.y[r])
	}
	mean /= float64(len(held)) // of equal targets, exactly that target
	for _, r := range held {
		total += (float64(o.y[r]) - mean) * (float64(o.y[r]) - mean)
	}
	switch {
	case misses == 0:
		return 1
	case total == 0:
		return 0
	}
	return 1 - misses/total
}

func (linear) predict(to method.Prediction, z []float32, _, n int) {
	for i := range n {
		to[i] = float64(z[i])
	}
}

// classified is what both classifications share.
type classified struct {
	class []uint16 // of each training row: position in known
	known []int    // classes that occur in the training rows
	all   int      // number of the task's classes
}

func (classified) score(misses float64, held []int32) float64 { return 1 - misses/float64(len(held)) }

// logistic is one unit for the second of two classes.
type logistic struct{ classified }

func (logistic) units() int { return 1 }

// negligible is a probability whose share in a gradient vanishes beside Adam's epsilon, 1e-8. Smaller ones count as zero
// in derivatives, because further back they would become denormal numbers, which cost a hundred times more.
const negligible = 1e-20

func sigmoid(z float32) float32 { return float32(1 / (1 + math.Exp(-float64(z)))) }

func (o logistic) derivative(z []float32, _ int, rows []int32) {
	for i, r := range rows {
		p := sigmoid(z[i])
		if p < negligible {
			p = 0
		}
		z[i] = p - float32(o.class[r])
	}
}

func (o logistic) misses(z []float32, _ int, rows []int32) (wrong float64) {
	for i, r := range rows {
		if (z[i] > 0) != (o.class[r] == 1) {
			wrong++
		}
	}
	return wrong
}

// predict keeps the probabilities' float32 precision, scikit-learn's for float32 input: where that of the second class is within 3e-8 of 1 it
// is 1, and the first class's is 0; a small one of the second class keeps its digits.
func (o logistic) predict(to method.Prediction, z []float32, _, n int) {
	for i := range n {
		p := sigmoid(z[i])
		to[i*o.all+o.known[0]] = float64(1 - p)
		to[i*o.all+o.known[1]] = float64(p)
	}
}

// softmax is one unit per class that occurs.
type softmax struct{ classified }

func (o softmax) units() int { return len(o.known) }

// probabilities replaces row i of z, a column of the matrix, by its softmax.
func (o softmax) probabilities(z []float32, ld, i int) {
	top := z[i]
	for k := range o.known {
		top = max(top, z[k*ld+i])
	}
	var sum float64
	for k := range o.known {
		e := math.Exp(float64(z[k*ld+i] - top))
		z[k*ld+i] = float32(e)
		sum += e
	}
	for k := range o.known {
		z[k*ld+i] /= float32(sum)
	}
}

func (o softmax) derivative(z []float32, ld int, rows []int32) {
	for i, r := range rows {
		o.probabilities(z, ld, i)
		for k := range o.known {
			if z[k*ld+i] < negligible {
				z[k*ld+i] = 0
			}
		}
		z[int(o.class[r])*ld+i]--
	}
}

func (o softmax) misses(z []float32, ld int, rows []int32) (wrong float64) {
	for i, r := range rows {
		best := 0
		for k := range o.known {
			if z[k*ld+i] > z[best*ld+i] {
				best = k
			}
		}
		if best != int(o.class[r]) {
			wrong++
		}
	}
	return wrong
}

func (o softmax) predict(to method.Prediction, z []float32, ld, n int) {
	for i := range n {
		o.probabilities(z, ld, i)
		for k, c := range o.known {
			to[i*o.all+c] = float64(z[k*ld+i])
		}
	}
}
