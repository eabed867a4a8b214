package metric

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"nptbench/internal/vectors"
)

// The cases of testdata/metrics.json.gz were computed by scikit-learn 1.2.1.
func TestEqualsScikitLearn(t *testing.T) {
	var golden struct {
		Cases []struct {
			Task               string
			Classes            int
			Y                  []float64
			P                  json.RawMessage
			AUROC, NLL         *float64
			RMSE, MSE          *float64
			Accuracy           *float64
			Accuracy_at_argmax *float64
		}
	}
	vectors.Read(t, "testdata/metrics.json.gz", &golden)
	if len(golden.Cases) != 8 {
		t.Fatalf("%d cases, want 8", len(golden.Cases))
	}
	checked := 0
	check := func(name string, got float64, want *float64) {
		t.Helper()
		if want == nil {
			return
		}
		checked++
		if !(math.Abs(got-*want) <= 1e-12*math.Abs(*want)) {
			t.Errorf("%s: got %.17g, scikit-learn gives %.17g", name, got, *want)
		}
	}
	for _, c := range golden.Cases {
		labels := make([]uint16, len(c.Y))
		for i, y := range c.Y {
			labels[i] = uint16(y)
		}
		var flat []float64
		classes := max(c.Classes, 2)
		if c.Task == "multiclass" {
			var rows [][]float64
			if err := json.Unmarshal(c.P, &rows); err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				flat = append(flat, r...)
			}
		} else if err := json.Unmarshal(c.P, &flat); err != nil {
			t.Fatal(err)
		}
		switch c.Task {
		case "regression":
			mse, _ := MeanSquaredError(flat, c.Y)
			check("mse", mse, c.MSE)
			check("rmse", math.Sqrt(mse), c.RMSE)
			continue
		case "binary":
			auroc, _ := AreaUnderROC(flat, labels)
			check("auroc", auroc, c.AUROC)
			two := make([]float64, 0, 2*len(flat))
			for _, p := range flat {
				two = append(two, 1-p, p)
			}
			flat = two
		}
		nll, _ := LogLoss(flat, labels, classes)
		check("nll", nll, c.NLL)
		percent, _ := PercentCorrect(flat, labels, classes)
		check("accuracy", percent/100, c.Accuracy)
		check("accuracy", percent/100, c.Accuracy_at_argmax)
	}
	if checked != 20 {
		t.Errorf("%d numbers were compared, want 20", checked)
	}
}

func TestNLLOfImpossibleClass(t *testing.T) {
	got, _ := LogLoss([]float64{1, 0}, []uint16{1}, 2)
	if want := 34.538776394910684; !(math.Abs(got-want) <= 1e-9) { // -ln(1e-15), as log_loss of scikit-learn 1.1
		t.Errorf("got %v, want %v", got, want)
	}
}

// Probabilities are divided by their sum, as log_loss of scikit-learn 1.1 does.
func TestNLLOfSums(t *testing.T) {
	got, _ := LogLoss([]float64{0.3005, 0.7}, []uint16{1}, 2)
	if want := 0.3571748189803; !(math.Abs(got-want) <= 1e-12) { // -ln(0.7 / 1.0005)
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAccuracyOfNaNIsNotDefined(t *testing.T) {
	if got, _ := PercentCorrect([]float64{0.9, 0.1, math.NaN(), math.NaN()}, []uint16{0, 0}, 2); !math.IsNaN(got) {
		t.Errorf("got %v, want NaN", got)
	}
}

func TestAUROCOfOneClassIsNotDefined(t *testing.T) {
	if got, _ := AreaUnderROC([]float64{0.1, 0.2}, []uint16{1, 1}); !math.IsNaN(got) {
		t.Errorf("got %v, want NaN", got)
	}
	if got, _ := AreaUnderROC([]float64{0.1, math.NaN()}, []uint16{0, 1}); !math.IsNaN(got) {
		t.Errorf("of NaN: got %v, want NaN", got)
	}
}

// By hand: squared errors 1, 9 have mean 5 and standard error sqrt(((1-5)²+(9-5)²)/1/2) = 4; 1, 4, 9 have mean 14/3 and
// sqrt((121+4+169)/9/2/3) = 7/3.
func TestStandardError(t *testing.T) {
	for _, c := range []struct {
		errors   []float64
		mean, se float64
	}{{[]float64{1, 3}, 5, 4}, {[]float64{1, 2, 3}, 14. / 3, 7. / 3}} {
		mse, se := MeanSquaredError(c.errors, make([]float64, len(c.errors)))
		if !(math.Abs(mse-c.mean) <= 1e-15*c.mean) || !(math.Abs(se-c.se) <= 1e-15*c.se) {
			t.Errorf("%v: got %v ± %v, want %v ± %v", c.errors, mse, se, c.mean, c.se)
		}
	}
}

// By hand: of 2 × 3 pairs 5 are in order, so A = 5/6, Q1 = A/(2-A) = 5/7 and Q2 = 2A²/(1+A) = 25/33.
func TestStandardErrorOfAUROC(t *testing.T) {
	auroc, se := AreaUnderROC([]float64{0.1, 0.3, 0.2, 0.8, 0.4}, []uint16{0, 1, 0, 1, 0})
	want := math.Sqrt((5./36 + 1*(5./7-25./36) + 2*(25./33-25./36)) / 6)
	if !(math.Abs(auroc-5./6) <= 1e-15) || !(math.Abs(se-want) <= 1e-15) {
		t.Errorf("got %v ± %v, want %v ± %v", auroc, se, 5./6, want)
	}
}

// A correlation is better the larger it is, as figures and ranks have to know.
func TestCorrelationDirection(t *testing.T) {
	if got := Correlation.Direction(); !strings.Contains(got, "larger") {
		t.Error(got)
	}
}

func TestHeading(t *testing.T) {
	for title, want := range map[string]string{"accuracy": "Accuracy", "écart": "Écart", "RMSE": "RMSE"} {
		if got := (Metric{Title: title}).Heading(); got != want {
			t.Errorf("%s: %s", title, got)
		}
	}
}
