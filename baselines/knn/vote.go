package knn

import (
	"context"
	"math"

	"nptbench/internal/method"
	"nptbench/internal/parallel"
	"nptbench/internal/task"
)

// A model is one configuration and its predictions.
type model struct {
	index    int // in the batch
	k        int
	weighted bool      // by inverse distance
	ties     *tieRule  // which of the rows at the k-th distance count
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
	k := min(models[len(models)-1].k+1, t.Train) // the next one shows whether the last is tied
	searches, polls := make([]*search, threads), make([]*poll, threads)
	for i := range threads {
		searches[i], polls[i] = newSearch(x, k), newPoll(t, x.rows, models)
	}
	return parallel.For(ctx, threads, len(queries), fanout, func(worker, from, to int) {
		searches[worker].run(queries[from:to])
		for i, row := range queries[from:to] {
			polls[worker].run(models, int(row), searches[worker].found[i].sorted())
		}
	})
}

// A poll turns neighbours into predictions. One goroutine uses it.
type poll struct {
	task        *task.Task
	rows        *rows
	votes, tied votes

	// For tied models with introselect as their rule: every training row with its distance from the query measured, in
	// the order of rows, and as introselect leaves them for all ks at once.
	measured      int
	all, selected []neighbour
	ks            []int
	scratch       []neighbour
}

func newPoll(t *task.Task, r *rows, models []*model) *poll {
	p := &poll{task: t, rows: r, votes: newVotes(t), tied: newVotes(t)}
	for _, m := range models {
		if m.ties != nil && m.ties.tree == nil && m.k > few {
			p.ks = append(p.ks, m.k)
		}
	}
	return p
}

// run sets the prediction of a row in all models, which are in ascending order of k. Both weightings are summed over
// the neighbours once; each model takes the sums over its first k.
func (p *poll) run(models []*model, query int, neighbours []neighbour) {
	p.votes.reset(p.weight(neighbours[0]))
	seen := 0
	for _, m := range models {
		p.count(&p.votes, neighbours[seen:m.k])
		seen = m.k
		v := &p.votes
		if m.ties != nil && m.k < len(neighbours) && neighbours[m.k].distance == neighbours[m.k-1].distance {
			v = &p.tied
			v.reset(p.weight(neighbours[0]))
			p.count(v, p.choose(m, query))
		}
		v.result(m.weighted, m.k, m.out[(query-p.task.Train)*p.task.Outputs():][:p.task.Outputs()])
	}
}

// choose finds the neighbours of a row by the model's tie rule, nearest first.
func (p *poll) choose(m *model, query int) []neighbour {
	if m.ties.tree != nil {
		p.scratch = m.ties.tree.nearest(p.task.Row(query), m.k, p.scratch)
	} else {
		p.measure(query)
		if m.k > few {
			p.scratch = append(p.scratch[:0], p.selected[:m.k]...)
		} else {
			p.scratch = append(p.scratch[:0], p.all...)
			selectFew(p.scratch, m.k)
		}
	}
	chosen := p.scratch[:m.k]
	quicksort(chosen)
	return chosen
}

func (p *poll) measure(query int) {
	if p.measured == query {
		return
	}
	p.measured, p.all = query, p.all[:0]
	for i := range p.task.Train {
		p.all = append(p.all, neighbour{p.rows.distance(query, i), int32(i)})
	}
	p.selected = append(p.selected[:0], p.all...)
	introselect(p.selected, 0, len(p.selected)-1, p.ks)
}

// weight returns the inverse of a neighbour's distance, infinite at (nearly) 0.
func (p *poll) weight(n neighbour) float64 {
	if p.rows.squared {
		return 1 / math.Sqrt(n.distance)
	}
	return 1 / n.distance
}

func (p *poll) count(v *votes, neighbours []neighbour) {
	for _, n := range neighbours {
		if w := p.weight(n); p.task.Labels != nil {
			v.add(int(p.task.Labels[n.row]), 1, w)
		} else {
			v.add(0, p.task.Y[n.row], w)
		}
	}
}

// votes are sums over neighbours.
type votes struct {
	uniform  []float64 // per class, or one sum of targets
	weighted []float64 // the same, by inverse distance
	total    float64   // of the weights
	exact    bool      // the nearest is at distance 0, so that only those at distance 0 have a weight
}

func newVotes(t *task.Task) votes {
	return votes{uniform: make([]float64, t.Outputs()), weighted: make([]float64, t.Outputs())}
}

// reset makes ready for neighbours whose largest weight is known.
func (v *votes) reset(largest float64) {
	clear(v.uniform)
	clear(v.weighted)
	v.total, v.exact = 0, math.IsInf(largest, 1)
}

func (v *votes) add(output int, value, weight float64) {
	if v.exact {
		if math.IsInf(weight, 1) {
			weight = 1
		} else {
			weight = 0
		}
	}
	v.uniform[output] += value
	v.weighted[output] += float64(value * weight) // rounded before it is added, on every processor
	v.total += weight
}

func (v *votes) result(weighted bool, k int, out []float64) {
	sums, by := v.uniform, float64(k)
	if weighted {
		sums, by = v.weighted, v.total
	}
	for i, s := range sums {
		out[i] = s / by
	}
}
