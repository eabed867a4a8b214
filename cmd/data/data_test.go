package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// call runs the program without a cache of its own.
func call(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	t.Setenv("NPT_CACHE_DIR", t.TempDir())
	return programtest.Run(t, run, args...)
}

func TestNothingThere(t *testing.T) {
	t.Chdir(t.TempDir())
	os.Mkdir("data", 0o755)
	code, stdout, stderr := call(t, "-data", "data")
	if code != program.ExitFailed || stderr != "" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	golden := filepath.Join("testdata", "nothing.txt")
	compare(t, filepath.ToSlash(stdout), golden)
}

// compare compares with a golden file in the folder of this package.
func compare(t *testing.T, got, golden string) {
	t.Helper()
	path := filepath.Join(packageDir, golden)
	if *update {
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s\nafter a new data set `go test ./cmd/data -update` writes %s anew", got, want, golden)
	}
}

var packageDir, _ = os.Getwd()

func TestBadInput(t *testing.T) {
	t.Setenv("NPT_DATA_DIR", "")
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	for want, args := range map[string][]string{
		`unknown data set "yatch": no yatch/dataset.yaml in data, ../shared/data (did you mean "yacht"?)`: {"yatch"},
		"-data: there is no folder nowhere":   {"-data", "nowhere"},
		"-data: " + file + " is not a folder": {"-data", file},
	} {
		code, stdout, stderr := call(t, args...)
		if code != program.ExitBadInput || stdout != "" || stderr != want+"\n" {
			t.Errorf("%q: exit code %d, %q, want %q", args, code, stderr, want)
		}
	}
	t.Setenv("NPT_DATA_DIR", "nowhere")
	if code, _, stderr := call(t); code != program.ExitBadInput || stderr != "$NPT_DATA_DIR: there is no folder nowhere\n" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

func TestHelp(t *testing.T) {
	code, stdout, _ := call(t, "-help")
	if code != program.ExitOK || !strings.HasPrefix(stdout, "usage: data ") || !strings.Contains(stdout, "-verify") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
}

// Offline, -fetch says why it failed, which files are missing and where they go.
func TestFetchOffline(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	dir := t.TempDir()
	code, stdout, stderr := call(t, "-data", dir, "-fetch", "yacht")
	if code != program.ExitFailed || stderr != "" || !strings.Contains(stdout, "connection refused") ||
		!strings.Contains(stdout, filepath.Join(dir, "yacht", "yacht_hydrodynamics.data")+" (at most 11.2 KiB unpacked)\n") {
		t.Errorf("exit code %d, %q\n%s", code, stderr, stdout)
	}
}

// A file that is not known by its checksum is read, and found wrong if it is.
func TestWrongFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "yacht", "yacht_hydrodynamics.data")
	os.Mkdir(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte("1 2 3 4 5 6 7\n1 2 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := call(t, "-data", dir, "yacht", "yacht")
	if code != program.ExitFailed || !strings.Contains(stdout, "  invalid  ") ||
		!strings.HasSuffix(stdout, "\nFailed:\n  yacht: "+path+":2: 3 fields, 7 expected\n") || strings.Count(stdout, "\n yacht") != strings.Count(stdout, "\n data") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs strings.Builder
	code := program.Func(run).Run(ctx, program.Env{Args: []string{"-data", t.TempDir()}, Stdout: &out, Stderr: &errs, Getenv: os.Getenv, Width: 80})
	if code != program.ExitInterrupted || out.String() != "" || errs.String() != "interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
}

// With the real files: all are listed with a right checksum, and what is a subset has a note.
func TestRealFiles(t *testing.T) {
	code, stdout, _ := call(t, "-data", datasettest.Folder(t, "poker-hand", "breast-cancer"), "-verify", "breast-cancer", "poker-hand")
	if code != program.ExitOK || strings.Count(stdout, "checksum right") != 2 {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	if strings.Contains(stdout, " 125,010 ") != strings.Contains(stdout, "[1] Poker Hand is a subset: ") {
		t.Errorf("no note, or one too many\n%s", stdout)
	}
}

// Data sets of one's own are listed behind the built-in ones, and read; one that is wrong names the place, and the others are listed.
func TestOwn(t *testing.T) {
	dir := datasettest.Library(t).Dirs[0]
	code, stdout, _ := call(t, append([]string{"-data", dir}, datasettest.Names...)...)
	if code != program.ExitOK || strings.Count(stdout, "  counts ") != len(datasettest.Names) {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	if _, stdout, _ := call(t, "-data", dir); !strings.Contains(stdout, "\n mnist ") || !strings.Contains(stdout, "\n waves ") {
		t.Errorf("not all are listed\n%s", stdout)
	}
	datasettest.Write(t, dir, "waves", "rows: 3\ncolumns: {a: number, b: number}\ntarget: b\nsplit: {test: 0}\n", "a,b\n1,2\n3,4\n5,6\n")
	want := filepath.Join(dir, "waves", "dataset.yaml") + ":5:8: split: want {folds: N}, N from 2 to 255, also with groups: COLUMN, or {test: N}, the number of test rows at the end, or {column: COLUMN}, which has train, val or test in every row\n"
	code, stdout, stderr := call(t, "-data", dir)
	if code != program.ExitFailed || stderr != "" || !strings.HasSuffix(stdout, "\nFailed:\n  "+want) || !strings.Contains(stdout, "\n mnist ") ||
		!strings.Contains(stdout, "\n waves ") {
		t.Errorf("exit code %d, %q\n%s", code, stderr, stdout)
	}
	if code, _, stderr := call(t, "-data", dir, "waves"); code != program.ExitBadInput || stderr != want {
		t.Errorf("exit code %d, %q, want %q", code, stderr, want)
	}
	datasettest.Write(t, dir, "waves", "rows: 4\ncolumns: {a: number, b: number}\ntarget: b\nsplit: {folds: 2}\n", "a,b\n1e300,2\n3,4\n5,6\n7,8\n")
	if code, stdout, _ := call(t, "-data", dir, "waves"); code != program.ExitFailed || !strings.Contains(stdout, "waves: column a has numbers too large or too small to be standardised") {
		t.Errorf("exit code %d: numbers that no method can use are right\n%s", code, stdout)
	}
}

// Rows with the values of an earlier one are counted, in all columns that are declared, and what to do is said; those of one group stay
// together anyway.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	const rows = "id,x,c,y\n1,0,a,5\n2,-0,a,5.0\n1,0,NA,5\n2,0,b,5\n3,0,a,5\n3,NA,a,5\n4,NA,a,5\n4,NA,a,6\n4,1,a,6\n4,1,a,6\n"
	const note = " with all values of an earlier one, target included. A copy among the training rows gives a test row's target away: " +
		"leave copies out, or keep them together by split: {groups: COLUMN}.\n"
	for _, c := range []struct{ id, groups, want string }{
		{"skip", "", "[1] own: 4 rows" + note}, {"skip", ", groups: id", "[1] own: 3 rows" + note}, {"number", "", "[1] own: 1 row" + note},
	} {
		datasettest.Write(t, dir, "own", fmt.Sprintf("rows: 10\nmissing: [NA]\ncolumns: {id: %s, x: number, c: category, y: number}\ntarget: y\nsplit: {folds: 2%s}\n",
			c.id, c.groups), rows)
		code, stdout, stderr := call(t, "-data", dir, "own")
		if said := strings.Join(strings.Fields(stdout), " ") + "\n"; code != program.ExitOK || stderr != "" || !strings.Contains(said, "own [1] 10 ") || !strings.HasSuffix(said, c.want) {
			t.Errorf("%+v: exit code %d, %s%s", c, code, stdout, stderr)
		}
	}
	datasettest.Write(t, dir, "own", "rows: 3\ncolumns: {x: number, y: number}\ntarget: y\nsplit: {folds: 2}\n", "x,y\n1,1\n1,2\n2,1\n")
	if _, stdout, _ := call(t, "-data", dir, "own"); strings.Contains(stdout, "[1]") {
		t.Errorf("rows without a copy have a note\n%s", stdout)
	}
}

// Of a built-in data set copies are a fact, and those of the lookup task are its point.
func TestCopiesOfBuiltIn(t *testing.T) {
	code, stdout, _ := call(t, "-data", datasettest.Folder(t, "concrete", "lookup"), "-verify", "concrete", "lookup")
	if code != program.ExitOK || !strings.HasSuffix(stdout, "\n[1] Concrete: 25 rows with all values of an earlier one, target included.\n") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// With -verify numbers that no method can use are found in a file of any size, too.
func TestVerifyOfLargeOwn(t *testing.T) {
	dir := t.TempDir()
	datasettest.Write(t, dir, "large", "rows: 360\ncolumns: {a: number, b: number, c: skip}\ntarget: b\nsplit: {folds: 2}\n", "")
	file, err := os.Create(filepath.Join(dir, "large", "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fmt.Fprint(file, "a,b,c\n")
	for row := range 360 {
		fmt.Fprintf(file, "1e300,%d,", row)
		if row >= 100 { // it begins like text
			file.Seek(1<<20, io.SeekCurrent) // a hole, which takes no space
		}
		fmt.Fprintln(file)
	}
	if code, stdout, _ := call(t, "-data", dir, "large"); code != program.ExitOK {
		t.Errorf("it is read unasked\n%s", stdout)
	}
	if code, stdout, _ := call(t, "-data", dir, "-verify", "large"); code != program.ExitFailed || !strings.Contains(stdout, "large: column a has numbers too large or too small to be standardised") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// What a form of the command line has no use for is refused.
func TestExportTakesNoOtherFlags(t *testing.T) {
	for _, args := range [][]string{{"-fetch"}, {"-verify"}} {
		args = append(args, "-export-splits", t.TempDir(), "waves")
		if exit, _, stderr := call(t, args...); exit != program.ExitBadInput || !strings.Contains(stderr, "no meaning with -export-splits") {
			t.Errorf("%q: exit code %d, %q", args, exit, stderr)
		}
	}
	if exit, _, stderr := call(t, "-export-splits", "", "waves"); exit != program.ExitBadInput || !strings.Contains(stderr, "want the name of a folder") {
		t.Errorf("exit code %d, %q", exit, stderr)
	}
}

// That a file of one's own has the checksum that is declared does not say that the declaration fits it.
func TestOwnChecksum(t *testing.T) {
	dir, text := t.TempDir(), "a,b\n1,2\n3,4\n5,6\n"
	sum := sha256.Sum256([]byte(text))
	for rows, want := range map[int]string{3: "  checksum right", 4: "rows.csv: 3 rows, 4 declared\n"} {
		datasettest.Write(t, dir, "waves", fmt.Sprintf("rows: %d\ncolumns: {a: number, b: number}\ntarget: b\nsplit: {test: 1}\nsha256: %x\n", rows, sum), text)
		for _, args := range [][]string{{"-data", dir, "waves"}, {"-data", dir, "-verify", "waves"}} {
			code, stdout, stderr := call(t, args...)
			if (code == program.ExitOK) != (rows == 3) || stderr != "" || !strings.Contains(stdout, want) {
				t.Errorf("%d rows, %q: exit code %d, %q\n%s", rows, args, code, stderr, stdout)
			}
		}
	}
}
