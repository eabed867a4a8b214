package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/results"
)

func mse(x float64) results.Metrics { return results.Metrics{"mse_standardised": x} }

func rmse(x float64) results.Metrics { return results.Metrics{"rmse": x, "mse": x * x} }

// The setting with the best validation loss is chosen, whatever its test result is.
func TestChoosesByValidation(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 4)
	f.expect("income", published, "knn", 2)
	f.ok("protein", published, "knn", 0, 3, mse(0.3), rmse(1)) // the best on the test rows
	f.ok("protein", published, "knn", 0, 1, mse(0.1), rmse(3))
	f.ok("protein", published, "knn", 0, 0, mse(0.2), rmse(2))
	f.ok("protein", published, "knn", 0, 2, mse(0.4), rmse(4))
	f.ok("income", published, "knn", 0, 0, results.Metrics{"nll": 0.2, "accuracy": 99}, results.Metrics{"accuracy": 90})
	f.ok("income", published, "knn", 0, 1, results.Metrics{"nll": 0.1, "accuracy": 50}, results.Metrics{"accuracy": 80})
	s := collect(t, f)
	if fold := s.group("protein", published, "knn").Folds[0]; fold.Position != 1 || fold.Chosen.Test["rmse"] != 3 {
		t.Errorf("chose place %d", fold.Position)
	}
	if fold := s.group("income", published, "knn").Folds[0]; fold.Position != 1 || fold.Chosen.Test["accuracy"] != 80 {
		t.Errorf("classification chose place %d, not by nll", fold.Position)
	}
}

// Groups of data sets of one's own stay together, in the order of the plan, behind those of the catalogue.
func TestOwnDataInOrder(t *testing.T) {
	c := &collector{Summary: &Summary{Spec: Spec{Plan: &plan.Plan{}}}}
	for _, name := range []string{"second", "first", "protein", "yacht"} {
		c.Plan.Datasets = append(c.Plan.Datasets, &plan.Dataset{Info: dataset.Info{Name: name}})
		for i := range 2 {
			c.Groups = append(c.Groups, &Group{Info: dataset.Info{Name: name}, Protocol: published, Series: &Series{order: [2]int{i, 0}}})
		}
	}
	slices.SortStableFunc(c.Groups, func(a, b *Group) int { return cmp.Compare(a.Info.Name, b.Info.Name) })
	c.sort()
	for i, want := range []string{"yacht", "yacht", "protein", "protein", "second", "second", "first", "first"} {
		if g := c.Groups[i]; g.Info.Name != want || g.Series.order[0] != i%2 {
			t.Errorf("group %d is of %s", i, g.Info.Name)
		}
	}
}

