package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/sweeps"
)

func testMethods() []*method.Method {
	return []*method.Method{{
		Name: "mean", Title: "Mean", Doc: "for tests",
		Params: []method.Param{
			{Name: "shift", Type: method.Int, Default: 0},
			{Name: "pause", Type: method.Int, Default: 0},
			{Name: "same", Type: method.Int, Default: 0, Doc: "has no effect"},
		},
		Canonical: func(c method.Config, _ dataset.Problem) method.Config { return c.With("same", 0) },
		FitKey:    func(c method.Config, _ dataset.Problem) string { return fmt.Sprint(c.Int("shift") / 10) },
	}, {
		Name: "absent", Title: "Absent", Doc: "cannot be run here",
		Available: func() error { return errors.New("no program for it") },
	}}
}

func parse(t testing.TB, lib *dataset.Library, grid, more string) *sweeps.Sweep {
	t.Helper()
	return sweep(t, lib, "waves", grid, more)
}

func sweep(t testing.TB, lib *dataset.Library, data, grid, more string) *sweeps.Sweep {
	t.Helper()
	datasets := lib.Infos()
	text := "name: test\nseed: 7\nprotocols: [published]\ndatasets: [" + data + "]\nfolds: 3\nmethods:\n  - method: mean\n    grid: " + grid + "\n" + more
	s, err := sweeps.Parse("test.yaml", []byte(text), sweeps.Catalogue{Methods: testMethods(), Datasets: datasets})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func planned(t testing.TB, s *sweeps.Sweep, o Options, lib *dataset.Library, records results.Index) *Plan {
	t.Helper()
	p, err := New(t.Context(), s, o, lib, records)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Plan) all() Count { return p.Count(p.Groups()...) }

// The first fold is one task where both protocols flag the same entries: one cell serves both.
func TestFirstFoldIsOneTask(t *testing.T) {
	lib := datasettest.Library(t)
	s := parse(t, lib, "{shift: [0, 1, 12]}", "")
	p := planned(t, s, Options{Protocols: []split.Protocol{split.Corrected, split.Published}}, lib, nil)
	if n := p.all(); n != (Count{Cells: 15, ToDo: 15}) || len(p.Jobs()) != 10 {
		t.Errorf("%+v in %d jobs, want 5 folds of 3 cells in 2 jobs each", n, len(p.Jobs()))
	}
	for _, f := range p.Datasets[0].Folds {
		if shared := f.Number == 0; (len(f.Under) == 2) != shared || shared && f.Protocol != split.Published {
			t.Errorf("fold %+v", f)
		}
	}
	// A record of the first fold is found whatever protocol is asked for.
	for _, protocol := range split.Protocols {
		alone := planned(t, s, Options{Protocols: []split.Protocol{protocol}}, lib, results.Index{p.Jobs()[0].Configurations[0].Cells[0].ID: results.OK})
		if n := alone.all(); n != (Count{Cells: 9, Done: 1, ToDo: 8}) {
			t.Errorf("%s: %+v", protocol, n)
		}
	}
	places := p.Places()
	if _, ok := places[results.ID{}]; ok {
		t.Error("a cell that is not of the plan has a place")
	}
	for _, j := range p.Jobs() {
		for _, c := range j.Configurations {
			for _, cell := range c.Cells {
				at, ok := places[cell.ID]
				if !ok || at.Dataset.Folds[at.Fold].Number != cell.Fold || at.Settings[at.Setting].JSON != string(cell.Config) ||
					cell.ID != cell.Cell.ID() || cell.Protocol != task.Canonical(j.Dataset.Info, cell.Protocol, cell.Fold) {
					t.Fatalf("cell %+v is at %+v", cell, at)
				}
			}
		}
	}
}

// Settings with the same predictions are fitted once, and those with the same fit key together.
func TestJobs(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2, 30], same: [0, 1]}", ""), Options{}, lib, nil)
	j := p.Jobs()[0]
	if len(p.Jobs()) != 6 || len(j.Configurations) != 2 || len(j.Configurations[0].Cells) != 2 || j.Cells() != 4 {
		t.Errorf("%d jobs, the first with %d configurations for %d cells", len(p.Jobs()), len(j.Configurations), j.Cells())
	}
	if g := p.Groups()[0]; g.Fits != 2 || len(g.Settings) != 6 {
		t.Errorf("%d settings, %d fits", len(g.Settings), g.Fits)
	}
}

