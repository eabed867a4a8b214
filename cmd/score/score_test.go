package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/baselines/gbdt"
	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
	harness "nptbench/internal/run"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// dataFolder has generated data sets.
func dataFolder(t *testing.T) string {
	t.Helper()
	return datasettest.Library(t).Dirs[0]
}

// constant is a LightGBM model of one leaf.
func constant(features int, objective, value string) string {
	classes := 1
	fmt.Sscanf(objective, "multiclass num_class:%d", &classes)
	text := fmt.Sprintf("tree\nversion=v3\nnum_class=%d\nnum_tree_per_iteration=%[1]d\nmax_feature_idx=%d\nobjective=%s\ntree_sizes=%s\n\n",
		classes, features-1, objective, strings.Repeat("1 ", classes))
	for i := range classes {
		text += fmt.Sprintf("Tree=%d\nnum_leaves=1\nnum_cat=0\nleaf_value=%s\nshrinkage=1\n\n\n", i, value)
	}
	return text + "end of trees\n"
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	content := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(content)
		w.Close()
		content = z.Bytes()
	}
	if err := os.WriteFile(file, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBadInput(t *testing.T) {
	t.Setenv("NPT_DATA_DIR", "")
	for want, args := range map[string][]string{
		"want -models, -model or -export":                    {},
		"-models and -model: want one of them":               {"-models", "a", "-model", "b"},
		"-trees has no meaning with -models":                 {"-models", "a", "-trees", "3"},
		`-trees: "0" is no number of trees, want at least 1`: {"-model", "a", "-trees", "5,0"},
		`invalid value "publisht" for flag -protocol: want published or corrected (did you mean "published"?)`:      {"-model", "a", "-protocol", "publisht"},
		`invalid value "scaled" for flag -target: want original or standardised`:                                    {"-model", "a", "-target", "scaled"},
		`-dataset: unknown data set "yatch": no yatch/dataset.yaml in data, ../shared/data (did you mean "yacht"?)`: {"-model", "a", "-dataset", "yatch"},
		"-model: want a name":      {"-model", ""},
		"-fold -1: want 0 or more": {"-model", "a", "-fold", "-1"},
	} {
		if exit, _, stderr := programtest.Run(t, run, args...); exit != program.ExitBadInput || strings.TrimSuffix(strings.TrimSpace(stderr), "; score -help lists the flags") != want {
			t.Errorf("%q: exit code %d, %q, want %q", args, exit, stderr, want)
		}
	}
	if exit, stdout, _ := programtest.Run(t, run, "-help"); exit != program.ExitOK || !strings.Contains(stdout, "-export") {
		t.Errorf("help: exit code %d", exit)
	}
}

// A model that cannot be scored gets one line.
func TestRefusals(t *testing.T) {
	data := dataFolder(t)
	regression := write(t, "m.txt", constant(6, "regression", "2"))
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, "models"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "models", "m.txt.gz"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		exit int
		want string
		args []string
	}{
		{program.ExitBadInput, "no such file", []string{"-model", "nowhere.txt", "-dataset", "waves"}},
		{program.ExitBadInput, "does not say what it was fitted on: name the data set with -dataset", []string{"-model", regression}},
		{program.ExitFailed, "the model wants 6 features, tail has 2 encoded ones", []string{"-model", regression, "-dataset", "tail"}},
		{program.ExitFailed, "the model predicts 1 number(s) for a row, circles (binary) wants 2",
			[]string{"-model", write(t, "m.txt", constant(2, "regression", "2")), "-dataset", "circles"}},
		{program.ExitFailed, "the model predicts 3 number(s) for a row, circles (binary) wants 2",
			[]string{"-model", write(t, "m.txt.gz", constant(2, "multiclass num_class:3", "2")), "-dataset", "circles"}},
		{program.ExitBadInput, "-trees 7: the model has 1 iterations", []string{"-model", regression, "-dataset", "waves", "-trees", "7"}},
		{program.ExitBadInput, `version "v5" is not supported`,
			[]string{"-model", write(t, "m.txt", strings.Replace(constant(6, "regression", "2"), "v3", "v5", 1)), "-dataset", "waves"}},
		{program.ExitBadInput, "not a LightGBM text model", []string{"-model", write(t, "m.txt", "x"), "-dataset", "waves"}},
		{program.ExitFailed, "the prediction for validation row 0, counted from 0, is +Inf", []string{"-model", write(t, "m.txt", constant(6, "regression", "inf")), "-dataset", "waves"}},
		{program.ExitBadInput, "fold 10 does not exist: the folds are 0 to 9", []string{"-model", regression, "-dataset", "waves", "-fold", "10"}},
		{program.ExitFailed, "-export: nowhere/rows.csv: no such file or directory", []string{"-export", "nowhere/rows.csv", "-dataset", "waves"}},
		{program.ExitBadInput, "-export: want the data set, -dataset", []string{"-export", "rows.csv"}},
		{program.ExitBadInput, "-models: there is no folder nowhere", []string{"-models", "nowhere"}},
		{program.ExitBadInput, "-models: no models (*.txt.gz)", []string{"-models", t.TempDir()}},
		{program.ExitBadInput, fmt.Sprintf("-models: no models (*.txt.gz) in %s; want %[1]s/models, which has some\n", out), []string{"-models", out}},
		{program.ExitBadInput, "-records: stat nowhere: no such file or directory", []string{"-models", filepath.Dir(regression), "-records", "nowhere"}},
		{program.ExitFailed, "m.txt: the model does not say where it comes from: score it with -model and -dataset\n1 of 1 models could not be scored",
			[]string{"-models", filepath.Dir(regression)}},
		{program.ExitFailed, "m.txt.gz: it unpacks to more than 64 times its size: not a model\n1 of 1 models could not be scored",
			[]string{"-models", filepath.Dir(write(t, "m.txt.gz", strings.Repeat("0", 100<<20)))}},
	} {
		exit, stdout, stderr := programtest.Run(t, run, append(c.args, "-data", data)...)
		lines := 1 + strings.Count(strings.TrimSpace(c.want), "\n")
		if exit != c.exit || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != lines {
			t.Errorf("%q: exit code %d, %q, want %d, %q", c.args, exit, stderr, c.exit, c.want)
		}
	}
}

