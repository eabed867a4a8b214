package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/results"
	"nptbench/sweeps"
)

// What the tests share: plans of made sweeps, and made records.

const (
	published = split.Published
	corrected = split.Corrected
)

var testMethods = func() (methods []*method.Method) {
	for _, m := range results.PaperMethods {
		methods = append(methods, &method.Method{Name: m.Name, Title: m.Title, Deterministic: m.Name == "knn" || m.Name == "xgboost"})
	}
	methods = append(methods, &method.Method{Name: "golearn-knn", Title: "k-NN (golearn)", Extra: true})
	for _, m := range methods {
		m.Params = []method.Param{{Name: "setting", Type: method.Int, Default: 0}, {Name: "layers", Type: method.Int, Default: 8}, {Name: "dim_hidden", Type: method.Int, Default: 128}}
		if m.Name == "npt" {
			m.Sizes = []method.Size{{Param: "layers", Published: 8, Name: "layers"}, {Param: "dim_hidden", Published: 32, Name: "e ="}}
		}
	}
	return methods
}()

// A fixture is a sweep with records made for it. A method has the settings 0, 1, ... on a data set.
type fixture struct {
	Spec
	description, selection string // of the sweep
	folds                  string
	params, grids          map[string]string // of methods, grids also of a data set's; a grid has the settings 0, 1, ... where none is given
	variants               map[string]string // instead of a grid
	expected               []expectation
	records                []*record
	index                  results.Index // of the records that the plan knows of
}

type expectation struct {
	dataset, method string
	protocol        split.Protocol
	settings        int
}

type record struct {
	*results.Record
	setting int
}

func newFixture() *fixture {
	return &fixture{Spec: Spec{Name: "table1", Title: "Table 1", Methods: testMethods}, folds: "all", params: map[string]string{}}
}

// expect adds a method with so many settings on a data set to the sweep, and the protocol to the whole sweep.
func (f *fixture) expect(dataset string, protocol split.Protocol, method string, settings int) {
	f.expected = append(f.expected, expectation{dataset, method, protocol, settings})
}

// searchAsPaper gives methods on a data set as many settings as the paper has. The new ones have the records of their method's first.
func (f *fixture) searchAsPaper(dataset string, methods ...string) {
	for i := range f.expected {
		e := &f.expected[i]
		n, known := results.PaperSettings(dataset, e.method)
		if e.dataset != dataset || !known || !slices.Contains(methods, e.method) {
			continue
		}
		for _, rec := range f.records {
			if rec.Dataset != dataset || rec.Method != e.method || rec.Protocol != e.protocol || rec.setting != 0 {
				continue
			}
			for setting := e.settings; setting < n; setting++ {
				again := *rec.Record
				f.records = append(f.records, &record{&again, setting})
			}
		}
		e.settings = n
	}
}

