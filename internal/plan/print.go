package plan

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes one line for each data set and method, and a total: how many cells there are, how many of their settings can
// differ in predictions, how many fits serve them, and how many cells have a record.
func (p *Plan) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "data set\tmethod\tfolds\tsettings\tdistinct\tcells\tfits\tdone\tfailed\tto do\t")
	fits := 0
	for _, g := range p.Groups() {
		n := p.Count(g)
		folds := len(g.Dataset.Folds)
		fits += folds * g.Fits
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			g.Dataset.Info.Name, g.Method.Name, folds, len(g.Settings), g.Distinct, n.Cells, folds*g.Fits, n.Done, n.Failed, n.ToDo)
	}
	n := p.Count(p.Groups()...)
	fmt.Fprintf(t, "total\t\t\t\t\t%d\t%d\t%d\t%d\t%d\t\n", n.Cells, fits, n.Done, n.Failed, n.ToDo)
	return t.Flush()
}
