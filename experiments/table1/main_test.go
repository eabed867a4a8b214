package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/backends"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/results"
	"nptbench/results/resultstest"
)

func TestMain(m *testing.M) {
	experiment.ServeProcess() // this very binary is run again
	os.Exit(m.Run())
}

func call(t testing.TB, args ...string) (exit int, stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	exit, err = experiment.Run(context.Background(), program.Env{Args: args, Stdout: &out, Stderr: &errs, Getenv: os.Getenv, Width: 80}, table1)
	return exit, out.String(), errs.String(), err
}

// The main job on real data: k-NN on two data sets gives the paper's numbers, is not run twice, and every file of the
// report is there.
func TestPaperNumbersEndToEnd(t *testing.T) {
	out := t.TempDir()
	args := []string{"-data", datasettest.Folder(t, "boston-housing", "breast-cancer"), "-out", out, "-methods", "knn", "-datasets", "boston-housing,breast-cancer"}
	exit, table, _, err := call(t, args...)
	if err != nil || exit != program.ExitOK {
		t.Fatalf("exit %d, %v", exit, err)
	}
	if !strings.Contains(table, "Of 4 numbers (MSE, which says what RMSE says, is not counted): 4 reproduced.") || strings.Count(table, "\n") > 15 {
		t.Errorf("not all four numbers are reproduced, or that takes too many lines:\n%s", table)
	}
	cells, err := os.ReadFile(filepath.Join(out, "report", "cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"dataset,protocol,method,metric,mean,stderr,n,paper,paper_stderr",
		"boston-housing,published,knn,rmse,4.2746", "breast-cancer,published,knn,accuracy,95.2600", "breast-cancer,published,knn,auroc,0.9803",
	} {
		if !strings.Contains(string(cells), want) {
			t.Errorf("cells.csv lacks %q", want)
		}
	}
	for _, name := range []string{"table1.md", "table1.tex", "table1.svg", "folds.csv", "ranks.csv"} {
		if s, err := os.Stat(filepath.Join(out, "report", name)); err != nil || s.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, errs, _ := call(t, args...); !strings.Contains(errs, " 0 to do") {
		t.Errorf("a second run had something to do: %s", errs)
	}
	if _, plan, _, _ := call(t, append(args, "-dry-run")...); !strings.Contains(plan, "9600") {
		t.Errorf("dry run: %s", plan)
	}
}

// What a terminal shows of the published records is read at a glance, and ends with where the rest is.
func TestTerminal(t *testing.T) {
	out := t.TempDir()
	exit, table, errs, err := call(t, "-with", "../../results/published", "-report-only", "-out", out)
	if err != nil || exit != program.ExitOK {
		t.Fatalf("exit %d, %v, %s", exit, err, errs)
	}
	if lines := strings.Count(table, "\n"); lines > 85 {
		t.Errorf("%d lines:\n%s", lines, table)
	}
	for _, once := range []string{"Test results on published folds", "Ranks of all methods here by RMSE", "Of 63 numbers (MSE, which says what RMSE says, is not counted): 6 reproduced", "(rank_reg)"} {
		_, after, has := strings.Cut(table, once)
		if !has || strings.Contains(after, once) {
			t.Errorf("%q is not there once, after what is above it:\n%s", once, table)
		}
		table = after
	}
	if open := filepath.Join(out, "report", "table1.html"); !strings.Contains(errs, "The report, for a browser:") || !strings.Contains(errs, open) {
		t.Errorf("%q does not name %s", errs, open)
	}
}

func TestBadInput(t *testing.T) {
	t.Setenv("NPT_DATA_DIR", "")
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	os.WriteFile(bad, []byte("datasets: [yatch]\nmethods: [{method: knn, grid: {p: [3]}}]\n"), 0o644)
	exit, _, _, err := call(t, "-sweep", bad)
	if exit != program.ExitBadInput || err == nil || !strings.Contains(err.Error(), `bad.yaml:1:12: unknown data set "yatch": no yatch/dataset.yaml in data, ../shared/data (did you mean "yacht"?)`) {
		t.Errorf("exit %d, %v", exit, err)
	}
	if exit, _, _, err := call(t, "-data", t.TempDir(), "-methods", "knn", "-out", t.TempDir()); exit != program.ExitFailed || err == nil {
		t.Errorf("without data: exit %d, %v", exit, err)
	}
	t.Setenv("NPT_DATA_DIR", "nowhere")
	if exit, _, errs, err := call(t, "-methods", "knn"); exit != program.ExitBadInput || err == nil || err.Error() != "$NPT_DATA_DIR: there is no folder nowhere" || errs != "" {
		t.Errorf("exit %d, %v, %s", exit, err, errs)
	}
}

// codeBlock is the one with a text, of a document.
func codeBlock(t *testing.T, document, text string) string {
	t.Helper()
	content, err := os.ReadFile("../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```(?:yaml|python)\n(.*?)```").FindAllStringSubmatch(string(content), -1) {
		if strings.Contains(block[1], text) {
			return block[1]
		}
	}
	t.Fatalf("%s has no block with %q", document, text)
	return ""
}

// The sweep in the README is planned as it stands there, with or without its data.
func TestSweepOfREADME(t *testing.T) {
	sweep := filepath.Join(t.TempDir(), "mine.yaml")
	write(t, sweep, codeBlock(t, "README.md", "name: mine\n"))
	if exit, plan, errs, err := call(t, "-sweep", sweep, "-dry-run"); exit != program.ExitOK || err != nil || !regexp.MustCompile(`total +140 `).MatchString(plan) {
		t.Errorf("exit %d, %v, %s\n%s", exit, err, errs, plan)
	}
}

// The recipes for data and methods of one's own work as they stand in EXTENDING.md.
func TestOwnDataAndMethod(t *testing.T) {
	block := func(key string) string { return codeBlock(t, "EXTENDING.md", key) }
	dir := t.TempDir()
	rows, err := os.ReadFile("../../npt/testdata/houses.csv")
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{
		"houses/houses.csv": string(rows), "houses/dataset.yaml": block("file: houses.csv"), "houses.yaml": block("name: houses\n"),
		"boosting.py": block("import json"), "houses-boosting.yaml": block("name: houses-boosting\n"),
	} {
		write(t, filepath.Join(dir, file), content)
	}
	for sweep, want := range map[string]struct {
		records int
		title   string
	}{
		"houses":          {40, "Random Forest"}, // 3 settings of k-NN and 1 of the forest in each of ten folds
		"houses-boosting": {9, "HistGradientBoosting"},
	} {
		t.Run(sweep, func(t *testing.T) {
			if sweep == "houses-boosting" {
				linked := filepath.Join(dir, ".venv", "bin", "python")
				write(t, linked, fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", pythonWithScikit(t)))
				if err := os.Chmod(linked, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			out := t.TempDir()
			exit, table, errs, err := call(t, "-data", dir, "-sweep", filepath.Join(dir, sweep+".yaml"), "-out", out)
			if exit != program.ExitOK || err != nil || !strings.Contains(table, "houses") || !strings.Contains(table, want.title) {
				t.Fatalf("exit %d, %v, %s\n%s", exit, err, errs, table)
			}
			report, err := os.ReadFile(filepath.Join(out, "report", "table1.md"))
			if ranked := strings.Contains(string(report), "Ranks of all methods here by RMSE"); err != nil || !ranked {
				t.Errorf("not ranked: %v\n%s", err, report)
			}
			if strings.Contains(table, "Rank orders (the paper's") || strings.Contains(table, "published folds") || strings.Contains(table, "The paper: ") || strings.Contains(table, "What the paper claims") {
				t.Errorf("the paper says nothing of these data:\n%s", table)
			}
			n := 0
			for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
				n++
				if r.Failure != nil || r.Rows != [3]int{56, 16, 8} {
					t.Errorf("%+v", r)
				} else if r.Method == "hist-gradient-boosting" && !(r.Test["rmse"] > 0 && r.Test["rmse"] < 250) { // prices deviate by 185 from a mean of 400, and a fold has eight
					t.Errorf("%s: RMSE %v", r.Config, r.Test["rmse"])
				}
			}
			if n != want.records {
				t.Errorf("%d records, want %d", n, want.records)
			}
		})
	}
}

// The recipe of a method has a probability for a class, too, that no training row of a fold has.
func TestOwnMethodOnRareClass(t *testing.T) {
	dir, rows := t.TempDir(), "x,y\n1,rare\n"
	for i := range 59 {
		rows += fmt.Sprintf("%d,%s\n", i, []string{"low", "high"}[i/30])
	}
	for file, content := range map[string]string{
		"rare/rare.csv":     rows,
		"rare/dataset.yaml": "file: rare.csv\nrows: 60\ncolumns:\n  x: number\n  y: [low, high, rare]\ntarget: y\nsplit: {folds: 10}\n",
		"rare.yaml":         fmt.Sprintf("name: rare\nprotocols: [corrected]\ndatasets: [rare]\nmethods:\n  - method: mine\n    command: [%q, boosting.py]\n    params: {max_iter: 5}\n", pythonWithScikit(t)),
		"boosting.py":       codeBlock(t, "EXTENDING.md", "import json"),
	} {
		write(t, filepath.Join(dir, file), content)
	}
	out := t.TempDir()
	if exit, _, errs, err := call(t, "-data", dir, "-sweep", filepath.Join(dir, "rare.yaml"), "-out", out); exit != program.ExitOK || err != nil {
		t.Fatalf("exit %d, %v, %s", exit, err, errs)
	}
	n := 0
	for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
		if n++; r.Failure != nil {
			t.Errorf("%+v", r)
		}
	}
	if n != 10 {
		t.Errorf("%d records, want 10", n)
	}
}

// Of a group that is in a test fold no row is for training: k-NN, which finds the target of a row in others of its group where folds are
// of rows, cannot. Published folds would part groups.
func TestOwnGroups(t *testing.T) {
	dir, rows := t.TempDir(), "patient,x,y\n"
	for i := range 120 {
		rows += fmt.Sprintf("p%d,%d,%d\n", i%20, i%20, i%20*7%20)
	}
	const declaration = "file: rows.csv\nrows: 120\ncolumns: {patient: skip, x: number, y: number}\ntarget: y\n"
	for file, content := range map[string]string{
		"free/rows.csv": rows, "free/dataset.yaml": declaration + "split: {folds: 10}\n",
		"kept/rows.csv": rows, "kept/dataset.yaml": declaration + "split: {folds: 10, groups: patient}\n",
		"groups.yaml": "name: groups\nprotocols: [corrected]\ndatasets: [free, kept]\nmethods:\n  - {method: knn, params: {n_neighbors: 1}}\n",
	} {
		write(t, filepath.Join(dir, file), content)
	}
	out, sweep := t.TempDir(), filepath.Join(dir, "groups.yaml")
	exit, text, errs, err := call(t, "-data", dir, "-sweep", sweep, "-out", out)
	if exit != program.ExitOK || err != nil || !strings.Contains(text, "On: free (10 folds), kept (10 folds by patient).") {
		t.Fatalf("exit %d, %v, %s, %s", exit, err, errs, text)
	}
	n := 0
	for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
		if n++; r.Failure != nil || (r.Test["rmse"] < 1e-6) != (r.Dataset == "free") || r.Rows[2] != 12 {
			t.Errorf("%+v", r)
		}
	}
	if n != 20 {
		t.Errorf("%d records, want 20", n)
	}
	exit, _, _, err = call(t, "-data", dir, "-sweep", sweep, "-out", out, "-protocol", "both")
	if want := "kept: published folds would part rows of the same patient; want corrected folds alone"; exit == program.ExitOK || err == nil || err.Error() != want {
		t.Errorf("exit %d, %v, want %s", exit, err, want)
	}
}

// pythonWithScikit is a Python that has scikit-learn; where there is none the test is skipped.
func pythonWithScikit(t *testing.T) (python string) {
	t.Helper()
	path := os.Getenv("NPT_PYTHON")
	if path == "" {
		path = "../../.venv/bin/python3"
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	python = filepath.Join(filepath.Dir(path), "python3")
	if out, err := exec.Command(python, "-c", "import sklearn").CombinedOutput(); err != nil {
		t.Skipf("no scikit-learn: %s: %v %s", python, err, out)
	}
	return python
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A command is a method as any other: right or wrong, what it does is in records and in the report, and a changed script is
// another configuration.
func TestCommand(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	script, sweep := filepath.Join(dir, "mean.sh"), filepath.Join(dir, "commands.yaml")
	write(t, script, `[ -z "$NPTBENCH_WORKER" ] || exit 4
mode=$(sed -n 's/.*"mode": "\(.*\)".*/\1/p' task.json)
predict() { awk 'NR == FNR { if (FNR > 1) { sum += $1; n++ }; next } FNR > 1 { print sum / n }' train_y.csv $1_x.csv > $1_predicted.csv; }
predict val
[ "$mode" = half ] || predict test
case $mode in
print) echo 7; echo '{"Done": true}' ;;
wide) sed -i 5s/$/,0/ val_predicted.csv ;;
nan) sed -i 4s/.*/nan/ test_predicted.csv ;;
exit) echo "first this" >&2; seq 1000 >&2; echo "then: no luck" >&2; exit 3 ;;
kill) kill -9 $$ ;;
hang) sleep 300 & echo $! > $(dirname $0)/started; wait ;;
esac
`)
	write(t, sweep, `name: commands
protocols: [published]
datasets: [waves]
folds: 1
budget: {time: 3s}
methods:
  - method: knn
  - method: mean
    title: The mean
    command: [sh, mean.sh]
    grid: {mode: [good, print, wide, nan, half, exit, kill, hang]}
`)
	args := []string{"-data", datasettest.Library(t).Dirs[0], "-sweep", sweep, "-out", out}
	exit, table, errs, err := call(t, args...)
	if exit != program.ExitFailed || err != nil || !strings.Contains(table, "The mean") {
		t.Fatalf("exit %d, %v, %s\n%s", exit, err, errs, table)
	}
	want := map[string][2]string{
		"good": {}, "print": {}, "half": {"error", "the command ended without an error and has written no test_predicted.csv"},
		"wide": {"error", "val_predicted.csv:5: 2 numbers, want 1"},
		"nan":  {"diverged", "test_predicted.csv:4: the prediction is NaN"},
		"exit": {"error", "sh mean.sh: exit status 3: first this 1 2 3"},
		"kill": {"crash", "crashed: sh mean.sh: signal: killed"},
		"hang": {"timeout", "not finished within the budget of 3s"},
	}
	for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
		if r.Method != "mean" {
			continue
		}
		var config struct{ Mode, Command, Files_SHA256 string }
		if err := json.Unmarshal([]byte(r.Config), &config); err != nil || config.Command != "sh mean.sh" || len(config.Files_SHA256) != 16 {
			t.Fatalf("%s: %v", r.Config, err)
		}
		w, got := want[config.Mode], results.Failure{}
		if delete(want, config.Mode); r.Failure != nil {
			got = *r.Failure
		} else if mse := r.Test["mse_standardised"]; !(mse > 0.2 && mse < 5) {
			t.Errorf("%s: the mean has an error of %v standard deviations", config.Mode, mse)
		}
		if got.Kind != w[0] || !strings.HasPrefix(got.Message, w[1]) || config.Mode == "exit" && !strings.HasSuffix(got.Message, "then: no luck") {
			t.Errorf("%s: %+v, want %s", config.Mode, got, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("no records of %v", want)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "checkpoints", "*")); len(left) > 0 {
		t.Errorf("folders are left: %s", left)
	}
	started, err := os.ReadFile(filepath.Join(dir, "started"))
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(started)) + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("the command was stopped, and what it had started runs on: %s", stat)
	}
	if _, plan, errs, _ := call(t, append(args, "-dry-run")...); strings.Contains(errs, "left out") || !strings.Contains(plan, "mean") {
		t.Errorf("dry run: %s%s", errs, plan)
	}
	if _, _, errs, _ := call(t, append(args, "-report-only")...); !strings.Contains(errs, " 0 to do") {
		t.Errorf("a second run had something to do: %s", errs)
	}
	write(t, script, "exit 1")
	if _, _, errs, _ := call(t, append(args, "-report-only")...); !strings.Contains(errs, " 8 to do") {
		t.Errorf("a changed script has records: %s", errs)
	}
}

// An ablation of one's own: settings have rows of their own where that is asked for, from the same records.
func TestRows(t *testing.T) {
	sweep, out := filepath.Join(t.TempDir(), "own.yaml"), t.TempDir()
	write(t, sweep, `name: own
protocols: [corrected]
datasets: [waves]
methods:
  - method: knn
    variants: {near: {weights: distance}, all alike: {}}
    grid: {n_neighbors: [2, 5]}
`)
	run := func(args ...string) (table string, err error) {
		_, table, _, err = call(t, append([]string{"-data", datasettest.Library(t).Dirs[0], "-sweep", sweep, "-out", out}, args...)...)
		return table, err
	}
	if table, err := run(); err != nil || strings.Count(table, "k-NN") != 1 {
		t.Fatalf("%v\n%s", err, table)
	}
	if table, err := run("-rows", "variant"); err != nil || !strings.Contains(table, "k-NN, near ") || !strings.Contains(table, "k-NN, all alike ") || strings.Contains(table, "k-NN  ") {
		t.Errorf("%v\n%s", err, table)
	}
	if table, err := run("-rows", "weights,n_neighbors"); err != nil || strings.Count(table, "k-NN, ") != 4 {
		t.Errorf("%v\n%s", err, table)
	}
	if _, err := run("-rows", "weight"); err == nil || err.Error() != `no method of sweep own has "weight" to tell rows apart by (did you mean "weights"?)` {
		t.Error(err)
	}
}

// What the paper has and cannot be run here is missing in the end; without an extra row the sweep is still done.
func TestMissingPrograms(t *testing.T) {
	t.Setenv("NPT_GOLEARN", filepath.Join(t.TempDir(), "nothing"))
	t.Setenv("NPT_PYTHON", filepath.Join(t.TempDir(), "nothing"))
	for _, c := range []struct {
		method string
		exit   int
	}{{"golearn-knn", program.ExitOK}, {"xgboost", program.ExitFailed}} {
		exit, _, errs, err := call(t, arguments(t, "{method: knn}, {method: "+c.method+"}", t.TempDir())...)
		if exit != c.exit || err != nil || !strings.Contains(errs, "left out: "+c.method) {
			t.Errorf("without %s: exit %d, %v, %s", c.method, exit, err, errs)
		}
	}
}

// Other seeds than the sweep's add records of their own, which its report counts as repetitions.
func TestSeeds(t *testing.T) {
	data, out, sweep := datasettest.Library(t).Dirs[0], t.TempDir(), filepath.Join(t.TempDir(), "sweep.yaml")
	write(t, sweep, "name: sweep\nseed: 1\nprotocols: [published]\ndatasets: [waves]\nfolds: 1\nmethods: [{method: random-forest, params: {n_estimators: 5}}]\n")
	args := []string{"-data", data, "-sweep", sweep, "-out", out}
	for _, more := range [][]string{{"-seed", "2"}, {"-seed", "3"}, nil} {
		if exit, _, errs, err := call(t, append(args, more...)...); exit != program.ExitOK || err != nil || !strings.Contains(errs, "1 cells done, 0 failed") {
			t.Fatalf("%v: exit %d, %v, %s", more, exit, err, errs)
		}
	}
	ended := map[string]uint64{}
	for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
		ended[fmt.Sprint(r.Test)] = r.Seed
	}
	if seeds := slices.Sorted(maps.Values(ended)); !slices.Equal(seeds, []uint64{1, 2, 3}) {
		t.Errorf("different results under the seeds %v, want 1, 2, 3", seeds)
	}
	for _, c := range []struct {
		seed  string
		first uint64
	}{{"1", 1}, {"3", 3}} {
		_, _, _, err := call(t, append(args, "-report-only", "-seed", c.seed)...)
		if err != nil {
			t.Fatal(err)
		}
		report, err := os.ReadFile(filepath.Join(out, "report", "table1.md"))
		if err != nil || !strings.Contains(string(report), "Under other seeds: 2 records") {
			t.Errorf("%v, the report with seed %s does not count three seeds:\n%s", err, c.seed, report)
		}
		folds, err := os.ReadFile(filepath.Join(out, "report", "folds.csv"))
		if err != nil || !strings.Contains(string(folds), fmt.Sprintf(",%d,", c.first)) {
			t.Errorf("%v, folds.csv has not seed %d", err, c.first)
		}
	}
}

// A backend that there is not is bad input, for a plan too: nothing is run, and no report is written.
func TestBadBackend(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "abacus")
	out := t.TempDir()
	for _, more := range []string{"-dry-run", "-dry-run=false"} {
		exit, stdout, _, err := call(t, append(arguments(t, "{method: npt}", out), more)...)
		if exit != program.ExitBadInput || err == nil || !strings.Contains(err.Error(), `backend "abacus", of -backend or GOMLX_BACKEND, is unknown`) || stdout != "" {
			t.Errorf("%s: exit %d, %v, %s", more, exit, err, stdout)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "report", "table1.md")); err == nil {
		t.Error("a report was written")
	}
}