// What is left of a job finds what the whole had left unfinished; no other fit, fold or seed does.
func TestFolder(t *testing.T) {
	lib := datasettest.Library(t)
	s := parse(t, lib, "{shift: [0, 1, 12]}", "")
	folders := map[results.ID]bool{}
	jobs := planned(t, s, Options{}, lib, nil).Jobs()
	s.Seed++
	for _, j := range append(jobs, planned(t, s, Options{}, lib, nil).Jobs()...) {
		folder := Folder(j.Fit, j.Configurations)
		if folders[folder] {
			t.Errorf("two jobs have the folder %s", folder)
		}
		folders[folder] = true
		if first := j.Configurations[0].Cells[0].ID; j.Cells() > 1 {
			if rest := j.Without(func(id results.ID) bool { return id == first }); Folder(rest.Fit, rest.Configurations) != folder {
				t.Error("the rest of a job has another folder")
			}
		}
	}
	if len(folders) != 12 {
		t.Errorf("%d jobs, want 3 folds of 2 under 2 seeds", len(folders))
	}
	measured := *jobs[0].Configurations[0]
	cell := measured.Cells[0]
	cell.ID, cell.Measure, cell.With = results.ID{1}, "first", "{}"
	measured.Measures = []*Measure{{Name: "first", Cells: []Cell{cell}}}
	j := &Job{Fit: jobs[0].Fit, Configurations: []*Configuration{&measured}}
	rest := j.Without(func(id results.ID) bool { return id != cell.ID })
	if rest.Cells() != 1 || Folder(rest.Fit, rest.Configurations) != Folder(j.Fit, j.Configurations) {
		t.Errorf("the %d measurements of a job have another folder", rest.Cells())
	}
}

