package command

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

func load(t *testing.T, dataset string) *task.Task {
	t.Helper()
	loader := &task.Loader{}
	tk, _, err := loader.Load(t.Context(), datasettest.Library(t), task.Spec{Dataset: dataset, Protocol: split.Published})
	if err != nil {
		t.Fatal(err)
	}
	tk.Threads, tk.Seed, tk.CheckpointDir = 3, 1<<63, filepath.Join(t.TempDir(), "folder")
	return tk
}

// call runs a shell script with an argument, one configuration.
func call(t *testing.T, ctx context.Context, tk *task.Task, script, arg string) (method.Result, error) {
	t.Helper()
	return callWith(t, ctx, tk, script, arg, map[string]any{"depth": 3, "loss": "log"})
}

func callWith(t *testing.T, ctx context.Context, tk *task.Task, script, arg string, params map[string]any) (method.Result, error) {
	t.Helper()
	c := method.Command{Name: "mine", Title: "Mine", Args: []string{"sh", "mine.sh", arg}, Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.Dir, "mine.sh"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.Digest, err = Digest(c); err != nil || c.Digest == "" {
		t.Fatalf("digest %q, error %v", c.Digest, err)
	}
	m := New(c)
	config, err := m.Resolve(params, tk.Info)
	if err != nil {
		t.Fatal(err)
	}
	var result method.Result
	err = m.Run(ctx, tk, []method.Config{config}, func(r method.Result) { result = r })
	return result, err
}

func table(t *testing.T, file string) (header []string, values []float64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range slices.Concat(lines[1:]...) {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, x)
	}
	return lines[0], values
}

// A command is given the task to the bit, and no test target; what it writes is the prediction.
func TestExchange(t *testing.T) {
	for _, name := range datasettest.Names {
		t.Run(name, func(t *testing.T) {
			tk, copied := load(t, name), t.TempDir()
			if err := os.MkdirAll(tk.CheckpointDir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(tk.CheckpointDir, "val_predicted.csv"), []byte("0\n"), 0o666); err != nil { // of a run before
				t.Fatal(err)
			}
			probabilities := strings.TrimSuffix(strings.Repeat("0.25,", tk.Outputs()), ",")
			result, err := call(t, t.Context(), tk, `[ -e val_predicted.csv ] && exit 1
[ $OMP_NUM_THREADS = 3 ] || exit 2
cp * $1
for part in val test; do awk 'NR == 2 { printf "\357\273\277" } NR > 1 { print "`+probabilities+`" }' ${part}_x.csv > ${part}_predicted.csv; done`, copied)
			if err = errors.Join(err, result.Err); err != nil || result.Fit <= 0 {
				t.Fatalf("%v, %v", result.Fit, err)
			}
			if len(result.Val) != tk.Val*tk.Outputs() || len(result.Test) != tk.Test*tk.Outputs() || slices.Max(result.Test) != 0.25 || slices.Min(result.Val) != 0.25 {
				t.Errorf("predicted %v, %v", result.Val, result.Test)
			}
			if _, err := os.Stat(tk.CheckpointDir); err == nil {
				t.Error("the folder is left")
			}
			var x []float64
			var y []float64
			var files []string
			var missing []bool
			for _, part := range []string{"train", "val", "test"} {
				columns, values := table(t, filepath.Join(copied, part+"_x.csv"))
				if x = append(x, values...); len(columns) != tk.Width {
					t.Errorf("%d columns: %s", len(columns), columns)
				}
				files = append(files, part+"_x.csv")
				if tk.Missing != nil {
					columns, values := table(t, filepath.Join(copied, part+"_missing.csv"))
					if files = append(files, part+"_missing.csv"); columns[0] != tk.Features[0].Name {
						t.Errorf("of missing entries: %s", columns)
					}
					for _, v := range values {
						missing = append(missing, v == 1)
					}
				}
				if part != "test" {
					_, values := table(t, filepath.Join(copied, part+"_y.csv"))
					y = append(y, values...)
					files = append(files, part+"_y.csv")
				}
			}
			if !slices.EqualFunc(x, tk.X, func(a float64, b float32) bool { return float32(a) == b }) {
				t.Error("the features are not those of the task")
			}
			if want := tk.Y; !slices.Equal(y, want) && (want != nil || !slices.EqualFunc(y, tk.Labels, func(a float64, b uint16) bool { return a == float64(b) })) {
				t.Error("the targets are not those of the task")
			}
			if !slices.Equal(missing, tk.Missing) {
				t.Error("missing entries are not those of the task")
			}
			entries, err := os.ReadDir(copied)
			if err != nil {
				t.Fatal(err)
			}
			var there []string
			for _, e := range entries {
				there = append(there, e.Name())
			}
			files = append(files, "task.json")
			if slices.Sort(files); !slices.Equal(there, files) {
				t.Errorf("files %s, want %s", there, files)
			}
			var d description
			text, err := os.ReadFile(filepath.Join(copied, "task.json"))
			if err = errors.Join(err, json.Unmarshal(text, &d)); err != nil {
				t.Fatal(err)
			}
			if d.Problem != tk.Info.Problem.String() || d.Classes != tk.Info.Classes || d.Threads != 3 || d.Seed == 0 || d.Seed >= 1<<31 ||
				!reflect.DeepEqual(d.Params, map[string]any{"depth": 3.0, "loss": "log"}) || d.Rows["train"]+d.Rows["val"]+d.Rows["test"] != tk.Rows() {
				t.Errorf("task.json: %s", text)
			}
			columns := 0
			for i, f := range d.Features {
				if f.Name != tk.Features[i].Name || f.Column != columns || (f.Type == "category") != (f.Columns > 1) {
					t.Errorf("feature %d: %+v", i, f)
				}
				columns += f.Columns
			}
			if columns != tk.Width {
				t.Errorf("the features have %d columns of %d", columns, tk.Width)
			}
		})
	}
}