// Folds that train side by side, in processes of their own, end as they do one after the other. A plugin whose name says nothing of a
// processor is taken for that of a device.
func TestFoldsSideBySide(t *testing.T) {
	data := datasettest.Library(t).Dirs[0]
	processor, err := backends.Open("xla:cpu", 0)
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	device, sweep := filepath.Join(dir, "device.so"), filepath.Join(dir, "sweep.yaml")
	if err := os.Symlink(processor.(interface{ PluginName() string }).PluginName(), device); err != nil {
		t.Fatal(err)
	}
	write(t, sweep, "name: sweep\nprotocols: [published]\ndatasets: [waves]\nfolds: 2\nmethods:\n"+
		"  - {method: npt, params: {dim_hidden: 8, heads: 2, layers: 2, steps: 10, lr: 0.01}}\n")
	alone := map[results.ID]string{}
	for networks := 1; networks <= 2; networks++ {
		out := filepath.Join(dir, fmt.Sprint(networks))
		exit, _, errs, err := call(t, "-data", data, "-sweep", sweep, "-out", out, "-backend", "xla:"+device, "-networks", fmt.Sprint(networks))
		if exit != program.ExitOK || err != nil {
			t.Fatalf("exit %d, %v, %s", exit, err, errs)
		}
		for _, r := range resultstest.Records(t, filepath.Join(out, "records")) {
			ended := fmt.Sprint(r.Val, r.Test, r.Details["best_step"], r.Details["validation_loss"])
			if networks == 1 {
				alone[r.ID] = ended
			}
			if ended != alone[r.ID] || r.Provenance.Networks != networks/2*2 {
				t.Errorf("fold %d of %d: %d networks together end with %s, alone with %s", r.Fold, networks, r.Provenance.Networks, ended, alone[r.ID])
			}
		}
		if len(alone) != 2 {
			t.Errorf("%d records, want 2", len(alone))
		}
	}
}
