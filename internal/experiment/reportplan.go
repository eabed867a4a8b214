package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/report"
	"nptbench/results"
)

// reportPlan tells the report what the plan contains. Where that is every method of the paper that there is, methods that are
// still to come, cannot run here or are not run on some data sets keep their places in the tables.
func reportPlan(title string, p *plan.Plan, methods []*method.Method) report.Plan {
	out := report.Plan{
		Title: title, Sweep: p.Sweep.Name, Datasets: dataset.Infos(), Methods: methods, Position: position(p),
		Select: p.Sweep.Select.Metric,
	}
	for _, g := range p.Groups() {
		for _, protocol := range p.Protocols {
			var folds []int
			for _, f := range g.Dataset.Folds {
				if slices.Contains(f.Under, protocol) {
					folds = append(folds, f.Number)
				}
			}
			if len(folds) > 0 {
				out.Expected = append(out.Expected, report.Expectation{
					Dataset: g.Dataset.Info.Name, Protocol: string(protocol), Method: g.Method.Name, Folds: folds, Settings: len(g.Settings),
				})
			}
		}
	}
	keepPlaces(&out, p.LeftOut)
	if d := p.Sweep.Description; d != "" {
		out.Notes = append(out.Notes, fmt.Sprintf("Sweep %s: %s.", p.Sweep.Name, strings.TrimSuffix(d, ".")))
	}
	for _, line := range p.WhyLeftOut() {
		out.Notes = append(out.Notes, line+".")
	}
	return out
}

// keepPlaces adds what of the paper the plan has not, on its data sets, if the plan has all methods that the project has, but
// for those that are left out.
func keepPlaces(p *report.Plan, leftOut []plan.LeftOut) {
	here, planned := map[string]bool{}, map[string]bool{}
	tables := map[string]report.Expectation{} // the first of each data set
	has := map[[2]string]bool{}               // data set, method
	for _, e := range slices.Backward(p.Expected) {
		planned[e.Method], tables[e.Dataset], has[[2]string{e.Dataset, e.Method}] = true, e, true
	}
	for _, s := range leftOut {
		planned[s.Name] = true
	}
	for _, m := range p.Methods {
		here[m.Name] = true
		if !planned[m.Name] && !m.Extra {
			return
		}
	}
	p.Methods = slices.Clone(p.Methods)
	for _, m := range results.PaperMethods {
		name := m.Name
		if !here[name] {
			p.Methods = append(p.Methods, &method.Method{Name: name, Title: m.Title})
		}
		for _, e := range tables {
			if !has[[2]string{e.Dataset, name}] {
				e.Method, e.Settings = name, 0
				p.Expected = append(p.Expected, e)
			}
		}
	}
	order := func(m *method.Method) uint { // an index of -1, which is not of the paper, becomes the last
		return uint(results.PaperPlace(m.Name))
	}
	slices.SortStableFunc(p.Methods, func(a, b *method.Method) int { return cmp.Compare(order(a), order(b)) })
}

// position finds the place of a record's setting, and the protocols under which its fold is shown.
func position(p *plan.Plan) func(id string) (int, []split.Protocol, bool) {
	return func(id string) (int, []split.Protocol, bool) {
		at, ok := p.Place(id)
		if !ok {
			return 0, nil, false
		}
		return int(at.Setting), at.Dataset.Folds[at.Fold].Under, true
	}
}
