package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// reports are the CSV files of reports. What they do not have is an error that is kept, for the end.
type reports struct {
	files map[string]rows
	err   error
}

type rows []row

// A row is a line of a file by its columns.
type row map[string]string

// rows reads a file, once.
func (r *reports) rows(file string) rows {
	if have, ok := r.files[file]; ok {
		return have
	}
	out := rows{}
	if lines, err := readLines(file); err != nil {
		r.fail(err)
	} else {
		for _, line := range lines[1:] {
			one := row{}
			for i, name := range lines[0] {
				one[name] = line[i]
			}
			out = append(out, one)
		}
	}
	if r.files == nil {
		r.files = map[string]rows{}
	}
	r.files[file] = out
	return out
}

func readLines(file string) ([][]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("%s is empty", file)
	}
	return lines, err
}

func (r *reports) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// where are the rows that have these values, each behind its column.
func (all rows) where(pairs ...string) rows {
	return slices.DeleteFunc(slices.Clone(all), func(r row) bool {
		for i := 0; i < len(pairs); i += 2 {
			if r[pairs[i]] != pairs[i+1] {
				return true
			}
		}
		return false
	})
}

// number is a column of the one row that there is; NaN where there is none, or several.
func (all rows) number(column string) float64 {
	if len(all) != 1 {
		return math.NaN()
	}
	return all[0].number(column)
}

func (r row) number(column string) float64 {
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// span are the least and the largest number of a column; NaN where one is none.
func (all rows) span(column string) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range all {
		low, high = min(low, r.number(column)), max(high, r.number(column))
	}
	return low, high
}

// mean is that of a column; NaN where a number is none, 0 without rows.
func (all rows) mean(column string) (mean float64) {
	for _, r := range all {
		mean += r.number(column) / float64(len(all))
	}
	return mean
}