// Errors on somebody's own data set are in the units of its target, however small or large these are.
func TestScale(t *testing.T) {
	small, large, known := &Group{Info: dataset.Info{Name: "small"}}, &Group{Info: dataset.Info{Name: "large"}}, &Group{Info: dataset.Info{Name: "yacht"}}
	var s Summary
	for _, c := range []struct {
		group        *Group
		mean, stdErr float64
	}{{small, 4.452e-5, 1.2e-6}, {small, 3.1e-5, 1e-6}, {small, 2e-12, 0}, {large, 3.3507e11, 1.289e10}, {known, 4.452e-5, 1.2e-6}} {
		s.Numbers = append(s.Numbers, &Number{Group: c.group, Metric: metric.RMSE, N: 2, Mean: c.mean, StdErr: c.stdErr})
	}
	s.scale()
	for i, want := range []string{"0.0000445 ± 0.0000012", "0.0000310 ± 0.0000010", "0.0000000 ± 0.0000000", "3.351e+11 ± 1.289e+10", "0.00 ± 0.00"} {
		if got := s.Numbers[i].text(s.Numbers[i].shown()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A sweep may choose by another validation metric.
func TestChoosesByTheSweepsMetric(t *testing.T) {
	f := newFixture()
	f.selection = "regression: rmse, classification: accuracy"
	f.expect("income", published, "knn", 3)
	f.expect("protein", published, "knn", 2)
	for setting, accuracy := range []float64{80, 90, 90} {
		f.ok("income", published, "knn", 0, setting, results.Metrics{"nll": accuracy, "accuracy": accuracy}, results.Metrics{"accuracy": 1})
	}
	f.ok("protein", published, "knn", 0, 0, results.Metrics{"mse_standardised": 1, "rmse": 2}, rmse(1))
	f.ok("protein", published, "knn", 0, 1, results.Metrics{"mse_standardised": 2, "rmse": 1}, rmse(1))
	s := collect(t, f)
	if fold := s.group("income", published, "knn").Folds[0]; fold.Position != 1 || fold.Tied != 2 {
		t.Errorf("by accuracy: place %d of %d tied, want 1 of 2", fold.Position, fold.Tied)
	}
	if fold := s.group("protein", published, "knn").Folds[0]; fold.Position != 1 {
		t.Errorf("by rmse: place %d, want 1", fold.Position)
	}
	if text := s.howToRead()[0]; !strings.Contains(text, "(RMSE for regression, accuracy for classes)") {
		t.Errorf("%s", text)
	}
}

func TestTiesGoToTheFirstOfTheSweep(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 5)
	for _, setting := range []int{4, 1, 3, 2} { // in the order of the records
		f.ok("protein", published, "knn", 0, setting, mse(0.5), rmse(float64(setting)))
	}
	f.ok("protein", published, "knn", 0, 0, mse(0.6), rmse(0))
	fold := collect(t, f).Groups[0].Folds[0]
	if fold.Position != 1 || fold.Chosen.Test["rmse"] != 1 || fold.Tied != 4 {
		t.Errorf("chose place %d among %d tied, want 1 among 4", fold.Position, fold.Tied)
	}
}

// Nothing of a report may depend on the order in which records are read.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "knn", 6)
	f.expect("boston-housing", corrected, "xgboost", 6)
	rng := rand.New(rand.NewPCG(1, 2))
	for fold := range 10 {
		for setting := range 6 {
			f.ok("boston-housing", published, "knn", fold, setting, mse(float64(rng.IntN(3))), rmse(rng.Float64()))
			if rng.IntN(4) == 0 {
				f.failed("boston-housing", corrected, "xgboost", fold, setting, []string{"timeout", "crash"}[rng.IntN(2)], fmt.Sprint(rng.IntN(3)))
			} else {
				f.ok("boston-housing", corrected, "xgboost", fold, setting, mse(float64(rng.IntN(3))), rmse(rng.Float64()))
			}
		}
	}
	render := func() string {
		var out bytes.Buffer
		s := collect(t, f)
		for _, err := range []error{
			writeMarkdown(&out, s.Document()), s.writeCells(&out), s.writeFolds(&out), s.writeFailures(&out),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return out.String()
	}
	want := render()
	for range 20 {
		rng.Shuffle(len(f.records), func(i, j int) { f.records[i], f.records[j] = f.records[j], f.records[i] })
		if got := render(); got != want {
			t.Fatal("another order of the records gave another report")
		}
	}
}

// A record of a task that both protocols make counts for the numbers of both, and once as a record.
func TestSharedTasksCountOnce(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 2)
	f.expect("protein", corrected, "knn", 2)
	f.ok("protein", published, "knn", 0, 0, mse(0.5), rmse(1))
	f.failed("protein", published, "knn", 0, 1, "crash", "boom")
	s := collect(t, f)
	for _, protocol := range []split.Protocol{published, corrected} {
		if fold := s.group("protein", protocol, "knn").Folds[0]; fold.OK != 1 || fold.Failed != 1 || fold.Chosen.Test["rmse"] != 1 {
			t.Errorf("%s: %d ok, %d failed", protocol, fold.OK, fold.Failed)
		}
	}
	if got, want := s.progress(), "2 of 2 cells have a record, 1 of them a failure."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRecordsThatDoNotCount(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 3)
	f.ok("protein", published, "knn", 0, 0, results.Metrics{"mse_standardised": math.NaN()}, rmse(1))
	f.ok("protein", published, "knn", 0, 1, results.Metrics{"rmse": 1}, rmse(1)) // no validation loss
	f.ok("protein", published, "knn", 0, 2, mse(math.Inf(1)), rmse(1))
	f.ok("protein", corrected, "knn", 0, 0, mse(0), rmse(0))
	f.ok("protein", published, "xgboost", 0, 0, mse(0), rmse(0))
	f.Plan = f.plan(t)
	records := func(yield func(*results.Record, error) bool) {
		if yield(nil, errors.New("segment-1.jsonl:7: checksum differs")) &&
			yield(nil, &results.Damage{File: "segment-1.jsonl", Line: 8, Lines: 57, Why: "57 more damaged lines"}) &&
			yield(nil, &results.Conflict{Cells: 3, Kept: "segment-1.jsonl:1", Other: "segment-2.jsonl:1"}) {
			f.all(f.Plan)(yield)
		}
	}
	s, err := Collect(records, f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	fold := s.Groups[0].Folds[0]
	if fold.Chosen != nil || fold.Unselected != 3 || fold.OK != 3 || s.OutOfPlan != 2 || s.Unreadable != 58 {
		t.Errorf("chosen %v, %d unselected, %d ok, %d out of plan, unreadable %v", fold.Chosen, fold.Unselected, fold.OK, s.OutOfPlan, s.FirstUnreadable)
	}
	var out bytes.Buffer
	if err := writeMarkdown(&out, s.Document()); err != nil || !strings.Contains(out.String(), "segment-1.jsonl:7: checksum differs") ||
		!strings.Contains(out.String(), "Conflicts: 3 cells have records with different metrics") {
		t.Errorf("the report does not name what could not be read: %v", err)
	}
	out.Reset()
	if err := s.writeSummary(&out); err != nil || !strings.Contains(out.String(), "3 cells have records with different metrics") {
		t.Errorf("the summary does not name the conflict: %v\n%s", err, out.String())
	}
	e := s.Numbers[0]
	if e.Verdict != FailedCell || e.N != 0 || !slices.ContainsFunc(e.Notes, func(n string) bool { return strings.Contains(n, "cannot be chosen") }) {
		t.Errorf("verdict %q, n %d, notes %q", e.Verdict, e.N, e.Notes)
	}
}

// Records of a data set as it was before, and of a command's files as they were, are left out, and that is said.
func TestOutdatedRecords(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	f.Plan = f.plan(t)
	g := f.Plan.Groups()[0]
	cells := map[string]results.Cell{}
	for name, config := range map[string]string{"now": g.Settings[0].JSON, "other": `{"n":1}`} {
		cells[name] = results.Cell{Dataset: "protein", DataDigest: g.Dataset.Digest, Protocol: published, Method: "knn", Config: results.Config(config), Seed: 42}
	}
	changed, both := cells["now"], cells["other"]
	changed.DataDigest, both.DataDigest = "before", "before"
	collected := func(cells ...results.Cell) *Summary {
		s, err := Collect(func(yield func(*results.Record, error) bool) {
			for _, cell := range cells {
				if !yield(&results.Record{ID: cell.ID(), Status: results.OK, Cell: cell, Val: mse(1), Test: rmse(1)}, nil) {
					return
				}
			}
		}, f.Spec)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := collected(changed, cells["other"], both)
	if want := "0 of 1 cells have a record; left out, as a data set or the files of a command have changed since: 1 further record."; s.progress() != want || s.OutOfPlan != 3 {
		t.Errorf("%s; %d out of plan", s.progress(), s.OutOfPlan)
	}
	mine := *g.Method
	mine.Command = &method.Command{Name: "knn", Digest: "0123abcd"}
	g.Method, g.Settings[0].JSON = &mine, `{"command":"sh knn.sh","files_sha256":"0123abcd"}`
	changed = cells["now"]
	changed.Config = `{"command":"sh knn.sh","files_sha256":"ffff"}`
	if s := collected(changed, cells["other"]); s.Outdated != 1 || s.OutOfPlan != 2 {
		t.Errorf("%d of %d are of a command's files as they were, want 1 of 2", s.Outdated, s.OutOfPlan)
	}
}

// Where all methods that there are are in the plan, what else the paper has keeps its place, with its number and a footnote.
func TestPlaceIsKept(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	f.Methods = []*method.Method{testMethods[0], testMethods[6]}
	if s := collect(t, f); len(s.Groups) != 1 {
		t.Errorf("%d groups: a plan without one of the methods got places", len(s.Groups))
	}
	f.Methods = testMethods[6:7]
	s := collect(t, f)
	e := s.number("protein", published, "tabnet", metric.RMSE)
	if len(s.Groups) != 9 || e.Verdict != NotRun || !e.HasPaper || len(e.Notes) != 1 || e.Notes[0] != "nptbench does not have TabNet yet." {
		t.Errorf("%d groups, %s, %v", len(s.Groups), e.Verdict, e.Notes)
	}
	i := slices.IndexFunc(s.coverage().Rows, func(r Row) bool { return r.Cells[1].Text == "TabNet" })
	if got := s.coverage().Rows[i].Cells[2].Text; got != "not run" {
		t.Errorf("of TabNet's folds are complete: %s", got)
	}
}

func TestProvenance(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 4)
	for setting := range 4 {
		rec := f.ok("protein", published, "knn", 0, setting, mse(0), rmse(0))
		if setting == 3 {
			rec.Provenance.Code, rec.Provenance.GPU, rec.Provenance.Networks = "def456+changes", "Some GPU", 2
			rec.Provenance.Libraries = results.LibrariesOf(map[string]string{"xgboost": "1.7.4", "catboost": "1.2"})
			rec.PeakMemoryBytes = 1 << 30
		}
	}
	f.expect("protein", published, "npt", 1)
	rec := f.ok("protein", published, "npt", 0, 0, mse(0), rmse(0))
	rec.Provenance.Threads, rec.Provenance.Backend, rec.FitSeconds, rec.FitCells = 16, "xla:cuda", 9, 1
	s := collect(t, f)
	i := slices.IndexFunc(s.coverage().Rows, func(r Row) bool { return strings.HasPrefix(r.Cells[1].Text, "NPT") })
	if row := s.coverage().Rows[i]; row.Cells[8].Text != clock(9+rec.PredictSeconds) || s.coverage().Notes[row.Cells[8].Notes[0]-1] != "Of a GPU, for 1 cell." {
		t.Errorf("%+v", row.Cells[8])
	}
	text := strings.Join(s.sources(), "\n")
	for _, want := range []string{
		"Code: abc123 (4 records); def456+changes (1 record)", "Libraries: go1.26 (4 records); go1.26, catboost 1.2, xgboost 1.7.4 (1 record)",
		"; linux, Some CPU, 2 cores, 1 thread per fit, Some GPU, 2 networks at a time (1 record)",
		"Fits took 6s of one core and 9s of a GPU in all.", // four cells, two to a fit of three seconds
		"Most memory of the process while a fit ran: 1024 MiB.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A mean over folds that different backends trained says so, and folds.csv says which trained which.
func TestBackends(t *testing.T) {
	f := newFixture()
	f.expect("boston-housing", published, "npt", 1)
	for fold := range 10 {
		by := "fused"
		if fold > 1 {
			by = "fused,products=bfloat16"
		}
		r := f.ok("boston-housing", published, "npt", fold, 0, mse(1), rmse(3))
		r.Provenance.Backend, r.Details = by, map[string]any{"backend": by}
	}
	s := collect(t, f)
	n := s.number("boston-housing", published, "npt", metric.RMSE)
	const want = "Trained on folds 0, 1 by fused, on folds 2 to 9 by fused,products=bfloat16."
	if !slices.Contains(n.Notes, want) {
		t.Errorf("notes %q", n.Notes)
	}
	var table Table
	if n.besidePaper(&table, nil); !slices.Contains(table.Notes, want) {
		t.Errorf("beside the paper %q", table.Notes)
	}
	var out bytes.Buffer
	if err := s.writeFolds(&out); err != nil {
		t.Fatal(err)
	}
	if lines, err := csv.NewReader(&out).ReadAll(); err != nil || column(lines, "backend") != "fused fused"+strings.Repeat(" fused,products=bfloat16", 8) {
		t.Errorf("%v, backends %s", err, column(lines, "backend"))
	}
	for _, f := range n.Folds {
		f.Chosen.Details["backend"] = "fused"
	}
	if notes := n.backendNote(); notes != nil {
		t.Errorf("one backend: %q", notes)
	}
}

// column are the fields of a CSV file's column.
func column(lines [][]string, name string) string {
	at := slices.Index(lines[0], name)
	if at < 0 {
		return "no column " + name
	}
	var fields []string
	for _, line := range lines[1:] {
		fields = append(fields, line[at])
	}
	return strings.Join(fields, " ")
}

// What is not part of a run has no folds.
func TestFoldsOfTheRun(t *testing.T) {
	f := newFixture()
	want := 11 // a header, and ten folds of Yacht
	for _, m := range testMethods {
		if !m.Extra {
			f.expect("protein", published, m.Name, 1)
			want++
		}
	}
	f.expect("yacht", published, "knn", 1)
	s := collect(t, f)
	if !slices.ContainsFunc(s.Groups, func(g *Group) bool { return g.Settings == 0 }) {
		t.Fatal("no place is kept for what the paper has")
	}
	var out bytes.Buffer
	if err := s.writeFolds(&out); err != nil {
		t.Fatal(err)
	}
	if lines, err := csv.NewReader(&out).ReadAll(); err != nil || len(lines) != want {
		t.Errorf("%v, %d lines, want %d: %q", err, len(lines), want, lines)
	}
}

// folds.csv has every metric that there are numbers of.
func TestFoldsHaveAllMetrics(t *testing.T) {
	f := newFixture()
	f.expect("lookup", published, "knn", 1)
	f.ok("lookup", published, "knn", 0, 0, mse(1), results.Metrics{"rmse": 3, "correlation": 0.5})
	var out bytes.Buffer
	if err := collect(t, f).writeFolds(&out); err != nil {
		t.Fatal(err)
	}
	if lines, err := csv.NewReader(&out).ReadAll(); err != nil || column(lines, "test_correlation") != "0.5" {
		t.Errorf("%v, correlation %s", err, column(lines, "test_correlation"))
	}
}

// A million records, made one at a time, as a reader would.
func BenchmarkCollectMillion(b *testing.B) {
	const settings = 250 * 100
	f := newFixture()
	count := func(n int) string {
		numbers := make([]string, n)
		for i := range numbers {
			numbers[i] = strconv.Itoa(i)
		}
		return strings.Join(numbers, ", ")
	}
	f.grids = map[string]string{"mlp": "setting: [" + count(250) + "], layers: [" + count(100) + "]"}
	for _, dataset := range []string{"boston-housing", "yacht", "concrete", "breast-cancer"} {
		f.expect(dataset, published, "mlp", 0)
	}
	f.Plan = f.plan(b)
	type cell struct {
		results.Cell
		id      results.ID
		setting int
	}
	var all []cell
	for _, g := range f.Plan.Groups() {
		for _, fold := range g.Dataset.Folds {
			for i := range g.Settings {
				c := results.Cell{Dataset: g.Dataset.Info.Name, DataDigest: g.Dataset.Digest, Protocol: published, Fold: fold.Number,
					Method: "mlp", Config: results.Config(g.Settings[i].JSON), Seed: 42}
				all = append(all, cell{c, c.ID(), i})
			}
		}
	}
	records := iter.Seq2[*results.Record, error](func(yield func(*results.Record, error) bool) {
		for _, c := range all {
			loss := float64(c.setting*7919%settings) + 1
			rec := &results.Record{ID: c.id, Status: results.OK, Cell: c.Cell,
				Val: results.Metrics{"mse_standardised": loss, "nll": loss}, Test: results.Metrics{"rmse": loss, "mse": loss, "accuracy": 1, "nll": 1, "auroc": 1},
				Provenance: results.Provenance{Code: "abc", Go: "go", OS: "linux", CPU: "CPU", Libraries: `{"gonum":"1","other":"2"}`}}
			if !yield(rec, nil) {
				return
			}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		s, err := Collect(records, f.Spec)
		if err != nil || s.Records != len(all) {
			b.Fatal(err, s.Records)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/record")
}

// Damage of which it is not known how many lines it took is one at least, and that is said.
func TestUnknownDamage(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	f.Plan = f.plan(t)
	two := &results.Damage{File: "a.jsonl", Line: 8, Lines: 2}
	for want, errs := range map[string][]error{
		"2 lines":          {two},
		"at least 1 line":  {&results.Damage{File: "a.jsonl.gz", Line: 8}},
		"at least 3 lines": {errors.New("open b.jsonl: permission denied"), two},
	} {
		s, err := Collect(func(yield func(*results.Record, error) bool) {
			for _, err := range errs {
				yield(nil, err)
			}
		}, f.Spec)
		if err != nil || !strings.HasSuffix(s.progress(), "; "+want+" of the records could not be read.") ||
			!strings.Contains(strings.Join(s.sources(), "\n"), "left out: "+want+" of the records") {
			t.Errorf("%v, want %s:\n%s\n%q", err, want, s.progress(), s.sources())
		}
	}
}

// A variant is not the method of the paper, which has one row in the paper's tables and ranks.
func TestVariantsAreNotThePapers(t *testing.T) {
	f := newFixture()
	f.Series = []string{"variant"}
	f.variants = map[string]string{"knn": "few: {setting: 0}, many: {setting: 1}"}
	f.expect("protein", published, "knn", 2)
	f.expect("protein", published, "random-forest", 1)
	for _, g := range collect(t, f).Groups {
		if s := g.Series; s.Paper != (s.Values[variantField] == "") {
			t.Errorf("%s is the paper's: %t", s.Title, s.Paper)
		}
	}
}

// A failure that the choice among variants has, too, is one.
func TestFailuresCountOnce(t *testing.T) {
	f := newFixture()
	f.Series, f.Chosen = []string{"variant"}, "Chosen"
	f.variants = map[string]string{"npt": "Base: {setting: 0}, No semi-supervision: {setting: 1}"}
	f.expect("boston-housing", published, "npt", 2)
	f.ok("boston-housing", published, "npt", 0, 0, mse(1), rmse(3))
	f.failed("boston-housing", published, "npt", 0, 1, "error", "no")
	if s := collect(t, f); s.Failures != 1 || s.Records != 2 {
		t.Errorf("%d failures of %d", s.Failures, s.Records)
	}
}

// On Kick, whose missing values the protocols treat differently, a record belongs to one of them.
func TestKickHasTwoTasks(t *testing.T) {
	f := newFixture()
	f.expect("kick", published, "knn", 1)
	f.expect("kick", corrected, "knn", 1)
	f.ok("kick", published, "knn", 0, 0, results.Metrics{"nll": 1}, results.Metrics{"accuracy": 50, "nll": 1, "auroc": 0.7})
	if g := collect(t, f).group("kick", corrected, "knn"); g.Folds[0].OK != 0 {
		t.Errorf("%d records", g.Folds[0].OK)
	}
}

// One variant alone is not beside a choice among variants.
func TestChosenOfOne(t *testing.T) {
	f := newFixture()
	f.Series, f.Chosen = []string{"variant"}, "Chosen"
	f.variants = map[string]string{"npt": "Base: {setting: 0}"}
	f.expect("protein", published, "npt", 1)
	if s := collect(t, f); slices.ContainsFunc(s.Groups, func(g *Group) bool { return g.Series.chosen }) {
		t.Error("one variant is beside itself")
	}
}