// How long cells take is what their like took: on the same data set, else on another one in proportion to its size, and of
// methods that know the work of a configuration in proportion to that.
func TestPrint(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2, 30], same: [0, 1]}", ""), Options{}, lib, nil)
	record := func(dataset, config string, fit float64) *results.Record {
		return &results.Record{Status: results.OK, FitSeconds: fit, FitCells: 2, PredictSeconds: 1, Rows: [3]int{406, 50, 50},
			Cell: results.Cell{Dataset: dataset, Method: "mean", Config: results.Config(config)}}
	}
	beside := func(fit, processor float64, cells int) *results.Record { // a fit of so many cells beside others
		r := record("waves", "", fit)
		r.FitCells, r.ProcessorSeconds = cells, processor
		return r
	}
	first, second := beside(10, 99, 2), beside(10, 0.01, 2) // with a prediction for both
	first.PredictSeconds, second.PredictSeconds = 2, 2
	two, gpu := beside(10, 6, 1), beside(20, 3, 1)
	two.Provenance.Threads, gpu.FitSeconds, gpu.Provenance.Threads, gpu.Provenance.Backend = 2, 5, 16, "xla:cuda"
	worker := p.Groups()[0].Method
	goesOn := []*results.Record{record("waves", `{"pause": 9, "shift": 1}`, 4), record("waves", `{"pause": 9, "shift": 2}`, 10)}
	goesOn[1].PredictSeconds = 2 // together they took 10 s, and 2 s
	work := func(c method.Config, _ dataset.Info) float64 { return float64(c.Int("shift")) }
	for name, c := range map[string]struct {
		records []*results.Record
		work    func(method.Config, dataset.Info) float64
		want    string
	}{
		"nothing":          {nil, nil, "mean  1  6  18  6  0  18  ?"},
		"same":             {[]*results.Record{record("waves", "", 8), record("waves", "", 12), record("kick", "", 1e9)}, nil, "mean  1  6  18  6  0  18  54 s"}, // 6 s a cell, two at a time
		"beside":           {[]*results.Record{beside(100, 6, 1)}, nil, "mean  1  6  18  6  0  18  54 s"},
		"threads":          {[]*results.Record{two}, nil, "mean  1  6  18  6  0  18  54 s"},
		"GPU":              {[]*results.Record{gpu}, nil, "mean  1  6  18  6  0  18  54 s"},
		"command":          {[]*results.Record{beside(5, 0.1, 1)}, nil, "mean  1  6  18  6  0  18  54 s"}, // which waits for something else
		"shared":           {[]*results.Record{first, second}, nil, "mean  1  6  18  6  0  18  54 s"},
		"setting":          {[]*results.Record{record("waves", `{"pause":0,"same":0,"shift":1}`, 2), record("waves", `{"pause":0,"same":0,"shift":3}`, 6)}, nil, "mean  1  6  18  6  0  18  24 s"}, // 2 s, and 3 s where no record is of the setting
		"other":            {[]*results.Record{record("boston-housing", "", 58), record("kick", "", 1e9)}, nil, "mean  1  6  18  6  0  18  23 s"},                                                  // of 506 x 14, for 120 x 5
		"a part":           {[]*results.Record{record("poker-hand", "", 58)}, nil, "mean  1  6  18  6  0  18  29 s"},                                                                               // of 506 x 11, which are not all
		"work":             {[]*results.Record{record("kick", `{"shift": 3}`, 18), record("kick", `{"shift": 9}`, 88)}, work, "mean  1  6  18  6  0  18  8 min"},
		"goes on":          {goesOn, nil, "mean  1  6  18  6  0  18  54 s"},    // 6 s a cell
		"goes on, by work": {goesOn, work, "mean  1  6  18  6  0  18  10 min"}, // for work of 2 it took 12 s
	} {
		worker.Work, worker.GoesOn = c.work, strings.HasPrefix(name, "goes on")
		worker.Command = nil
		if name == "command" {
			worker.Command = &method.Command{}
		}
		e := p.Estimate(func(yield func(*results.Record, error) bool) {
			for _, r := range c.records {
				if !yield(r, nil) {
					return
				}
			}
		})
		var b strings.Builder
		if err := p.Print(&b, e, "out/records", 2, 1<<30); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(regexp.MustCompile(" {2,}").Split(strings.TrimSpace(strings.Split(b.String(), "\n")[1]), -1), "  ")
		if got != c.want {
			t.Errorf("%s: printed %q, want %q in\n%s", name, got, c.want, b.String())
		}
	}
}

// Networks take on a GPU what they took on one, one after the other, and on the cores what they took there.
func TestPrintOnGPU(t *testing.T) {
	lib := datasettest.Library(t)
	record := func(backend string, seconds float64) *results.Record {
		return &results.Record{Status: results.OK, FitSeconds: seconds, FitCells: 1, Cell: results.Cell{Dataset: "waves", Method: "mean"},
			Provenance: results.Provenance{Threads: 4, Backend: backend}}
	}
	for onGPU, want := range map[bool]string{true: "30 s", false: "2 min"} { // 3 fits of 10 s, and of 4 x 20 s on two cores
		p := planned(t, parse(t, lib, "{shift: [1]}", ""), Options{}, lib, nil)
		p.OnGPU = onGPU
		p.Groups()[0].Method.Network = true
		e := p.Estimate(func(yield func(*results.Record, error) bool) {
			_ = yield(record("xla:cuda", 10), nil) && yield(record("xla:cpu", 20), nil)
		})
		var b strings.Builder
		if err := p.Print(&b, e, "out/records", 2, 1<<30); err != nil {
			t.Fatal(err)
		}
		if total := strings.Split(b.String(), "\n")[2]; !strings.HasSuffix(total, want) || strings.Contains(b.String(), "and a GPU") != onGPU {
			t.Errorf("on a GPU %v: want %s in\n%s", onGPU, want, b.String())
		}
		network := p.Groups()[0]
		other, method := *network, *network.Method
		other.Method, method.Network = &method, false
		beside := map[bool]time.Duration{true: 30 * time.Second, false: 240 * time.Second} // the other half a minute or four, on two cores
		if left, known := p.wall(e, []*Group{network, &other}, 2); left != beside[onGPU] || !known {
			t.Errorf("on a GPU %v: %v beside a method that is no network, want %v", onGPU, left, beside[onGPU])
		}
	}
}

