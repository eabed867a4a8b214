// Merge adds the records of several folders to a compressed file, one record per cell: how records are published.
//
//	go run ./cmd/merge results/published/knn.jsonl.gz out/table1-paper/records
//
// Of several records of a cell that stays which a report would use: a success rather than a failure, then the one that was finished
// last, then the first. Cells whose records differ in their metrics are named on standard error; that is no failure, the exit code is 0.
//
// A folder with such a file in it is a folder of records like any other, for -with or for the next merge.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"nptbench/internal/program"
	"nptbench/results"
)

const about = `Adds the records of several folders to a compressed file, one record per cell: a success rather than a failure, then
the one that was finished last, then the first. Cells whose records differ in their metrics are named on standard error; the exit
code is 0 all the same.`

func main() { program.Main(merge) }

func merge(ctx context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("merge", about, "[-replace] FILE.jsonl.gz FOLDER...")
	replace := f.Bool("replace", false, "write the file anew, from the folders alone")
	f.Arguments = true
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	if f.NArg() < 2 {
		return program.ExitBadInput, f.Errorf("want the file to write and at least one folder of records")
	}
	file, folders := f.Arg(0), f.Args()[1:]
	if !strings.HasSuffix(file, ".jsonl.gz") { // by which it is read
		return program.ExitBadInput, f.Errorf("%s: want a name that ends in .jsonl.gz for the file to write", file)
	}
	for _, dir := range folders {
		if _, err := os.Stat(dir); err != nil {
			return program.ExitBadInput, err
		}
		if segments, err := results.Segments(dir); err != nil {
			return program.ExitBadInput, err
		} else if len(segments) == 0 {
			return program.ExitBadInput, f.Errorf("%s: no records there, want files *.jsonl or *.jsonl.gz", dir)
		}
	}
	unlock, err := results.Lock(ctx, file, e.Stderr)
	if err != nil {
		return program.ExitFailed, fmt.Errorf("%s is not written: %w", file, err)
	}
	defer unlock()
	n, conflict, err := results.Merge(ctx, file, *replace, folders...)
	if err != nil {
		return program.ExitFailed, fmt.Errorf("%s is not written: %w", file, err)
	}
	if conflict != nil {
		fmt.Fprintln(e.Stderr, conflict)
	}
	fmt.Fprintf(e.Stdout, "%d records in %s\n", n, file)
	return program.ExitOK, nil
}
