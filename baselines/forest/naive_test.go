package forest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every node of trees on small tables is compared with a search by definition: all features, all boundaries, impurities
// from their formulas.

// impurity is the weight of the rows times their impurity.
func impurity(d *data, criterion string, rows []int, weights []float64) float64 {
	total := 0.0
	for _, r := range rows {
		total += weights[r]
	}
	switch criterion {
	case Gini, Entropy:
		counts := make([]float64, d.classes)
		for _, r := range rows {
			counts[d.labels[r]] += weights[r]
		}
		sum := 0.0
		for _, c := range counts {
			p := c / total
			switch {
			case criterion == Gini:
				sum += p * (1 - p)
			case p > 0:
				sum -= p * math.Log2(p)
			}
		}
		return total * sum
	}
	center := prediction(d, criterion, rows, weights)[0]
	sum := 0.0
	for _, r := range rows {
		dev := d.y[r] - center
		if criterion == MSE {
			sum += weights[r] * dev * dev
		} else {
			sum += weights[r] * math.Abs(dev)
		}
	}
	return sum
}

// prediction is what a leaf of the rows predicts.
func prediction(d *data, criterion string, rows []int, weights []float64) []float64 {
	switch criterion {
	case Gini, Entropy:
		p := make([]float64, d.classes)
		total := 0.0
		for _, r := range rows {
			p[d.labels[r]] += weights[r]
			total += weights[r]
		}
		for k := range p {
			p[k] /= total
		}
		return p
	case MSE:
		sum, total := 0.0, 0.0
		for _, r := range rows {
			sum += weights[r] * d.y[r]
			total += weights[r]
		}
		return []float64{sum / total}
	}
	var repeated []float64
	for _, r := range rows {
		for range int(weights[r]) {
			repeated = append(repeated, d.y[r])
		}
	}
	slices.Sort(repeated)
	n := len(repeated)
	return []float64{(repeated[(n-1)/2] + repeated[n/2]) / 2}
}

// boundaries returns the thresholds of a feature that scikit-learn would try.
func boundaries(d *data, feature int, rows []int) []float64 {
	var values []float32
	for _, r := range rows {
		values = append(values, d.x[r*d.width+feature])
	}
	slices.Sort(values)
	var out []float64
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1]+indistinct {
			out = append(out, float64(values[i-1])/2+float64(values[i])/2)
		}
	}
	return out
}

