package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"nptbench/internal/dataset"
	"nptbench/internal/program"
)

// export writes the encoded rows of a split as CSV: which part they belong to, their features, and the target, classes by
// number and numbers standardised by the training rows.
func (s *scorer) export(ctx context.Context, o options) error {
	if err := s.load(ctx, o.spec(firstFold)); err != nil {
		return err
	}
	if err := program.WriteFile(o.export, s.write); err != nil {
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
	var line []byte
	for row := range s.task.Rows() {
		line = append(line[:0], s.part(row)...)
		for _, v := range s.task.Row(row) {
			line = strconv.AppendFloat(append(line, ','), float64(v), 'g', -1, 32)
		}
		line = append(s.appendTarget(append(line, ','), row), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func (s *scorer) part(row int) string {
	switch t := s.task; {
	case row < t.Train:
		return "train"
	case row < t.Train+t.Val:
		return "val"
	}
	return "test"
}

func (s *scorer) appendTarget(line []byte, row int) []byte {
	t, known := s.task, s.task.Train+s.task.Val
	switch classes := t.Info.Problem != dataset.Regression; {
	case classes && row < known:
		return strconv.AppendInt(line, int64(t.Labels[row]), 10)
	case classes:
		return strconv.AppendInt(line, int64(s.truth.Labels[row-known]), 10)
	case row < known:
		return strconv.AppendFloat(line, t.Y[row], 'g', -1, 64)
	}
	return strconv.AppendFloat(line, s.truth.Y[row-known], 'g', -1, 64)
}
