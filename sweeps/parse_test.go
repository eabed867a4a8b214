package sweeps

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/document"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/split"
)

func TestDefaults(t *testing.T) {
	s, err := Parse("dir/small.yaml", []byte("datasets: [boat]\nmethods: [{method: neighbours}]\n"), catalogue())
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "small" || s.File != "dir/small.yaml" || s.Seed != 42 || s.Budget != (Budget{}) ||
		!reflect.DeepEqual(s.Protocols, []split.Protocol{split.Corrected}) || s.Select != (Selection{"mse", "nll"}) {
		t.Errorf("defaults: %+v", s)
	}
	settings := s.Settings("boat")
	if len(settings) != 1 || settings[0].JSON != `{"k":5,"weights":"uniform"}` || settings[0].Method.Name != "neighbours" {
		t.Errorf("settings: %+v", settings)
	}
	if got := s.Folds(dataset.Info{RunFolds: 1, Folds: 5}); !reflect.DeepEqual(got, []int{0}) {
		t.Errorf("folds: %v", got)
	}
	s, err = Parse("dir/small.yaml", []byte("folds: 3\ndatasets: [boat]\nmethods: [{method: neighbours}]\n"), catalogue())
	if err != nil || !reflect.DeepEqual(s.Folds(dataset.Info{RunFolds: 1, Folds: 5}), []int{0, 1, 2}) {
		t.Errorf("the first three folds: %v", err)
	}
}

// Where a data set is the paper's, folds are as published; a sweep of one's own data alone has true cross-validation.
func TestDefaultProtocol(t *testing.T) {
	c := catalogue()
	c.Datasets = append(c.Datasets, dataset.Info{Name: "yacht", Problem: dataset.Regression, Folds: 10, RunFolds: 10})
	for text, want := range map[string]split.Protocol{
		"datasets: [boat]": split.Corrected, "datasets: [yacht]": split.Published, "datasets: [boat, yacht]\nprotocols: [published]": split.Published,
		"datasets: [boat]\nprotocols: [published]": split.Published, "datasets: [yacht]\nprotocols: [corrected]": split.Corrected,
	} {
		s, err := Parse("small.yaml", []byte(text+"\nmethods: [{method: neighbours}]\n"), c)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.Protocols, []split.Protocol{want}) {
			t.Errorf("%q: %v, want %s", text, s.Protocols, want)
		}
	}
	if _, err := Parse("small.yaml", []byte("datasets: [boat, yacht]\nmethods: [{method: neighbours}]\n"), c); err == nil ||
		!strings.Contains(err.Error(), "small.yaml:1:11: datasets: some are the paper's and some your own: add protocols") {
		t.Errorf("both kinds of data sets without protocols: %v", err)
	}
	c.Datasets = append(c.Datasets, dataset.Info{Name: "wards", Problem: dataset.Regression, Folds: 5, RunFolds: 5, Groups: "patient"})
	for protocols, want := range map[string]string{
		"": "", "protocols: [corrected]\n": "",
		"protocols: [corrected, published]\n": "small.yaml:2:12: protocols: published folds would part rows of wards with the same patient; want [corrected]",
	} {
		if _, err := Parse("small.yaml", []byte("datasets: [boat, wards]\n"+protocols+"methods: [{method: neighbours}]\n"), c); (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("groups and %q: %v, want %s", protocols, err, want)
		}
	}
}

const everything = `
name: everything
description: >
  all keys
seed: 7
protocols: [corrected, published]
datasets: [boat, cells]
folds: [3, 0]
select: {regression: rmse, classification: auroc}
budget: {time: 1h30m, memory: 1.5GiB}
methods:
  - method: network
    datasets: [cells]
    params: {shape: [5, 5]}
    variants: &variants
      base: &base {heads: 8}
      "16 heads": {<<: *base, heads: 16}
    list:
      - {width: 128}
      - {width: 64}
    grid: {balanced: [true, false]}
  - method: network
    datasets: [boat]
    variants: *variants
  - {method: trees, datasets: [boat], grid: {rate: [1e-3, 0.3], criterion: [mae, mse]}}
`

