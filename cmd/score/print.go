package main

import (
	"io"
	"strconv"

	"nptbench/internal/metric"
	"nptbench/internal/terminal"
)

// The metrics shown, in this order, as far as there are any.
var shown = []metric.Metric{metric.RMSE, metric.Accuracy, metric.AUROC, metric.NLL}

// printScores writes a line for each score: validation and test metrics, and what the record says of them.
func printScores(w io.Writer, scores []score, records bool, width int) error {
	columns := []terminal.Column{
		{Head: "data set"}, {Head: "protocol"}, {Head: "fold", Right: true}, {Head: "method"},
		{Head: "rate", Right: true}, {Head: "depth", Right: true}, {Head: "trees", Right: true},
	}
	var metrics []string
	for _, m := range shown {
		for _, s := range scores {
			if _, ok := s.test[m.Name]; ok {
				metrics = append(metrics, m.Name)
				columns = append(columns, terminal.Column{Head: m.Title + " (val)", Right: true}, terminal.Column{Head: m.Title, Right: true})
				break
			}
		}
	}
	if records {
		columns = append(columns, terminal.Column{Head: "record"})
	}
	table := terminal.Table{Columns: columns}
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
		table.Append(cells...)
	}
	return table.Render(w, width)
}

func number(m map[string]float64, name string) string {
	v, ok := m[name]
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}
