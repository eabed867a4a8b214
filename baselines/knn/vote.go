package knn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"nptbench/internal/method"
	"nptbench/internal/parallel"
	"nptbench/internal/task"
)

// A model serves all configurations of a batch with the same k, weighting and tie rule.
type model struct {
	choice
	configs []int     // their places in the batch
	out     []float64 // rows x outputs, validation and then test rows
}

// A choice of neighbours and weights is all that predictions depend on.
type choice struct {
	k        int
	weighted bool     // by inverse distance
	ties     *tieRule // which of the rows at the k-th distance count
}

// newModels returns the models of a batch in ascending order of k. It reports the configurations that have none.
func newModels(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) (models []*model, err error) {
	known, rules := map[choice]*model{}, tieRules{}
	for i, c := range batch {
		k := c.Int("n_neighbors")
		if k > t.Train {
			done(method.Result{Index: i, Err: fmt.Errorf("n_neighbors: %d is more than the %d training rows", k, t.Train)})
			continue
		}
		ties, err := rules.of(ctx, t, c)
		if err != nil {
			return nil, err
		}
		key := choice{k, c.String("weights") == "distance", ties}
		if known[key] == nil {
			known[key] = &model{choice: key, out: make([]float64, (t.Val+t.Test)*t.Outputs())}
			models = append(models, known[key])
		}
		known[key].configs = append(known[key].configs, i)
	}
	slices.SortStableFunc(models, func(a, b *model) int { return cmp.Compare(a.k, b.k) })
	return models, ctx.Err()
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
	searches, voters := make([]*search, threads), make([]*voter, threads)
	for i := range threads {
		searches[i], voters[i] = newSearch(x, k), newVoter(t, x.rows, models)
	}
	return parallel.For(ctx, threads, len(queries), fanout, func(worker, from, to int) {
		searches[worker].run(queries[from:to])
		for i, row := range queries[from:to] {
			voters[worker].run(models, int(row), searches[worker].found[i].sorted())
		}
	})
}

// A voter turns neighbours into predictions. One goroutine uses it.
type voter struct {
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

func newVoter(t *task.Task, r *rows, models []*model) *voter {
	v := &voter{task: t, rows: r, votes: newVotes(t), tied: newVotes(t)}
	for _, m := range models {
		if m.ties != nil && m.ties.tree == nil && m.k > few {
			v.ks = append(v.ks, m.k)
		}
	}
	return v
}

// run sets the prediction of a row in all models, which are in ascending order of k. Both weightings are summed over
// the neighbours once; each model takes the sums over its first k.
func (v *voter) run(models []*model, query int, neighbours []neighbour) {
	v.votes.reset(v.weight(neighbours[0]))
	seen := 0
	for _, m := range models {
		v.count(&v.votes, neighbours[seen:m.k])
		seen = m.k
		to := &v.votes
		if m.ties != nil && m.k < len(neighbours) && neighbours[m.k].distance == neighbours[m.k-1].distance {
			to = &v.tied
			to.reset(v.weight(neighbours[0]))
			v.count(to, v.choose(m, query))
		}
		to.result(m.weighted, m.k, m.out[(query-v.task.Train)*v.task.Outputs():][:v.task.Outputs()])
	}
}

// choose finds the neighbours of a row by the model's tie rule, nearest first.
func (v *voter) choose(m *model, query int) []neighbour {
	if m.ties.tree != nil {
		v.scratch = m.ties.tree.nearest(v.task.Row(query), m.k, v.scratch)
	} else {
		v.measure(query)
		if m.k > few {
			v.scratch = append(v.scratch[:0], v.selected[:m.k]...)
		} else {
			v.scratch = append(v.scratch[:0], v.all...)
			selectFew(v.scratch, m.k)
		}
	}
	chosen := v.scratch[:m.k]
	quicksort(chosen)
	return chosen
}

func (v *voter) measure(query int) {
	if v.measured == query {
		return
	}
	v.measured, v.all = query, v.all[:0]
	for i := range v.task.Train {
		v.all = append(v.all, neighbour{v.rows.distance(query, i), int32(i)})
	}
	v.selected = append(v.selected[:0], v.all...)
	introselect(v.selected, 0, len(v.selected)-1, v.ks)
}

// weight returns the inverse of a neighbour's distance, infinite at (nearly) 0.
func (v *voter) weight(n neighbour) float64 {
	if v.rows.squared {
		return 1 / math.Sqrt(n.distance)
	}
	return 1 / n.distance
}

func (v *voter) count(to *votes, neighbours []neighbour) {
	for _, n := range neighbours {
		if w := v.weight(n); v.task.Labels != nil {
			to.add(int(v.task.Labels[n.row]), 1, w)
		} else {
			to.add(0, v.task.Y[n.row], w)
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
