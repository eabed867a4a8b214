// Package metric has the metrics by which methods are compared: what each is called, where the paper prints it, and how it
// is computed. The harness alone computes them, since it alone holds the targets of test rows.
//
// Begin with this file; score.go computes. Records, sweep files and reports know a metric by its Name, and nothing about a
// metric is said anywhere else.
package metric

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"nptbench/internal/dataset"
)

// A Metric is a number that says how good predictions are.
type Metric struct {
	Name   string // in records, sweep files and CSV files
	Title  string // in text and headings
	Doc    string // in captions, with the unit
	Unit   string // behind the title of an axis; empty where there is none or it is the data set's own
	Larger bool   // larger is better
	Digits int    // decimals that the paper prints as a rule
	Table  int    // of the paper, whose numbers are means over folds; 0: none
	Change bool   // between two predictions of the same rows; its error over folds allows for the training rows that these share
	StdDev bool   // that table prints standard deviations over folds, where the others have standard errors of the mean
}

var (
	Accuracy = Metric{Name: "accuracy", Title: "accuracy", Doc: "accuracy in percent", Unit: "%", Larger: true, Digits: 1, Table: 8}
	NLL      = Metric{Name: "nll", Title: "NLL", Doc: "negative log-likelihood", Digits: 3, Table: 9}
	AUROC    = Metric{Name: "auroc", Title: "AUROC", Doc: "area under the ROC curve", Larger: true, Digits: 3, Table: 10}
	RMSE     = Metric{Name: "rmse", Title: "RMSE", Doc: "root mean squared error in original units", Digits: 2, Table: 11}
	MSE      = Metric{Name: "mse", Title: "MSE", Doc: "mean squared error in original units", Digits: 1, Table: 12, StdDev: true}

	// Correlation is Pearson's coefficient between predictions and targets, which says of semi-synthetic tasks whether targets are
	// looked up.
	Correlation = Metric{Name: "correlation", Title: "Pearson's r", Doc: "correlation of predictions and targets", Larger: true, Digits: 4}

	// StandardisedMSE is MSE on the scale of standardised targets, as methods see it: what regression chooses settings by.
	StandardisedMSE = Metric{Name: "mse_standardised", Title: "standardised MSE", Doc: "mean squared error of standardised targets", Digits: 4}
)

// All lists the metrics that records have: those of the paper's tables in their order, then the rest.
var All = []Metric{Accuracy, NLL, AUROC, RMSE, MSE, Correlation, StandardisedMSE}

// Of returns the metrics of the paper's tables for a problem; the first is what its Table 1 ranks by, but for two classes.
func Of(p dataset.Problem) []Metric {
	switch p {
	case dataset.Regression:
		return []Metric{RMSE, MSE}
	case dataset.Binary:
		return []Metric{Accuracy, NLL, AUROC}
	}
	return []Metric{Accuracy, NLL}
}

// Ranking returns the metric by which the paper's Table 1 ranks the methods on data sets of a problem.
func Ranking(p dataset.Problem) Metric {
	return map[dataset.Problem]Metric{dataset.Regression: RMSE, dataset.Binary: AUROC, dataset.MultiClass: Accuracy}[p]
}

// Selecting returns the metrics of validation rows by which a sweep can have settings chosen, the paper's first.
func Selecting(p dataset.Problem) []Metric {
	if p == dataset.Regression {
		return []Metric{MSE, RMSE}
	}
	metrics := []Metric{NLL, Accuracy}
	if p == dataset.Binary {
		metrics = append(metrics, AUROC)
	}
	return metrics
}

// Recorded is the metric that stands for m where settings are chosen: of MSE the standardised one, which orders alike.
func (m Metric) Recorded() Metric {
	if m == MSE {
		return StandardisedMSE
	}
	return m
}

// Named returns the metric of a name; where there is none such, one with that Name and Title.
func Named(name string) Metric {
	if i := slices.IndexFunc(All, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return All[i]
	}
	return Metric{Name: name, Title: name}
}

// StdErr is the name of the metric's standard error over the rows of one split.
func (m Metric) StdErr() string { return m.Name + "_se" }

// Heading is the title at the beginning of a line.
func (m Metric) Heading() string {
	first, n := utf8.DecodeRuneInString(m.Title)
	return string(unicode.ToUpper(first)) + m.Title[n:]
}

// Axis is the title with the unit and the direction.
func (m Metric) Axis() string {
	text := m.Title
	if m.Unit != "" {
		text += " (" + m.Unit + ")"
	}
	return text + m.Direction()
}

// Direction is ", larger is better" or ", smaller is better"; "" of a metric that is not in All.
func (m Metric) Direction() string {
	switch {
	case !slices.Contains(All, m):
		return ""
	case m.Larger:
		return ", larger is better"
	}
	return ", smaller is better"
}

// Names lists the names of metrics.
func Names(metrics []Metric) []string {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i] = m.Name
	}
	return names
}