// A command is told which training rows belong together, for a hold-out of its own.
func TestExchangeOfGroups(t *testing.T) {
	tk, copied := load(t, "waves"), t.TempDir()
	for i := range tk.Train {
		tk.Groups = append(tk.Groups, uint16(i%7))
	}
	if result, err := call(t, t.Context(), tk, "cp train_groups.csv $1", copied); err != nil || result.Err == nil {
		t.Fatalf("%v, %v", err, result.Err)
	}
	header, values := table(t, filepath.Join(copied, "train_groups.csv"))
	if !slices.Equal(header, []string{"group"}) || !slices.EqualFunc(values, tk.Groups, func(a float64, b uint16) bool { return a == float64(b) }) {
		t.Errorf("%s %v, want %d", header, values, tk.Groups)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	if _, err := call(t, ctx, load(t, "waves"), "exec sleep 60", ""); !errors.Is(err, context.Canceled) || time.Since(start) > 10*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

// A command that is killed is recorded as one that ran out of memory, if the kernel has killed something for that meanwhile.
func TestKilled(t *testing.T) {
	defer func(before func() int) { oomKills = before }(oomKills)
	for _, c := range []struct {
		script string
		kills  bool // of the kernel, meanwhile
		want   error
	}{
		{"kill -9 $$", true, method.ErrMemory},
		{"sh -c 'kill -9 $$'; exit $?", true, method.ErrMemory},
		{"kill -9 $$", false, method.ErrCrash},
		{"kill -15 $$", true, method.ErrCrash},
		{"exit 3", true, nil},
	} {
		before := math.MaxInt
		if c.kills {
			before = -1
		}
		oomKills = func() int { return before }
		result, err := call(t, t.Context(), load(t, "waves"), c.script, "")
		if err != nil || result.Err == nil {
			t.Fatalf("%s: %v, %v", c.script, err, result.Err)
		}
		for _, kind := range []error{method.ErrCrash, method.ErrMemory} {
			if errors.Is(result.Err, kind) != (kind == c.want) {
				t.Errorf("%s: %v is %q: %v", c.script, result.Err, kind, kind != c.want)
			}
		}
	}
}

// A command that fails is quoted by what it printed as an error, or else by anything.
func TestSaid(t *testing.T) {
	for script, want := range map[string]string{
		"echo so far; echo no luck >&2; exit 3": "exit status 3: no luck", "echo no luck; exit 3": "exit status 3: no luck", "exit 3": "exit status 3",
	} {
		if result, err := call(t, t.Context(), load(t, "waves"), script, ""); err != nil || result.Err == nil || !strings.HasSuffix(result.Err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", script, err, result.Err, want)
		}
	}
}

// A script that changes while a sweep runs fails its cells, which have the digest of the old one.
func TestChangedScript(t *testing.T) {
	c := method.Command{Name: "mine", Args: []string{"sh", "mine.sh"}, Dir: t.TempDir(), Digest: "0123456789abcdef"}
	if err := os.WriteFile(filepath.Join(c.Dir, "mine.sh"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), c, load(t, "waves"), method.Config{}); err == nil || !strings.Contains(err.Error(), "not those that the run was planned with: changed since, or others on this machine") {
		t.Errorf("error %v", err)
	}
}

// A command that ends without an error and without its predictions has said why, as a script does whose last line is another one.
func TestNothingWritten(t *testing.T) {
	c := method.Command{Name: "mine", Args: []string{"sh", "-c", "echo No module named numpy >&2; echo done"}, Dir: t.TempDir()}
	const want = "the command ended without an error and has written no val_predicted.csv; it said: No module named numpy"
	if _, err := run(t.Context(), c, load(t, "waves"), method.Config{}); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// An edited script, another command line and another version have the seed of those before: only what is chosen has another one.
func TestSeed(t *testing.T) {
	tk := load(t, "waves")
	seed := func(script, arg string, params map[string]any) string {
		t.Helper()
		result, err := callWith(t, t.Context(), tk, "grep seed task.json >&2\n"+script, arg, params)
		if err != nil {
			t.Fatal(err)
		}
		_, seed, found := strings.Cut(fmt.Sprint(result.Err), `"seed": `)
		if !found {
			t.Fatal(result.Err)
		}
		return seed
	}
	first := seed("", "", map[string]any{"depth": 3})
	for _, again := range []string{
		seed("# a comment", "", map[string]any{"depth": 3}), seed("", "--fast", map[string]any{"depth": 3}), seed("", "", map[string]any{"depth": 3, "version": 2}),
	} {
		if again != first {
			t.Errorf("seed %s, and %s with the same parameters", first, again)
		}
	}
	if other := seed("", "", map[string]any{"depth": 4}); other == first {
		t.Errorf("seed %s with other parameters, too", other)
	}
}

// A command is told in which folder it is.
func TestWorkingDirectory(t *testing.T) {
	tk := load(t, "waves")
	_, err := run(t.Context(), method.Command{Name: "mine", Args: []string{"printenv", "PWD"}}, tk, method.Config{})
	if err == nil || !strings.HasSuffix(err.Error(), "; it said: "+tk.CheckpointDir) {
		t.Errorf("%v, want %s", err, tk.CheckpointDir)
	}
}

// What begins with ./ or ../ must be a file.
func TestCheckFile(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "pk"), 0o777), os.WriteFile(filepath.Join(dir, "a.json"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	missing := "there is no ./b.json in " + dir + ", the folder of the sweep, where relative names begin; a file of the folder in which the program runs is named without ./"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"python", "pk"}, ""}, // a word
		{[]string{"python", "./pk/"}, filepath.Join(dir, "pk") + " is not a file"},
		{[]string{"pk"}, ""}, // from PATH
		{[]string{"python", filepath.Join(dir, "pk")}, ""},
		{[]string{"python", ""}, ""},
		{[]string{"python", "."}, ""}, // its own
		{[]string{"python", "./a.json"}, ""},
		{[]string{"python", "./b.json"}, missing},
		{[]string{"python", "--config", "./b.json"}, missing},
		{[]string{"python", "b.json"}, ""},
	} {
		err := CheckFile(method.Command{Args: c.args, Dir: dir}, len(c.args)-1)
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%q: %s, want %q", c.args, got, c.want)
		}
	}
}

