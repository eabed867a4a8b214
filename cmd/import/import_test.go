package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/method"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
	"nptbench/results/resultstest"
)

const head = "dataset,protocol,fold,row,prediction,probability_0,probability_1,probability_2,data_digest\n"

// predictions have a line for each test row, and each validation row if asked to: half the target, or 0.5 for the class and the rest
// for the others.
func predictions(t *testing.T, lib *dataset.Library, name string, protocol split.Protocol, val bool) (lines []string) {
	t.Helper()
	table, err := lib.Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for fold := range table.Info.RunFolds {
		s, err := split.Make(split.RuleOf(table), protocol, fold)
		if err != nil {
			t.Fatal(err)
		}
		rows := s.Test
		if val {
			rows = append(rows, s.Val...)
		}
		for _, row := range rows {
			line := fmt.Sprintf("%s,%s,%d,%d,", name, protocol, fold, row)
			if table.Info.Problem == dataset.Regression {
				line += strconv.FormatFloat(table.Target().Float(int(row))/2, 'g', -1, 64) + ",,,"
			} else {
				for class := range 3 {
					switch {
					case class >= table.Info.Classes:
						line += ","
					case class == int(table.Labels()[row]):
						line += ",0.5"
					default:
						line += "," + strconv.FormatFloat(0.5/float64(table.Info.Classes-1), 'g', -1, 64)
					}
				}
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// call imports lines into a folder, each with the digest of its table.
func call(t *testing.T, lib *dataset.Library, out string, lines []string, more ...string) (exit int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.csv")
	text, digests := head, map[string]string{}
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ",")
		if _, known := digests[name]; !known {
			if table, err := lib.Load(t.Context(), name); err == nil {
				digests[name] = table.Digest
			}
		}
		text += line + "," + digests[name] + "\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NPT_CACHE_DIR", lib.CacheDir)
	args := append([]string{"-method", "mine", "-title", "Mine", "-data", lib.Dirs[0], "-out", out}, more...)
	return programtest.Run(t, importPredictions, append(args, file)...)
}

func TestImport(t *testing.T) {
	lib := datasettest.Library(t)
	out := t.TempDir()
	lines := append(predictions(t, lib, "waves", split.Corrected, true), predictions(t, lib, "waves", split.Published, true)...)
	lines = append(lines, predictions(t, lib, "gaps", split.Corrected, false)...)
	began := time.Now().Truncate(time.Millisecond)
	exit, stdout, stderr := call(t, lib, out, lines)
	if exit != program.ExitOK || !strings.Contains(stderr, "20 records") || !strings.Contains(stdout, "10 corrected") {
		t.Fatalf("exit code %d, %s%s", exit, stdout, stderr)
	}
	waves, err := lib.Load(t.Context(), "waves")
	if err != nil {
		t.Fatal(err)
	}
	records := resultstest.Records(t, out)
	mean := 0.0
	for _, r := range records {
		switch {
		case r.ID != r.Cell.ID() || r.Status != results.OK || r.Config != `{"imported":"Mine"}` || r.Details["predictions_file"] != "p.csv" ||
			r.Provenance.Finished.Before(began): // a merge would take an older one
			t.Errorf("%+v", r)
		case r.Dataset == "gaps" && (r.Val != nil || !(math.Abs(r.Test["nll"]-math.Ln2) <= 1e-12) || r.Test["accuracy"] != 100):
			t.Errorf("gaps: %v and %v", r.Val, r.Test)
		}
		if r.Dataset != "waves" {
			continue
		}
		if r.Protocol == split.Corrected || r.Fold == 0 { // the first fold is the same under both
			mean += r.Test["rmse"] / 10
		}
		s, err := split.Make(split.RuleOf(waves), r.Protocol, r.Fold)
		if err != nil {
			t.Fatal(err)
		}
		if want := [3]int{len(s.Train), len(s.Val), len(s.Test)}; r.Rows != want || r.SplitDigest != s.Digest() {
			t.Errorf("waves, %s fold %d: rows %v of split %s, want %v of %s", r.Protocol, r.Fold, r.Rows, r.SplitDigest, want, s.Digest())
		}
		for part, rows := range map[string][]int32{"test": s.Test, "val": s.Val} {
			sum := 0.0 // of the squares of half the targets
			for _, row := range rows {
				y := waves.Target().Float(int(row))
				sum += y * y / 4
			}
			got := map[string]results.Metrics{"test": r.Test, "val": r.Val}[part]["mse"]
			if want := sum / float64(len(rows)); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("waves, %s fold %d, %s: MSE %v, want %v", r.Protocol, r.Fold, part, got, want)
			}
		}
	}
	if want := fmt.Sprintf("waves 10 corrected RMSE %.6g ", mean); !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
		t.Errorf("want %sin\n%s", want, stdout)
	}
	store, err := results.Open(t.Context(), out)
	if err != nil || len(store.Imports) != 1 || store.Imports[0].Title != "Mine" || len(store.Imports[0].Datasets) != 2 {
		t.Errorf("%+v, %v", store, err)
	}

	// The same again changes nothing; other predictions are refused, unless asked for.
	if exit, _, stderr := call(t, lib, out, lines); exit != program.ExitOK || len(resultstest.Records(t, out)) != len(records) {
		t.Errorf("again: exit code %d, %s", exit, stderr)
	}
	var other []string
	for _, line := range predictions(t, lib, "gaps", split.Corrected, false) {
		other = append(other, strings.Replace(line, ",0.5", ",0.6", 1))
	}
	for i := range other {
		other[i] = strings.Replace(other[i], ",0.25", ",0.15", 1)
	}
	if exit, _, stderr := call(t, lib, out, other); exit != program.ExitBadInput || !strings.Contains(stderr, ", fold 0, the same in both protocols, has been imported with other predictions") {
		t.Errorf("others: exit code %d, %s", exit, stderr)
	}
	if exit, _, stderr := call(t, lib, out, other, "-replace"); exit != program.ExitOK || len(resultstest.Records(t, out)) != len(records) {
		t.Errorf("replaced: exit code %d, %s", exit, stderr)
	}
	if exit, _, stderr := call(t, lib, out, lines, "-title", "Yours"); exit != program.ExitBadInput || !strings.Contains(stderr, `has mine as "Mine"`) {
		t.Errorf("another title: exit code %d, %s", exit, stderr)
	}

	// With another seed they are a repetition, beside the others.
	exit, _, stderr = call(t, lib, out, lines, "-seed", "43")
	seeds := map[uint64]int{}
	for _, r := range resultstest.Records(t, out) {
		seeds[r.Seed]++
	}
	if n := len(records); exit != program.ExitOK || seeds[42] != n || seeds[43] != n {
		t.Errorf("another seed: exit code %d, %s, records by seed %v", exit, stderr, seeds)
	}
}

