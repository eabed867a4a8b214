package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"nptbench/internal/filesystem"
	"nptbench/internal/machine"
)

// A section is the part of the document that a run replaces: a table, and what it was made with.
type section struct {
	threads  int
	version  string // of scikit-learn
	rows     int    // without the head
	out, log io.Writer
	text     bytes.Buffer
}

func (s *section) head(cells ...string) {
	s.line(cells)
	s.line(slices.Repeat([]string{"---"}, len(cells)))
}

// row adds a row, and prints it at once.
func (s *section) row(cells ...string) {
	s.rows++
	s.line(cells)
}

func (s *section) line(cells []string) {
	line := "| " + strings.Join(cells, " | ") + " |\n"
	s.text.WriteString(line)
	fmt.Fprint(s.out, line)
}

// origin says what the table was made with.
func (s *section) origin(command string) string {
	name := cmp.Or(machine.ProcessorModel(), runtime.GOARCH)
	scikit := ""
	if s.version != "" {
		scikit = ", scikit-learn " + s.version
	}
	return fmt.Sprintf("`%s`, %s, %d of %d cores of %s, %s%s.\n\n", command, time.Now().UTC().Format("2 January 2006"), s.threads,
		runtime.NumCPU(), name, runtime.Version(), scikit)
}

// replaceIn puts the section into the document, between the markers of that name, and says which command made it. A section
// without rows replaces nothing.
func (s *section) replaceIn(path, name, command string) error {
	if s.rows == 0 {
		return fmt.Errorf("%s: nothing was measured, so its table stays", path)
	}
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, found := "", "", false
	open, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	if before, after, found = strings.Cut(string(document), open); found {
		_, after, found = strings.Cut(after, end)
	}
	if !found {
		return fmt.Errorf("%s: no lines %q and %q", path, strings.TrimSpace(open), strings.TrimSpace(end))
	}
	text := before + open + "\n" + s.origin(command) + s.text.String() + "\n" + end + after
	return filesystem.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
