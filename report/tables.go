package report

import (
	"fmt"
	"slices"

	"nptbench/internal/metric"
)

var (
	smallTables = []string{"yacht", "boston-housing", "concrete", "breast-cancer"}
	largeTables = []string{"protein", "kick", "income", "poker-hand", "forest-cover", "higgs"}
)

// Table1 are the tables of a comparison of methods: an overview by data set, and the paper's Tables 8 to 12.
var Table1 = append([]Layout{
	{
		Name: "small", Title: "At a glance",
		Caption: "Ours, the paper's in parentheses (± standard error over folds; bold: reproduced to the printed digits).",
		Where:   []Where{{"dataset", smallTables}, {"ranking", []string{"yes"}}},
		Rows:    []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []Part{Beside},
	},
	{
		Name: "breast-cancer", Caption: "The same for all metrics of Breast Cancer.",
		Where: []Where{{"dataset", []string{"breast-cancer"}}},
		Rows:  []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []Part{Beside},
	},
	{
		Name: "large", Caption: "The same for the data sets with a single split.",
		Where: []Where{{"dataset", largeTables}, {"ranking", []string{"yes"}}},
		Rows:  []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []Part{Beside},
	},
	{
		Name: "best", Best: true,
		Caption: "Ours alone: the best of each column in bold, the second underlined, by their printed digits (± standard error over folds; of RMSE " +
			"less is better, of AUROC and accuracy more).",
		Where: []Where{{"dataset", slices.Concat(smallTables, largeTables)}, {"ranking", []string{"yes"}}},
		Rows:  []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []Part{OursAlone},
	},
	{
		Name: "protocols", Caption: "What correcting the protocol changes: published folds → corrected folds.",
		Where: []Where{{"dataset", smallTables}, {"ranking", []string{"yes"}}},
		Rows:  []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []Part{Correction},
	},
}, metricTables(metricTitle, Ours, Paper, Difference, Judgement, Corrected, Change)...)

// ownTables are those where the paper has none of the numbers.
var ownTables = metricTables(metric.Metric.Heading, Published, Corrected, Change)

// metricTitle is the heading of the paper's table of a metric.
func metricTitle(m metric.Metric) string { return fmt.Sprintf("%s (Table %d)", m.Heading(), m.Table) }

// metricTables are tables with these parts for the metrics of the paper's Tables 8 to 12.
func metricTables(title func(metric.Metric) string, show ...Part) (tables []Layout) {
	for _, m := range metric.All {
		if m.Table == 0 {
			continue
		}
		spread, better := "standard error", "lower"
		if m.StdDev {
			spread = "standard deviation"
		}
		if m.Larger {
			better = "higher"
		}
		tables = append(tables, Layout{
			Name: m.Name, Title: title(m),
			Caption: fmt.Sprintf("Test %s, %s is better (± %s over folds).", m.Doc, better, spread),
			Where:   []Where{{"metric", []string{m.Name}}},
			Group:   "dataset", Rows: []string{"series"}, Show: show,
		})
	}
	return tables
}
