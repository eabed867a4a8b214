package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A file is one file of a report.
type file struct {
	name  string
	write func(io.Writer) error
}

// Write writes the report into a folder: table1.md and table1.tex with the tables, table1.svg with a figure as soon as a
// result is complete, cells.csv, folds.csv, ranks.csv and failures.csv with the numbers. Each file is replaced as a whole
// or not at all.
func (s *Summary) Write(dir string) error {
	document := s.Document()
	files := []file{
		{"table1.md", func(w io.Writer) error { return writeMarkdown(w, document) }},
		{"table1.tex", func(w io.Writer) error { return writeLaTeX(w, document) }},
		{"cells.csv", s.writeCells},
		{"folds.csv", s.writeFolds},
		{"ranks.csv", s.writeRanks},
		{"failures.csv", s.writeFailures},
	}
	if panels := s.panels(); len(panels) > 0 {
		files = append(files, file{figureFile, func(w io.Writer) error { return writeFigure(w, panels) }})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for _, f := range files {
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return fmt.Errorf("report: %s: %w", filepath.Join(dir, f.name), err)
		}
		if err := renameio.WriteFile(filepath.Join(dir, f.name), content.Bytes(), 0o644); err != nil {
			return fmt.Errorf("report: %s: %w", filepath.Join(dir, f.name), err)
		}
	}
	return nil
}

// Print writes the tables as text for a terminal of so many columns, 0 meaning 80, in colours if asked to.
func (s *Summary) Print(w io.Writer, width int, colour bool) error {
	return writeTerminal(w, s.digest(), cmp.Or(width, 80), colour)
}
