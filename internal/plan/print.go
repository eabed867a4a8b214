package plan

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"nptbench/internal/method"
)

// Print says in at most a screen what there is to do: a line for each method, what the words mean, and how long it takes that
// many cores. At the end it names what takes more memory than a fit may have.
func (p *Plan) Print(w io.Writer, e *Estimate, cores int, memory int64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "method\tdata sets\tsettings\tcells\tfits\tdone\tfailed\tto do\ttime\t")
	fits := 0
	for _, m := range p.methods() {
		groups := slices.DeleteFunc(p.Groups(), func(g *Group) bool { return g.Method != m })
		n := p.Count(groups...)
		all, left, settings, allKnown := 0, time.Duration(0), 0, true
		for _, g := range groups {
			all += g.Fits * len(g.Dataset.Folds)
			settings = max(settings, g.trainings())
			took, known := p.Left(e, g)
			left += took
			allKnown = allKnown && known
		}
		fits += all
		text := roundly(left / time.Duration(cores))
		if !allKnown {
			text = "?"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", m.Name, len(groups), settings, n.Cells, all, n.Done, n.Failed, n.ToDo, text)
	}
	n := p.Count(p.Groups()...)
	fmt.Fprintf(t, "total\t\t\t%d\t%d\t%d\t%d\t%d\t%s\t\n", n.Cells, fits, n.Done, n.Failed, n.ToDo, p.Time(e, cores))
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `
setting  one choice of a method's parameters
cell     one setting on one fold of one data set, or a measurement on its model: what has a record
fit      a training, which may serve several cells: all k of k-NN, all sizes of a forest
time     that is to do takes %d cores, by records of such cells; ?: there are none
`, cores); err != nil {
		return err
	}
	for _, line := range p.TooLarge(memory) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// trainings counts the settings without what is measured on their models.
func (g *Group) trainings() (n int) {
	for i := range g.Settings {
		if g.Settings[i].Measure == nil {
			n++
		}
	}
	return n
}

// Time estimates how long the plan's cells take, with that many cores.
func (p *Plan) Time(e *Estimate, cores int) string {
	var total time.Duration
	text := ""
	for _, g := range p.Groups() {
		left, known := p.Left(e, g)
		total += left
		if !known {
			text = "more than "
		}
	}
	return text + roundly(total/time.Duration(cores))
}

// methods lists the plan's methods in the order in which they come first.
func (p *Plan) methods() (all []*method.Method) {
	for _, g := range p.Groups() {
		if !slices.Contains(all, g.Method) {
			all = append(all, g.Method)
		}
	}
	return all
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
