package report

import (
	"fmt"
	"iter"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/results"
)

// What the tests share: the paper's data sets and methods as far as a report looks at them, and made records.

var testDatasets = []dataset.Info{
	{Name: "higgs", Title: "Higgs", Problem: dataset.Binary, RunFolds: 1},
	{Name: "poker-hand", Title: "Poker Hand", Problem: dataset.MultiClass, RunFolds: 1},
	{Name: "forest-cover", Title: "Forest Cover", Problem: dataset.MultiClass, RunFolds: 1},
	{Name: "income", Title: "Income", Problem: dataset.Binary, RunFolds: 1},
	{Name: "kick", Title: "Kick", Problem: dataset.Binary, RunFolds: 1},
	{Name: "breast-cancer", Title: "Breast Cancer", Problem: dataset.Binary, RunFolds: 10},
	{Name: "protein", Title: "Protein", Problem: dataset.Regression, RunFolds: 1},
	{Name: "concrete", Title: "Concrete", Problem: dataset.Regression, RunFolds: 10},
	{Name: "boston-housing", Title: "Boston Housing", Problem: dataset.Regression, RunFolds: 10},
	{Name: "yacht", Title: "Yacht", Problem: dataset.Regression, RunFolds: 10},
}

var testMethods = []*method.Method{
	{Name: "random-forest", Title: "Random Forest"},
	{Name: "gradient-boosting", Title: "Gradient Boosting"},
	{Name: "xgboost", Title: "XGBoost"},
	{Name: "catboost", Title: "CatBoost"},
	{Name: "lightgbm", Title: "LightGBM"},
	{Name: "mlp", Title: "MLP"},
	{Name: "knn", Title: "k-NN"},
	{Name: "golearn-knn", Title: "k-NN (golearn)", Extra: true},
	{Name: "tabnet", Title: "TabNet"},
	{Name: "npt", Title: "NPT"},
}

// A fixture is a plan with records made for it. Cells are named "dataset protocol method fold setting".
type fixture struct {
	Plan
	records  []*results.Record
	position map[string]int
	protocol map[string]split.Protocol
}

func newFixture() *fixture {
	f := &fixture{position: map[string]int{}, protocol: map[string]split.Protocol{}}
	f.Plan = Plan{
		Title: "Table 1", Sweep: "test", Datasets: testDatasets, Methods: testMethods,
		Position: func(id string) (int, []split.Protocol, bool) {
			p, ok := f.position[id]
			return p, []split.Protocol{f.protocol[id]}, ok
		},
	}
	return f
}

// expect adds an expectation, with folds 0 to folds-1.
func (f *fixture) expect(dataset, protocol, method string, folds, settings int) {
	e := Expectation{Dataset: dataset, Protocol: protocol, Method: method, Settings: settings}
	for fold := range folds {
		e.Folds = append(e.Folds, fold)
		for setting := range settings {
			id := cellName(dataset, protocol, method, fold, setting)
			f.position[id], f.protocol[id] = setting, split.Protocol(protocol)
		}
	}
	f.Expected = append(f.Expected, e)
}

func cellName(dataset, protocol, method string, fold, setting int) string {
	c := results.Cell{Dataset: dataset, Protocol: split.Protocol(protocol), Fold: fold, Method: method, Seed: uint64(setting)}
	return c.ID()
}

// ok adds a successful record and returns it for further changes.
func (f *fixture) ok(dataset, protocol, method string, fold, setting int, val, test results.Metrics) *results.Record {
	rec := &results.Record{
		ID: cellName(dataset, protocol, method, fold, setting), Status: results.OK,
		Cell: results.Cell{Dataset: dataset, DataDigest: "d1e5", Protocol: split.Protocol(protocol), Fold: fold, Method: method, Seed: 42,
			Config: results.Config(fmt.Sprintf(`{"setting":%d}`, setting))},
		Val: val, Test: test, Rows: [3]int{70, 20, 10}, SplitDigest: "5b17", FitSeconds: 3, FitCells: 2, PredictSeconds: 0.5,
		PeakMemoryBytes: 100 << 20, Sweep: "test",
		Provenance: results.Provenance{Code: "abc123", Go: "go1.26", OS: "linux", CPU: "Some CPU", Cores: 2, Threads: 1,
			Finished: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(fold) * time.Minute)},
	}
	f.records = append(f.records, rec)
	return rec
}

func (f *fixture) failed(dataset, protocol, method string, fold, setting int, kind, message string) {
	rec := f.ok(dataset, protocol, method, fold, setting, nil, nil)
	rec.Status, rec.Failure = results.Failed, &results.Failure{Kind: kind, Message: message}
}

func (f *fixture) all() iter.Seq2[*results.Record, error] {
	return func(yield func(*results.Record, error) bool) {
		for _, rec := range f.records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}
