package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/program"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

func lines(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What is exported are the rows, targets and splits that methods get.
func TestExport(t *testing.T) {
	lib := datasettest.Library(t)
	out := t.TempDir()
	exit, stdout, stderr := call(t, "-data", lib.Dirs[0], "-export-splits", out, "waves", "gaps")
	if exit != program.ExitOK || strings.Count(stdout, "\n") != 2 {
		t.Fatalf("exit code %d, %s%s", exit, stdout, stderr)
	}
	for _, name := range []string{"waves", "gaps"} {
		table, err := lib.Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var d description
		text, err := os.ReadFile(filepath.Join(out, name, "dataset.json"))
		if err == nil {
			err = json.Unmarshal(text, &d)
		}
		if err != nil || d.Problem != table.Info.Problem.String() || len(d.Classes) != table.Info.Classes || d.Folds != table.Info.RunFolds || d.DataDigest != table.Digest {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		rows := lines(t, filepath.Join(out, name, "table.csv"))
		for _, f := range d.Features {
			if head := rows[0][f.Column]; head != f.Name && head != f.Name+"_0" {
				t.Errorf("%s: column %d is %q, want feature %q", name, f.Column, head, f.Name)
			}
		}
		parts := map[string][]int{} // rows by protocol, fold and part
		for _, l := range lines(t, filepath.Join(out, name, "splits.csv"))[1:] {
			row, _ := strconv.Atoi(l[2])
			parts[l[0]+l[1]+l[3]] = append(parts[l[0]+l[1]+l[3]], row)
		}
		for _, protocol := range split.Protocols {
			for fold := range table.Info.RunFolds {
				s, err := split.Make(split.RuleOf(table), protocol, fold)
				if err != nil {
					t.Fatal(err)
				}
				for part, want := range map[string][]int32{"train": s.Train, "val": s.Val, "test": s.Test} {
					if got := parts[fmt.Sprint(protocol, fold, part)]; fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%s, %s fold %d: %s rows %v, want %v", name, protocol, fold, part, got, want)
					}
				}
			}
		}
		s, _ := split.Make(split.RuleOf(table), split.Corrected, 0)
		encoded, _, err := task.Encode(table, s, split.Corrected, 0, task.AllRows)
		if err != nil {
			t.Fatal(err)
		}
		for position, row := range s.Rows() {
			l := rows[row+1]
			for j, want := range encoded.Row(position) {
				if got, err := strconv.ParseFloat(l[1+j], 32); err != nil || float32(got) != want {
					t.Errorf("%s row %d, column %d: %v, want %v", name, row, j+1, got, want)
				}
			}
			var want string
			if table.Info.Classes == 0 {
				want = strconv.FormatFloat(table.Target().Float(int(row)), 'g', -1, 64)
			} else {
				want = fmt.Sprint(table.Labels()[row])
			}
			if l[len(l)-1] != want || l[0] != fmt.Sprint(row) {
				t.Errorf("%s row %d: number %s, target %s, want %s", name, row, l[0], l[len(l)-1], want)
			}
		}
	}
}

// No two columns of an exported table have one name, whatever target and features are called.
func TestExportOfOddNames(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	rows := "row,a,row_\n"
	for i := range 30 {
		rows += fmt.Sprintf("%d,%d,%d\n", i, i%7, i%5)
	}
	datasettest.Write(t, dir, "odd", "rows: 30\ncolumns: {row: number, a: number, row_: number}\ntarget: row\nsplit: {folds: 10}\n", rows)
	if exit, _, stderr := call(t, "-data", dir, "-export-splits", out, "odd"); exit != program.ExitOK {
		t.Fatal(stderr)
	}
	header := lines(t, filepath.Join(out, "odd", "table.csv"))[0]
	if want := []string{"row", "a", "row__", "row_"}; !slices.Equal(header, want) {
		t.Errorf("%q, want %q", header, want)
	}
}

// Of a data set whose folds keep groups together, the corrected folds are exported.
func TestExportOfGroups(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	rows := "id,x,y\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,%d,%d\n", i%12, i%7, i%5)
	}
	datasettest.Write(t, dir, "kept", "rows: 60\ncolumns: {id: skip, x: number, y: number}\ntarget: y\nsplit: {folds: 10, groups: id}\n", rows)
	exit, stdout, stderr := call(t, "-data", dir, "-export-splits", out, "kept")
	if exit != program.ExitOK || !strings.HasSuffix(stdout, "kept: 60 rows, 10 folds by id\n") {
		t.Fatal(exit, stdout, stderr)
	}
	parts := map[string]map[string]string{} // by fold and group
	for _, line := range lines(t, filepath.Join(out, "kept", "splits.csv"))[1:] {
		row, _ := strconv.Atoi(line[2])
		group := strconv.Itoa(row % 12)
		if parts[line[1]] == nil {
			parts[line[1]] = map[string]string{}
		}
		if before := parts[line[1]][group]; line[0] != "corrected" || before != "" && before != line[3] {
			t.Errorf("%v: group %s, which has rows for %q", line, group, before)
		}
		parts[line[1]][group] = line[3]
	}
	if len(parts) != 10 {
		t.Errorf("%d folds, want 10", len(parts))
	}
}

