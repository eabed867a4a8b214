package fused

import (
	"context"

	"nptbench/internal/parallel"
)

// A team is the threads of a backend.
type team struct{ size int }

// tasksPerThread is about how many tasks work is cut into for each thread, so that none waits long for the others.
const tasksPerThread = 8

// run does tasks 0 to tasks-1. worker, below the size of the team, tells apart those who do that at the same time.
func (t team) run(tasks int, do func(worker, task int)) {
	if t.size == 1 || tasks == 1 {
		for i := range tasks {
			do(0, i)
		}
		return
	}
	parallel.For(context.Background(), t.size, tasks, 1, func(worker, task, _ int) { do(worker, task) })
}
