package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/internal/picture"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/results"
)

func TestFigureShowsWhatIsComplete(t *testing.T) {
	s := goldenSummary(t)
	var out bytes.Buffer
	panels := s.panels()
	if err := picture.Panels(panels).WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	var texts []string
	decoder := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	all := strings.Join(texts, "|") + "|"
	for _, want := range []string{"paper|", "ours|", "ours, corrected folds|", "Boston Housing|", "k-NN|", "Random Forest|", "Yacht|", "Higgs|", "± standard error|",
		"RMSE, smaller is better|", "accuracy (%), larger is better|"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Error("NaN or Inf in the figure")
	}
	if panels := (&Summary{}).panels(); len(panels) != 0 {
		t.Errorf("%d panels without a result", len(panels))
	}
}

// A figure shows what the first part of its table does, also where the first row lacks that: here core times, which the random forest has not.
func TestFigureOfTheFirstPart(t *testing.T) {
	f := newFixture()
	for _, m := range []string{"random-forest", "knn"} {
		f.expect("protein", published, m, 2)
		rec := f.ok("protein", published, m, 0, 0, mse(1), rmse(2))
		rec.FitSeconds, rec.ProcessorSeconds = 100, 7
		if m == "knn" {
			f.ok("protein", published, m, 0, 1, mse(1), rmse(2)).FitSeconds = 100
		}
	}
	s := collect(t, f)
	l := Layout{Where: []Where{Ranking}, Group: "dataset", Rows: []string{"series"}, Show: []Part{CoreTime, Processor}}
	panels := l.panels(s.Numbers)
	if len(panels) != 1 || panels[0].Axis != "seconds of one core" || len(panels[0].Lines) != 1 || panels[0].Lines[0].Title != "k-NN" {
		t.Errorf("%+v", panels)
	}
	s.Numbers = s.Numbers[:1] // without any core time
	if panels := l.panels(s.Numbers); panels != nil {
		t.Errorf("%+v", panels)
	}
}

// What was measured on the first fold is drawn once where both protocols have it from one record, and with its protocol where there are two.
func TestDrawings(t *testing.T) {
	record, other := &results.Record{}, &results.Record{}
	m := &measure.Measurement{Name: "deletion", Plot: func(*results.Table) (*plot.Plot, error) { return plot.New(), nil }}
	for _, c := range []struct {
		chosen []*results.Record // by protocol
		want   string
	}{{[]*results.Record{record}, "Yacht, NPT"}, {[]*results.Record{record, record}, "Yacht, NPT, published folds"},
		{[]*results.Record{record, other}, "Yacht, NPT, published folds Yacht, NPT, corrected folds"}} {
		s := &Summary{Spec: Spec{Name: "deletion", Plan: &plan.Plan{Protocols: split.Protocols[:len(c.chosen)]}}}
		for i, rec := range c.chosen {
			s.Groups = append(s.Groups, &Group{Info: dataset.Info{Title: "Yacht"}, Protocol: split.Protocols[i], Series: &Series{Title: "NPT", Measure: m},
				Folds: []*Fold{{Chosen: rec}}})
		}
		var svg bytes.Buffer
		if err := s.drawings()[1].(Figure).picture.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, text := range regexp.MustCompile(`>([^<>\n]*[a-z][^<>\n]*)</text>`).FindAllStringSubmatch(svg.String(), -1) {
			titles = append(titles, text[1])
		}
		if got := strings.Join(titles, " "); got != c.want {
			t.Errorf("drawn: %s, want %s", got, c.want)
		}
	}
}

// The report shows the learning curves of the chosen settings, of records that have them, where its Spec asks for them.
func TestLearningCurves(t *testing.T) {
	f := newFixture()
	f.Curves = true
	f.expect("protein", published, "npt", 2)
	f.expect("protein", published, "knn", 1)
	f.expect("yacht", published, "npt", 1)
	for fold, losses := range [][]any{{4.0, 0.01}, {1.0, 0.0001}, {1.0}, {1.0, 0.0}, {9.0, 9.0, 9.0}} { // all but the first two are left out
		f.ok("yacht", published, "npt", fold, 0, mse(0.1), rmse(2)).Details = map[string]any{"steps": 10.0, "learning_curve": losses}
	}
	f.ok("protein", published, "npt", 0, 0, mse(0.5), rmse(4)).Details = map[string]any{"steps": 400.0, "learning_curve": []any{1.0, 1.0, 1.0, 1.0}}
	f.ok("protein", published, "npt", 0, 1, mse(0.1), rmse(2)).Details = map[string]any{"steps": 400.0, "learning_curve": []any{1.0, 0.9, 0.01, 0.001}}
	f.ok("protein", published, "knn", 0, 0, mse(0.2), rmse(3)).Details = map[string]any{"steps": 400.0}
	s := collect(t, f)
	curves := s.learningCurves()
	if len(curves) != 2 || curves[1].Steps != 400 || len(curves[1].Losses) != 4 || !(math.Abs(curves[1].Losses[3]-0.001) <= 1e-12) {
		t.Fatalf("%+v", curves)
	}
	if mean := curves[0].Losses; len(mean) != 2 || !(math.Abs(mean[0]-2) <= 1e-12) || !(math.Abs(mean[1]-0.001) <= 1e-12) {
		t.Errorf("over two folds: %v", mean)
	}
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	content := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	svg, markdown := content("table1-curves.svg"), content("table1.md")
	for _, want := range []string{">step<", ">training loss, log scale<", ">Protein, NPT", ">Yacht, NPT", ">0.01<", ">300<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the figure lacks %s", want)
		}
	}
	if !strings.Contains(markdown, "(table1-curves.svg)") {
		t.Error("the report does not show the figure")
	}
	s.Curves = false
	var out bytes.Buffer
	if err := writeMarkdown(&out, s.Document()); err != nil || strings.Contains(out.String(), "curves.svg") {
		t.Error("a report that was not asked for learning curves has them", err)
	}
}
