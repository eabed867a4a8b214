package main

import (
	"io"
	"strconv"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// The metrics shown, in this order, as far as there are any.
var shown = []struct{ name, title string }{
	{"rmse", "RMSE"}, {"accuracy", "accuracy"}, {"auroc", "AUROC"}, {"nll", "NLL"},
}

// printScores writes a line for each score: validation and test metrics, and what the record says of them.
func printScores(w io.Writer, scores []score, records bool) error {
	heads := []string{"data set", "protocol", "fold", "method", "rate", "depth", "trees"}
	align := []tw.Align{tw.AlignLeft, tw.AlignLeft, tw.AlignRight, tw.AlignLeft, tw.AlignRight, tw.AlignRight, tw.AlignRight}
	var metrics []string
	for _, m := range shown {
		for _, s := range scores {
			if _, ok := s.test[m.name]; ok {
				metrics = append(metrics, m.name)
				heads, align = append(heads, m.title+" (val)", m.title), append(align, tw.AlignRight, tw.AlignRight)
				break
			}
		}
	}
	if records {
		heads, align = append(heads, "record"), append(align, tw.AlignLeft)
	}
	config := tablewriter.NewConfigBuilder().
		WithHeaderAutoFormat(tw.Off).WithHeaderAutoWrap(tw.WrapNone).WithRowAutoWrap(tw.WrapNone)
	config.Header().Alignment().WithPerColumn(align)
	config.Row().Alignment().WithPerColumn(align)
	table := tablewriter.NewTable(w,
		tablewriter.WithConfig(config.Build()),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Symbols:  tw.NewSymbols(tw.StyleLight),
			Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.On, Bottom: tw.On},
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}},
		})))
	table.Header(heads)
	for _, s := range scores {
		o := s.origin
		cells := []string{o.Dataset, o.Protocol, strconv.Itoa(o.Fold), "-", "-", "-", strconv.Itoa(s.trees)}
		if o.Method != "" {
			cells[3], cells[4], cells[5] = o.Method, strconv.FormatFloat(o.LearningRate, 'g', -1, 64), strconv.Itoa(o.MaxDepth)
		}
		for _, name := range metrics {
			cells = append(cells, number(s.val, name), number(s.test, name))
		}
		if records {
			cells = append(cells, s.record)
		}
		if err := table.Append(cells); err != nil {
			return err
		}
	}
	return table.Render()
}

func number(m map[string]float64, name string) string {
	v, ok := m[name]
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}