func TestEverything(t *testing.T) {
	s, err := Parse("f.yaml", []byte(everything), catalogue())
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "everything" || strings.TrimSpace(s.Description) != "all keys" || s.Seed != 7 ||
		!reflect.DeepEqual(s.Protocols, []split.Protocol{split.Corrected, split.Published}) || s.Select != (Selection{"rmse", "auroc"}) ||
		s.Budget != (Budget{90 * time.Minute, 3 << 29}) || !reflect.DeepEqual(s.Folds(dataset.Info{}), []int{3, 0}) {
		t.Errorf("%+v", s)
	}
	want := map[string][]string{
		"cells": {
			`base {"balanced":true,"heads":8,"shape":[5,5],"width":128} 19:9`,
			`base {"balanced":false,"heads":8,"shape":[5,5],"width":128} 19:9`,
			`base {"balanced":true,"heads":8,"shape":[5,5],"width":64} 20:9`,
			`base {"balanced":false,"heads":8,"shape":[5,5],"width":64} 20:9`,
			`16 heads {"balanced":true,"heads":16,"shape":[5,5],"width":128} 19:9`,
			`16 heads {"balanced":false,"heads":16,"shape":[5,5],"width":128} 19:9`,
			`16 heads {"balanced":true,"heads":16,"shape":[5,5],"width":64} 20:9`,
			`16 heads {"balanced":false,"heads":16,"shape":[5,5],"width":64} 20:9`,
		},
		"boat": {
			`base {"balanced":false,"heads":8,"shape":[100],"width":64} 16:7`,
			`16 heads {"balanced":false,"heads":16,"shape":[100],"width":64} 17:7`,
			` {"count":100,"criterion":"mae","rate":0.001} 25:5`,
			` {"count":100,"criterion":"mse","rate":0.001} 25:5`,
			` {"count":100,"criterion":"mae","rate":0.3} 25:5`,
			` {"count":100,"criterion":"mse","rate":0.3} 25:5`,
		},
	}
	for name, lines := range want {
		var got []string
		for _, s := range s.Settings(name) {
			got = append(got, fmt.Sprint(s.Variant, " ", s.JSON, " ", s.At))
		}
		if !reflect.DeepEqual(got, lines) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
}

// A command is declared once, and named as any method from there on. The content of its files is part of its configurations.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	text := "datasets: [boat, cells]\nmethods:\n" +
		"  - {method: mine, title: My trees, command: [sh, mine.sh, -v, two words], datasets: [boat], grid: {depth: [2, 3.0], fast: [true]}}\n" +
		"  - {method: mine, datasets: [cells], params: {rate: 0.5}}\n"
	configs := func(script string) (all []string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "mine.sh"), []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Parse(filepath.Join(dir, "small.yaml"), []byte(text), catalogue())
		if err != nil {
			t.Fatal(err)
		}
		for _, setting := range append(s.Settings("boat"), s.Settings("cells")...) {
			if m := setting.Method; m.Name != "mine" || m.Title != "My trees" || !m.Extra || m.Available() != nil {
				t.Errorf("method %+v", m)
			}
			all = append(all, setting.JSON)
		}
		return all
	}
	got := configs("exit 1\n")
	again, changed := configs("exit 1\n"), configs("exit 2\n")
	if !reflect.DeepEqual(got, again) {
		t.Errorf("%s, then %s", got, again)
	}
	for i, want := range []string{`"depth":2,"fast":true`, `"depth":3.0,"fast":true`, `"rate":0.5`} {
		if !strings.Contains(got[i], want) || !strings.HasPrefix(got[i], `{"command":"sh mine.sh -v \"two words\"",`) {
			t.Errorf("%s, want %s and the command", got[i], want)
		}
		if changed[i] == got[i] {
			t.Errorf("%s whatever the script is", got[i])
		}
	}
	t.Chdir(dir)
	s, err := Parse("small.yaml", []byte(text), catalogue())
	if err != nil {
		t.Fatal(err)
	}
	if of := s.Settings("boat")[0]; of.Method.Command.Dir != dir || of.JSON != changed[0] { // a process in another folder finds the script
		t.Errorf("the script of %s is looked for in %q, want %q", of.JSON, of.Method.Command.Dir, dir)
	}
}