// plan makes the plan of the sweep.
func (f *fixture) plan(t testing.TB) *plan.Plan {
	t.Helper()
	var protocols []split.Protocol
	var datasets []string
	var entries bytes.Buffer
	seen := map[string]bool{}
	list := func(texts any) string {
		return string(bytes.ReplaceAll(fmt.Append(nil, texts), []byte(" "), []byte(", ")))
	}
	for _, e := range f.expected {
		if !slices.Contains(protocols, e.protocol) {
			protocols = append(protocols, e.protocol)
		}
		if !slices.Contains(datasets, e.dataset) {
			datasets = append(datasets, e.dataset)
		}
		if key := e.dataset + " " + e.method; !seen[key] {
			seen[key] = true
			grid := cmp.Or(f.grids[e.dataset+" "+e.method], f.grids[e.method])
			if grid == "" {
				settings := make([]int, e.settings)
				for i := range settings {
					settings[i] = i
				}
				grid = "setting: " + list(settings)
			}
			settings := fmt.Sprintf("grid: {%s}", grid)
			if v := f.variants[e.method]; v != "" {
				settings = fmt.Sprintf("variants: {%s}", v)
			}
			fmt.Fprintf(&entries, "  - {method: %s, datasets: [%s], params: {%s}, %s}\n", e.method, e.dataset, f.params[e.method], settings)
		}
	}
	text := fmt.Sprintf("name: test\ndescription: %s\nfolds: %s\nselect: {%s}\nprotocols: %s\ndatasets: %s\nmethods:\n%s",
		strconv.Quote(f.description), f.folds, f.selection, list(protocols), list(datasets), entries.Bytes())
	sweep, err := sweeps.Parse("test.yaml", []byte(text), sweeps.Catalogue{Methods: testMethods, Datasets: dataset.Infos()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(context.Background(), sweep, plan.Options{ReportOnly: true}, dataset.NewLibrary(t.TempDir()), f.index)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ok adds a successful record and returns it for further changes.
func (f *fixture) ok(dataset string, protocol split.Protocol, method string, fold, setting int, val, test results.Metrics) *results.Record {
	rec := &results.Record{
		Status: results.OK, Cell: results.Cell{Dataset: dataset, Protocol: protocol, Fold: fold, Method: method, Seed: 42},
		Val: val, Test: test, Rows: [3]int{70, 20, 10}, SplitDigest: "5b17", FitSeconds: 3, FitCells: 2, PredictSeconds: 0.5,
		PeakMemoryBytes: 100 << 20, Sweep: "test",
		Provenance: results.Provenance{Code: "abc123", Go: "go1.26", OS: "linux", CPU: "Some CPU", Cores: 2, Threads: 1,
			Finished: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(fold) * time.Minute)},
	}
	f.records = append(f.records, &record{rec, setting})
	return rec
}

// failed adds the record of a cell that was killed, and so has no times.
func (f *fixture) failed(dataset string, protocol split.Protocol, method string, fold, setting int, kind, message string) *results.Record {
	rec := f.ok(dataset, protocol, method, fold, setting, nil, nil)
	rec.Status, rec.Failure = results.Failed, &results.Failure{Kind: kind, Message: message}
	rec.FitSeconds, rec.PredictSeconds = 0, 0
	return rec
}

// all gives the records the identities of their cells, and has the first of each cell. Those that are in no plan have another one.
func (f *fixture) all(p *plan.Plan) iter.Seq2[*results.Record, error] {
	return func(yield func(*results.Record, error) bool) {
		seen := map[results.ID]bool{}
		for _, rec := range f.records {
			rec.ID = results.ID{}
			for _, g := range p.Groups() {
				d := g.Dataset
				at := slices.IndexFunc(d.Folds, func(f plan.Fold) bool { return f.Number == rec.Fold && slices.Contains(f.Under, rec.Protocol) })
				if d.Info.Name == rec.Dataset && g.Method.Name == rec.Method && at >= 0 {
					cell := rec.Cell
					cell.DataDigest, cell.Protocol, cell.Config = d.Digest, d.Folds[at].Protocol, results.Config(g.Settings[rec.setting].JSON)
					rec.ID, rec.DataDigest, rec.Config = cell.ID(), cell.DataDigest, cell.Config
				}
			}
			if seen[rec.ID] && rec.ID != (results.ID{}) {
				continue
			}
			seen[rec.ID] = true
			if !yield(rec.Record, nil) {
				return
			}
		}
	}
}

func collect(t testing.TB, f *fixture) *Summary {
	t.Helper()
	f.Plan = f.plan(t)
	s, err := Collect(f.all(f.Plan), f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// group returns the group of a data set, a protocol and a method.
func (s *Summary) group(dataset string, protocol split.Protocol, method string) *Group {
	return s.Groups[slices.IndexFunc(s.Groups, func(g *Group) bool {
		return g.Info.Name == dataset && g.Protocol == protocol && g.Series.Method.Name == method
	})]
}

func (s *Summary) number(dataset string, protocol split.Protocol, method string, m metric.Metric) *Number {
	return s.Numbers[slices.IndexFunc(s.Numbers, func(n *Number) bool {
		return n.Group == s.group(dataset, protocol, method) && n.Metric == m
	})]
}
