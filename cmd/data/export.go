package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"nptbench/internal/dataset"
	"nptbench/internal/filesystem"
	"nptbench/internal/metric"
	"nptbench/internal/program"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// export writes, for each data set, a folder with what a program in another language needs to make predictions that
// cmd/import takes:
//
//	dataset.json   problem, classes, features and folds: see type description
//	table.csv      a line for each row: its number, its encoded features, and the target, in its own units or as the number of a class
//	splits.csv     protocol, fold, row and part (train, val or test), in the order in which all methods get the rows
//
// Features are encoded as all methods here get them under corrected folds: one-hot, or standardised over all rows; a missing entry
// is all zeros.
func export(ctx context.Context, e program.Env, l *dataset.Library, o options) (exit int, err error) {
	for _, name := range o.names {
		if info, _ := l.Lookup(name); info.Copies != nil && o.named {
			return program.ExitBadInput, fmt.Errorf("%s is made by copying rows: it cannot be exported", name)
		}
	}
	var failed error
	for _, name := range o.names {
		info, err := l.Lookup(name)
		switch {
		case err != nil: // which does not keep others from being exported; those that were named are known
			failed = errors.Join(failed, err)
			continue
		case info.Copies != nil || info.RunFolds < 2 && !o.named:
			continue
		}
		table, err := l.Load(ctx, name)
		if ctx.Err() != nil {
			return program.ExitFailed, ctx.Err()
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		dir := filepath.Join(o.export, name)
		if err := exportTable(dir, table); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		under := "under each protocol"
		switch {
		case table.Groups != nil:
			under = "by " + table.Info.Groups
		case table.Info.FlagsStay:
			under = "under corrected alone"
		}
		fmt.Fprintf(e.Stdout, "%s: %d rows, %s %s\n", dir, table.Rows, spelling.Count(table.Info.RunFolds, "fold"), under)
	}
	return program.ExitOK, failed
}

// A description is the content of dataset.json.
type description struct {
	Name       string                `json:"name"`
	Problem    string                `json:"problem"`           // "regression", "binary" or "multiclass"
	Classes    []string              `json:"classes,omitempty"` // by number
	Target     string                `json:"target"`            // its column in table.csv, the last
	Rows       int                   `json:"rows"`
	Folds      int                   `json:"folds"`            // under each protocol of splits.csv, from 0
	Groups     string                `json:"groups,omitempty"` // the column by which rows are kept together, as under corrected alone
	Metrics    []string              `json:"metrics"`          // by which the paper judges
	Features   []task.FeatureColumns `json:"features"`         // in table.csv, whose column 0 is the row's number
	DataDigest string                `json:"data_digest"`      // of the table, as records have it
	Subset     string                `json:"subset,omitempty"`
}

func exportTable(dir string, table *dataset.Table) error {
	rows, err := split.Make(split.RuleOf(table), split.Corrected, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	t, _, err := task.Encode(table, rows, split.Corrected, 0, task.AllRows)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	info := table.Info
	d := description{Name: info.Name, Problem: info.Problem.String(), Classes: table.Target().Categories, Target: targetName(table),
		Rows: table.Rows, Folds: info.RunFolds, Groups: info.Groups, Metrics: metric.Names(metric.Of(info.Problem)),
		Features: t.FeatureColumns(1), DataDigest: table.Digest, Subset: table.Subset}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := filesystem.WriteFile(filepath.Join(dir, "table.csv"), func(w io.Writer) error { return writeRows(w, table, t, rows.Rows()) }); err != nil {
		return err
	}
	if err := filesystem.WriteFile(filepath.Join(dir, "splits.csv"), func(w io.Writer) error { return writeSplits(w, table) }); err != nil {
		return err
	}
	return filesystem.WriteFile(filepath.Join(dir, "dataset.json"), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// targetName is the target's in table.csv, where the first column is called row.
func targetName(table *dataset.Table) string {
	if name := table.Target().Name; name != "row" {
		return name
	}
	return "row_"
}

// writeRows writes the rows of a table in their order; at the positions of the task stand the rows of order.
func writeRows(w io.Writer, table *dataset.Table, t *task.Task, order []int32) error {
	position := make([]int, table.Rows)
	for at, row := range order {
		position[row] = at
	}
	header := csv.NewWriter(w)
	target := targetName(table)
	header.Write(append(append([]string{"row"}, t.ColumnNames("row", target)...), target))
	header.Flush()
	if err := header.Error(); err != nil {
		return err
	}
	var line []byte
	for row := range table.Rows {
		line = strconv.AppendInt(line[:0], int64(row), 10)
		for _, x := range t.Row(position[row]) {
			line = strconv.AppendFloat(append(line, ','), float64(x), 'g', -1, 32)
		}
		line = append(line, ',')
		if t.Info.Problem.Classification() {
			line = strconv.AppendUint(line, uint64(table.Labels()[row]), 10)
		} else {
			line = strconv.AppendFloat(line, table.Target().Float(row), 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func writeSplits(w io.Writer, table *dataset.Table) error {
	if _, err := fmt.Fprintln(w, "protocol,fold,row,part"); err != nil {
		return err
	}
	for _, protocol := range split.Protocols {
		if protocol == split.Published && (table.Groups != nil || table.Info.FlagsStay) {
			continue // there is none, or methods get its features with other flags
		}
		for fold := range table.Info.RunFolds {
			s, err := split.Make(split.RuleOf(table), protocol, fold)
			if err != nil {
				return err
			}
			for _, part := range []struct {
				name string
				rows []int32
			}{{"train", s.Train}, {"val", s.Val}, {"test", s.Test}} {
				for _, row := range part.rows {
					if _, err := fmt.Fprintf(w, "%s,%d,%d,%s\n", protocol, fold, row, part.name); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