// What takes a time that is not known is not left out in silence.
func TestAtLeast(t *testing.T) {
	for want, of := range map[string]struct {
		time  time.Duration
		known bool
	}{"2 h": {2 * time.Hour, true}, "> 2 h": {2 * time.Hour, false}, "?": {0, false}, "0": {0, true}} {
		if got := atLeast(of.time, of.known); got != want {
			t.Errorf("%v: %q, want %q", of, got, want)
		}
	}
}

// A setting that has a record on one fold has one cell less to do, and one that has them on all folds is not named.
func TestToDo(t *testing.T) {
	lib := datasettest.Library(t)
	text := "{shift: [1, 2, 30]}"
	all, records := planned(t, parse(t, lib, text, ""), Options{}, lib, nil), results.Index{}
	g := all.Groups()[0]
	for fold := range g.Dataset.Folds {
		records[all.cell(g, fold, 1).ID()] = results.OK
	}
	records[all.cell(g, 0, 2).ID()] = results.OK
	p, got := planned(t, parse(t, lib, text, ""), Options{}, lib, records), map[int]int{}
	for s, n := range p.ToDo(p.Groups()[0]) {
		got[s.Config.Int("shift")] = n
	}
	if folds := len(g.Dataset.Folds); len(got) != 2 || got[1] != folds || got[30] != folds-1 {
		t.Errorf("%v of %d folds", got, folds)
	}
}

// A fit on a table of 120 rows and 5 columns takes at least what the method says of an entry.
func TestTooLarge(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1]}", ""), Options{}, lib, nil)
	g := p.Groups()[0]
	const mib = 1 << 20
	for _, c := range []struct {
		bytes  float64
		subset string
		want   string
	}{
		{mib, "", "memory: mean takes at least 0.6 GiB on waves, and a fit may have 0.5 GiB"},
		{mib, "the first 10 rows", ""},
		{mib / 2, "", ""},
		{0, "", ""},
	} {
		g.Method.EntryBytes, g.Dataset.Subset = c.bytes, c.subset
		if got := strings.Join(p.tooLarge(512*mib), "; "); got != c.want {
			t.Errorf("%v bytes, subset %q: %q, want %q", c.bytes, c.subset, got, c.want)
		}
	}
}

