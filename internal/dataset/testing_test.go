package dataset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realData returns a library of the real files, or skips the test.
func realData(t testing.TB, name string) *Library {
	t.Helper()
	dirs := []string{filepath.Join("..", "..", "data"), filepath.Join("..", "..", "..", "shared", "data")}
	if dir := os.Getenv("NPT_DATA_DIR"); dir != "" {
		dirs = []string{dir}
	}
	l := &Library{Dirs: dirs, Log: logger{t}}
	if _, err := l.Find(name); err != nil {
		t.Skip(err)
	}
	return l
}

// logger passes lines on to a test.
type logger struct{ t testing.TB }

func (l logger) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// toy is a small data set with every sort of column: a dropped field, a date, categories that are words and that are
// numbers, missing entries, a known set of classes.
func toy() *source {
	return &source{
		Info: Info{Name: "toy", Title: "Toy", Problem: Binary, Rows: 4, Target: 4, Columns: 5, Classes: 2, Folds: 5, RunFolds: 1},
		columns: []columnSpec{
			{name: "day", date: true},
			{name: "colour", kind: Categorical},
			{name: "size", kind: Categorical},
			{name: "weight"},
			levels("bad", "0", "1"),
		},
		cached: true,
		variants: []variant{{
			classRows: []int{3, 1},
			digest:    toyDigest,
			files: []File{{
				Name:     "toy.csv",
				Rows:     4,
				MaxBytes: 1 << 10,
				Manual:   "the toy shop",
				parse:    toyForm.parse,
			}},
		}},
	}
}

var toyForm = text{separator: ',', header: []string{"id", "bad"}, fields: []int{2, 3, 4, 5, 1}, missing: []string{"", "NULL"}}

const toyText = `id,bad,day,colour,size,weight
1,0,1/2/1970,red,10,0.5
2,1,1/1/1970,blue,9,1.1
3,0,12/31/1969,,10.0,-2
4,0,2/29/2008,red,9,NULL
`

// toyDigest was computed elsewhere, from the description of the binary form in encode.go.
const toyDigest = "cf34b43f6adac90625df3e87176667fee3c1ad77b6272102a0b10cdcb4d919aa"

// put writes files into the folder of the data set toy and returns a library of it, whose downloads do not wait.
func put(t testing.TB, files map[string]string) *Library {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "toy"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, "toy", name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Library{Dirs: []string{dir}, Log: logger{t}, web: quick()}
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