// A split that is given is the only fold, under both protocols.
func TestExportOfGivenSplit(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	datasettest.Write(t, dir, "given", "rows: 5\ncolumns: {x: number, part: skip, y: number}\ntarget: y\nsplit: {column: part}\n",
		"x,part,y\n1,test,2\n2,train,3\n3,val,5\n4,train,7\n5,test,8\n")
	exit, stdout, stderr := call(t, "-data", dir, "-export-splits", out, "given")
	if exit != program.ExitOK || !strings.HasSuffix(stdout, "given: 5 rows, 1 fold under each protocol\n") {
		t.Fatal(exit, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(out, "given", "splits.csv"))
	want := "protocol,fold,row,part\n"
	for _, protocol := range split.Protocols {
		for _, line := range []string{"1,train", "3,train", "2,val", "0,test", "4,test"} {
			want += fmt.Sprintf("%s,0,%s\n", protocol, line)
		}
	}
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want\n%s", text, err, want)
	}
	if header := lines(t, filepath.Join(out, "given", "table.csv"))[0]; !slices.Equal(header, []string{"row", "x", "y"}) {
		t.Errorf("the columns are %q", header)
	}
}

// Without names, the data sets with several folds are exported; one that is made by copying rows cannot be.
func TestExportChooses(t *testing.T) {
	lib := datasettest.Library(t)
	none := t.TempDir()
	exit, stdout, stderr := call(t, "-data", lib.Dirs[0], "-export-splits", none, "waves", "lookup")
	if written, _ := os.ReadDir(none); exit != program.ExitBadInput || len(written) > 0 || stdout != "" || !strings.Contains(stderr, "made by copying rows") {
		t.Errorf("lookup: exit code %d, %s%s", exit, stdout, stderr)
	}
	if exit, _, stderr := call(t, "-data", t.TempDir(), "-export-splits", t.TempDir()); exit != program.ExitFailed || !strings.Contains(stderr, "boston-housing") && !strings.Contains(stderr, "yacht") {
		t.Errorf("nothing there: exit code %d, %s", exit, stderr)
	}
	all := t.TempDir()
	_, stdout, stderr = call(t, "-data", lib.Dirs[0], "-export-splits", all)
	if exported, _ := filepath.Glob(filepath.Join(all, "*")); !slices.Equal(exported, []string{filepath.Join(all, "circles"), filepath.Join(all, "waves")}) {
		t.Errorf("without names: %q, %s%s", exported, stdout, stderr)
	}
	if err := os.WriteFile(filepath.Join(lib.Dirs[0], "gaps", "rows.csv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	datasettest.Write(t, lib.Dirs[0], "huge", "rows: 4\ncolumns: {x: number, y: number}\ntarget: y\nsplit: {folds: 3}\n", "x,y\n1e308,2\n-1e308,3\n1e308,4\n1,5\n")
	out := t.TempDir()
	exit, stdout, stderr = call(t, "-data", lib.Dirs[0], "-export-splits", out, "gaps", "huge", "waves")
	if exit != program.ExitFailed || !strings.Contains(stdout, filepath.Join(out, "waves")+": 120 rows") || !strings.Contains(stderr, "gaps") ||
		!strings.Contains(stderr, "huge") {
		t.Errorf("one is broken: exit code %d, %s%s", exit, stdout, stderr)
	}
	datasettest.Write(t, lib.Dirs[0], "declared", "rows: many\n", "x,y\n1,2\n") // wrongly, and not asked for
	exit, stdout, stderr = call(t, "-data", lib.Dirs[0], "-export-splits", t.TempDir())
	if exit != program.ExitFailed || !strings.Contains(stdout, "waves: 120 rows") || !strings.Contains(stderr, "declared") || !strings.Contains(stderr, "huge") {
		t.Errorf("one is declared wrongly: exit code %d, %s%s", exit, stdout, stderr)
	}
}

// Where flags of missing entries stay under the published protocol, methods see other features under it than are exported.
func TestExportOfStayingFlags(t *testing.T) {
	table, err := datasettest.Library(t).Load(t.Context(), "gaps")
	if err != nil {
		t.Fatal(err)
	}
	table.Info.FlagsStay = true
	dir := t.TempDir()
	if err := exportTable(dir, table); err != nil {
		t.Fatal(err)
	}
	splits := lines(t, filepath.Join(dir, "splits.csv"))[1:]
	if len(splits) != table.Rows || slices.ContainsFunc(splits, func(line []string) bool { return line[0] != "corrected" }) {
		t.Errorf("%d lines of splits, such as %v; want one of the corrected fold for each of %d rows", len(splits), splits[0], table.Rows)
	}
}