// Records say which part of a published table they are of.
func TestPartOfTable(t *testing.T) {
	table, err := datasettest.Library(t).Load(t.Context(), "tail")
	if err != nil {
		t.Fatal(err)
	}
	table.Subset = "a part"
	f := &foldPredictions{}
	if f.task, f.truth, err = task.FromTable(table, split.Corrected, 0, task.AllRows); err != nil {
		t.Fatal(err)
	}
	f.p = slices.Repeat([][]float64{{0.5}}, f.task.Rows())
	records, err := (&options{}).records([]*foldPredictions{f}, nil)
	if err != nil || len(records) != 1 || records[0].Subset != "a part" {
		t.Errorf("error %v, %d records, want one of a part", err, len(records))
	}
}

// Metrics are the same but for rounding, and only where both have the same.
func TestSameMetrics(t *testing.T) {
	for _, c := range []struct {
		other results.Metrics
		want  bool
	}{
		{results.Metrics{"rmse": 2, "mse": 4 * (1 + 1e-12)}, true},
		{results.Metrics{"rmse": 2, "mse": 4 * (1 + 1e-8)}, false},
		{results.Metrics{"rmse": 2, "mse": 4 * (1 - 1e-8)}, false},
		{results.Metrics{"rmse": 2}, false},
	} {
		a := results.Metrics{"rmse": 2, "mse": 4}
		if sameMetrics(a, c.other) != c.want || sameMetrics(c.other, a) != c.want {
			t.Errorf("%v and %v: want %v", a, c.other, c.want)
		}
	}
}

