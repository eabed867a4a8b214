package experiment

import (
	"testing"

	"nptbench/internal/method"
	"nptbench/report"
	"nptbench/results"
)

// The tables keep a place for TabNet when they have all other methods of the paper, and only then.
func TestKeepPlaces(t *testing.T) {
	p := report.Plan{Methods: []*method.Method{{Name: "golearn-knn", Extra: true}}}
	for _, name := range results.PaperMethods {
		if name != "tabnet" {
			p.Methods = append(p.Methods, &method.Method{Name: name})
			for _, protocol := range []string{"published", "corrected"} {
				p.Expected = append(p.Expected, report.Expectation{Dataset: "yacht", Protocol: protocol, Method: name, Folds: []int{0, 1}, Settings: 3})
			}
		}
	}
	some := p
	some.Expected = p.Expected[2:]
	if keepPlaces(&some); len(some.Expected) != len(p.Expected)-2 || len(some.Methods) != len(p.Methods) {
		t.Errorf("a plan without one of the methods got places: %v", some.Expected)
	}
	planned := len(p.Expected)
	keepPlaces(&p)
	got := p.Expected[planned:]
	if len(got) != 1 || got[0].Method != "tabnet" || got[0].Settings != 0 || len(got[0].Folds) != 2 || got[0].Protocol != "published" {
		t.Errorf("got %+v, want TabNet's place", got)
	}
	for i, m := range p.Methods {
		if i < len(results.PaperMethods) && m.Name != results.PaperMethods[i] || i == len(results.PaperMethods) && m.Name != "golearn-knn" {
			t.Errorf("method %d is %s", i, m.Name)
		}
	}
}
