// Data lists the data sets: where each was found, how large it is, whether its checksum is right, its licence, and what is
// only a subset. It can fetch them and read them in full.
//
//	go run ./experiments/data [-data DIR] [-fetch] [-verify] [DATASET ...]
//
// The exit code is 0 when every data set named (or every one, if none is) is there and sound, 1 when one is missing or
// wrong, 2 when the command line is, and 130 when interrupted.
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
