package method_test

import (
	"context"
	"fmt"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/task"
)

// A whole method: it predicts the mean target of the training rows, shrunk towards 0, or the shares of the classes, made more alike.
var mean = &method.Method{
	Name: "mean", Title: "Mean", Doc: "the mean of the training targets, or the shares of the classes",
	Params: []method.Param{{Name: "prior", Type: method.Float, Default: 0.0, Min: 0, Doc: "training rows that count as 0, or as one of each class"}},
	Extra:  true, // not in the paper
	Run: func(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
		for i, c := range batch {
			start := time.Now()
			row, prior := make([]float64, t.Outputs()), c.Float("prior") // one number, or a probability for every class
			for i := range t.Train {
				if t.Labels == nil {
					row[0] += t.Y[i]
				} else {
					row[t.Labels[i]]++
				}
			}
			for j := range row {
				if t.Labels != nil {
					row[j] += prior
				}
				row[j] /= float64(t.Train) + prior*float64(len(row))
			}
			r := method.Result{Index: i, Fit: time.Since(start)}
			for range t.Val {
				r.Val = append(r.Val, row...)
			}
			for range t.Test {
				r.Test = append(r.Test, row...)
			}
			done(r)
		}
		return ctx.Err()
	},
}

// A line in internal/methods makes this a method of every sweep.
func ExampleMethod() {
	t := &task.Task{Train: 3, Val: 1, Test: 1, Y: []float64{-1, 0, 4, 2}}
	c, err := mean.Resolve(map[string]any{"prior": 1.0}, t.Info)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = mean.Run(context.Background(), t, []method.Config{c}, func(r method.Result) { fmt.Println("test rows:", r.Test, r.Err) })
	if err != nil {
		fmt.Println(err)
	}
	// Output: test rows: [0.75] <nil>
}
