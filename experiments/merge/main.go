// Merge writes the records of several folders into one compressed file, one record per cell: how records are published.
//
//	go run ./experiments/merge results/published/knn.jsonl.gz out/table1-paper/records
//
// A folder with such a file in it is a folder of records like any other, for -with or for the next merge.
package main

import (
	"fmt"
	"io"
	"os"

	"nptbench/internal/program"
	"nptbench/results"
)

func main() { os.Exit(merge(os.Args[1:], os.Stdout, os.Stderr)) }

func merge(args []string, stdout, stderr io.Writer) (exit int) {
	if len(args) < 2 {
		fmt.Fprintln(stderr, "usage: merge FILE.jsonl.gz FOLDER...")
		return program.ExitBadInput
	}
	for _, dir := range args[1:] {
		if _, err := os.Stat(dir); err != nil {
			fmt.Fprintln(stderr, err)
			return program.ExitBadInput
		}
	}
	n, err := results.Merge(args[0], args[1:]...)
	if err != nil {
		fmt.Fprintf(stderr, "%s is not written: %v\n", args[0], err)
		return program.ExitFailed
	}
	fmt.Fprintf(stdout, "%d records in %s\n", n, args[0])
	return program.ExitOK
}
