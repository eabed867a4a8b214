package report

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nptbench/internal/filesystem"
	"nptbench/internal/measure"
)

// A file is one file of a report.
type file struct {
	name  string
	write func(io.Writer) error
}

// file is the name of a file with that ending.
func (s *Summary) file(ending string) string { return s.Name + ending }

// Write writes the report into a folder: summary.md, a page of what was reproduced, NAME.md, NAME.html and NAME.tex with the tables
// (each also in NAME-tables, for another document's \input), figures NAME.svg and so on (as PDF in NAME-figures), NAME.csv with what
// the tables show, and cells.csv, folds.csv, failures.csv, ranks.csv, mean-ranks.csv and claims.csv with all numbers, as far as there
// are ranks and claims; MEASUREMENT-rows.csv has the rows that a measurement's numbers are made from. Each file is replaced as a whole
// or not at all, and those of an earlier report in the folder that this one lacks are removed.
func (s *Summary) Write(dir string) error {
	document := s.Document()
	files := []file{
		{"summary.md", s.writeSummary},
		{s.file(".md"), func(w io.Writer) error { return writeMarkdown(w, document) }},
		{s.file(".html"), func(w io.Writer) error { return writeHTML(w, document, s) }},
		{s.file(".csv"), s.writeFacts},
		{"cells.csv", s.writeCells},
		{"folds.csv", s.writeFolds},
		{"failures.csv", s.writeFailures},
	}
	files = append(files, latexFiles(document, s.file(""))...)
	for _, name := range s.measured() {
		files = append(files, file{rowsFile(name), func(w io.Writer) error { return s.writeRows(w, name) }})
	}
	if s.Tables == nil {
		files = append(files, file{"ranks.csv", s.writeRanks}, file{"mean-ranks.csv", s.writeMeanRanks})
	}
	if len(s.Claims) > 0 {
		files = append(files, file{"claims.csv", s.writeClaims})
	}
	for _, b := range document.Blocks {
		if f, ok := b.(Figure); ok {
			files = append(files, file{f.File, f.picture.WriteSVG})
		}
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.name)), 0o755); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := filesystem.WriteFile(filepath.Join(dir, f.name), f.write); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return s.removeOthers(dir, files)
}

// removeOthers removes what only an earlier report in the folder had.
func (s *Summary) removeOthers(dir string, files []file) error {
	patterns := []string{"claims.csv", "ranks.csv", "mean-ranks.csv", s.file(".svg"), s.file("-*.svg"), s.file("-tables/*.tex"), s.file("-figures/*.pdf")}
	for _, m := range measure.All() {
		patterns = append(patterns, rowsFile(m.Name))
	}
	for _, pattern := range patterns {
		found, err := fs.Glob(os.DirFS(dir), pattern) // the folder's name is no pattern
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		for _, name := range found {
			if slices.ContainsFunc(files, func(f file) bool { return f.name == name }) {
				continue
			}
			path := filepath.Join(dir, name)
			if strings.HasSuffix(name, ".tex") { // beside which somebody may have put one of his own
				if content, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(content, []byte(fragmentMark)) {
					continue
				}
			}
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("report: %w", err)
			}
		}
	}
	return nil
}

// rowsFile has the rows of a measurement.
func rowsFile(measurement string) string { return measurement + "-rows.csv" }

// Print writes the tables as text for a terminal of so many columns, in colours if asked to.
func (s *Summary) Print(w io.Writer, width int, colour bool) error {
	return WriteTerminal(w, s.digest(), width, colour)
}
