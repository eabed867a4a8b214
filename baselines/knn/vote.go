package knn

import (
	"context"
	"math"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// A model is one configuration and its predictions.
type model struct {
	index    int // in the batch
	k        int
	weighted bool      // by inverse distance
	out      []float64 // rows x outputs, validation and then test rows
}

func newModel(t *task.Task, index int, c method.Config) *model {
	return &model{
		index:    index,
		k:        c.Int("n_neighbors"),
		weighted: c.String("weights") == "distance",
		out:      make([]float64, (t.Val+t.Test)*t.Outputs()),
	}
}

// predict fills in the predictions of all models. The models are in ascending order of k.
func predict(ctx context.Context, t *task.Task, x *index, models []*model, threads int) error {
	queries := make([]int32, t.Val+t.Test)
	for i := range queries {
		queries[i] = int32(t.Train + i)
	}
	if err := x.rows.arrange(ctx, queries, threads); err != nil {
		return err
	}
	searches, polls := make([]*search, threads), make([]*poll, threads)
	for i := range threads {
		searches[i], polls[i] = newSearch(x, models[len(models)-1].k), newPoll(t)
	}
	return parallel(ctx, threads, len(queries), fanout, func(worker, from, to int) {
		searches[worker].run(queries[from:to])
		for i, row := range queries[from:to] {
			polls[worker].count(models, int(row)-t.Train, searches[worker].found[i].sorted(), x.rows.squared)
		}
	})
}

// A poll turns neighbours into predictions. One goroutine uses it.
type poll struct {
	task     *task.Task
	uniform  []float64 // sums over neighbours: per class, or one of the targets
	weighted []float64
}

func newPoll(t *task.Task) *poll {
	return &poll{t, make([]float64, t.Outputs()), make([]float64, t.Outputs())}
}

// count sets the prediction of row i, of those to be predicted, in all models, which are in ascending order of k. Both
// weightings are summed over the neighbours once; each model takes the sums over its first k.
func (p *poll) count(models []*model, i int, neighbours []neighbour, squared bool) {
	clear(p.uniform)
	clear(p.weighted)
	exact := weight(neighbours[0].distance, squared)
	seen, total := 0, 0.0
	for _, m := range models {
		for _, n := range neighbours[seen:m.k] {
			w := weight(n.distance, squared)
			if math.IsInf(exact, 1) { // only neighbours at distance 0 count
				if math.IsInf(w, 1) {
					w = 1
				} else {
					w = 0
				}
			}
			total += w
			if p.task.Labels != nil {
				p.uniform[p.task.Labels[n.row]]++
				p.weighted[p.task.Labels[n.row]] += w
			} else {
				p.uniform[0] += p.task.Y[n.row]
				p.weighted[0] += p.task.Y[n.row] * w
			}
		}
		seen = m.k
		sums, by := p.uniform, float64(m.k)
		if m.weighted {
			sums, by = p.weighted, total
		}
		out := m.out[i*len(sums):]
		for c, s := range sums {
			out[c] = s / by
		}
	}
}

// weight returns the inverse of a distance, infinite at (nearly) 0.
func weight(distance float64, squared bool) float64 {
	if squared {
		distance = math.Sqrt(distance)
	}
	return 1 / distance
}
