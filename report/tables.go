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

// Ranking are the numbers by which Table 1 ranks.
var Ranking = Is("ranking", "yes")

// overview has a row for each method, and a column for each data set and metric.
func overview(name, caption string, show Part, where ...Where) Layout {
	return Layout{Name: name, Caption: caption, Where: where, Rows: []string{"series"}, Columns: []string{"dataset", "metric"}, Show: []Part{show}}
}

// table1 are the tables of a comparison of methods: overviews by data set, and the paper's Tables 8 to 12.
var table1 = func() []Layout {
	small := overview("small", "Ours, the paper's in parentheses (± standard error over folds; bold: reproduced).",
		Beside, Is("dataset", smallTables...), Ranking)
	small.Title = "At a glance"
	best := overview("best", "Ours alone: the best of each column in bold, the second underlined, by their printed digits (± standard error over "+
		"folds; of RMSE less is better, of AUROC and accuracy more).", oursAlone, Is("dataset", slices.Concat(smallTables, largeTables)...), Ranking)
	best.Best = true
	return append([]Layout{
		small,
		overview("breast-cancer", "The same for all metrics of Breast Cancer.", Beside, Is("dataset", "breast-cancer")),
		overview("large", "The same for the data sets with a single split.", Beside, Is("dataset", largeTables...), Ranking),
		best,
		overview("protocols", "What correcting the protocol changes: published folds → corrected folds.", corrections, Is("dataset", smallTables...), Ranking),
	}, metricTables(metricTitle, Ours, paper, difference, verdictPart, Corrected, change)...)
}()

// ownTables are those where the paper has none of the numbers.
var ownTables = metricTables(metric.Metric.Heading, Published, Corrected, change)

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
