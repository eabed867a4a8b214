package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"nptbench/internal/filesystem"
	"nptbench/internal/task"
)

// export writes the encoded rows of a split as CSV: which part they belong to, their features, and the target, classes by
// number and numbers standardised by the training rows. The file "-" is standard output.
func (s *scorer) export(ctx context.Context, o options, stdout io.Writer) (err error) {
	if err := s.load(ctx, o.spec(task.Spec{})); err != nil {
		return err
	}
	if o.export == "-" {
		w := bufio.NewWriter(stdout)
		err = cmp.Or(s.write(w), w.Flush())
	} else {
		err = filesystem.WriteFile(o.export, s.write)
	}
	if err != nil {
		return fmt.Errorf("-export: %w", err)
	}
	return nil
}

func (s *scorer) write(w io.Writer) error {
	fmt.Fprint(w, "part")
	for i := range s.task.Width {
		fmt.Fprintf(w, ",Column_%d", i)
	}
	fmt.Fprintln(w, ",target")
	t := s.task
	labels, y := slices.Concat(t.Labels, s.truth.Labels), slices.Concat(t.Y, s.truth.Y)
	var line []byte
	for row := range t.Rows() {
		part := "test"
		switch {
		case row < t.Train:
			part = "train"
		case row < t.Train+t.Val:
			part = "val"
		}
		line = append(line[:0], part...)
		for _, v := range t.Row(row) {
			line = strconv.AppendFloat(append(line, ','), float64(v), 'g', -1, 32)
		}
		line = append(line, ',')
		if labels != nil {
			line = strconv.AppendInt(line, int64(labels[row]), 10)
		} else {
			line = strconv.AppendFloat(line, y[row], 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