// A program that is named by its path, and a script, must be in the folder of the sweep: the file says where one is not.
func TestMissingCommand(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"program": 0o777, "script.py": 0o666} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	in := " in " + dir + ", the folder of the sweep, where relative names begin"
	for command, want := range map[string]string{
		"./program, script.py, --to=a.py, no such.py": "",
		"no-such-program, " + dir + "/script.py":      "", // which another machine may have
		".venv/bin/python, script.py":                 "2:36: command: there is no .venv/bin/python" + in,
		"sh, scrpt.py":                                "2:40: command: there is no scrpt.py" + in,
		"/no/such/python":                             "2:36: command: there is no /no/such/python",
		"./script.py":                                 "2:36: command: " + dir + "/script.py cannot be executed",
		"../" + filepath.Base(dir) + "/":              "2:36: command: " + dir + " is not a file",
	} {
		file := filepath.Join(dir, "small.yaml")
		_, err := Parse(file, []byte("datasets: [boat]\nmethods: [{method: mine, command: ["+command+"]}]\n"), catalogue())
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != file+":"+want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

// Files written on Windows are the same.
func TestLineEnds(t *testing.T) {
	a, errA := Parse("f.yaml", []byte(everything), catalogue())
	b, errB := Parse("f.yaml", []byte("\ufeff"+strings.ReplaceAll(everything, "\n", "\r\n")), catalogue())
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for i, s := range a.Settings("cells") {
		if other := b.Settings("cells")[i]; s.JSON != other.JSON || s.At != other.At {
			t.Errorf("%s at %s, with CRLF %s at %s", s.JSON, s.At, other.JSON, other.At)
		}
	}
}

// valid is a file around which the mistakes below are made.
func valid(lines ...string) string {
	return "datasets: [boat, cells]\nmethods:\n" + strings.Join(lines, "\n")
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          []string // position and a part of the text, each
	}{
		{"empty", "", []string{"1:1: the file is empty"}},
		{"only a comment", "# nothing\n", []string{"1:1: the file is empty"}},
		{"scalar", "hello", []string{"1:1: the sweep is text; want a mapping"}},
		{"list", "- a\n", []string{"1:1: the sweep is a list; want a mapping"}},
		{"not UTF-8", "name: a\nseed: \xff\n", []string{"2:7: not UTF-8"}},
		{"control character", "name: é\x07\n", []string{"1:8: control character U+0007"}},
		{"tab", "datasets: [boat]\nmethods:\n\t- method: trees\n", []string{"3:1: tab in the indentation"}},
		{"syntax", "datasets: [boat\n", []string{"1:11: not YAML: sequence end token ']' not found"}},
		{"two documents", valid("- method: trees") + "\n---\nname: b\n", []string{`5:1: a second YAML document`}},
		{"directive", "%YAML 1.2\n---\nname: b\n", []string{"1:1: YAML directives"}},
		{"deep", strings.Repeat("[", 60), []string{"1:1: brackets nested deeper"}},
		{"nothing needed is there", "name: x\n", []string{"1:1: the sweep has no datasets", "1:1: the sweep has no methods"}},
		{"top keys", "dataset: [boat]\nname: a\nname: b\n1: x\n" + valid("- method: trees"), []string{
			`1:1: unknown key "dataset" in the sweep (did you mean "datasets"?)`, "3:1: name is given twice (first at 2:1)", `4:1: unknown key "1" in the sweep`}},
		{"types", "name: [a]\ndescription: 3\nseed: -1\nprotocols: published\nfolds: {}\nselect: 3\nbudget: []\ndatasets: {a: b}\nmethods: trees\n",
			[]string{"1:7: name is a list; want text", "2:14: description is a number", "3:7: seed: -1 is not allowed", "4:12: protocols is text; want a list",
				"5:8: a mapping is not a value", "6:9: select is a number; want a mapping", "7:9: budget is a list", "8:11: datasets is a mapping", "9:10: methods is text"}},
		{"seed", "seed: 1.5\n" + valid("- method: trees"), []string{"1:7: seed: 1.5 is not allowed, want a whole number"}},
		{"name that leaves out", "name: ../../x\n" + valid("- method: trees"), []string{`1:7: name: "../../x" is not the name of a folder`}},
		{"name of the folder above", "name: ..\n" + valid("- method: trees"), []string{`1:7: name: ".." is not the name of a folder`}},
		{"name of the folder", "name: .\n" + valid("- method: trees"), []string{`1:7: name: "." is not the name of a folder`}},
		{"name with a backslash", `name: a\b` + "\n" + valid("- method: trees"), []string{`1:7: name: "a\\b" is not the name of a folder`}},
		{"name", "name: \"a\\nb\"\n" + valid("- method: trees"), []string{`1:7: name: "a\nb" is not one line of text`}},
		{"a wrong number through an alias", "seed: &a 010\nfolds: *a\n" + valid("- method: trees"), []string{"1:10: 010: write whole numbers in plain decimal digits"}},
		{"seeds", "seed: [1, 2]\n" + valid("- method: trees"), []string{"1:7: seed is a list; want one whole number, and for each further seed a run with -seed NUMBER"}},
		{"octal", "seed: 010\n" + valid("- method: trees"), []string{"1:7: 010: write whole numbers in plain decimal digits (is 8 meant?)"}},
		{"names", "protocols: [publishd, corrected, corrected]\ndatasets: [boats, boat, boat, 3]\nmethods: [{method: tree}]\n", []string{
			`1:13: unknown protocol "publishd" (did you mean "published"?)`, `1:34: protocol "corrected" is listed twice (first at 1:23)`,
			`2:12: unknown data set "boats" (did you mean "boat"?)`, `2:25: data set "boat" is listed twice`, "2:31: data set is a number",
			`3:20: unknown method "tree" (did you mean "trees"?)`}},
		{"empty lists", "protocols: []\ndatasets: []\nfolds: []\nmethods: []\n", []string{
			"1:12: protocols is empty", "2:11: datasets is empty", "3:8: folds is empty", "4:10: methods is empty"}},
		{"metrics", "select: {regression: nll, classification: acuracy, ranking: x}\n" + valid("- method: trees"), []string{
			`1:22: unknown regression metric "nll"; known: mse, rmse`, `1:43: unknown classification metric "acuracy" (did you mean "accuracy"?)`, `1:52: unknown key "ranking"`}},
		{"auroc of many classes", "datasets: [forest]\nselect: {classification: auroc}\nmethods: [{method: trees}]", []string{"2:26: auroc needs two classes and forest has 7"}},
		{"budget", "budget: {time: 10, memory: 4, disk: 3}\n" + valid("- method: trees"), []string{
			"1:16: time: 10 is not a duration", "1:28: memory: 4 is not a size", `1:31: unknown key "disk"`}},
		{"negative budget", "budget: {time: -5m, memory: -4GiB}\n" + valid("- method: trees"), []string{"1:16: time: -5m", "1:29: memory: -4GiB"}},
		{"zero budget", "budget: {time: 0s, memory: 0GiB}\n" + valid("- method: trees"), []string{"1:16: time: 0s", "1:28: memory: 0GiB"}},
		{"enormous budget", "budget: {time: 1000000000h, memory: 1e9TiB}\n" + valid("- method: trees"), []string{"1:16: time", "1:37: memory: 1e9TiB"}},
		{"budget of centuries", "budget: {time: 2200000h}\n" + valid("- method: trees"), []string{"1:16: time: 2200000h is not a duration above zero and up to 87600h, such as"}},
		{"fold count", "folds: 11\n" + valid("- method: trees"), []string{"1:8: folds: 11, but boat has 10"}},
		{"fold count of fixed rows", "folds: 2\ndatasets: [hands]\nmethods: [{method: trees}]", []string{"1:8: folds: 2, but hands has 1"}},
		{"folds", "folds: [0, 0, 10, -1, a]\n" + valid("- method: trees"), []string{
			"1:12: fold 0 is listed twice (first at 1:9)", "1:15: fold 10 does not exist: the folds of boat are 0 to 9", "1:19: fold -1", `1:23: fold "a"`}},
		{"fold word", "folds: some\n" + valid("- method: trees"), []string{`1:8: folds: "some" is not allowed, want all`}},
		{"numbers in quotes", "seed: \"42\"\nfolds: '3'\n" + valid("- method: trees"), []string{
			`1:7: seed: "42" is not allowed, want a whole number`, `2:8: folds: "3" is not allowed, want all, a count such as 3`}},
		{"numbers with a point", "seed: 42.0\nfolds: 3.0\n" + valid("- method: trees"), []string{"1:7: seed: 42.0 is not allowed", "2:8: folds: 3.0 is not allowed"}},
		{"folds in quotes", "folds: ['0', 1.0]\n" + valid("- method: trees"), []string{`1:9: fold "0" is not allowed, want whole numbers from 0`, "1:14: fold 1.0 is not"}},
		{"entry keys", valid("- methd: trees", "- {method: trees, grids: {}}", "- trees", "- {method: [trees]}", "- {method: trees, datasets: [forest, boot]}"), []string{
			`3:3: unknown key "methd" in a method's entry (did you mean "method"?)`, "3:3: the entry has no method", `4:19: unknown key "grids"`,
			"5:3: a method's entry is text", "6:12: method is a list", `7:30: unknown data set of this sweep "forest"`, `7:38: unknown data set of this sweep "boot" (did you mean "boat"?)`}},
		{"parameters", valid("- {method: neighbours, params: {kk: 3}, grid: {wights: [uniform]}}"), []string{
			`3:33: neighbours has no parameter "kk"`, `3:48: neighbours has no parameter "wights" (did you mean "weights"?)`}},
		{"values", valid("- {method: neighbours, grid: {k: [1, 0, 2.5, x, [1]], weights: [unifrom, 3]}}", "- {method: network, params: {shape: [3, 0], balanced: 1}, list: [{shape: 3}]}"), []string{
			"3:38: neighbours: k: 0 is not allowed, want integer >= 1", "3:41: neighbours", "3:46: neighbours", "3:49: neighbours",
			`3:65: neighbours: weights: "unifrom" is not allowed, want one of uniform, distance (did you mean "uniform"?)`, "3:74: neighbours",
			"4:37: network: shape", "4:55: network", "4:74: network", "4:74: shape is set at 4:37 already"}},
		{"one kind of task", valid("- {method: trees, params: {criterion: gini}}"), []string{`3:39: trees on boat (regression): criterion: "gini" is not allowed, want one of mae, mse`}},
		{"values without a data set", "datasets: [boot]\nmethods: [{method: trees, params: {criterion: mse, count: 0, rate: 2}}]", []string{
			"1:12: unknown data set", "2:59: trees: count: 0 is not allowed", "2:68: trees: rate: 2 is not allowed, want number from 0 to 1"}},
		{"a value for no kind of task", "datasets: [boot]\nmethods: [{method: trees, grid: {criterion: [gini, foo]}}]", []string{
			"1:12: unknown data set", `2:52: trees (regression): criterion: "foo" is not allowed, want one of mae, mse`}},
		{"collections", valid("- {method: trees, grid: {count: 5, rate: []}}", "- {method: trees, grid: {}}", "- {method: trees, list: []}", "- {method: trees, variants: {}}", "- {method: trees, list: [3], variants: {a: , '': {}}}"), []string{
			"3:33: count is a number; want a list", "3:42: rate is empty", "4:25: grid is empty", "5:25: list is empty", "6:29: variants is empty",
			"7:26: an item of list is a number", `7:43: variant "a" is nothing`, "7:46: a variant needs a name"}},
		{"commands", valid("- {method: Mine, title: =1, command: [python3, 5]}", "- {method: trees, command: [x]}", "- {method: b, command: []}",
			"- {method: c, command: sh x}", "- {method: trees, title: Trees}", "- {method: d, command: [x], params: {=k: 1, command: y, l: [1]}}", "- {method: e, command: ['']}"), []string{
			`3:12: the name of a command, "Mine", needs small letters`, "3:25: title: \"=1\" is no title", "3:48: an argument of command is a number; want text",
			"4:28: there is a method trees already", "5:24: command is empty", "6:24: command is text; want a list",
			"7:3: trees on boat: the same configuration", "7:26: title: only where a command is declared",
			`8:38: a parameter of d needs a name of letters`, `8:54: d: command: "y" is not allowed, want one of x`, "8:60: d: l: [1] is not allowed, want number, true, false",
			"9:24: command: its first word is empty"}},
		{"set twice", valid("- method: trees", "  params: {count: 3}", "  variants: {a: {count: 4}}", "  list: [{rate: 0.5}]", "  grid: {rate: [0.5]}"), []string{
			"5:25: count is set at 4:19 already", "7:17: rate is set at 6:17 already"}},
		{"listed twice", valid("- {method: trees, grid: {rate: [1, 0.5, 1.0]}}"), []string{"3:41: rate: the value is listed twice (first at 3:33)"}},
		{"same settings", valid("- {method: neighbours, list: [{k: 5}, {k: 6}, {weights: uniform}]}", "- {method: neighbours, datasets: [cells], grid: {k: [6, 7]}}"), []string{
			`3:47: neighbours on boat: the same configuration as at 3:31, {"k":5,"weights":"uniform"}`, "4:3: neighbours on cells: the same configuration as at 3:39"}},
		{"same variants", valid("- {method: network, variants: {base: {}, 8 heads: {heads: 8}}}"), []string{"3:42: network on boat: the same configuration as at 3:32"}},
		{"together impossible", valid("- {method: network, grid: {heads: [8, 7], width: [32, 64]}}", "- {method: network, params: {width: 12}}"), []string{
			"3:39: network on boat: heads: must divide width", "4:3: network on boat: heads: must divide width"}},
		{"anchors", valid("- {method: trees, params: &a {count: 3}}", "- {method: neighbours, params: *b}", "- {method: neighbours, params: &a {k: *a}}"), []string{
			"4:32: *b: no &b comes before it; known: a", "5:32: anchor &a is used twice", "5:39: a mapping is not a value"}},
		{"alias of itself", valid("- {method: network, params: &a {shape: [*a]}}"), []string{"3:41: *a: no &a comes before it"}},
		{"merge of a scalar", valid("- {method: trees, params: {<<: 3}}"), []string{"3:32: << is a number"}},
		{"infinity", valid("- {method: trees, params: {count: .inf}}"), []string{"3:35: .inf: want a finite number"}},
		{"tag", valid("- {method: trees, params: {count: !!int 3}}"), []string{"3:35: a tag (!) is not a value"}},
		{"same through an alias", valid("- {method: trees, list: &a [{count: 3}]}", "- {method: trees, list: *a}"), []string{
			"4:3: trees on boat: the same configuration as at 3:3, "}},
		{"too many settings", valid("- method: trees", "  grid:", "    count: ["+numbers(2000)+"]", "    rate: ["+fractions(2000)+"]"), []string{"3:3: 4000000 settings of trees"}},
		{"too many cells", "folds: all\n" + valid("- method: trees", "  grid:", "    count: ["+numbers(1000)+"]", "    rate: ["+fractions(999)+"]"), []string{"4:3: the sweep has 19980000 cells"}},
		{"large numbers", "seed: 9007199254740992\n" + valid("- {method: network, params: {shape: [9007199254740993], heads: 99999999999999999999, width: -9007199254740992}}"), []string{
			"1:7: 9007199254740992 is too large; whole numbers are below 2^53 = 9007199254740992", "4:38: 9007199254740993 is too large", "4:64: network: heads: 1e+20 is not allowed, want integer", "4:93: -9007199254740992 is too large"}},
		{"names that are formulas", valid("- {method: trees, variants: {=HYPERLINK(1): {}, +1: {count: 2}, -1: {count: 3}, '@a': {count: 4}, \" a\": {count: 5}, \"a\\tb\": {count: 6}, 'a\"b': {count: 7}}}"), []string{
			`3:30: a variant needs a name of letters, digits, spaces and any of -_.,:;()<>=≤≥%*/+& that begins with a letter or a digit, not "=HYPERLINK(1)"`,
			"3:49: a variant needs", "3:65: a variant needs", "3:81: a variant needs", "3:99: a variant needs", "3:117: a variant needs", "3:137: a variant needs"}},
		{"unused data set", valid("- {method: trees, datasets: [boat]}"), []string{"3:1: no method is run on cells"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("f.yaml", []byte(c.content), catalogue())
			var errs document.Errors
			if !errors.As(err, &errs) || s != nil {
				t.Fatalf("sweep %v, error %v", s, err)
			}
			for i, e := range errs {
				if i >= len(c.want) || !strings.HasPrefix(e.Error(), "f.yaml:"+c.want[i]) {
					t.Errorf("mistake %d: %v", i, e)
				}
				if strings.Contains(e.Error(), "\n") {
					t.Errorf("more than a line: %q", e)
				}
			}
			if len(errs) < len(c.want) {
				t.Errorf("%d mistakes, want %d; missing from %s", len(errs), len(c.want), c.want[len(errs)])
			}
		})
	}
}

