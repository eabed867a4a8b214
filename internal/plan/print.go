package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/spelling"
	"nptbench/internal/terminal"
)

// printedColumns is how wide Print is.
const printedColumns = 80

// Print says in at most a screen of 80 columns what there is to do of what is selected: a line for each method, what the words mean, and
// how long it takes that many cores, by records from where it says. At the end it names what takes more memory than a fit may have.
func (p *Plan) Print(w io.Writer, e *Estimate, from string, cores int, memory int64) error {
	selected := slices.DeleteFunc(p.Groups(), func(g *Group) bool { return !g.selected })
	var methods []*method.Method
	names := len("method")
	for _, g := range selected {
		if !slices.Contains(methods, g.Method) {
			methods, names = append(methods, g.Method), max(names, len(g.Method.Name))
		}
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, datasets, settings string, cells, fits, done, toDo any, time string) {
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%v\t%v\t%v\t%v\t%s\t\n", names, name, datasets, settings, cells, fits, done, toDo, time)
	}
	row("method", "data", "settings", "cells", "fits", "done", "to do", "time")
	fits := 0
	for _, m := range methods {
		groups := slices.DeleteFunc(slices.Clone(selected), func(g *Group) bool { return g.Method != m })
		n := p.Count(groups...)
		all, settings := 0, 0
		for _, g := range groups {
			all += g.Fits * len(g.Dataset.Folds)
			settings = max(settings, g.trained())
		}
		fits += all
		row(m.Name, fmt.Sprint(len(groups)), fmt.Sprint(settings), n.Cells, all, n.Done, n.ToDo, atLeast(p.wall(e, groups, cores)))
	}
	n := p.Count(selected...)
	row("total", "", "", n.Cells, fits, n.Done, n.ToDo, atLeast(p.wall(e, selected, cores)))
	t.Flush()
	for line := range strings.Lines(table.String()) {
		if _, err := io.WriteString(w, strings.TrimPrefix(line, "  ")); err != nil {
			return err
		}
	}
	words := [][2]string{
		{"setting", "one choice of a method's parameters"},
		{"cell", "one setting on one fold of one data set, or a measurement on its model: what has a record"},
		{"fit", "a training, which may serve several cells: all k of k-NN, all sizes of a forest"},
	}
	if failed := p.Failures(selected...); len(failed) > 0 {
		words = append(words, [2]string{"done", fmt.Sprintf("with %d failures, which -retry-failed runs again: %s", n.Failed, strings.Join(failed, ", "))})
	}
	if absent := p.countedAbsent(); len(absent) > 0 {
		words = append(words, [2]string{"to do", "with what needs data sets that are not here: " + strings.Join(absent, ", ")})
	}
	where := spelling.Count(cores, "core")
	if p.OnGPU && slices.ContainsFunc(methods, func(m *method.Method) bool { return m.Network }) {
		where += " and a GPU"
	}
	words = append(words, [2]string{"time", fmt.Sprintf("estimate for what is to do on %s, from records in %s; ? no records, > records for a part only", where, from)})
	const indent = "         "
	fmt.Fprintln(w)
	for _, word := range words {
		if _, err := fmt.Fprintf(w, "%-*s%s\n", len(indent), word[0], terminal.Wrap(word[1], indent, printedColumns-len(indent))); err != nil {
			return err
		}
	}
	for _, line := range p.tooLarge(memory) {
		if _, err := fmt.Fprintln(w, terminal.Wrap(line, "  ", printedColumns)); err != nil {
			return err
		}
	}
	return nil
}

// countedAbsent names the data sets that are not here and count as if they were.
func (p *Plan) countedAbsent() (names []string) {
	for _, d := range p.Datasets {
		if d.Missing != nil && p.Count(d.Groups...).ToDo > 0 {
			names = append(names, d.Info.Name)
		}
	}
	return names
}

// trained counts the settings without what is measured on their models.
func (g *Group) trained() (n int) {
	for i := range g.Settings {
		if g.Settings[i].Measure == nil {
			n++
		}
	}
	return n
}

// wall estimates how long what is left of some groups takes by the clock: on so many cores, and beside them on the GPU.
func (p *Plan) wall(e *Estimate, groups []*Group, cores int) (left time.Duration, known bool) {
	var onCores, onGPU time.Duration
	known = true
	for _, g := range groups {
		left, knows := p.Left(e, g)
		if known = known && knows; p.OnGPU && g.Method.Network {
			onGPU += left
		} else {
			onCores += left
		}
	}
	return max(onGPU, onCores/time.Duration(cores)), known
}

// Time writes how long what is to do takes on so many cores; "?": not known.
func (p *Plan) Time(e *Estimate, cores int) string { return atLeast(p.wall(e, p.Groups(), cores)) }

// Known reports whether the time is known of everything that is to do.
func (p *Plan) Known(e *Estimate) bool {
	_, known := p.Left(e, p.Groups()...)
	return known
}

// atLeast writes a time of which only a part may be known.
func atLeast(t time.Duration, known bool) string {
	switch {
	case known:
		return roundly(t)
	case t == 0:
		return "?"
	}
	return "> " + roundly(t)
}

// roundly writes a duration as people do.
func roundly(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", max(1, d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
