package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	if len(curves) != 2 || curves[1].steps != 400 || len(curves[1].losses) != 4 || !(math.Abs(curves[1].losses[3]-0.001) <= 1e-12) {
		t.Fatalf("%+v", curves)
	}
	if mean := curves[0].losses; len(mean) != 2 || !(math.Abs(mean[0]-2) <= 1e-12) || !(math.Abs(mean[1]-0.001) <= 1e-12) {
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
	panels := drawLearningCurves(curves) // one of 10 steps and one of 400
	curves[1].steps = 200
	if one := drawLearningCurves(curves); panels.height != drawingHeight || one.height == drawingHeight {
		t.Errorf("trainings of 10 and 400 steps are %v high, of 10 and 200 steps %v", panels.height, one.height)
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

// Ten series under both kinds of folds look different; of one series the kinds of folds have colours.
func TestLineStyles(t *testing.T) {
	var curves []learningCurve
	for _, folds := range []string{"published folds", "corrected folds"} {
		for i := range 10 {
			curves = append(curves, learningCurve{series: fmt.Sprint(i), folds: folds})
		}
	}
	seen := map[string]bool{}
	styles := lineStyles(curves)
	for i, s := range styles {
		look := fmt.Sprint(s.Color, s.Dashes)
		if seen[look] {
			t.Errorf("curve %d looks like another", i)
		}
		seen[look] = true
	}
	if styles[0].Color != styles[10].Color || styles[0].Color == styles[1].Color || styles[0].Dashes != nil || styles[10].Dashes == nil {
		t.Errorf("%+v, %+v, %+v", styles[0], styles[1], styles[10])
	}
	one := lineStyles([]learningCurve{curves[0], curves[10]})
	if one[0].Color == one[1].Color || one[1].Dashes != nil {
		t.Errorf("%+v", one)
	}
}

// Where some trainings are far longer than others, both protocols of a series share a panel, whatever lies between.
func TestPanelsOfCurves(t *testing.T) {
	var curves []learningCurve
	for _, folds := range []string{"published folds", "corrected folds"} {
		for i, series := range []string{"short", "long"} {
			curves = append(curves, learningCurve{dataset: "Yacht", series: series, folds: folds, steps: float64(1 + 100*i), losses: []float64{1, 0.5}})
		}
	}
	var out bytes.Buffer
	if err := drawLearningCurves(curves).writeSVG(&out); err != nil || strings.Count(out.String(), "Yacht, ") != 2 {
		t.Errorf("%v, %d panels", err, strings.Count(out.String(), "Yacht, "))
	}
}

// A loss that never changes, as at a learning rate of 0, has no range for a logarithmic axis.
func TestConstantLearningCurve(t *testing.T) {
	var out bytes.Buffer
	curve := learningCurve{dataset: "Yacht", series: "NPT", steps: 2, losses: []float64{0.6931, 0.6931}}
	if err := drawLearningCurves([]learningCurve{curve}).writeSVG(&out); err != nil || !strings.Contains(out.String(), ">0.70<") {
		t.Errorf("%v, %s", err, out.String())
	}
}
