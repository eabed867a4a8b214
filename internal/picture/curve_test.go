package picture

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Ten series under both kinds of folds look different; of one series the kinds of folds have colours.
func TestLineStyles(t *testing.T) {
	var curves []LearningCurve
	for _, folds := range []string{"published folds", "corrected folds"} {
		for i := range 10 {
			curves = append(curves, LearningCurve{Series: fmt.Sprint(i), Folds: folds})
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
	one := lineStyles([]LearningCurve{curves[0], curves[10]})
	if one[0].Color == one[1].Color || one[1].Dashes != nil {
		t.Errorf("%+v", one)
	}
}

// Where some trainings are far longer than others, both protocols of a series share a panel, whatever lies between.
func TestPanelsOfCurves(t *testing.T) {
	var curves []LearningCurve
	for _, folds := range []string{"published folds", "corrected folds"} {
		for i, series := range []string{"short", "long"} {
			curves = append(curves, LearningCurve{Dataset: "Yacht", Series: series, Folds: folds, Steps: float64(1 + 100*i), Losses: []float64{1, 0.5}})
		}
	}
	var out bytes.Buffer
	if err := LearningCurves(curves).WriteSVG(&out); err != nil || strings.Count(out.String(), "Yacht, ") != 2 {
		t.Errorf("%v, %d panels", err, strings.Count(out.String(), "Yacht, "))
	}
}

// A loss that never changes, as at a learning rate of 0, has no range for a logarithmic axis.
func TestConstantLearningCurve(t *testing.T) {
	var out bytes.Buffer
	curve := LearningCurve{Dataset: "Yacht", Series: "NPT", Steps: 2, Losses: []float64{0.6931, 0.6931}}
	if err := LearningCurves([]LearningCurve{curve}).WriteSVG(&out); err != nil || !strings.Contains(out.String(), ">0.70<") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// Trainings of 10 and of 400 steps have panels of their own, those of 10 and 200 share one, with a legend.
func TestFarLongerTrainings(t *testing.T) {
	for steps, apart := range map[float64]bool{400: true, 200: false} {
		drawn := LearningCurves([]LearningCurve{{Series: "short", Steps: 10, Losses: []float64{2, 1}}, {Series: "long", Steps: steps, Losses: []float64{2, 1}}})
		if (drawn.height == drawingHeight) != apart {
			t.Errorf("10 and %v steps: %v high", steps, drawn.height)
		}
	}
}