// One method has one title, wherever its records are.
func TestOneTitle(t *testing.T) {
	lib := datasettest.Library(t)
	var folders []string
	for _, title := range []string{"Mine", "Yours"} {
		folders = append(folders, t.TempDir())
		exit, _, stderr := call(t, lib, folders[len(folders)-1], predictions(t, lib, "gaps", split.Corrected, false), "-title", title)
		if exit != program.ExitOK {
			t.Fatal(stderr)
		}
	}
	_, opened := results.Open(t.Context(), folders...)
	merged := filepath.Join(t.TempDir(), "all.jsonl.gz")
	_, _, both := results.Merge(t.Context(), merged, false, folders...)
	for _, err := range []error{opened, both} {
		if err == nil || !strings.Contains(err.Error(), `method mine is imported as "Mine" and as "Yours"`) {
			t.Error(err)
		}
	}
	if _, err := os.Stat(merged); err == nil {
		t.Error("merged all the same")
	}
}

// With the folder of its records the method stands in reports, beside those that were run.
func TestReport(t *testing.T) {
	lib := datasettest.Library(t)
	imported, out := t.TempDir(), t.TempDir()
	if exit, _, stderr := call(t, lib, imported, predictions(t, lib, "waves", split.Corrected, false)); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	sweep := filepath.Join(t.TempDir(), "waves.yaml")
	if err := os.WriteFile(sweep, []byte("name: waves\nprotocols: [corrected]\ndatasets: [waves]\nmethods: [{method: knn}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	report := func(ctx context.Context, e program.Env) (int, error) {
		return experiment.Run(ctx, e, experiment.Spec{Name: "table1", Sweep: sweep, Title: "Table"})
	}
	exit, stdout, stderr := programtest.Run(t, report, "-data", lib.Dirs[0], "-out", out, "-with", imported, "-report-only")
	if exit != program.ExitOK || !strings.Contains(stdout, "Mine") {
		t.Fatalf("exit code %d, %s%s", exit, stdout, stderr)
	}
	folds, err := os.ReadFile(filepath.Join(out, "report", "folds.csv"))
	if err != nil || strings.Count(string(folds), "\nwaves,corrected,mine,") != 10 || strings.Count(string(folds), ",Mine\n") != 10 { // by name, and by title
		t.Errorf("%v, %s", err, folds)
	}
}

// A file of predictions for a table of one's own says which it was made for, and is refused for another one.
func TestOtherTable(t *testing.T) {
	lib := datasettest.Library(t)
	waves, err := lib.Load(t.Context(), "waves")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ column, digest, want string }{
		{",data_digest", "," + waves.Digest, ""},
		{",data_digest", ",0123456789abcdef01", fmt.Sprintf("p.csv:2: data_digest is %q, and %.16q of the table of waves that is here: "+
			"were its rows exported from another one?", "0123456789abcdef", waves.Digest)},
		{"", "", "p.csv:2: waves is your own table, which may have changed since its rows were exported: " +
			"want a column data_digest, with what their dataset.json says\n"},
	} {
		text := "dataset,protocol,fold,row,prediction" + c.column + "\n"
		for _, line := range predictions(t, lib, "waves", split.Corrected, false) {
			text += strings.TrimRight(line, ",") + c.digest + "\n"
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "p.csv")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv("NPT_CACHE_DIR", lib.CacheDir)
		exit, _, stderr := programtest.Run(t, importPredictions, "-method", "mine", "-data", lib.Dirs[0], "-out", filepath.Join(dir, "out"), file)
		if (exit == program.ExitOK) != (c.want == "") || !strings.Contains(stderr, c.want) {
			t.Errorf("digest %q: exit code %d, %q, want %q", c.digest, exit, stderr, c.want)
		}
	}
}

// A built-in table does not change: its predictions need not say which it is.
func TestBuiltInTable(t *testing.T) {
	lib := datasettest.Real(t, "yacht")
	text := "dataset,protocol,fold,row,prediction\n"
	for _, line := range predictions(t, lib, "yacht", split.Corrected, false) {
		text += strings.TrimRight(line, ",") + "\n"
	}
	file := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if exit, _, stderr := programtest.Run(t, importPredictions, "-method", "mine", "-data", datasettest.Folder(t, "yacht"), "-out", t.TempDir(), file); exit != program.ExitOK {
		t.Errorf("exit code %d, %s", exit, stderr)
	}
}

