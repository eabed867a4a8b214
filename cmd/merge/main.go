// Merge writes the records of several folders into one compressed file, one record per cell: how records are published.
//
//	go run ./cmd/merge results/published/knn.jsonl.gz out/table1-paper/records
//
// A folder with such a file in it is a folder of records like any other, for -with or for the next merge.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	if err := checkLoss(file, folders, *replace); err != nil {
		return program.ExitFailed, fmt.Errorf("%s is not written: %w", file, err)
	}
	n, err := results.Merge(file, folders...)
	if err != nil {
		return program.ExitFailed, fmt.Errorf("%s is not written: %w", file, err)
	}
	fmt.Fprintf(e.Stdout, "%d records in %s\n", n, file)
	return program.ExitOK, nil
}

// checkLoss refuses to write a file without records, or, unless told to, in place of one that has others.
func checkLoss(file string, folders []string, replace bool) error {
	merged, _, err := results.ReadIndex(folders...)
	if err != nil {
		return err
	}
	if len(merged) == 0 {
		return fmt.Errorf("no records in %s", strings.Join(folders, ", "))
	}
	before, err := readFile(file)
	if err != nil || replace {
		return err
	}
	lost := 0
	for id := range before {
		if _, ok := merged[id]; !ok {
			lost++
		}
	}
	if lost > 0 {
		return fmt.Errorf("it has %d records that the folders do not have; name its folder too, or give -replace", lost)
	}
	return nil
}

// readFile reads the index of a single file, which need not exist.
func readFile(file string) (results.Index, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	alone, err := os.MkdirTemp("", "merge-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(alone)
	if err := os.Symlink(path, filepath.Join(alone, filepath.Base(path))); err != nil {
		return nil, err
	}
	index, _, err := results.ReadIndex(alone)
	return index, err
}