func divide(d *data, feature int, threshold float64, rows []int) (left, right []int) {
	for _, r := range rows {
		if float64(d.x[r*d.width+feature]) <= threshold {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

// checkTree walks down the tree and fails at the first node that the definition does not allow.
func checkTree(t *testing.T, d *data, o options, tr *tree, at int32, rows []int, weights []float64) {
	t.Helper()
	n := tr.nodes[at]
	best := math.Inf(1)
	of := map[int]float64{} // feature: its least impurity
	for f := range d.width {
		for _, b := range boundaries(d, f, rows) {
			left, right := divide(d, f, b, rows)
			sum := impurity(d, o.criterion, left, weights) + impurity(d, o.criterion, right, weights)
			if old, ok := of[f]; !ok || sum < old {
				of[f] = sum
			}
			best = min(best, sum)
		}
	}
	whole := impurity(d, o.criterion, rows, weights)
	tolerance := 1e-9 * (1 + math.Abs(whole))
	if n.feature < 0 {
		if len(of) > 0 && !(whole <= tolerance) {
			t.Fatalf("a leaf of impurity %v, though %d features could split it", whole, len(of))
		}
		want := prediction(d, o.criterion, rows, weights)
		got := tr.leaf(n, len(want))
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= 1e-9*(1+math.Abs(want[k]))) {
				t.Fatalf("leaf predicts %v, want %v", got, want)
			}
		}
		return
	}
	f := int(n.feature)
	left, right := divide(d, f, float64(n.threshold), rows)
	if len(left) == 0 || len(right) == 0 {
		t.Fatalf("feature %d, threshold %v leaves one side empty", f, n.threshold)
	}
	if !slices.ContainsFunc(boundaries(d, f, rows), func(b float64) bool {
		return math.Abs(b-float64(n.threshold)) <= float64(indistinct)+math.Abs(b)*0x1p-23
	}) {
		t.Fatalf("threshold %v is not halfway between two values: %v", n.threshold, boundaries(d, f, rows))
	}
	want := best
	if o.maxFeatures < d.width {
		want = of[f] // which features were drawn is not known here
	}
	got := impurity(d, o.criterion, left, weights) + impurity(d, o.criterion, right, weights)
	if got > want+tolerance {
		t.Fatalf("%d rows: feature %d at %v leaves an impurity of %v, the best is %v", len(rows), f, n.threshold, got, want)
	}
	checkTree(t, d, o, tr, n.child, left, weights)
	checkTree(t, d, o, tr, n.child+1, right, weights)
}

// awkward makes a table of ties, constants, duplicates, one-hot columns with their complements, two-valued columns that
// overlap, values closer than scikit-learn can tell, and huge ones.
func awkward(rng *rand.Rand, rows int, criterion string) data {
	d := data{width: 14, x: make([]float32, 0, 14*rows)}
	for range rows {
		category := rng.IntN(4)
		x := []float32{
			float32(rng.NormFloat64()),
			float32(rng.IntN(3)),
			float32(rng.IntN(300)) / 7,
			7, // constant
			0, 0, 0, 0,
			float32(rng.IntN(2)),
			-3 + 5*float32(rng.IntN(2)),
			1 + float32(rng.IntN(3))*5e-8, // one value to scikit-learn
			float32(rng.NormFloat64()) * 1e37,
			float32(math.Exp(20 * rng.NormFloat64())),
			float32(rng.IntN(2)) * 3e38,
		}
		if category < 3 {
			x[4+category] = 1
		}
		x[7] = 1 - x[4]
		d.x = append(d.x, x...)
	}
	for i := 2; i < rows; i += 5 { // duplicates, with other targets
		copy(d.x[i*d.width:(i+1)*d.width], d.x[(i-1)*d.width:i*d.width])
	}
	if criterion == Gini || criterion == Entropy {
		d.classes = 4
		d.labels = make([]uint16, rows)
		for i := range d.labels {
			d.labels[i] = uint16(rng.IntN(2) + 2*(i%2)*rng.IntN(2)) // class 3 may be missing
		}
		return d
	}
	d.y = make([]float64, rows)
	for i := range d.y {
		d.y[i] = math.Round(rng.NormFloat64()*4)/4 + float64(d.x[i*d.width+1])
		if i%3 == 0 {
			d.y[i] = rng.NormFloat64() + 1000
		}
	}
	return d
}

func TestTreesByDefinition(t *testing.T) {
	for _, criterion := range []string{Gini, Entropy, MSE, MAE} {
		for _, rows := range []int{1, 2, 3, 4, 5, 8, 13, 40, 150} {
			for _, features := range []int{14, 3, 1} {
				for _, all := range []bool{true, false} {
					name := fmt.Sprintf("%s/%d rows/%d features/all %v", criterion, rows, features, all)
					t.Run(name, func(t *testing.T) {
						d := awkward(rand.New(rand.NewPCG(uint64(rows), uint64(features))), rows, criterion)
						o := options{criterion: criterion, maxFeatures: features, allRows: all, seed: 1}
						checkTrees(t, d, o)
					})
				}
			}
		}
	}
}

// checkTrees checks every tree of a forest, with the sample that it was grown on.
func checkTrees(t *testing.T, d data, o options) {
	t.Helper()
	n, err := newBuilder(t.Context(), &d, o)
	if err != nil {
		t.Fatal(err)
	}
	g := n.newGrower()
	for i := range 3 {
		tr := g.grow(context.Background(), i)
		weights := make([]float64, n.rows)
		var rows []int
		for position, w := range g.weights {
			if row := int(n.order[position]); w > 0 {
				weights[row] = float64(w)
				rows = append(rows, row)
			}
		}
		checkTree(t, &d, o, &tr, 0, rows, weights)
	}
}