// Every mistake names its line, and leaves nothing behind.
func TestMistakes(t *testing.T) {
	lib := datasettest.Library(t)
	waves, circles := predictions(t, lib, "waves", split.Corrected, false), predictions(t, lib, "circles", split.Corrected, true)
	with := func(lines []string, at int, change func(fields []string)) []string {
		out := append([]string{}, lines...)
		fields := strings.Split(out[at], ",")
		change(fields)
		out[at] = strings.Join(fields, ",")
		return out
	}
	set := func(field int, value string) func([]string) { return func(f []string) { f[field] = value } }
	training := func(f []string) { // a row that is neither a test row nor a validation row of the first fold
		table, _ := lib.Load(t.Context(), "waves")
		s, _ := split.Make(split.RuleOf(table), split.Corrected, 0)
		f[3] = fmt.Sprint(s.Train[0])
	}
	for _, c := range []struct {
		what  string
		lines []string
		want  string
	}{
		{"no lines", nil, "has no predictions"},
		{"a data set that is not there", with(waves, 3, set(0, "wavs")), "p.csv:5: "},
		{"a data set of copies", with(waves, 3, set(0, "lookup")), "p.csv:5: lookup is made by copying rows: predictions of it cannot be imported"},
		{"a protocol that is none", with(waves, 3, set(1, "clean")), `p.csv:5: the protocol is "clean"`},
		{"a fold that is none", with(waves, 3, set(2, "10")), "p.csv:5: waves has no fold 10: its folds are 0 to 9"},
		{"a row that is none", with(waves, 3, set(3, "120")), "p.csv:5: waves has no row 120"},
		{"a negative row", with(waves, 3, set(3, "-1")), "p.csv:5: waves has no row -1"},
		{"a training row", with(waves, 3, training), "is a training row of corrected fold 0"},
		{"a fold of both protocols with two predictions", append(predictions(t, lib, "waves", split.Published, false), with(waves, 3, set(4, "1"))...),
			"p.csv: fold 0 of waves is the same under both protocols, but its predictions are not: predict it once, and write these lines for both"},
		{"a row twice", append(append([]string{}, waves[:4]...), waves...), "stands in line 2 already"},
		{"NaN", with(waves, 3, set(4, "nan")), `p.csv:5: prediction is "nan", want a number`},
		{"a prediction without a square", with(waves, 3, set(4, "1e200")), "p.csv: waves, corrected fold 0: the mean squared error of the predictions for test"},
		{"no prediction", with(waves, 3, set(4, "")), `p.csv:5: prediction is "", want a number`},
		{"a probability for a regression", with(waves, 3, set(5, "1")), "p.csv:5: waves is a regression: probability_0 must be empty"},
		{"a missing row", waves[1:], "p.csv:2: here waves, corrected fold 0, begins, of which 1 of 12 test rows have no prediction"},
		{"a missing fold", waves[12:], "of which fold 0 is missing"},
		{"a part of the validation rows", append(append([]string{}, circles[:16]...), circles[len(circles)/10:]...), "validation rows have no prediction"},
		{"probabilities that do not sum to one", with(circles, 3, set(5, "0.2")), "p.csv:5: the probabilities sum to 0.7, not to 1"},
		{"a probability above one", with(circles, 3, set(5, "1.5")), "p.csv:5: probability_0 is 1.5, want a probability from 0 to 1"},
		{"a class too many", with(circles, 3, set(7, "0")), "p.csv:5: circles has 2 classes: probability_2 must be empty"},
		{"a number for classes", with(circles, 3, set(4, "1")), "p.csv:5: circles has classes: prediction must be empty"},
		{"too few fields", with(circles, 3, func(f []string) { f[3] += "\n" }), "p.csv:5: 4 fields, the header has 9"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		exit, stdout, stderr := call(t, lib, out, c.lines)
		if exit != program.ExitBadInput || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", c.what, exit, stderr, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: something was imported", c.what)
		}
	}
	strange := filepath.Join(t.TempDir(), "strange.csv")
	if err := os.WriteFile(strange, []byte("dataset,protocol,fold,row,prediction,predicton\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		`strange.csv:1: the column "predicton" is not known (did you mean "prediction"?)`: {"-method", "mine", strange},
		"want one file of predictions, not 0":                                             {"-method", "mine"},
		`-method "": want a name`:                                                         {"p.csv"},
		"-method knn: that is a method of nptben":                                         {"-method", "knn", "p.csv"},
		"-out: want the name of a folder":                                                 {"-method", "mine", "-out", "", "p.csv"},
		`-title "=1": want letters`:                                                       {"-method", "mine", "-title", "=1", "p.csv"},
		"nowhere.csv: no such file":                                                       {"-method", "mine", "nowhere.csv"},
	} {
		if exit, _, stderr := programtest.Run(t, importPredictions, args...); exit != program.ExitBadInput || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, exit, stderr, want)
		}
	}
}

