package slurm

import (
	"math"
	"slices"
	"time"

	"nptbench/internal/plan"
)

// A batch is the jobs of a task.
type batch struct {
	gpu  bool
	jobs []*plan.Job
	took time.Duration // estimated, of one core
}

// A packing is batches that ask Slurm for the same.
type packing struct {
	gpu     bool
	limit   time.Duration // of each task; 0: the cluster's
	batches []batch
}

// guess is what a job is taken to last of whose kind there are no records; a tenth of the budget if that is less.
const guess = time.Minute

// pack joins jobs into batches of about the length that tasks are to have: jobs of one data set, which a worker then reads once,
// that take about as long as one another.
func (c *Cluster) pack(jobs []*plan.Job) (all []*packing) {
	type kind struct {
		dataset   string
		network   bool // which a pool runs beside other fits where it finds a GPU
		magnitude int  // of the time, as a power of two
	}
	openBatches := map[kind]*batch{}
	var batches []*batch
	budget := c.Pool.Sweep.Budget.Time
	for _, j := range jobs {
		took, known := c.Estimate(j)
		if !known {
			if took = guess; budget > 0 {
				took = min(took, budget/10)
			}
		}
		k := kind{j.Dataset.Info.Name, j.Method.Network, int(math.Log2(max(1, took.Seconds())))}
		b := openBatches[k]
		if b == nil || b.took+took > c.TaskTime {
			b = &batch{gpu: k.network && len(c.GPUArgs) > 0}
			openBatches[k] = b
			batches = append(batches, b)
		}
		b.jobs, b.took = append(b.jobs, j), b.took+took
	}
	for _, b := range batches {
		limit := taskLimit(b.took, budget)
		i := slices.IndexFunc(all, func(p *packing) bool { return p.gpu == b.gpu && p.limit == limit })
		if i < 0 {
			i, all = len(all), append(all, &packing{gpu: b.gpu, limit: limit})
		}
		all[i].batches = append(all[i].batches, *b)
	}
	return all
}

// taskLimit is the limit on the time of a task: twice what its jobs are estimated to take, and once more the budget of a cell, as
// the next power of two quarters of an hour. Without a budget there is no bound on a cell, and no limit but the cluster's. A budget is of
// ten years at most (package sweeps), far from where durations overflow.
func taskLimit(took, budget time.Duration) time.Duration {
	if budget == 0 {
		return 0
	}
	limit := 15 * time.Minute
	for limit < 2*took+budget {
		limit *= 2
	}
	return limit
}
