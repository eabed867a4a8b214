package report

import (
	"fmt"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/split"
)

// The two protocols, as records name them. The paper's numbers were made by the published one.
const (
	published = string(split.Published)
	corrected = string(split.Corrected)
)

// A Plan is what a report is about: what its sweep contains, in the order in which it is shown.
type Plan struct {
	Title    string
	Sweep    string
	Datasets []dataset.Info   // in the order of the tables; data sets without an expectation are not shown
	Methods  []*method.Method // in the order of the tables; likewise
	Expected []Expectation
	Notes    []string // facts about the whole sweep, each one sentence

	// Position returns the place of a cell's setting in the sweep's list of settings for its data set and method: 0 for
	// the first, and the protocols whose folds it is part of. The settings of one fold have distinct places below
	// Expectation.Settings. It returns false for a cell that is not part of the sweep.
	Position func(cellID string) (place int, under []split.Protocol, ok bool)

	// Select names the validation metric that chooses the settings of a task: mse or rmse; nll, accuracy or auroc. Nil
	// means the paper's rule, mse and nll.
	Select func(dataset.Problem) string
}

// selectionMetric is the name by which records have the metric that chooses settings.
func (p *Plan) selectionMetric(task dataset.Problem) string {
	m := metric.Selecting(task)[0]
	if p.Select != nil {
		m = metric.Named(p.Select(task))
	}
	return m.Recorded().Name
}

// An Expectation is what the sweep contains for one data set, protocol and method.
type Expectation struct {
	Dataset, Protocol, Method string

	Folds    []int // numbers of the folds
	Settings int   // cells per fold; 0 for a method of the paper that is not here yet: its place in the tables is kept
}

// check refuses a plan that contradicts itself, which is a mistake of the program and not of its user.
func (p *Plan) check() error {
	for _, e := range p.Expected {
		switch {
		case !slices.ContainsFunc(p.Datasets, func(d dataset.Info) bool { return d.Name == e.Dataset }):
			return fmt.Errorf("report: plan expects data set %q and does not list it", e.Dataset)
		case !slices.ContainsFunc(p.Methods, func(m *method.Method) bool { return m.Name == e.Method }):
			return fmt.Errorf("report: plan expects method %q and does not list it", e.Method)
		case e.Protocol != published && e.Protocol != corrected:
			return fmt.Errorf("report: plan expects protocol %q, want %q or %q", e.Protocol, published, corrected)
		case e.Settings < 0 || len(e.Folds) == 0:
			return fmt.Errorf("report: plan expects %d folds and %d settings of %s on %s", len(e.Folds), e.Settings, e.Method, e.Dataset)
		}
	}
	return nil
}
