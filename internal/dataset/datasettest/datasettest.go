// Package datasettest gives tests small data sets of their own, generated and declared as any user's would be, so that no test
// of what the harness does needs a download (Library), and finds the real ones (Real, Folder).
package datasettest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/filesystem"
)

// Names lists the data sets:
//
//	waves    regression, 120 rows, a category and three numbers, ten folds
//	circles  two classes, 150 rows, two numbers, ten folds
//	gaps     three classes, 100 rows, two numbers and a category, missing entries, the first of five folds
//	tail     regression, 90 rows, two numbers, the last 30 rows are test rows
var Names = []string{"waves", "circles", "gaps", "tail"}

// Library writes the data sets into a folder of the test's own and returns a library of it.
func Library(t testing.TB) *dataset.Library {
	t.Helper()
	dir := t.TempDir()
	for i, name := range Names {
		declaration, rows := tables[name](rand.New(rand.NewPCG(1, uint64(i))))
		Write(t, dir, name, declaration, rows)
	}
	return &dataset.Library{Dirs: []string{dir}, CacheDir: t.TempDir()}
}

// Real returns a library of the real files, in $NPT_DATA_DIR or else in or beside the repository. It skips the test when the named
// data sets are not there.
func Real(t testing.TB, names ...string) *dataset.Library {
	t.Helper()
	library := dataset.NewLibrary("")
	if os.Getenv("NPT_DATA_DIR") == "" {
		module := filesystem.HereOrAbove("go.mod")
		if module == "" {
			t.Fatal("no go.mod in a folder above")
		}
		root := filepath.Dir(module)
		library.Dirs = []string{filepath.Join(root, "data"), filepath.Join(root, "..", "shared", "data")}
	}
	for _, name := range names {
		if _, err := library.Find(name); err != nil {
			t.Skip(err)
		}
	}
	return library
}

// Folder returns the folder in which Real finds the first of the named data sets.
func Folder(t testing.TB, names ...string) string {
	t.Helper()
	found, err := Real(t, names...).Find(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(found.Files[0].Path))
}

// Write writes a data set: its declaration but for the name of the file, rows.csv, and the content of that.
func Write(t testing.TB, dir, name, declaration, rows string) {
	t.Helper()
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{dataset.Declaration: "file: rows.csv\n" + declaration, "rows.csv": rows} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var tables = map[string]func(r *rand.Rand) (declaration, rows string){"waves": waves, "circles": circles, "gaps": gaps, "tail": tail}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func waves(r *rand.Rand) (declaration, rows string) {
	rows = "shore,length,depth,wind,height\n"
	for range 120 {
		shore := []string{"east", "north", "west"}[r.IntN(3)]
		length, depth, wind := 100*r.Float64(), 20*r.Float64(), 30*r.Float64()
		height := 2*math.Sin(length/10) + wind/10 + float64(len(shore)) + r.NormFloat64()/5
		rows += fmt.Sprintf("%s,%s,%s,%s,%s\n", shore, number(length), number(depth), number(wind), number(height))
	}
	return "rows: 120\ncolumns: {shore: [east, north, west], length: number, depth: number, wind: number, height: number}\n" +
		"target: height\nsplit: {folds: 10}\n", rows
}

func circles(r *rand.Rand) (declaration, rows string) {
	rows = "x,y,inside\n"
	for range 150 {
		x, y := r.NormFloat64(), r.NormFloat64()
		inside := "no"
		if math.Hypot(x, y)+r.NormFloat64()/5 < 1.2 {
			inside = "yes"
		}
		rows += number(x) + "," + number(y) + "," + inside + "\n"
	}
	return "rows: 150\ncolumns: {x: number, y: number, inside: [no, yes]}\ntarget: inside\nsplit: {folds: 10}\n", rows
}

func gaps(r *rand.Rand) (declaration, rows string) {
	rows = "grade,size,mass,colour\n"
	for i := range 100 {
		size := r.NormFloat64()
		cells := []string{strconv.Itoa(min(2, max(0, int(size+1.5)))), number(size), number(size + r.NormFloat64()), []string{"red", "blue"}[r.IntN(2)]}
		if i%7 == 3 {
			cells[2+i%2] = "?"
		}
		rows += cells[0] + "," + cells[1] + "," + cells[2] + "," + cells[3] + "\n"
	}
	return "rows: 100\nmissing: ['?']\ncolumns: {grade: [0, 1, 2], size: number, mass: number, colour: category}\n" +
		"target: grade\nsplit: {folds: 5, run: 1}\n", rows
}

func tail(r *rand.Rand) (declaration, rows string) {
	rows = "a,b,sum\n"
	for range 90 {
		a, b := r.Float64(), r.Float64()
		rows += number(a) + "," + number(b) + "," + number(a+b+r.NormFloat64()/50) + "\n"
	}
	return "rows: 90\ncolumns: {a: number, b: number, sum: number}\ntarget: sum\nsplit: {test: 30}\n", rows
}