// What there are records of is in the plan, whatever is here to run: data, a program, or another choice of methods.
func TestRecordsWithoutMeans(t *testing.T) {
	none, some := dataset.NewLibrary(t.TempDir()), datasettest.Library(t)
	recorded := func(s *sweeps.Sweep, lib *dataset.Library) results.Index {
		p, records := planned(t, s, Options{ReportOnly: true}, lib, nil), results.Index{}
		for _, g := range p.Groups() {
			for fold := range g.Dataset.Folds {
				for setting := range g.Settings {
					records[p.cell(g, fold, setting).ID()] = results.OK
				}
			}
		}
		return records
	}
	absent := "  - method: absent\n"
	yacht, waves := sweep(t, none, "yacht", "{shift: [0, 1]}", absent), parse(t, some, "{shift: [0, 1]}", absent)
	mean := []string{"mean"}
	for name, c := range map[string]struct {
		s       *sweeps.Sweep
		o       Options
		lib     *dataset.Library
		records results.Index
		want    Count
		leftOut int
	}{
		"all is there but a program":   {waves, Options{}, some, nil, Count{Cells: 9, ToDo: 6}, 1},
		"all is recorded":              {waves, Options{}, some, recorded(waves, some), Count{Cells: 9, Done: 9}, 0},
		"one method":                   {waves, Options{Methods: mean}, some, nil, Count{Cells: 6, ToDo: 6}, 0},
		"one method, others recorded":  {waves, Options{Methods: mean}, some, recorded(waves, some), Count{Cells: 9, Done: 9}, 0},
		"of one method a report":       {waves, Options{Methods: mean, ReportOnly: true}, some, recorded(waves, some), Count{Cells: 6, Done: 6}, 0},
		"no data":                      {yacht, Options{}, none, nil, Count{Cells: 9}, 2},
		"no data, all is recorded":     {yacht, Options{}, none, recorded(yacht, none), Count{Cells: 9, Done: 9}, 0},
		"no data, of records a report": {yacht, Options{ReportOnly: true}, none, recorded(yacht, none), Count{Cells: 9, Done: 9}, 0},
	} {
		p := planned(t, c.s, c.o, c.lib, c.records)
		if n := p.all(); n != c.want || len(p.LeftOut) != c.leftOut {
			t.Errorf("%s: %+v, want %+v; left out %v", name, n, c.want, p.LeftOut)
		}
	}
	var b strings.Builder // what is not to be run is not printed
	p := planned(t, waves, Options{Methods: mean}, some, recorded(waves, some))
	if err := p.Print(&b, p.Estimate(func(func(*results.Record, error) bool) {}), "out/records", 2, 1<<30); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "absent") || !regexp.MustCompile(`(?m)^mean +1 +2 +6 +3 +6 +0 +0$`).MatchString(text) {
		t.Errorf("mean alone is printed as\n%s", text)
	}
	gone := &dataset.Library{Dirs: some.Dirs, CacheDir: t.TempDir()} // without the file of one's own there is no telling which records are of it
	if err := os.Remove(filepath.Join(some.Dirs[0], "waves", "rows.csv")); err != nil {
		t.Fatal(err)
	}
	if why := planned(t, waves, Options{ReportOnly: true}, gone, nil).WhyLeftOut(); len(why) != 1 || !strings.HasPrefix(why[0], "left out: waves: ") {
		t.Errorf("a report without the data: %q", why)
	}
}

// A failure is a record: its cell is run again only when asked to.
func TestRetry(t *testing.T) {
	lib := datasettest.Library(t)
	s := parse(t, lib, "{shift: [0, 1]}", "")
	failed := results.Index{planned(t, s, Options{}, lib, nil).Jobs()[0].Configurations[0].Cells[0].ID: results.Failed}
	p := planned(t, s, Options{}, lib, failed)
	if n := p.all(); n != (Count{Cells: 6, Done: 1, Failed: 1, ToDo: 5}) || len(p.Failures(p.Groups()...)) != 1 || p.Failures(p.Groups()...)[0] != "mean on waves: 1" {
		t.Errorf("%+v, failures %v", n, p.Failures(p.Groups()...))
	}
	if n := planned(t, s, Options{Retry: true}, lib, failed).all(); n != (Count{Cells: 6, ToDo: 6}) {
		t.Errorf("to be tried again: %+v", n)
	}
}