// Probabilities may miss 0 to 1 by as much as those of any method.
func TestRoundedProbabilities(t *testing.T) {
	lib := datasettest.Library(t)
	lines := predictions(t, lib, "circles", split.Corrected, false)
	for i, line := range lines {
		lines[i] = strings.Replace(line, ",0.5,0.5,", ",1.0000001,0,", 1)
	}
	if exit, _, stderr := call(t, lib, t.TempDir(), lines); exit != program.ExitOK || !strings.Contains(lines[0], "1.0000001") {
		t.Errorf("exit code %d: %s", exit, stderr)
	}
}

// The metrics of predictions that hist_gradient_boosting.py made are what scikit-learn's functions say: make check-import.
func TestEqualsScikitLearn(t *testing.T) {
	dir := os.Getenv("NPT_CHECK_IMPORT")
	if dir == "" {
		t.Skip("NPT_CHECK_IMPORT is not set: make check-import")
	}
	f, err := os.Open(filepath.Join(dir, "metrics.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]results.Metrics{}
	for _, r := range resultstest.Records(t, filepath.Join(dir, "imported")) {
		ours[fmt.Sprint(r.Dataset, r.Protocol, r.Fold)] = r.Test
		if r.Protocol == split.Published && r.Fold == 0 { // the same under both, as nothing is missing in these tables
			ours[fmt.Sprint(r.Dataset, split.Corrected, r.Fold)] = r.Test
		}
	}
	checked, largest := 0, 0.0
	for _, l := range lines[1:] {
		want, err := strconv.ParseFloat(l[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := ours[l[0]+l[1]+l[2]][l[3]]
		difference := math.Abs(got-want) / math.Abs(want)
		if !ok || !(difference <= 1e-12) {
			t.Errorf("%v: %.17g", l, got)
		}
		largest = max(largest, difference)
		checked++
	}
	if checked != 2*10*(3*2+3) { // both protocols, ten folds, two metrics of three tables and three of one
		t.Errorf("%d metrics were compared", checked)
	}
	t.Logf("%d metrics; the largest relative difference is %.2g", checked, largest)
}

// A title may have signs that JSON escapes: a plan finds the records all the same.
func TestTitleWithSigns(t *testing.T) {
	lib, out := datasettest.Library(t), t.TempDir()
	const title = "R & D, e <= 16"
	exit, _, stderr := call(t, lib, out, predictions(t, lib, "waves", split.Corrected, false), "-title", title)
	if exit != program.ExitOK {
		t.Fatalf("exit code %d: %s", exit, stderr)
	}
	want := results.Config(method.Config{results.ImportedParam: title}.JSON())
	for _, r := range resultstest.Records(t, out) {
		if r.Config != want {
			t.Fatalf("the configuration is %s, a plan looks for %s", r.Config, want)
		}
	}
}

// A fold that both protocols share is not replaced with those of one protocol alone: those of the other would then be of two files, be it
// that they came in the same file, before or behind.
func TestReplacesWhole(t *testing.T) {
	lib := datasettest.Library(t)
	published, corrected := predictions(t, lib, "waves", split.Published, false), predictions(t, lib, "waves", split.Corrected, false)
	both := slices.Concat(published, corrected)
	other := func(lines []string) (all []string) {
		for _, line := range lines {
			all = append(all, strings.TrimSuffix(line, ",,,")+"1,,,")
		}
		return all
	}
	for name, files := range map[string][][]string{"one file": {both}, "published first": {published, corrected}, "corrected first": {corrected, published}} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			for _, lines := range files {
				if exit, _, stderr := call(t, lib, out, lines); exit != program.ExitOK {
					t.Fatal(stderr)
				}
			}
			before := resultstest.Records(t, out)
			for stays, lines := range map[string][]string{"corrected": other(published), "published": other(corrected)} {
				exit, _, stderr := call(t, lib, out, lines, "-replace")
				want := "the first fold of waves is that of both protocols, and its " + stays + " folds would stay from other predictions: give both in one file, or remove "
				if exit != program.ExitBadInput || !strings.Contains(stderr, want) {
					t.Errorf("exit code %d: %s", exit, stderr)
				}
			}
			after := resultstest.Records(t, out)
			if !slices.EqualFunc(before, after, func(a, b *results.Record) bool { return a.ID == b.ID && maps.Equal(a.Test, b.Test) }) {
				t.Error("something was replaced")
			}
			if exit, _, stderr := call(t, lib, out, other(both), "-replace"); exit != program.ExitOK || !strings.Contains(stderr, "19 records of") {
				t.Errorf("exit code %d: %s", exit, stderr)
			}
		})
	}
}

// Folds of the data as they were before are no reason not to replace those of the data as they are.
func TestReplacesBesideOtherData(t *testing.T) {
	lib, out, old := datasettest.Library(t), t.TempDir(), t.TempDir()
	published, corrected := predictions(t, lib, "waves", split.Published, false), predictions(t, lib, "waves", split.Corrected, false)
	if exit, _, stderr := call(t, lib, old, published); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	before := t.TempDir()
	w := results.NewWriter(before)
	for _, r := range resultstest.Records(t, old) {
		r.DataDigest = strings.Repeat("0", len(r.DataDigest))
		r.ID = r.Cell.ID()
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := results.Merge(t.Context(), filepath.Join(out, "mine.jsonl.gz"), false, before); err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][]string{corrected, slices.Concat([]string{strings.TrimSuffix(corrected[0], ",,,") + "1,,,"}, corrected[1:])} {
		if exit, _, stderr := call(t, lib, out, lines, "-replace"); exit != program.ExitOK || !strings.Contains(stderr, "which has 20;") {
			t.Errorf("exit code %d: %s", exit, stderr)
		}
	}
}

// Predictions of validation rows stay when test rows alone are imported again, and serve the fold of both protocols.
func TestValidationStays(t *testing.T) {
	lib := datasettest.Library(t)
	published, corrected := predictions(t, lib, "waves", split.Published, false), predictions(t, lib, "waves", split.Corrected, true)
	for name, files := range map[string][][]string{
		"twice": {corrected, predictions(t, lib, "waves", split.Corrected, false)}, "both protocols": {slices.Concat(published, corrected)},
	} {
		out, with := t.TempDir(), 0
		for _, lines := range files {
			if exit, _, stderr := call(t, lib, out, lines); exit != program.ExitOK {
				t.Fatal(stderr)
			}
		}
		for _, r := range resultstest.Records(t, out) {
			if len(r.Val) > 0 {
				with++
			}
		}
		if with != 10 {
			t.Errorf("%s: %d folds have metrics of validation rows, want 10", name, with)
		}
	}
}

// Other predictions of validation rows are other predictions, too.
func TestOtherValidation(t *testing.T) {
	lib, out := datasettest.Library(t), t.TempDir()
	lines := predictions(t, lib, "waves", split.Corrected, true)
	if exit, _, stderr := call(t, lib, out, lines); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	last := len(lines) - 1
	parts := strings.Split(lines[last], ",")
	parts[4] = "123"
	lines[last] = strings.Join(parts, ",")
	if exit, _, stderr := call(t, lib, out, lines); exit != program.ExitBadInput || !strings.Contains(stderr, "-replace") {
		t.Errorf("exit code %d: %s", exit, stderr)
	}
	if exit, _, stderr := call(t, lib, out, lines, "-replace"); exit != program.ExitOK {
		t.Error(stderr)
	}
}

// An import waits for a merge into its file, and compares with what that leaves.
func TestWaitsForAnother(t *testing.T) {
	lib, out, other := datasettest.Library(t), t.TempDir(), t.TempDir()
	lines := predictions(t, lib, "waves", split.Published, false)
	if exit, _, stderr := call(t, lib, other, lines); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	path := filepath.Join(out, "mine.jsonl.gz")
	unlock, err := results.Lock(t.Context(), path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		lines[0] = strings.TrimSuffix(lines[0], ",,,") + "1,,,"
		_, _, stderr := call(t, lib, out, lines)
		said <- stderr
	}()
	select {
	case stderr := <-said:
		t.Fatal("it does not wait: ", stderr)
	case <-time.After(500 * time.Millisecond):
	}
	if _, _, err := results.Merge(t.Context(), path, false, other); err != nil {
		t.Fatal(err)
	}
	unlock()
	if stderr := <-said; !strings.Contains(stderr, "has been imported with other predictions") {
		t.Error(stderr)
	}
}

// What is imported with -replace stands, also where the clock of the machine that imported before it was ahead.
func TestReplacesRecordOfLaterClock(t *testing.T) {
	lib, out := datasettest.Library(t), t.TempDir()
	lines := predictions(t, lib, "waves", split.Published, false)
	if exit, _, stderr := call(t, lib, out, lines); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	before, ahead := resultstest.Records(t, out), t.TempDir()
	w := results.NewWriter(ahead)
	for _, r := range before {
		r.Provenance.Finished = r.Provenance.Finished.Add(time.Hour)
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(out, "*.jsonl.gz"))
	if err := errors.Join(err, w.Close()); err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if _, _, err := results.Merge(t.Context(), files[0], true, ahead); err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, ",,,") + "1,,,"
	}
	if exit, _, stderr := call(t, lib, out, lines, "-replace"); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	for i, r := range resultstest.Records(t, out) {
		if maps.Equal(r.Test, before[i].Test) {
			t.Errorf("fold %d keeps its old predictions", r.Fold)
		}
	}
}