// What was a configuration with the old files is one with the new ones.
func TestRenew(t *testing.T) {
	config := func(digest string) (method.Command, string) {
		c := method.Command{Name: "mine", Args: []string{"sh", "mine.sh"}, Digest: digest}
		of, err := New(c).Resolve(map[string]any{"depth": 3}, dataset.Info{})
		if err != nil {
			t.Fatal(err)
		}
		return c, of.JSON()
	}
	_, before := config("0123456789abcdef")
	c, now := config("fedcba9876543210")
	if got := Renew(before, c); before == now || got != now {
		t.Errorf("%s has become %s, want %s", before, got, now)
	}
}

func TestAvailable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "program"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for program, there := range map[string]bool{"sh": true, "no-such-program": false, "./program": true, "program": false, "./no-program": false} {
		if err := New(method.Command{Args: []string{program}, Dir: dir}).Available(); (err == nil) != there {
			t.Errorf("%s: %v", program, err)
		}
	}
}

// What is wrong with a file of predictions is said with its line, and with what would be right.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"0.5,0.5\n0.5,0.5\n":              "p_predicted.csv:1: 2 numbers, want a probability for each of the 3 classes, also for one that no training row has",
		"1,0,0\n1\n":                      "p_predicted.csv:2: 1 number, want a probability for each of the 3 classes, also for one that no training row has",
		"class 0,class 1,c\n1,0,0\n":      `p_predicted.csv:1: "class 0" is not a number (there is to be no line of names)`,
		"a,b,c\n1,0,0\n":                  `p_predicted.csv:1: "a" is not a number (there is to be no line of names)`,
		"1,0,0\n1,0,b\n":                  `p_predicted.csv:2: "b" is not a number`,
		"0.9 0.1 0\n1 0 0\n":              `p_predicted.csv:1: "0.9 0.1 0" is not a number (numbers of a line are separated by commas)`,
		"1,0,0\n":                         "p_predicted.csv:2: the file ends, want a line for each of the 2 rows",
		"1,0,0\n0,1,0\n0,0,1\n":           "p_predicted.csv:3: one line too many, want one for each of the 2 rows",
		"\ufeff1,0,0\n 0.2, 0.3, 0.5\r\n": "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p_predicted.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := read(dir, "p", 2, 3)
		switch {
		case want == "" && (err != nil || !slices.Equal(p, method.Prediction{1, 0, 0, 0.2, 0.3, 0.5})):
			t.Errorf("%q: %v, %v", text, p, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A line has as many numbers as there are classes; one that ends nowhere is refused.
func TestReadLongLines(t *testing.T) {
	const classes = 5000
	line := strings.Repeat("2.000000000000000164e-04,", classes)[:25*classes-1] + "\n"
	for text, want := range map[string]string{
		line + line:                    "",
		strings.Repeat(line[:24], 1e5): fmt.Sprintf("p_predicted.csv: a line is longer than %d characters, want a line for each row", 65536+32*classes),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p_predicted.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := read(dir, "p", 2, classes)
		if want == "" && (err != nil || len(p) != 2*classes) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%d numbers, error %v, want %q", len(p), err, want)
		}
	}
}