func TestSizes(t *testing.T) {
	for size, want := range map[string]int64{
		"3B": 3, "3KB": 3e3, "3MB": 3e6, "3GB": 3e9, "3TB": 3e12, "3KiB": 3 << 10, "3MiB": 3 << 20, "3 GiB": 3 << 30, "1.5TiB": 3 << 39,
		"3": 0, "3K": 0, "3KBB": 0,
	} {
		if got, ok := parseSize(size); got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v, want %d", size, got, ok, want)
		}
	}
}

// A name by the file is checked like any other.
func TestNameByFile(t *testing.T) {
	for file, want := range map[string]string{
		"a/.yaml":    `a/.yaml:1:1: name, by default the file's: "" is not one line of text`,
		"a/...yaml":  `a/...yaml:1:1: name, by default the file's: ".." is not the name of a folder in out; want a name without / and \`,
		`a/b\c.yaml`: `a/b\c.yaml:1:1: name, by default the file's: "b\\c" is not the name of a folder in out; want a name without / and \`,
	} {
		if _, err := Parse(file, []byte(valid("- method: trees")), catalogue()); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
		if _, err := Parse(file, []byte("name: a\n"+valid("- method: trees")), catalogue()); err != nil {
			t.Errorf("%s with another name: %v", file, err)
		}
	}
}

