package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"nptbench/internal/metric"
	"nptbench/internal/stats"
	"nptbench/results"
)

// A Number is one number of the tables: a metric of one data set, protocol and series over its folds.
type Number struct {
	*Group
	Metric metric.Metric

	N    int     // complete folds with this metric, which Mean is over
	Mean float64 // valid when N > 0

	// StdErr is the standard error of the mean over folds, sd(ddof 1)/sqrt(N), and StdErr0 the same with ddof 0, which
	// the paper's baselines use; StdErr of a change has Nadeau and Bengio's correction. Both are NaN when N < 2: a single split has no
	// spread between folds. What is measured on the models of a single split has its error over rows as StdErr.
	StdErr, StdErr0 float64

	// RowStdErr is the standard error of the metric over the test rows of a single split; NaN with several folds, or
	// when the record does not have it.
	RowStdErr float64

	// Seeds are the means by seed, that of the sweep first: over all folds, or over the same ones where the metric is not defined on the test
	// rows of the others. nil: some are missing.
	Seeds []float64

	Paper    results.PaperNumber
	HasPaper bool

	Verdict Verdict
	Z       float64 // difference in RowStdErr, of one fold; NaN of several, and where ours prints as the paper's

	// SpreadReproduced: the paper's printed spread equals StdErr of NPT, StdErr0 of the others, at its printed digits.
	SpreadReproduced bool

	Notes []string // footnotes, each one sentence or more

	undefined []int // the folds on whose test rows there is no such metric
	finer     int   // so many decimals more than the metric has are shown; see scale
}

// Difference is ours minus the paper's; valid when both are there.
func (n *Number) Difference() float64 { return n.Mean - n.Paper.Mean }

// HasDifference reports whether there are two numbers to compare.
func (n *Number) HasDifference() bool { return n.HasPaper && n.Complete() }

// StdDev is the standard deviation over folds, as Table 12 prints it; NaN for fewer than two folds.
func (n *Number) StdDev() float64 {
	if n.N < 2 {
		return math.NaN()
	}
	return n.StdErr0 * float64(n.N) / math.Sqrt(float64(n.N-1))
}

// correction is Nadeau and Bengio's factor for a standard error over folds that share training rows.
func (n *Number) correction() float64 { return math.Sqrt(1 + float64(n.N)*n.testRatio()) }

// Complete reports whether the mean is over the folds that the paper's is over, and all of them; on a data set of one's own, over those of
// the sweep.
func (n *Number) Complete() bool { return n.N > 0 && n.N == n.paperFolds() && n.onPaperFolds() }

// completeWhereDefined is Complete, but that the metric may be undefined on the test rows of some of these folds.
func (n *Number) completeWhereDefined() bool {
	return n.N > 0 && n.N+len(n.undefined) == n.paperFolds() && n.onPaperFolds()
}

func (g *Group) number(m metric.Metric) *Number {
	nan := math.NaN()
	n := &Number{Group: g, Metric: m, StdErr: nan, StdErr0: nan, RowStdErr: nan, Z: nan}
	n.Paper, n.HasPaper = results.Paper(g.Info.Name, g.Series.paperName(), m.Name)
	values, undefined := testResults(g.Folds, m)
	n.undefined = undefined
	if len(g.Folds) == 1 && len(values) == 1 {
		if se, ok := finite(g.Folds[0].Chosen.Test, m.StdErr()); ok {
			n.RowStdErr = se
			if g.Series.Measure != nil {
				n.StdErr = se
			}
		}
	}
	n.N = len(values)
	switch {
	case n.N == 1:
		n.Mean = values[0]
	case n.N > 1:
		n.Mean, n.StdErr = stats.MeanStdErr(values)
		if m.Change {
			n.StdErr *= n.correction()
		}
		n.StdErr0 = stat.StdErr(stat.PopStdDev(values, nil), float64(n.N))
	}
	if n.completeWhereDefined() {
		n.Seeds = withSeeds(n.Mean, n.otherSeeds())
	}
	n.Notes = slices.Concat(g.notes(), n.undefinedNote(), n.subsetNote(), n.copiesNote())
	n.judge()
	return n
}

// overSeeds writes the mean and the standard deviation over several seeds.
func (n *Number) overSeeds() (mean, deviation string) {
	m, sd := stat.MeanStdDev(n.Seeds, nil)
	return Decimal(m, n.digits()), Decimal(sd, n.digits())
}

// otherSeeds are the means of a number, which is complete where it is defined, under other seeds than the sweep's, as far as these are so,
// too, on the same folds.
func (n *Number) otherSeeds() map[uint64]float64 {
	means := map[uint64]float64{}
	for seed, folds := range n.underOtherSeeds() {
		if values, undefined := testResults(folds, n.Metric); len(values) == n.N && slices.Equal(undefined, n.undefined) {
			means[seed] = stat.Mean(values, nil)
		}
	}
	return means
}

// withSeeds has a mean first, and then those under other seeds, in the order of these.
func withSeeds(mean float64, others map[uint64]float64) []float64 {
	means := []float64{mean}
	for _, seed := range sortedKeys(others) {
		means = append(means, others[seed])
	}
	return means
}