// A failure that is not tried again stays one: of a method that was not asked for, or cannot be run here, and in a report.
func TestFailuresThatStay(t *testing.T) {
	lib := datasettest.Library(t)
	s := parse(t, lib, "{shift: [0]}", "  - method: absent\n")
	all, records := planned(t, s, Options{ReportOnly: true}, lib, nil), results.Index{}
	for fold := range 3 {
		records[all.cell(all.Groups()[0], fold, 0).ID()] = results.OK
		records[all.cell(all.Groups()[1], fold, 0).ID()] = results.Failed
	}
	for name, o := range map[string]Options{
		"not selected": {Methods: []string{"mean"}, Retry: true}, "cannot be run": {Retry: true}, "a report": {Retry: true, ReportOnly: true},
	} {
		p := planned(t, s, o, lib, records)
		if n := p.all(); n != (Count{Cells: 6, Done: 6, Failed: 3}) || !slices.Equal(p.Failures(p.Groups()...), []string{"absent on waves: 3"}) {
			t.Errorf("%s: %+v, failures %v", name, n, p.Failures(p.Groups()...))
		}
	}
	var b strings.Builder // nor does a plan for others speak of it
	p := planned(t, s, Options{Methods: []string{"mean"}}, lib, records)
	if err := p.Print(&b, p.Estimate(func(func(*results.Record, error) bool) {}), "out/records", 2, 1<<30); err != nil || strings.Contains(b.String(), "failures") {
		t.Errorf("%v, mean alone is printed as\n%s", err, b.String())
	}
}

