package experiment

import (
	"slices"
	"testing"

	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/report"
	"nptbench/results"
)

// The tables keep a place for TabNet when they have all other methods of the paper, and only then.
func TestKeepPlaces(t *testing.T) {
	p := report.Plan{Methods: []*method.Method{{Name: "golearn-knn", Extra: true}}}
	for _, m := range results.PaperMethods {
		name := m.Name
		if name != "tabnet" {
			p.Methods = append(p.Methods, &method.Method{Name: name})
			for _, protocol := range []string{"published", "corrected"} {
				p.Expected = append(p.Expected, report.Expectation{Dataset: "yacht", Protocol: protocol, Method: name, Folds: []int{0, 1}, Settings: 3})
			}
		}
	}
	some := p
	some.Expected = p.Expected[2:]
	if keepPlaces(&some, nil); len(some.Expected) != len(p.Expected)-2 || len(some.Methods) != len(p.Methods) {
		t.Errorf("a plan without one of the methods got places: %v", some.Expected)
	}
	left := some // which cannot be run here
	if keepPlaces(&left, []plan.LeftOut{{Name: results.PaperMethods[0].Name}}); len(left.Expected) != len(some.Expected)+2 {
		t.Errorf("a plan of which a method is left out has %d places, want two more than %d", len(left.Expected), len(some.Expected))
	}
	part := p // of the methods runs one on one data set alone
	part.Expected = append(slices.Clone(p.Expected), report.Expectation{Dataset: "protein", Protocol: "published", Method: "knn", Folds: []int{0}, Settings: 3})
	if keepPlaces(&part, nil); len(part.Expected) != len(p.Expected)+1+1+len(results.PaperMethods)-1 {
		t.Errorf("%d places, want TabNet's for Yacht and all but k-NN's for Protein", len(part.Expected)-len(p.Expected)-1)
	}
	planned := len(p.Expected)
	keepPlaces(&p, nil)
	got := p.Expected[planned:]
	if len(got) != 1 || got[0].Method != "tabnet" || got[0].Settings != 0 || len(got[0].Folds) != 2 || got[0].Protocol != "published" {
		t.Errorf("got %+v, want TabNet's place", got)
	}
	for i, m := range p.Methods {
		if i < len(results.PaperMethods) && m.Name != results.PaperMethods[i].Name || i == len(results.PaperMethods) && m.Name != "golearn-knn" {
			t.Errorf("method %d is %s", i, m.Name)
		}
	}
}
