package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// lines renders a table and checks that no line is wider than it may be.
func lines(t *testing.T, table *Table, width int) []string {
	t.Helper()
	var out strings.Builder
	if err := table.Render(&out, width); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range all {
		if twwidth.Width(line) > width {
			t.Errorf("a line of %d columns, want at most %d: %q", twwidth.Width(line), width, line)
		}
	}
	return all
}

// flat is what a table says, without its lines and spaces.
func flat(lines []string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(lines, " "), "─", "")), " ")
}

func TestNarrowTable(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "Method"}, {"Ours", true}}}
	table.Append("k-NN", "1.23")
	if got, want := flat(lines(t, table, 80)), "Method Ours k-NN 1.23"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A head and a verdict of several words are broken, a number is not, and a label goes on under itself.
func TestTextIsWrapped(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "Method"}, {"Paper, same methods and data sets", true}, {Head: "Verdict"}}}
	table.Append("  NPT, 2 layers", "3.14 ± 0.15", "\x1b[32mreproduced on a part\x1b[0m [1]")
	got := lines(t, table, 40)
	text := strings.Join(got, "\n")
	for _, want := range []string{"3.14 ± 0.15", "\n   NPT,", "\n     layers"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, line := range got { // a colour does not run into the next column
		if on, off := strings.Count(line, "\x1b[32m"), strings.Count(line, reset); on != off {
			t.Errorf("%d colours begin and %d end in %q", on, off, line)
		}
	}
}

// A label of a row has two lines at most, if columns must go below for it.
func TestLabelsHaveTwoLines(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "Method"}, {"First", true}, {"Second", true}}}
	table.Append("NPT, 2 layers, e = 8, 150 steps", "1.0000 ± 0.1000", "2.0000 ± 0.2000")
	text := strings.Join(lines(t, table, 46), "\n")
	if strings.Count(text, "\n   steps ") != 2 {
		t.Errorf("a label has more than two lines:\n%s", text)
	}
}

// A label that has its own lines has as many as these.
func TestLabelOfSeveralLines(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "M"}, {"Ours", true}}}
	table.Append("A\nB\nC", "1.00")
	rendered := make(chan []string, 1)
	go func() { rendered <- lines(t, table, 80) }()
	select {
	case got := <-rendered:
		if got, want := flat(got), "M Ours A 1.00 B C"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no end")
	}
}

// Columns that do not fit follow below, beside the labels.
func TestColumnsThatDoNotFit(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "Folds"}, {Head: "Method"}, {"First", true}, {"Second", true}, {"Third", true}}}
	table.Append("all", "k-NN", "1.0000 ± 0.1000", "2.0000 ± 0.2000", "3.0000 ± 0.3000")
	want := "Folds Method First Second all k-NN 1.0000 ± 0.1000 2.0000 ± 0.2000 Folds Method Third all k-NN 3.0000 ± 0.3000"
	if got := flat(lines(t, table, 50)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Also where there is but one word or number that does not fit, everything is shown.
func TestTooWideForAnything(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "Method"}, {"Number", true}}}
	table.Append("k-NN", "1.0000")
	var out strings.Builder
	if err := table.Render(&out, 5); err != nil {
		t.Fatal(err)
	}
	if got, want := flat([]string{out.String()}), "Method Number k-NN 1.0000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
