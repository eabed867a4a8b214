// Score predicts with boosted trees that are fitted already, without Python, and prints their metrics.
//
//	go run ./experiments/score -models out/table1-quick/models -records out/table1-quick/records
//	go run ./experiments/score -model mine.txt -dataset yacht -protocol corrected -fold 3
//
// The first scores the models that `table1 -keep-models` left, for every number of trees that their fits served, and
// compares with the records. The second scores one model on the test rows of a data set: one of ours, or any that LightGBM
// 2, 3 or 4 wrote for the features that methods are given here, which -export writes to a CSV file.
//
// The exit code is 0 when every model was scored, and agreed with its records if those were asked for; 1 when not; 2 when
// the command line is wrong; and 130 when interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