// A mean is over the folds on whose test rows the metric is defined, and says of how many.
func TestMeanWhereDefined(t *testing.T) {
	dir := t.TempDir()
	rows := "x,late\n"
	for i := range 100 {
		rows += fmt.Sprintf("%d,%s\n", i, []string{"no", "yes"}[i/92]) // eight rows, for as many of ten folds
	}
	datasettest.Write(t, dir, "rare", "rows: 100\ncolumns: {x: number, late: [\"no\", \"yes\"]}\ntarget: late\nsplit: {folds: 10}\n", rows)
	lib := &dataset.Library{Dirs: []string{dir}, CacheDir: t.TempDir()}
	out := t.TempDir()
	exit, stdout, stderr := call(t, lib, out, predictions(t, lib, "rare", split.Corrected, false))
	if exit != program.ExitOK {
		t.Fatal(stderr)
	}
	text := strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{"rare 10 corrected accuracy 92", "rare 8 of 10 corrected AUROC 0.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, stdout)
		}
	}
	table, err := lib.Load(t.Context(), "rare")
	if err != nil {
		t.Fatal(err)
	}
	var none strings.Builder
	one := &foldPredictions{task: &task.Task{Info: table.Info, Protocol: split.Corrected}, test: results.Metrics{"accuracy": 100}}
	if err := printScores(program.Env{Stdout: &none, Width: 80}, []*foldPredictions{one}); err != nil || !strings.Contains(strings.Join(strings.Fields(none.String()), " "), "0 of 1 corrected AUROC not defined") {
		t.Errorf("%v, %s", err, none.String())
	}
}

// A file with another separator than a comma, without a header line, or with columns that have no name or that of another is told so.
func TestHeader(t *testing.T) {
	for header, want := range map[string]string{
		"dataset;protocol;fold;row;prediction":     `:1: the only column is called "dataset;protocol;fold;row;prediction": is there another separator than a comma?`,
		"waves,published,0,0,0.5":                  ":1: there is no column dataset; want dataset, protocol, fold, row, and prediction or probability_0, probability_1 and so on",
		"dataset,protocol,fold,row,prediction,,":   ":1: column 7 has no name: leave it out",
		"dataset,protocol,fold,row,row,prediction": ":1: two columns are called row",
		"dataset": ":1: there is no column protocol; want dataset, protocol, fold, row, and prediction or probability_0, probability_1 and so on",
	} {
		file := filepath.Join(t.TempDir(), "p.csv")
		if err := os.WriteFile(file, []byte(header+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if exit, _, stderr := programtest.Run(t, importPredictions, "-method", "mine", file); exit != program.ExitBadInput || stderr != file+want+"\n" {
			t.Errorf("%q: exit code %d, %q", header, exit, stderr)
		}
	}
}