func TestNewRefuses(t *testing.T) {
	lib := datasettest.Library(t)
	s := parse(t, lib, "{shift: [1]}", "")
	for _, o := range []Options{{Datasets: []string{"wave"}}, {Methods: []string{"maen"}}} {
		if _, err := New(t.Context(), s, o, lib, nil); err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ctx, s, Options{}, lib, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// BenchmarkPlan plans 450,000 cells, all of them to do.
func BenchmarkPlan(b *testing.B) {
	var numbers []string
	for i := range 150 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	list := "[" + strings.Join(numbers, ", ") + "]"
	lib := datasettest.Library(b)
	s := parse(b, lib, "{same: [0, 1, 2, 3, 4, 5, 6], shift: "+list+", pause: "+list+"}", "")
	for b.Loop() {
		if p := planned(b, s, Options{}, lib, nil); p.all().ToDo != 472_500 {
			b.Fatal(p.all())
		}
	}
}

// A data set with the title of another one is told apart by its name; one that is built in keeps its title.
func TestTitlesOfDataSets(t *testing.T) {
	lib := datasettest.Library(t)
	for name, title := range map[string]string{"mine": "Yacht", "same": "waves"} {
		datasettest.Write(t, lib.Dirs[0], name, "title: "+title+"\nrows: 4\ncolumns: {x: number, y: number}\ntarget: y\nsplit: {folds: 3}\n", "x,y\n1,2\n2,3\n3,4\n4,5\n")
	}
	var titles []string
	for _, d := range planned(t, sweep(t, lib, "waves, mine, same, circles, yacht", "{shift: [1]}", ""), Options{Absent: true}, lib, nil).Datasets {
		titles = append(titles, d.Info.Title)
	}
	if want := []string{"waves (waves)", "Yacht (mine)", "waves (same)", "circles", "Yacht"}; !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}

// A dry run may plan data sets that are not there.
func TestAbsentDataSets(t *testing.T) {
	lib := datasettest.Library(t)
	datasets := lib.Infos()
	s, err := sweeps.Parse("t.yaml", []byte("name: test\nseed: 7\ndatasets: [poker-hand]\nmethods:\n  - method: mean\n"), sweeps.Catalogue{Methods: testMethods(), Datasets: datasets})
	if err != nil {
		t.Fatal(err)
	}
	for absent, want := range map[bool]bool{true: true, false: false} {
		p := planned(t, s, Options{Absent: absent}, lib, nil)
		if n := p.all(); (n.ToDo > 0) != want || len(p.LeftOut) != 1 {
			t.Errorf("%v: %+v, %v", absent, n, p.LeftOut)
		}
	}
	if d := planned(t, s, Options{ReportOnly: true}, lib, nil).Datasets[0]; d.Digest == "" || d.Subset == "" {
		t.Errorf("a report takes them for %+v, want the part whose table is known", d)
	}
}

// Of data sets that were not asked for the plan has what there are records of, and nothing of them is to do.
func TestOneDataSet(t *testing.T) {
	lib := datasettest.Library(t)
	s := sweep(t, lib, "waves, gaps", "{shift: [1, 2]}", "")
	all := planned(t, s, Options{}, lib, nil)
	gaps := all.Groups()[1]
	p := planned(t, s, Options{Datasets: []string{"waves"}}, lib, results.Index{all.cell(gaps, 0, 0).ID(): results.OK})
	if n := p.all(); gaps.Dataset.Info.Name != "gaps" || n.ToDo != 6 || n.Done != 1 { // two settings on three folds of waves
		t.Errorf("%+v, want 6 cells to do and 1 done", n)
	}
	for _, j := range p.Jobs() {
		if j.Dataset.Info.Name != "waves" {
			t.Errorf("a job is on %s", j.Dataset.Info.Name)
		}
	}
}

// A configuration whose record is a failure is known to have failed; one that has a result, by its record.
func TestRecall(t *testing.T) {
	for status, want := range map[string]bool{results.OK: false, results.Failed: true} {
		of := &Configuration{ID: results.ID{1}, Measures: []*Measure{{}}}
		damaged := errors.New("damaged")
		recall := func(id results.ID) error {
			return Recall([]*Job{{Configurations: []*Configuration{of}}}, func(yield func(*results.Record, error) bool) {
				_ = yield(nil, damaged) && yield(&results.Record{ID: id, Status: status}, nil)
			})
		}
		if err := recall(results.ID{2}); err != damaged {
			t.Errorf("a record that cannot be read is missing: %v", err)
		}
		if err := recall(of.ID); err != nil || of.Failed != want || (of.Record == nil) != want {
			t.Errorf("%v: %+v, %v", status, of, err)
		}
	}
}

// What has its record already asks for none: no record is read, so that none can be unreadable.
func TestRecallOfKnown(t *testing.T) {
	known := &Configuration{ID: results.ID{1}, Measures: []*Measure{{}}, Record: &results.Record{}}
	err := Recall([]*Job{{Configurations: []*Configuration{known}}}, func(yield func(*results.Record, error) bool) {
		yield(nil, errors.New("damaged"))
	})
	if err != nil {
		t.Error(err)
	}
}

// A method beyond the paper's may be missing, unless it is the user's own program or was asked for by name.
func TestWhoseAbsenceCounts(t *testing.T) {
	lib := datasettest.Library(t)
	for _, c := range []struct {
		command *method.Command
		named   []string
		extra   bool
	}{{nil, nil, true}, {&method.Command{}, nil, false}, {nil, []string{"mean"}, false}, {nil, []string{"other"}, true}} {
		p := planned(t, parse(t, lib, "{shift: [1]}", ""), Options{}, lib, nil)
		m := p.Groups()[0].Method
		m.Extra, m.Command, m.Available = true, c.command, func() error { return errors.New("gone") }
		if p.leaveOut(c.named); len(p.LeftOut) != 1 || p.LeftOut[0].Extra != c.extra {
			t.Errorf("%+v: %+v", c, p.LeftOut)
		}
	}
}

// What is left out is a data set or a method: another thing of its name is run.
func TestLeftOutOfOneName(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, sweep(t, lib, "waves", "{shift: [1]}", ""), Options{}, lib, nil)
	g := p.Groups()[0]
	for _, c := range []struct {
		LeftOut
		runs bool
	}{
		{LeftOut{Name: g.Method.Name, Method: true}, false}, {LeftOut{Name: g.Method.Name}, true},
		{LeftOut{Name: "waves", Method: true}, true}, {LeftOut{Name: "waves"}, false},
	} {
		if p.LeftOut = []LeftOut{c.LeftOut}; p.runs(g) != c.runs {
			t.Errorf("without %+v the group runs: %v", c.LeftOut, !c.runs)
		}
	}
}

// Settings that one fit could serve have one each where features are standardised over other rows.
func TestStatisticsPartFits(t *testing.T) {
	lib := datasettest.Library(t)
	p := planned(t, parse(t, lib, "{shift: [1, 2]}", ""), Options{}, lib, nil)
	g := p.Groups()[0]
	g.Method.Statistics = func(c method.Config) task.Statistics { return task.Statistics(c.Int("shift") % 2) }
	setting := func(i int) Setting { return resolve(g.Settings[i].Setting, dataset.Regression) }
	if a, b := setting(0), setting(1); a.fit == b.fit {
		t.Errorf("one fit, %s, over other rows", a.fit)
	}
}

// A method that is not asked for, and cannot be run here, is not left out, though some of its cells have records and others none.
func TestNotAskedForIsNotLeftOut(t *testing.T) {
	lib := datasettest.Library(t)
	s := parse(t, lib, "{shift: [0]}", "  - method: absent\n")
	all := planned(t, s, Options{ReportOnly: true}, lib, nil)
	records := results.Index{all.cell(all.Groups()[1], 0, 0).ID(): results.OK}
	if p := planned(t, s, Options{Methods: []string{"mean"}}, lib, records); len(p.LeftOut) != 0 || p.all() != (Count{Cells: 6, Done: 1, ToDo: 3}) {
		t.Errorf("%+v, left out %v", p.all(), p.LeftOut)
	}
}

// Where one of two records that are asked for cannot be read, the other one does not hide it.
func TestRecallOfSome(t *testing.T) {
	damaged := errors.New("damaged")
	of := func(id byte) *Configuration { return &Configuration{ID: results.ID{id}, Measures: []*Measure{{}}} }
	err := Recall([]*Job{{Configurations: []*Configuration{of(1), of(2)}}}, func(yield func(*results.Record, error) bool) {
		_ = yield(&results.Record{ID: results.ID{1}, Status: results.OK}, nil) && yield(nil, damaged)
	})
	if err != damaged {
		t.Errorf("%v, want %v", err, damaged)
	}
}

// Published folds part the rows of a group, also where the command line asks for them.
func TestPublishedFoldsOfGroups(t *testing.T) {
	dir := t.TempDir()
	rows := "who,x,y\n"
	for i := range 30 {
		rows += fmt.Sprintf("%d,%d,%d\n", i/3, i, i*i)
	}
	datasettest.Write(t, dir, "patients", "rows: 30\ncolumns: {who: skip, x: number, y: number}\ntarget: y\nsplit: {folds: 5, groups: who}\n", rows)
	lib := dataset.NewLibrary(dir)
	text := "name: test\ndatasets: [patients]\nmethods:\n  - method: mean\n"
	s, err := sweeps.Parse("test.yaml", []byte(text), sweeps.Catalogue{Methods: testMethods(), Datasets: lib.Infos()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), s, Options{Protocols: []split.Protocol{split.Published}}, lib, nil); err == nil || !strings.Contains(err.Error(), "want corrected folds alone") {
		t.Errorf("published folds of groups: %v", err)
	}
}

// Nothing is downloaded where that is not asked for.
func TestNoDownloadUnasked(t *testing.T) {
	none := &dataset.Library{Dirs: []string{t.TempDir()}, CacheDir: t.TempDir()}
	p := planned(t, sweep(t, none, "yacht", "{shift: [1]}", ""), Options{}, none, nil)
	if why := p.WhyLeftOut(); len(why) != 1 || strings.Contains(why[0], "cannot be downloaded") {
		t.Errorf("%q", why)
	}
}

// What is to be trained needs no record: none that cannot be read is missing.
func TestRecallOfUntrained(t *testing.T) {
	of := &Configuration{ID: results.ID{1}, Cells: []Cell{{}}, Measures: []*Measure{{}}}
	err := Recall([]*Job{{Configurations: []*Configuration{of}}}, func(yield func(*results.Record, error) bool) {
		yield(nil, errors.New("damaged"))
	})
	if err != nil {
		t.Error(err)
	}
}
