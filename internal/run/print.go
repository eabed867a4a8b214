package run

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes one line for each data set and method, and a total: how many cells there are, how many of their settings
// can differ in predictions, how many fits serve them, and how many cells have a record.
func (p *Plan) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "data set\tmethod\tfolds\tsettings\tdistinct\tcells\tdistinct fits\tdone\tfailed\tto do\t")
	var all Group
	for _, g := range p.Groups {
		folds := 0
		for _, f := range g.Folds {
			folds += len(f)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			g.Dataset, g.Method, folds, g.Settings, g.Distinct, g.Cells, g.Fits, g.Done, g.Failed, g.Cells-g.Done)
		all.Cells += g.Cells
		all.Fits += g.Fits
		all.Done += g.Done
		all.Failed += g.Failed
	}
	fmt.Fprintf(t, "total\t\t\t\t\t%d\t%d\t%d\t%d\t%d\t\n", all.Cells, all.Fits, all.Done, all.Failed, all.Cells-all.Done)
	return t.Flush()
}
