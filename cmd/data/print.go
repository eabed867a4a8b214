package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/spelling"
	"nptbench/internal/terminal"
)

// printAll writes the table and below it the notes and what is missing or wrong.
func printAll(w io.Writer, rows []row, width int) error {
	var out bytes.Buffer
	notes, err := grid(&out, rows, width)
	if err != nil {
		return err
	}
	for i, note := range notes {
		fmt.Fprintln(&out, terminal.Wrap(fmt.Sprintf("[%d] %s", i+1, note), "    ", width))
	}
	printFailures(&out, rows)
	_, err = w.Write(out.Bytes())
	return err
}

// grid writes one line per data set and returns the notes on them.
func grid(w io.Writer, rows []row, width int) (notes []string, err error) {
	columns := []terminal.Column{
		{Head: "data set"}, {Head: "rows", Right: true}, {Head: "columns", Right: true}, {Head: "classes", Right: true},
		{Head: "size", Right: true}, {Head: "checksum"}, {Head: "found in"}, {Head: "licence"},
	}
	read := false
	for _, r := range rows {
		read = read || r.took > 0
	}
	if read {
		columns = append(columns, terminal.Column{Head: "read in", Right: true})
	}
	table := terminal.Table{Columns: columns}
	for _, r := range rows {
		rowsText := ""
		for _, note := range r.notes() {
			notes = append(notes, note)
			rowsText += fmt.Sprintf("[%d] ", len(notes))
		}
		rowsText += spelling.Thousands(r.rows)
		cells := []string{
			r.info.Name, rowsText, strconv.Itoa(r.info.Columns), orDash(r.info.Classes > 0, strconv.Itoa(r.info.Classes)),
			orDash(r.folder != "", dataset.FormatBytes(r.bytes)), r.check, orDash(r.folder != "", r.folder), r.info.Licence,
		}
		if read {
			cells = append(cells, orDash(r.took > 0, r.took.Round(time.Millisecond).String()))
		}
		table.Append(cells...)
	}
	return notes, table.Render(w, width)
}

// notes say what is only a subset, and how many rows are copies: of one's own, with what to do.
func (r row) notes() (notes []string) {
	if r.subset != "" {
		notes = append(notes, fmt.Sprintf("%s is a subset: %s.", r.info.Title, r.subset))
	}
	if r.copies > 0 {
		note := fmt.Sprintf("%s: %s with all values of an earlier one, target included.", r.info.Title, spelling.Count(r.copies, "row"))
		if !dataset.BuiltIn(r.info.Name) {
			note += " A copy among the training rows gives a test row's target away: leave copies out, or keep them together by split: {groups: COLUMN}."
		}
		notes = append(notes, note)
	}
	return notes
}

// printFailures says what is missing, each file once whatever is made of it, and what is wrong.
func printFailures(w io.Writer, rows []row) {
	heading := "\nMissing. Put each file there, plain or compressed by gzip (.gz)"
	if slices.ContainsFunc(rows, func(r row) bool { return r.missing != nil && r.missing.Fetchable }) {
		heading += ", or let -fetch do what it can"
	}
	heading += ":\n"
	said := map[string]bool{}
	for _, r := range rows {
		if r.missing == nil {
			continue
		}
		fmt.Fprint(w, heading)
		heading = ""
		for _, f := range r.missing.Files {
			if said[f.Path] {
				continue
			}
			said[f.Path] = true
			size := ""
			if f.Most > 0 {
				size = fmt.Sprintf(" (at most %s unpacked)", dataset.FormatBytes(f.Most))
			}
			fmt.Fprintf(w, "  %s%s\n      from %s\n", f.Path, size, f.From)
		}
	}
	heading = "\nFailed:\n"
	for _, r := range rows {
		if r.err == nil || errors.As(r.err, new(*dataset.MissingError)) {
			continue
		}
		fmt.Fprintf(w, "%s  %v\n", heading, r.err)
		heading = ""
	}
}

func orDash(ok bool, s string) string {
	if !ok {
		return "-"
	}
	return s
}
