package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// What rows attend to: the paper's figures 3 and 4, as numbers. Of each head of each layer between datapoints it is measured how much of
// its weight test rows give, on average, to the rows that a look-up wants: to the copy on the semi-synthetic tasks, and elsewhere to
// the k nearest other rows of the batch. A head that looks at all rows alike gives them their number over that of all rows.
var attention = &Measurement{
	Name: "attention",
	Doc:  "how much of each head's weight is on the copy of a row, or on the rows nearest to it",
	Params: []method.Param{
		{Name: "nearest", Type: method.Int, Default: 10, Min: 1, Doc: "k, rows that count as near where there are no copies"},
		{Name: "batches", Type: method.Int, Default: 1, Min: 1, Doc: "batches with test rows that are looked at, the first ones"},
	},
	Metrics: func(dataset.Info) []metric.Metric {
		return []metric.Metric{bestShare, uniformShare, aboveUniform, bestLayer, bestHead}
	},
	Check: func(m *method.Method, c method.Config, _ dataset.Info) error {
		if m.CheckAttention == nil {
			return fmt.Errorf("%s has no attention", m.Name)
		}
		return m.CheckAttention(c)
	},
	Plot: plotMap,
	Caption: "Decimal logarithm of the weights of the best head, light where large, for the rows of one batch: all of them by their distance from the " +
		"first test row; on the semi-synthetic tasks test rows, and for each the copy, in the same order.",
	Run: attend,
}

// Metrics of attention. The best head is that with the largest share for every second test row; its share for the others is what counts,
// since of several heads that are alike one has the largest, too.
var (
	bestShare    = metric.Metric{Name: "best_share", Title: "share of the best head", Doc: "of its weight on the copy or the nearest rows, in percent", Unit: "%", Larger: true, Digits: 1}
	uniformShare = metric.Metric{Name: "uniform_share", Title: "uniform share", Doc: "what equal weights would give, in percent", Unit: "%", Digits: 1}
	aboveUniform = metric.Metric{Name: "above_uniform", Title: "above uniform, points", Doc: "share of the best head minus the uniform one", Unit: "%", Larger: true, Digits: 1}
	bestLayer    = metric.Metric{Name: "best_layer", Title: "its layer", Doc: "from 0, among the layers of both kinds"}
	bestHead     = metric.Metric{Name: "best_head", Title: "its number", Doc: "from 0"}
)

func attend(ctx context.Context, s *Subject, with method.Config) (*Outcome, error) {
	model, ok := s.Model.(method.Attentive)
	if !ok {
		return nil, fmt.Errorf("the model has no attention")
	}
	if _, err := s.clean(ctx); err != nil {
		return nil, err
	}
	type head struct{ layer, head int }
	var first []method.Attention // of the first batch
	shares, uniform := map[head][]float64{}, []float64{}
	var heads []head
	batches := slices.DeleteFunc(s.Model.Batches(), func(rows []int) bool { return len(s.TestRows(rows)) == 0 })
	for _, rows := range batches[:min(len(batches), with.Int("batches"))] {
		layers, err := model.Attention(ctx, s.Select(rows))
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = layers
		}
		n := len(rows)
		for at := n - len(s.TestRows(rows)); at < n; at++ {
			places := s.lookupPlaces(rows, at, with.Int("nearest"))
			uniform = append(uniform, 100*float64(len(places))/float64(n))
			for _, l := range layers {
				for k := range l.Heads {
					weights, sum := l.Weights[(k*n+at)*n:][:n], 0.0
					for _, j := range places {
						sum += weights[j]
					}
					h := head{l.Layer, k}
					if shares[h] == nil {
						heads = append(heads, h)
					}
					shares[h] = append(shares[h], 100*sum)
				}
			}
		}
	}
	if len(uniform) < 2 { // the head is chosen on one half of them
		return nil, fmt.Errorf("the batches that were looked at have %s, want two at least: raise batches", spelling.Count(len(uniform), "test row"))
	}
	o := newOutcome("layer", "head", "share", "share_se", "uniform_share")
	alike, _ := stats.MeanStdErr(uniform)
	for _, h := range heads {
		mean, se := stats.MeanStdErr(shares[h])
		o.addLine(float64(h.layer), float64(h.head), sixDigits(mean), sixDigits(se), sixDigits(alike))
	}
	best := slices.MaxFunc(heads, func(a, b head) int {
		x, _ := stats.MeanStdErr(everySecond(shares[a], 0))
		y, _ := stats.MeanStdErr(everySecond(shares[b], 0))
		return cmp.Compare(x, y)
	})
	share, expected := everySecond(shares[best], 1), everySecond(uniform, 1)
	above := slices.Clone(share)
	for i := range above {
		above[i] -= expected[i]
	}
	o.putMean(bestShare, share)
	o.putMean(uniformShare, expected)
	o.putMean(aboveUniform, above)
	for _, l := range first {
		if l.Layer == best.layer {
			o.Table.Grid = s.picture(batches[0], l, best.head)
		}
	}
	o.Metrics[bestLayer.Name], o.Metrics[bestHead.Name] = float64(best.layer), float64(best.head)
	return o, nil
}

// everySecond value, from the first or the second one on.
func everySecond(values []float64, from int) (half []float64) {
	for i := from; i < len(values); i += 2 {
		half = append(half, values[i])
	}
	return half
}

// picture is the map of a head: with copies, what test rows give to the copies of all of them, else all rows by distance.
func (s *Subject) picture(rows []int, a method.Attention, head int) [][]float64 {
	n, tests := len(rows), len(s.TestRows(rows))
	weight := func(from, to int) float64 { return a.Weights[(head*n+from)*n+to] }
	if s.Copies > 0 {
		return shrink(tests, func(i, j int) float64 { return weight(n-tests+i, s.lookupPlaces(rows, n-tests+j, 0)[0]) })
	}
	order := make([]int, n)
	distance := make([]float64, n)
	for i, row := range rows {
		order[i], distance[i] = i, s.squaredDistance(rows[n-tests], row)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	return shrink(n, func(i, j int) float64 { return weight(order[i], order[j]) })
}

// lookupPlaces are the places in a batch of the rows that one at some place is to look at: its copy, or the nearest other rows.
func (s *Subject) lookupPlaces(rows []int, at, nearest int) []int {
	if s.Copies > 0 {
		own := s.Train - s.Copies           // training rows that are no copies
		copied := own + rows[at] - s.Copies // copies come behind them, in the order of all rows that are none
		if i, ok := slices.BinarySearch(rows, copied); ok {
			return []int{i}
		}
		return nil
	}
	others := make([]int, 0, len(rows))
	distance := make([]float64, len(rows))
	for i, row := range rows {
		if i != at {
			others = append(others, i)
			distance[i] = s.squaredDistance(rows[at], row)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	return others[:min(nearest, len(others))]
}