// The score of a model that always says the same is known beforehand.
func TestConstantModel(t *testing.T) {
	data := dataFolder(t)
	s := &scorer{library: dataset.NewLibrary(data)}
	if err := s.load(context.Background(), task.Spec{Dataset: "waves", Protocol: split.Corrected, Fold: 3}); err != nil {
		t.Fatal(err)
	}
	squares := 0.0
	for _, y := range s.truth.Y {
		d := y*s.task.TargetStd + s.task.TargetMean - 12.5
		squares += d * d
	}
	want := fmt.Sprintf(" %.4f ", math.Sqrt(squares/float64(len(s.truth.Y))))
	at := []string{"-data", data, "-dataset", "waves", "-protocol", "corrected", "-fold", "3"}
	exit, stdout, stderr := programtest.Run(t, run, append(at, "-model", write(t, "m.txt", constant(s.task.Width, "regression", "12.5")))...)
	if exit != program.ExitOK || stderr != "" || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, %q, want%sin\n%s", exit, stderr, want, stdout)
	}
	scaled := strconv.FormatFloat((12.5-s.task.TargetMean)/s.task.TargetStd, 'g', -1, 64)
	model := write(t, "m.txt.gz", constant(s.task.Width, "huber", scaled))
	if exit, stdout, _ := programtest.Run(t, run, append(at, "-target", "standardised", "-model", model)...); exit != program.ExitOK || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, standardised: want%sin\n%s", exit, want, stdout)
	}
	// Two trees of half the number say the same together.
	trees := strings.SplitAfter(constant(s.task.Width, "regression", "6.25"), "\n\n")
	text := strings.Replace(trees[0], "tree_sizes=1", "tree_sizes=1 1", 1) + trees[1] + strings.Replace(trees[1], "Tree=0", "Tree=1", 1) + trees[2]
	_, stdout, stderr = programtest.Run(t, run, append(at, "-trees", "1,2", "-model", write(t, "m.txt", text))...)
	if said := strings.Join(strings.Fields(stdout), " "); !strings.Contains(said, " 3 - - - 1 ") || !strings.Contains(said, " 3 - - - 2 ") || !strings.Contains(stdout, want) {
		t.Errorf("one tree and both: want%sin\n%s%s", want, stdout, stderr)
	}
}

