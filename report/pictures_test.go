package report

import (
	"io"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/metric"
	"nptbench/internal/picture"
	"nptbench/internal/split"
	"nptbench/results"
)

// The line of the picture of times has the methods that no other one beats in both time and result.
func TestTimesFront(t *testing.T) {
	f := newFixture()
	seconds := map[string]float64{"knn": 1, "random-forest": 10, "mlp": 20, "xgboost": 30}
	errors := map[string]float64{"knn": 9, "random-forest": 4, "mlp": 5, "xgboost": 3}
	for method := range seconds {
		f.expect("boston-housing", published, method, 1)
		for fold := range 10 {
			r := f.ok("boston-housing", published, method, fold, 0, mse(0.1), results.Metrics{"rmse": errors[method], "mse": 1})
			r.FitSeconds, r.PredictSeconds, r.FitCells, r.Provenance.Threads = seconds[method], 0, 1, 2
		}
	}
	titles, panels, caption := collect(t, f).times()
	if len(panels) != 1 || len(titles) != 4 || !strings.HasSuffix(caption, "beats in both. Some methods chose among fewer or more settings than in the paper (see what ran).") {
		t.Fatalf("%d panels with %v: %s", len(panels), titles, caption)
	}
	want := []picture.Point{{X: 20, Y: 9}, {X: 200, Y: 4}, {X: 600, Y: 3}} // the MLP is slower than the forest, and worse
	if !slices.Equal(panels[0].Front, want) {
		t.Errorf("front %v, want %v", panels[0].Front, want)
	}
	for _, r := range f.records { // a second of a GPU is not one of a core
		if r.Method == "random-forest" {
			r.Provenance.Backend = "xla:cuda"
		}
	}
	f.expected[slices.IndexFunc(f.expected, func(e expectation) bool { return e.method == "knn" })].settings = 2
	for fold := range 10 {
		f.failed("boston-housing", published, "knn", fold, 1, "memory", "killed")
	}
	s := collect(t, f)
	_, panels, _ = s.times()
	if want := []picture.Point{{X: 20, Y: 9}, {X: 400, Y: 5}, {X: 600, Y: 3}}; !slices.Equal(panels[0].Front, want) || len(slices.Concat(panels[0].Points...)) != 4 {
		t.Errorf("front %v, want %v; %v", panels[0].Front, want, panels[0].Points)
	}
	pictures := s.pictures()
	if caption := pictures[len(pictures)-1].(Figure).Caption; !strings.HasSuffix(caption, "the line leaves them out. Times are without those of cells that failed.") {
		t.Errorf("the caption says nothing of a GPU, or of failures: %s", caption)
	}
}

func TestAgreementHasEveryComparison(t *testing.T) {
	s := goldenSummary(t)
	drawn, compared := 0, 0
	for _, p := range s.agreement() {
		drawn += len(slices.Concat(p.Points...))
	}
	for _, n := range s.Numbers {
		if n.Protocol == published && n.HasDifference() {
			compared++
		}
	}
	if drawn != compared || drawn == 0 {
		t.Errorf("%d points for %d comparisons", drawn, compared)
	}
}

// A single split, which both protocols have by the same records, says nothing of what correcting the folds changes; Kick's is another one.
func TestCorrectionOfOtherRecords(t *testing.T) {
	for dataset, want := range map[string]int{"income": 0, "kick": 1, "breast-cancer": 1} {
		f := newFixture()
		for _, protocol := range split.Protocols {
			f.expect(dataset, protocol, "knn", 1)
			for fold := range 10 {
				f.ok(dataset, protocol, "knn", fold, 0, results.Metrics{"nll": 1}, results.Metrics{"auroc": 0.9})
			}
		}
		drawn := 0
		for _, p := range collect(t, f).correction() {
			drawn += len(slices.Concat(p.Points...))
		}
		if drawn != want {
			t.Errorf("%s: %d points, want %d", dataset, drawn, want)
		}
	}
}

// A picture of a comparison of methods is drawn with what there is, that of validation with the test number above.
func TestPicturesOfFewRecords(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "knn", 1)
	f.ok("boston-housing", published, "knn", 0, 0, mse(1), results.Metrics{metric.RMSE.Name: 4, metric.MSE.Name: 16, metric.StandardisedMSE.Name: 2})
	s := collect(t, f)
	if p := s.validation(); len(p) != 1 || !slices.Equal(slices.Concat(p[0].Points...), []picture.Point{{X: 1, Y: 2}}) {
		t.Errorf("%+v, want a point at 1 and 2", p)
	}
	for _, b := range s.pictures() {
		if figure, is := b.(Figure); is {
			if err := figure.picture.WriteSVG(io.Discard); err != nil {
				t.Error(err)
			}
		}
	}
}