// numbers returns 1 to n, with line breaks.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%s", i+1, strings.Repeat("\n      ", (i%100)/99))
	}
	return b.String()
}

func fractions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%.4f,%s", float64(i)/10000, strings.Repeat("\n      ", (i%100)/99))
	}
	return b.String()
}

// A file of a few hundred bytes cannot keep the parser busy: repeated merge keys are mistakes, and what aliases stand for is
// counted before it is read.
func TestBillionLaughs(t *testing.T) {
	level := func(format string) string {
		var b strings.Builder
		b.WriteString("x0: &a0 {k: 1}\n")
		for i := range 40 {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "NEW", strconv.Itoa(i+1)), "OLD", strconv.Itoa(i)))
		}
		return b.String() + valid("- {method: trees, params: *a40}")
	}
	for name, c := range map[string]struct{ content, want string }{
		"merge keys":      {level("xNEW: &aNEW {<<: *aOLD, <<: *aOLD}\n"), "f.yaml:2:19: << is given twice (first at 2:10); keep one"},
		"lists to merge":  {level("xNEW: &aNEW {<<: [*aOLD, *aOLD]}\n"), "with what its aliases stand for, the file has more than 200000 values up to here; repeat less"},
		"lists":           {level("xNEW: &aNEW [*aOLD, *aOLD]\n"), "with what its aliases stand for, the file has more than 200000 values"},
		"mappings":        {level("xNEW: &aNEW {a: *aOLD, b: *aOLD}\n"), "with what its aliases stand for, the file has more than 200000 values"},
		"chain of merges": {level("xNEW: &aNEW {<<: *aOLD, kNEW: 1}\n"), `unknown key "x40" in the sweep`},
	} {
		start := time.Now()
		_, err := Parse("f.yaml", []byte(c.content), catalogue())
		if took := time.Since(start); took > 2*time.Second || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v after %s, want %s", name, err, took, c.want)
		}
	}
}