// Predictions on another scale than the command line says are noticed.
func TestScaleWarning(t *testing.T) {
	data := dataFolder(t)
	s := &scorer{library: dataset.NewLibrary(data)}
	if err := s.load(context.Background(), task.Spec{Dataset: "waves", Protocol: split.Published, Fold: 0}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ target, value, want string }{
		{original, "0", "warning: the predictions look standardised, with a validation RMSE of "},
		{standardised, fmt.Sprint(s.task.TargetMean), "warning: the predictions look original, with a validation RMSE of "},
		{original, fmt.Sprint(s.task.TargetMean), ""},
		{standardised, "0", ""},
	} {
		model := write(t, "m.txt", constant(6, "regression", c.value))
		exit, _, stderr := programtest.Run(t, run, "-data", data, "-dataset", "waves", "-model", model, "-target", c.target)
		if exit != program.ExitOK || !strings.HasPrefix(stderr, c.want) || (c.want == "") != (stderr == "") || strings.Count(stderr, "\n") > 1 {
			t.Errorf("%s, predicting %s: exit code %d, %q", c.target, c.value, exit, stderr)
		}
	}
}

// What is exported are the rows of the task and, of the test rows too, their true targets.
func TestExport(t *testing.T) {
	data, file := dataFolder(t), filepath.Join(t.TempDir(), "rows.csv")
	for _, name := range []string{"waves", "circles"} {
		args := []string{"-data", data, "-export", file, "-dataset", name, "-protocol", "corrected", "-fold", "2"}
		if exit, _, stderr := programtest.Run(t, run, args...); exit != program.ExitOK {
			t.Fatalf("%s: exit code %d, %s", name, exit, stderr)
		}
		s := &scorer{library: dataset.NewLibrary(data)}
		if err := s.load(t.Context(), task.Spec{Dataset: name, Protocol: split.Corrected, Fold: 2}); err != nil {
			t.Fatal(err)
		}
		targets := slices.Concat(s.task.Y, s.truth.Y)
		for _, label := range slices.Concat(s.task.Labels, s.truth.Labels) {
			targets = append(targets, float64(label))
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		args[3] = "-"
		if exit, stdout, stderr := programtest.Run(t, run, args...); exit != program.ExitOK || stderr != "" || stdout != string(content) {
			t.Errorf("%s, to standard output: exit code %d, %q, %d bytes, want %d", name, exit, stderr, len(stdout), len(content))
		}
		lines, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil || len(lines) != 1+len(targets) {
			t.Fatalf("%s: %d lines, error %v, want a header and %d rows", name, len(lines), err, len(targets))
		}
		parts := slices.Repeat([]string{"train"}, s.task.Train)
		parts = append(parts, slices.Repeat([]string{"val"}, s.task.Val)...)
		parts = append(parts, slices.Repeat([]string{"test"}, s.task.Test)...)
		for row, want := range targets {
			line := lines[1+row]
			last := len(line) - 1
			if got, err := strconv.ParseFloat(line[last], 64); err != nil || got != want || line[0] != parts[row] {
				t.Errorf("%s, row %d: target %s of %s, want %v of %s", name, row, line[last], line[0], want, parts[row])
			}
			for i, x := range s.task.Row(row) {
				if got, err := strconv.ParseFloat(line[1+i], 32); err != nil || float32(got) != x {
					t.Errorf("%s, row %d: feature %d is %s, want %v", name, row, i, line[1+i], x)
				}
			}
		}
	}
}

// needPython returns the Python that has the libraries, or skips the test.
func needPython(t *testing.T) string {
	t.Helper()
	if err := gbdt.LightGBM.Available(); err != nil {
		t.Skip(err)
	}
	if python := os.Getenv("NPT_PYTHON"); python != "" {
		return python
	}
	return "../../.venv/bin/python"
}

// A model that somebody fits with LightGBM on the exported rows scores here what it scores there.
func TestModelFromElsewhere(t *testing.T) {
	data, python := dataFolder(t), needPython(t)
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.csv")
	for _, c := range []struct{ dataset, fit string }{
		{"waves", "LGBMRegressor"}, {"circles", "LGBMClassifier"},
	} {
		if exit, _, stderr := programtest.Run(t, run, "-data", data, "-export", rows, "-dataset", c.dataset, "-protocol", "published", "-fold", "2"); exit != program.ExitOK {
			t.Fatalf("export: exit code %d, %s", exit, stderr)
		}
		cmd := exec.Command(python, "-c", `import sys, lightgbm, pandas, numpy as np
rows = pandas.read_csv(sys.argv[1])
x, y = rows.drop(columns=["part", "target"]), rows["target"]
train, test = rows["part"] == "train", rows["part"] == "test"
model = getattr(lightgbm, sys.argv[2])(n_estimators=40, n_jobs=1).fit(x[train], y[train])
model.booster_.save_model(sys.argv[3])
if sys.argv[2] == "LGBMClassifier":
    print("%.4f" % (100 * np.mean(model.predict(x[test]) == y[test])))
else:
    print("%.4f" % (np.mean((model.predict(x[test]) - y[test]) ** 2) ** .5))`, rows, c.fit, filepath.Join(dir, "model.txt"))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		s := &scorer{library: dataset.NewLibrary(data)}
		if err := s.one(context.Background(), options{model: filepath.Join(dir, "model.txt"), dataset: c.dataset, protocol: split.Published, fold: 2, target: standardised}); err != nil {
			t.Fatal(err)
		}
		got := s.scores[0].test["accuracy"]
		if c.fit == "LGBMRegressor" {
			got = s.scores[0].test["rmse"] / s.task.TargetStd
		}
		if want := strings.TrimSpace(string(out)); fmt.Sprintf("%.4f", got) != want {
			t.Errorf("%s: %v, by LightGBM %s", c.dataset, got, want)
		}
	}
}

// Kept models score what the records of their fits say; a record that says something else is found.
func TestKeptModels(t *testing.T) {
	data := dataFolder(t)
	needPython(t)
	dir := t.TempDir()
	s := &scorer{library: dataset.NewLibrary(data)}
	if err := s.load(context.Background(), task.Spec{Dataset: "waves", Protocol: split.Published, Fold: 4}); err != nil {
		t.Fatal(err)
	}
	on := *s.task
	on.ModelDir, on.Threads = filepath.Join(dir, "models"), 1
	var batch []method.Config
	for _, n := range []int{5, 20} {
		c, err := gbdt.LightGBM.Resolve(map[string]any{"n_estimators": n, "max_depth": 3}, on.Info)
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, c)
	}
	var found []*results.Record
	err := gbdt.LightGBM.Run(context.Background(), &on, batch, func(r method.Result) {
		val, test, err := harness.Score(&on, s.truth, r)
		if err != nil {
			t.Fatal(err)
		}
		cell := results.Cell{Dataset: "waves", DataDigest: on.Digest, Protocol: "published", Fold: 4, Method: "lightgbm", Config: results.Config(batch[r.Index].JSON())}
		found = append(found, &results.Record{ID: cell.ID(), Status: results.OK, Cell: cell, Val: val, Test: test})
	})
	if err != nil {
		t.Fatal(err)
	}
	keep := func(name string) string {
		w := results.NewWriter(filepath.Join(dir, name))
		for _, r := range found {
			if err := w.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	for _, other := range []results.Cell{{Seed: 43}, {Measure: "predictions"}} { // of which the model knows nothing
		r := new(results.Record)
		*r = *found[0]
		r.Seed, r.Measure, r.Test = other.Seed, other.Measure, results.Metrics{"rmse": 1e6}
		r.ID = r.Cell.ID()
		found = append(found, r)
	}
	for _, half := range []string{".waves.txt.gz123456", "waves.txt.gz.tmp"} { // what a run that was killed may leave
		if err := os.WriteFile(filepath.Join(on.ModelDir, half), []byte("tree"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	exit, stdout, stderr := programtest.Run(t, run, "-data", data, "-models", on.ModelDir, "-records", keep("right"))
	if exit != program.ExitOK || strings.Count(stdout, " same ") != 2 || stderr != "" {
		t.Errorf("exit code %d, %q\n%s", exit, stderr, stdout)
	}
	found[1].Test["rmse"] += 1e-6
	exit, stdout, stderr = programtest.Run(t, run, "-data", data, "-models", on.ModelDir, "-records", keep("wrong"))
	if exit != program.ExitFailed || strings.Count(stdout, " same ") != 1 || !strings.Contains(stdout, "differs: test rmse") ||
		!strings.Contains(stderr, "1 of 2 scores differ from the records") {
		t.Errorf("exit code %d, %q\n%s", exit, stderr, stdout)
	}
	exit, _, stderr = programtest.Run(t, run, "-data", data, "-models", on.ModelDir, "-records", t.TempDir())
	if exit != program.ExitFailed || !strings.Contains(stderr, "has no record of any of these models") {
		t.Errorf("records of nothing: exit code %d, %q", exit, stderr)
	}
}

// A kept model is scored where it was fitted, but for what the command line says; one that stopped early has all its trees.
func TestKeptModelAlone(t *testing.T) {
	data := dataFolder(t)
	needPython(t)
	rows := "x,late\n"
	for i := range 200 {
		rows += fmt.Sprintf("%d,%v\n", i, i >= 100)
	}
	datasettest.Write(t, data, "steps", "rows: 200\ncolumns: {x: number, late: [\"false\", \"true\"]}\ntarget: late\nsplit: {folds: 10}\n", rows)
	s := &scorer{library: dataset.NewLibrary(data)}
	if err := s.load(context.Background(), task.Spec{Dataset: "steps", Protocol: split.Corrected, Fold: 3}); err != nil {
		t.Fatal(err)
	}
	on := *s.task
	on.ModelDir, on.Threads = t.TempDir(), 1
	c, err := gbdt.LightGBM.Resolve(map[string]any{"n_estimators": 1000, "max_depth": 10, "learning_rate": 0.3}, on.Info)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	err = gbdt.LightGBM.Run(context.Background(), &on, []method.Config{c}, func(r method.Result) {
		_, test, err := harness.Score(&on, s.truth, r)
		if err != nil {
			t.Fatal(err)
		}
		want = fmt.Sprintf("%.4f", test["nll"])
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(on.ModelDir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if m, err := gbdt.LoadModel(files[0]); err != nil || m.Iterations() >= 1000 {
		t.Fatalf("%d iterations, error %v: it did not stop early", m.Iterations(), err)
	}
	for _, more := range [][]string{nil, {"-fold", "3"}, {"-protocol", "corrected"}} {
		exit, stdout, stderr := programtest.Run(t, run, append([]string{"-data", data, "-model", files[0]}, more...)...)
		if exit != program.ExitOK || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%q: exit code %d, %q, want %s in\n%s", more, exit, stderr, want, stdout)
		}
	}
	if _, stdout, stderr := programtest.Run(t, run, "-data", data, "-model", files[0], "-fold", "4"); !strings.HasPrefix(stderr, "note: ") || !strings.Contains(stdout, " 4  lightgbm ") {
		t.Errorf("another fold: %q\n%s", stderr, stdout)
	}
}

// An interruption while records are read is none of bad input.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "m.txt"), []byte("x"), 0o666)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr strings.Builder
	args := []string{"-models", dir, "-records", "../../results/published", "-data", dataFolder(t)}
	exit := program.Func(run).Run(ctx, program.Env{Args: args, Stdout: io.Discard, Stderr: &stderr, Getenv: os.Getenv, Width: 80})
	if exit != program.ExitInterrupted || stderr.String() != "interrupted\n" {
		t.Errorf("exit code %d, %q", exit, stderr.String())
	}
}

// A crash while a record was written is no reason against the others.
func TestTornRecord(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(`{"id":"00`), 0o666); err != nil {
		t.Fatal(err)
	}
	if known, err := readRecords(t.Context(), dir); err != nil || known == nil {
		t.Errorf("%v, %v", known, err)
	}
}

// A record with a metric more is another one.
func TestMetricsOfRecord(t *testing.T) {
	o := &gbdt.Origin{}
	known := records{keyOf(o, 1, ""): {Test: results.Metrics{"rmse": 1, "mse": 1}}}
	for want, test := range map[string]results.Metrics{"same": {"rmse": 1, "mse": 1}, "differs: 1 test metrics, recorded 2": {"rmse": 1}} {
		if got := known.compare(o, &score{trees: 1, test: test}, ""); got != want {
			t.Errorf("%v: %q, want %q", test, got, want)
		}
	}
}

// A model of ours says what its own training rows standardise, wherever it is scored.
func TestOtherFold(t *testing.T) {
	data := dataFolder(t)
	tasks := map[int]*task.Task{}
	s := &scorer{library: dataset.NewLibrary(data)}
	for _, fold := range []int{3, 4} {
		if err := s.load(t.Context(), task.Spec{Dataset: "waves", Protocol: split.Corrected, Fold: fold}); err != nil {
			t.Fatal(err)
		}
		tasks[fold] = s.task
	}
	rmse := func(targets []float64) float64 { // of fold 4
		squares := 0.0
		for _, y := range targets {
			d := y*s.task.TargetStd + s.task.TargetMean - (2*tasks[3].TargetStd + tasks[3].TargetMean)
			squares += d * d
		}
		return math.Sqrt(squares / float64(len(targets)))
	}
	want := fmt.Sprintf("waves corrected 4 xgboost 0.3 4 1 %.4f %.4f", rmse(s.task.Y[s.task.Train:]), rmse(s.truth.Y))
	origin := fmt.Sprintf(`nptbench={"method":"xgboost","dataset":"waves","protocol":"corrected","fold":3,"learning_rate":0.3,"max_depth":4,`+
		`"n_estimators":[1],"target_mean":%v,"target_std":%v}`, tasks[3].TargetMean, tasks[3].TargetStd)
	text := strings.Replace(constant(s.task.Width, "regression", "2"), "version=v3", "version=v3\n"+origin, 1)
	_, stdout, stderr := programtest.Run(t, run, "-data", data, "-model", write(t, "m.txt", text), "-fold", "4")
	if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
		t.Errorf("want %s in\n%s%s", want, stdout, stderr)
	}
}

// A model whose data set has another table now is refused: its test rows may have been training rows. An older model does not say.
func TestOtherTable(t *testing.T) {
	data := dataFolder(t)
	circles, err := dataset.NewLibrary(data).Load(t.Context(), "circles")
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("0", len(circles.Digest))
	refused := fmt.Sprintf("m.txt: the model was fitted on another table of circles, with data_digest 0000000000000000, and here it is %.16s: "+
		"want the file that it was fitted on, or a new fit\n", circles.Digest)
	for _, c := range []struct{ name, digest, want string }{{"circles", circles.Digest, ""}, {"circles", "", ""}, {"circles", other, refused}, {"waves", other, ""}} {
		origin := fmt.Sprintf(`nptbench={"method":"xgboost","dataset":%q,"data_digest":%q,"protocol":"corrected","n_estimators":[1],"classes":[0,1],"target_std":1}`,
			c.name, c.digest)
		model := write(t, "m.txt", strings.Replace(constant(2, "binary sigmoid:1", "2"), "version=v3", "version=v3\n"+origin, 1))
		commands := [][]string{{"-model", model, "-dataset", "circles"}}
		if c.name == "circles" {
			commands = append(commands, []string{"-model", model}, []string{"-model", model, "-fold", "4"}, []string{"-models", filepath.Dir(model)})
		}
		for _, args := range commands {
			exit, stdout, stderr := programtest.Run(t, run, append(args, "-data", data)...)
			if (exit == program.ExitOK) != (c.want == "") || (stdout == "") != (c.want != "") || !strings.Contains(stderr, c.want) {
				t.Errorf("%s %.4s, %q: exit code %d, %q, want %q", c.name, c.digest, args, exit, stderr, c.want)
			}
		}
	}
	// Neither is an older model of other rows scored on their scale.
	origin := `nptbench={"method":"xgboost","dataset":"waves","protocol":"corrected","n_estimators":[1],"target_mean":7,"target_std":1}`
	model := write(t, "m.txt", strings.Replace(constant(6, "regression", "2"), "version=v3", "version=v3\n"+origin, 1))
	exit, stdout, stderr := programtest.Run(t, run, "-data", data, "-models", filepath.Dir(model))
	if exit != program.ExitFailed || stdout != "" || !strings.HasPrefix(stderr, "m.txt: the model was fitted on other rows: its target has mean 7 and deviation 1, ") {
		t.Errorf("another mean: exit code %d, %q\n%s", exit, stderr, stdout)
	}
}

// Where a model was not fitted is said, but not of a first fold, which both protocols share.
func TestNoteOfAnotherPlace(t *testing.T) {
	data := dataFolder(t)
	const note = "note: the model was fitted on waves, published, fold %d; test rows of another place may have been its training rows\n"
	for _, c := range []struct {
		fitted, fold int
		protocol     string
		same         bool
	}{
		{0, 0, "published", true},
		{0, 0, "corrected", true},
		{0, 1, "published", false},
		{1, 1, "published", true},
		{1, 1, "corrected", false},
		{1, 0, "published", false},
	} {
		origin := fmt.Sprintf(`nptbench={"method":"xgboost","dataset":"waves","protocol":"published","fold":%d,"n_estimators":[1],"target_mean":0,"target_std":1}`, c.fitted)
		model := write(t, "m.txt", strings.Replace(constant(6, "regression", "2"), "version=v3", "version=v3\n"+origin, 1))
		want := ""
		if !c.same {
			want = fmt.Sprintf(note, c.fitted)
		}
		exit, _, stderr := programtest.Run(t, run, "-data", data, "-model", model, "-protocol", c.protocol, "-fold", fmt.Sprint(c.fold))
		if exit != program.ExitOK || stderr != want {
			t.Errorf("fitted on fold %d, scored on %s fold %d: exit code %d, %q, want %q", c.fitted, c.protocol, c.fold, exit, stderr, want)
		}
	}
}

// Folds of groups are corrected ones, also the first, which records and models call published.
func TestGroups(t *testing.T) {
	data, dir := dataFolder(t), t.TempDir()
	rows := "id,x,y\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,%d,%d\n", i%12, i%7, i%5)
	}
	datasettest.Write(t, data, "kept", "rows: 60\ncolumns: {id: skip, x: number, y: number}\ntarget: y\nsplit: {folds: 10, groups: id}\n", rows)
	s := &scorer{library: dataset.NewLibrary(data)}
	if err := s.load(t.Context(), task.Spec{Dataset: "kept", Protocol: split.Corrected}); err != nil {
		t.Fatal(err)
	}
	origin := fmt.Sprintf(`nptbench={"method":"xgboost","dataset":"kept","protocol":"published","n_estimators":[1],"target_mean":%v,"target_std":%v}`,
		s.task.TargetMean, s.task.TargetStd)
	model := strings.Replace(constant(1, "regression", "0"), "version=v3", "version=v3\n"+origin, 1)
	ours, another := filepath.Join(dir, "m.txt"), write(t, "m.txt", constant(1, "regression", "2"))
	if err := os.WriteFile(ours, []byte(model), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.all(t.Context(), options{models: dir}); err != nil {
		t.Fatal(err)
	}
	cell := results.Cell{Dataset: "kept", DataDigest: s.task.Digest, Protocol: "published", Method: "xgboost", Config: `{"n_estimators":1}`}
	w := results.NewWriter(filepath.Join(dir, "records"))
	if err := w.Append(&results.Record{ID: cell.ID(), Status: results.OK, Cell: cell, Val: s.scores[0].val, Test: s.scores[0].test}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const refused = "-protocol: published folds would part rows of kept with the same id; want corrected\n"
	for _, c := range []struct {
		args           []string
		stdout, stderr string
	}{
		{[]string{"-models", dir, "-records", filepath.Join(dir, "records")}, "kept corrected 0 xgboost", ""},
		{[]string{"-model", ours}, "kept corrected 0 xgboost", ""},
		{[]string{"-model", ours, "-fold", "3"}, "kept corrected 3 xgboost", "note: the model was fitted on kept, corrected, fold 0; "},
		{[]string{"-model", ours, "-protocol", "published"}, "", refused},
		{[]string{"-model", another, "-dataset", "kept"}, "kept corrected 0 -", ""},
		{[]string{"-model", another, "-dataset", "kept", "-protocol", "published"}, "", refused},
		{[]string{"-model", another, "-dataset", "kept", "-protocol", "published", "-fold", "3"}, "", refused},
		{[]string{"-export", filepath.Join(dir, "rows.csv"), "-dataset", "kept", "-protocol", "published"}, "", refused},
	} {
		exit, stdout, stderr := programtest.Run(t, run, append(c.args, "-data", data)...)
		said := strings.Join(strings.Fields(stdout), " ")
		if (exit == program.ExitBadInput) != (c.stderr == refused) || (stdout == "") != (c.stdout == "") || !strings.Contains(said, c.stdout) ||
			!strings.HasPrefix(stderr, c.stderr) || (stderr == "") != (c.stderr == "") {
			t.Errorf("%q: exit code %d, %q\n%s", c.args, exit, stderr, stdout)
		}
		if slices.Contains(c.args, "-records") && !strings.Contains(said, " same ") {
			t.Errorf("want the same as the record in\n%s", stdout)
		}
	}
}
