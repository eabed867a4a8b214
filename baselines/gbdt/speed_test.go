package gbdt

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// realTask encodes a fold of a real data set, or skips the test where its files are not at hand.
func realTask(t testing.TB, name string, protocol split.Protocol, fold int) (*task.Task, *task.Truth) {
	t.Helper()
	dir := os.Getenv("NPT_DATA_DIR")
	for _, d := range []string{"../../data", "../../../shared/data"} {
		if _, err := os.Stat(filepath.Join(d, name)); dir == "" && err == nil {
			dir = d
		}
	}
	if dir == "" {
		t.Skipf("no files of %s in $NPT_DATA_DIR, data or ../shared/data", name)
	}
	table, err := dataset.NewLibrary(dir).Load(context.Background(), name)
	if err != nil {
		t.Skip(err)
	}
	rule := split.Rule{Rows: table.Rows, Folds: table.Info.Folds, TestAt: table.TestAt}
	if table.Info.Task.Classification() {
		rule.Labels = table.Labels()
	}
	s, err := split.Make(rule, protocol, fold)
	if err != nil {
		t.Fatal(err)
	}
	on, truth, err := task.Encode(table, s, protocol, fold, task.AllRows)
	if err != nil {
		t.Fatal(err)
	}
	on.Threads = 1
	return on, truth
}

// Prediction by 1,000 trees for the validation and test rows of Protein, on one thread, against the libraries' own.
func TestPredictionSpeed(t *testing.T) {
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("set NPT_LONG_TESTS=1 to measure for minutes")
	}
	on, _ := realTask(t, "protein", split.Published, 0)
	for _, depth := range []int{3, 10} {
		for i, m := range all {
			needPython(t, m)
			lib := libraries[i]
			f, err := lib.newFit(on, []method.Config{resolve(t, m, on.Info, 0.1, depth, 1000)})
			if err != nil {
				t.Fatal(err)
			}
			r := f.request()
			r.check, r.CheckRows = f.unseen(), on.Val+on.Test
			r.Rows = 8000 // of the training rows, to save time
			r.x, r.y = r.x[:r.Rows*r.Width], r.y[:r.Rows]
			answer, err := trainers.fit(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			model, err := f.load(answer)
			if err != nil {
				t.Fatal(err)
			}
			load := time.Since(begin)
			best := time.Hour
			for range 3 {
				begin := time.Now()
				if _, err := model.Predict(context.Background(), f.unseen(), f.counts, 1); err != nil {
					t.Fatal(err)
				}
				best = min(best, time.Since(begin))
			}
			t.Logf("%-17s depth %2d: fit %6.2f s, load %5.3f s, predict: leaves %6.3f s, library %6.3f s",
				m.Name, depth, answer.FitSeconds, load.Seconds(), best.Seconds(), answer.PredictSeconds)
		}
	}
}