// Of several merged mappings the first that has a key gives its value, as YAML has it.
func TestMergeOfSeveral(t *testing.T) {
	s, err := Parse("f.yaml", []byte("datasets: [boat]\nmethods:\n- method: trees\n  variants:\n    a: &a {count: 3}\n    b: &b {count: 4, rate: 0.5}\n"+
		"    c: {<<: [*a, *b], criterion: mae}\n"), catalogue())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Settings("boat")[2].JSON, `{"count":3,"criterion":"mae","rate":0.5}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is no file of a reasonable size is refused before it is read.
func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	large, pipe := filepath.Join(dir, "large.yaml"), filepath.Join(dir, "pipe.yaml")
	if err := errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, 1<<40), exec.Command("mkfifo", pipe).Run()); err != nil {
		t.Fatal(err)
	}
	houses := filepath.Join(dir, "houses")
	if err := os.WriteFile(houses+".yaml", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		houses: fmt.Sprintf("no such file and no built-in sweep of that name (did you mean %q?)", houses+".yaml"),
		large:  "1099511627776 bytes; a sweep file has at most 1048576", pipe: "not a regular file", "/dev/zero": "not a regular file", dir: "not a regular file",
	} {
		done := make(chan error, 1)
		go func() {
			_, err := Load(path, catalogue())
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want %s", path, err, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s is still being read", path)
		}
	}
}

// What is measured follows the setting whose model it is of, and mistakes in it are said like any others.
func TestMeasures(t *testing.T) {
	c := catalogue()
	c.Measurements = []*measure.Measurement{{
		Name: "corruption", Params: []method.Param{{Name: "rows", Type: method.Int, Default: 0}},
		Check: func(m *method.Method, _ method.Config, info dataset.Info) error {
			if m.Name == "trees" {
				return errors.New("trees have nothing to corrupt")
			}
			return nil
		},
	}}
	parse := func(methods string) (*Sweep, error) {
		return Parse("f.yaml", []byte("datasets: [boat]\nmethods:\n"+methods), c)
	}
	s, err := parse("  - {method: neighbours, grid: {k: [1, 2]}, measure: {corruption: [{}, {rows: 5}]}}\n  - method: trees\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, setting := range s.Settings("boat") {
		name, with := setting.Key()
		got = append(got, fmt.Sprint(setting.Method.Name, setting.Config["k"], name, with))
	}
	want := []string{
		"neighbours1", `neighbours1corruption{"rows":0}`, `neighbours1corruption{"rows":5}`,
		"neighbours2", `neighbours2corruption{"rows":0}`, `neighbours2corruption{"rows":5}`, "trees<nil>",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"{corruptoin: {}}":                     `f.yaml:3:36: unknown measurement "corruptoin" (did you mean "corruption"?)`,
		"{corruption: {row: 5}}":               `f.yaml:3:49: row: corruption has no such parameter (did you mean "rows"?)`,
		"{corruption: {rows: many}}":           `rows: "many" is not allowed, want integer >= 0`,
		"{corruption: 5}":                      "the parameters of corruption is a number; want a mapping",
		"{}":                                   "measure is empty",
		"[corruption]":                         "measure is a list; want a mapping",
		"{corruption: [{rows: 5}, {rows: 5}]}": "the same configuration as at",
	} {
		if _, err := parse("  - {method: neighbours, measure: " + text + "}\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	numbers := func(n int, unit float64) string {
		list := []byte("[")
		for i := range n {
			if list = fmt.Append(list, float64(i+1)*unit, ","); i%1000 == 999 {
				list = append(list, "\n      "...) // a line may not be longer
			}
		}
		return string(list) + "]"
	}
	for text, want := range map[string]string{ // ten folds
		"{method: neighbours, grid: {weights: [uniform, distance], k: " + numbers(60_000, 1) + "}, measure: {corruption: [{}, {rows: 1}, {rows: 2}, {rows: 3}, {rows: 4}, {rows: 5}, {rows: 6}, {rows: 7}, {rows: 8}]}}": "the sweep has 12000000 cells up to this entry; it may have 10000000, shorten its lists",
		"{method: trees, grid: {count: " + numbers(1001, 1) + ", rate: " + numbers(1000, 0x1p-10) + "}}":                                                                                                                 "1001000 settings of trees; one entry may have 1000000, shorten its lists",
	} {
		if _, err := parse("  - " + text + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: got %.200v, want %s", text, err, want)
		}
	}
	if _, err := parse("  - {method: trees, measure: {corruption: {}}}\n"); err == nil || !strings.Contains(err.Error(), "corruption of trees on boat: trees have nothing to corrupt") {
		t.Error(err)
	}
}
