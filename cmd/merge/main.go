// Merge writes the records of several folders into one compressed file, one record per cell: how records are published.
//
//	go run ./cmd/merge results/published/knn.jsonl.gz out/table1-paper/records
//
// A folder with such a file in it is a folder of records like any other, for -with or for the next merge.
package main

import (
	"context"
	"fmt"
	"os"

	"nptbench/internal/program"
	"nptbench/results"
)

const about = `Writes the records of several folders into one compressed file, one record per cell.`

func main() { program.Main(merge) }

func merge(_ context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("merge", about, "[-replace] FILE.jsonl.gz FOLDER...")
	replace := f.Bool("replace", false, "write the file even where it has records that the folders do not have")
	f.Arguments = true
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	if f.NArg() < 2 {
		return program.ExitBadInput, f.Errorf("want the file to write and at least one folder of records")
	}
	file, folders := f.Arg(0), f.Args()[1:]
	for _, dir := range folders {
		if _, err := os.Stat(dir); err != nil {
			return program.ExitBadInput, err
		}
	}
	n, err := results.Merge(file, *replace, folders...)
	if err != nil {
		return program.ExitFailed, fmt.Errorf("%s is not written: %w", file, err)
	}
	fmt.Fprintf(e.Stdout, "%d records in %s\n", n, file)
	return program.ExitOK, nil
}
