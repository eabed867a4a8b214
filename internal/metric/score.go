package metric

import (
	"cmp"
	"math"
	"slices"
)

// MeanSquaredError is the mean squared error of predictions against targets, on their scale.
//
// Like the other functions it returns the metric and the standard error of it over the rows: how far the number would move
// with other test rows of the same kind. NaN stands for a value that is not defined.
func MeanSquaredError(predicted, target []float64) (mse, stderr float64) {
	return meanOf(len(target), func(i int) float64 {
		d := predicted[i] - target[i]
		return d * d
	})
}

// PercentCorrect is the percentage of rows whose most probable class is the label; the first one wins among equals,
// and with a NaN among them there is no percentage.
// Probabilities are row-major, classes numbers a row.
func PercentCorrect(probabilities []float64, labels []uint16, classes int) (percent, stderr float64) {
	return meanOf(len(labels), func(i int) float64 {
		row := probabilities[i*classes : (i+1)*classes]
		best := 0
		for c, p := range row {
			if math.IsNaN(p) {
				return math.NaN()
			}
			if p > row[best] {
				best = c
			}
		}
		if best == int(labels[i]) {
			return 100
		}
		return 0
	})
}

// logLossFloor is where probabilities are cut off before the logarithm: the default of scikit-learn's log_loss up to version 1.1, and
// so of the one that the paper's numbers were made with.
const logLossFloor = 1e-15

// LogLoss is the mean negative logarithm, to base e, of the probability of the true class. As in scikit-learn up
// to version 1.1, probabilities are clipped to [1e-15, 1-1e-15] and then divided by their sum in each row.
func LogLoss(probabilities []float64, labels []uint16, classes int) (nll, stderr float64) {
	return meanOf(len(labels), func(i int) float64 {
		sum := 0.0
		for _, p := range probabilities[i*classes : (i+1)*classes] {
			sum += clip(p)
		}
		return -math.Log(clip(probabilities[i*classes+int(labels[i])]) / sum)
	})
}

func clip(p float64) float64 { return min(max(p, logLossFloor), 1-logLossFloor) }

func meanOf(n int, value func(i int) float64) (mean, stderr float64) {
	sum := 0.0
	for i := range n {
		sum += value(i)
	}
	mean = sum / float64(n)
	squares := 0.0
	for i := range n {
		d := value(i) - mean
		squares += d * d
	}
	return mean, math.Sqrt(squares / float64(n-1) / float64(n))
}

// AreaUnderROC is the area under the receiver operating characteristic: the share of (positive, negative) pairs of rows in which
// the positive one, label 1, has the higher score, ties counted half. It is NaN when one of the two classes is absent, or a score is NaN.
// The standard error is Hanley and McNeil's, Radiology 143(1), 1982.
func AreaUnderROC(score []float64, labels []uint16) (auroc, stderr float64) {
	order := make([]int32, len(score))
	positives := 0.0
	for i := range order {
		order[i] = int32(i)
		positives += float64(labels[i])
	}
	negatives := float64(len(labels)) - positives
	if positives == 0 || negatives == 0 || slices.ContainsFunc(score, math.IsNaN) {
		return math.NaN(), math.NaN()
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(score[a], score[b]) })
	rankSum := 0.0 // of the positives, ranks from 1, tied scores share the average
	for start := 0; start < len(order); {
		end, tiedPositives := start+1, float64(labels[order[start]])
		for end < len(order) && score[order[end]] == score[order[start]] {
			tiedPositives += float64(labels[order[end]])
			end++
		}
		rankSum += tiedPositives * float64(start+1+end) / 2
		start = end
	}
	a := (rankSum - positives*(positives+1)/2) / (positives * negatives)
	q1, q2 := a/(2-a), 2*a*a/(1+a)
	variance := (a*(1-a) + (positives-1)*(q1-a*a) + (negatives-1)*(q2-a*a)) / (positives * negatives)
	return a, math.Sqrt(max(variance, 0))
}
