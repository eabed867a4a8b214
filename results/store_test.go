package results

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func record(i int) *Record {
	r := &Record{
		Status: OK,
		Cell: Cell{
			Dataset: "boston-housing", DataDigest: "ab", Protocol: "published", Fold: i % 10, Method: "knn",
			Config: Config(fmt.Sprintf(`{"n_neighbors":%d,"weights":"a\"b"}`, i)), Seed: 42,
		},
		Val: Metrics{"mse_standardised": 0.1}, Test: Metrics{"rmse": 4.2746, "rmse_se": 0.1},
		Rows: [3]int{353, 102, 51}, SplitDigest: "cd", FitSeconds: 0.25, FitCells: 480, Sweep: "s",
		Provenance: Provenance{Code: "deadbeef", Go: "go1.26", Finished: time.Unix(1700000000, 0).UTC()},
	}
	r.ID = r.Cell.ID()
	return r
}

func write(t *testing.T, dir string, records ...*Record) {
	t.Helper()
	w := NewWriter(dir)
	for _, r := range records {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir string) (records []*Record, damages []*Damage) {
	t.Helper()
	for r, err := range Read(dir) {
		if d, ok := err.(*Damage); ok {
			damages = append(damages, d)
		} else if err != nil {
			t.Fatal(err)
		} else {
			records = append(records, r)
		}
	}
	return records, damages
}

func segment(t *testing.T, dir string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("segments %v, want one", files)
	}
	return files[0]
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	failed := record(2)
	failed.Status, failed.Failure = Failed, &Failure{Kind: "timeout", Message: "no\nresult \x00 \u00e9"}
	want := []*Record{record(1), failed}
	write(t, dir, want...)
	got, damages := read(t, dir)
	if len(damages) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (damages %v), want %+v", got, damages, want)
	}
	index, damages, err := ReadIndex(dir)
	if err != nil || len(damages) > 0 || !reflect.DeepEqual(index, Index{want[0].ID: OK, failed.ID: Failed}) {
		t.Errorf("index %v, damages %v, %v", index, damages, err)
	}
}

// A crash at any byte of the last line costs that line and nothing else.
func TestTornLastLine(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, record(1), record(2))
	path := segment(t, dir)
	whole, _ := os.ReadFile(path)
	first := strings.IndexByte(string(whole), '\n') + 1
	for cut := first; cut < len(whole); cut++ {
		os.WriteFile(path, whole[:cut], 0o644)
		index, damages, err := ReadIndex(dir)
		if err != nil || len(index) != 1 || index[record(1).ID] != OK {
			t.Fatalf("cut at %d: index %v, %v", cut, index, err)
		}
		if cut > first && (len(damages) != 1 || !damages[0].Torn || damages[0].Line != 2) {
			t.Fatalf("cut at %d: damages %v", cut, damages)
		}
	}
}

// No single changed byte goes unnoticed, and it never costs more than the two lines that it may join.
func TestEveryChangedByteIsNoticed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, record(1), record(2), record(3))
	path := segment(t, dir)
	whole, _ := os.ReadFile(path)
	for at := range whole {
		b := append([]byte(nil), whole...)
		b[at] ^= 1
		os.WriteFile(path, b, 0o644)
		records, damages := read(t, dir)
		if len(damages) == 0 || len(records) < 1 {
			t.Fatalf("byte %d changed: %d records, damages %v", at, len(records), damages)
		}
		for _, r := range records {
			if r.Cell.ID() != r.ID {
				t.Fatalf("byte %d changed: a wrong record was trusted", at)
			}
		}
	}
}

// A success counts whatever failed before or after it.
func TestIndexPrefersSuccess(t *testing.T) {
	failed := record(1)
	failed.Status = Failed
	for _, order := range [][]*Record{{failed, record(1)}, {record(1), failed}} {
		dir := t.TempDir()
		write(t, dir, order...)
		if index, _, _ := ReadIndex(dir); index[record(1).ID] != OK {
			t.Errorf("status %q, want ok", index[record(1).ID])
		}
	}
}

func TestWritersShareAFolder(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			writer := NewWriter(dir)
			defer writer.Close()
			var some sync.WaitGroup
			for g := range 4 {
				some.Go(func() {
					for i := range 50 {
						if err := writer.Append(record(w*1000 + g*100 + i)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			some.Wait()
		})
	}
	all.Wait()
	if index, damages, err := ReadIndex(dir); err != nil || len(damages) > 0 || len(index) != 800 {
		t.Errorf("%d cells, damages %v, %v; want 800", len(index), damages, err)
	}
}

// A folder without records is not an error, and no segment is left by a run that finishes nothing.
func TestNothingWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	write(t, dir)
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made for no record")
	}
	if index, damages, err := ReadIndex(dir); len(index)+len(damages) > 0 || err != nil {
		t.Errorf("index %v, %v, %v", index, damages, err)
	}
}

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	w := NewWriter(t.TempDir())
	w.file = f
	err = w.Append(record(1))
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v, want no space left", err)
	}
	if again := w.Append(record(2)); again != err {
		t.Errorf("after a failed write: %v, want the same error", again)
	}
	if w.Close() == nil {
		t.Error("Close forgot the error")
	}
}

func TestMerge(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	failed := record(1)
	failed.Status = Failed
	write(t, a, failed, record(2))
	write(t, b, record(1), record(3))
	out := filepath.Join(t.TempDir(), "all.jsonl.gz")
	if n, err := Merge(out, a, b); n != 3 || err != nil {
		t.Fatalf("%d records, %v", n, err)
	}
	records, damages := read(t, filepath.Dir(out))
	if len(records) != 3 || len(damages) > 0 || records[0].Status != OK {
		t.Errorf("%d records, damages %v", len(records), damages)
	}
}

func TestIDDependsOnEveryField(t *testing.T) {
	base := record(1).Cell
	seen := map[string]bool{base.ID(): true}
	for i := range reflect.TypeFor[Cell]().NumField() {
		c := base
		switch f := reflect.ValueOf(&c).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		case reflect.Uint64:
			f.SetUint(f.Uint() + 1)
		}
		seen[c.ID()] = true
	}
	if want := 1 + reflect.TypeFor[Cell]().NumField(); len(seen) != want {
		t.Errorf("%d different ids, want %d", len(seen), want)
	}
}

// The form of an id must never change: records of old runs would not be found.
func TestIDIsStable(t *testing.T) {
	if got, want := record(1).ID, "db4df698788de32c9731b674afb19c17"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkAppend(b *testing.B) {
	w := NewWriter(b.TempDir())
	r := record(1)
	for b.Loop() {
		if err := w.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	w.Close()
}

func BenchmarkReadIndex(b *testing.B) { benchmarkReading(b, func(dir string) { ReadIndex(dir) }) }

func BenchmarkRead(b *testing.B) {
	benchmarkReading(b, func(dir string) {
		for range Read(dir) {
		}
	})
}

// benchmarkReading reports nanoseconds for each of 20,000 records.
func benchmarkReading(b *testing.B, read func(dir string)) {
	const n = 20_000
	dir := b.TempDir()
	w := NewWriter(dir)
	for i := range n {
		w.Append(record(i))
	}
	w.Close()
	for b.Loop() {
		read(dir)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}
