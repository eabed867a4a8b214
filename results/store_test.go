package results

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func record(i int) *Record {
	r := &Record{
		Status: OK,
		Cell: Cell{
			Dataset: "boston-housing", DataDigest: "ab", Protocol: "published", Fold: i % 10, Method: "knn",
			Config: Config(fmt.Sprintf(`{"n_neighbors":%d,"weights":"uniform"}`, i)), Seed: 42,
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
	for r, err := range Read(t.Context(), dir) {
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
	failed.Config = `{"n_neighbors":2,"weights":"a\"b"}`
	failed.ID = failed.Cell.ID()
	want := []*Record{record(1), failed}
	write(t, dir, want...)
	got, damages := read(t, dir)
	if len(damages) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (damages %v), want %+v", got, damages, want)
	}
	index, damages, err := readIndex(t, dir)
	if err != nil || len(damages) > 0 || !reflect.DeepEqual(index, Index{want[0].ID: OK, failed.ID: Failed}) {
		t.Errorf("index %v, damages %v, %v", index, damages, err)
	}
}

// The form of a line must never change: of old records a field with another name would not be found.
func TestLine(t *testing.T) {
	const want = `{"id":"010d472ed2c6f695e2c74e51d898d5d9","status":"ok","dataset":"boston-housing","data_digest":"ab",` +
		`"protocol":"published","fold":1,"method":"knn","config":{"n_neighbors":1,"weights":"uniform"},"seed":42,` +
		`"measure":"corruption","with":{"rows":5},"variant":"base","failure":{"kind":"crash","message":"why"},` +
		`"val":{"mse_standardised":0.1},"test":{"rmse":4.2746,"rmse_se":0.1},"rows":[353,102,51],"split_digest":"cd","subset":"a part",` +
		`"fit_seconds":0.25,"fit_cells":480,"predict_seconds":0.125,"processor_seconds":1.5,"peak_memory_bytes":1048576,` +
		`"details":{"epochs":7},"table":{"columns":["row"],"lines":[[3]],"grid":[[0.5]]},"sweep":"s",` +
		`"provenance":{"code":"deadbeef","go":"go1.26","libraries":{"gomlx":"v0.28.2"},"os":"linux/amd64","cpu":"EPYC","cores":8,` +
		`"threads":4,"networks":2,"gpu":"H200","backend":"xla:cuda","finished":"2023-11-14T22:13:20Z"},"sum":"74bda869"}`
	r := record(1)
	r.Measure, r.With, r.Variant, r.Subset = "corruption", `{"rows":5}`, "base", "a part"
	r.ID = r.Cell.ID()
	r.Failure = &Failure{"crash", "why"}
	r.PredictSeconds, r.ProcessorSeconds, r.PeakMemoryBytes = 0.125, 1.5, 1<<20
	r.Details = map[string]any{"epochs": 7}
	r.Table = &Table{Columns: []string{"row"}, Lines: [][]float64{{3}}, Grid: [][]float64{{0.5}}}
	r.Provenance = Provenance{"deadbeef", "go1.26", `{"gomlx":"v0.28.2"}`, "linux/amd64", "EPYC", 8, 4, 2, "H200", "xla:cuda", r.Provenance.Finished}
	if line, err := r.line(); err != nil || string(line) != want+"\n" {
		t.Errorf("%v,\n%swant\n%s", err, line, want)
	}
}

// readIndex opens a store for what can be said without its records.
func readIndex(t *testing.T, dir string) (Index, []*Damage, error) {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		return nil, nil, err
	}
	return s.Index(), s.Damages, nil
}

// A run's folder stands for its records.
func TestFolderOfARun(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "records"), record(1), record(2))
	if s, err := Open(t.Context(), dir); err != nil || len(s.Index()) != 2 {
		t.Errorf("%v, %v, want 2 records", s, err)
	}
}

// The records of a store can be read more than once, and its opening be interrupted.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, record(1), record(2))
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		n := 0
		for _, err := range s.Records() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 2 {
			t.Errorf("%d records, want 2", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	ended := 0
	for _, err := range Read(ctx, dir) {
		if ended++; !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %v", err, context.Canceled)
		}
	}
	if ended != 1 {
		t.Errorf("%d errors, want 1", ended)
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
		index, damages, err := readIndex(t, dir)
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
	if index, damages, err := readIndex(t, dir); err != nil || len(damages) > 0 || len(index) != 800 {
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
	if index, damages, err := readIndex(t, dir); len(index)+len(damages) > 0 || err != nil {
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

// What was written is synced when the segment is closed, at the latest: a device that cannot be synced is an error.
func TestSync(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil || device.Sync() == nil {
		t.Skipf("%s can be synced: %v", os.DevNull, err)
	}
	w := NewWriter(t.TempDir())
	w.file = device
	if err := w.Append(record(1)); err != nil {
		t.Fatal(err)
	}
	w.size = 0 // as the device has it
	if err := w.Close(); err == nil || !strings.HasPrefix(err.Error(), "records cannot be synced to disk: ") {
		t.Errorf("error %v, want that of the sync", err)
	}
}

// A record of which a part is written, as on a full disk, leaves no part of a line behind.
func TestPartOfARecord(t *testing.T) {
	dir := t.TempDir()
	w := NewWriter(dir)
	if err := w.Append(record(1)); err != nil {
		t.Fatal(err)
	}
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	limit := usual
	limit.Cur = uint64(w.size) + 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	err := w.Append(record(2))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	if err == nil || w.Close() == nil {
		t.Errorf("written: %v", err)
	}
	if records, damages := read(t, dir); len(records) != 1 || len(damages) > 0 {
		t.Errorf("%d records, damages %v", len(records), damages)
	}
}

func TestIDDependsOnEveryField(t *testing.T) {
	base := record(1).Cell
	base.Measure, base.With = "corruption", `{"rows":0}`
	seen := map[ID]bool{base.ID(): true}
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
	if training := base.Training(); training.ID() != record(1).Cell.ID() {
		t.Error("the model that is measured is not that of the cell without the measurement")
	}
}

// The form of an id must never change: records of old runs would not be found.
func TestIDIsStable(t *testing.T) {
	cell := record(1).Cell
	cell.Config = `{"n_neighbors":1,"weights":"a\"b"}`
	if got, want := cell.ID().String(), "db4df698788de32c9731b674afb19c17"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An id is the hash of the fields as %q and %d write them.
func TestIDHashesQuotedFields(t *testing.T) {
	for _, config := range []Config{"", `{"a":"b\\c"}`, "\u00e9", "\x00", "\xff", "~\x7f"} {
		c := record(1).Cell
		c.Config = config
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %q %q %d", c.Dataset, c.DataDigest, c.Protocol, c.Fold, c.Method, c.Config, c.Seed))
		if want := hex.EncodeToString(sum[:16]); c.ID().String() != want {
			t.Errorf("%q: %s, want %s", config, c.ID(), want)
		}
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

func BenchmarkOpen(b *testing.B) { benchmarkReading(b, func(dir string) { Open(b.Context(), dir) }) }

func BenchmarkRead(b *testing.B) {
	benchmarkReading(b, func(dir string) {
		for range Read(b.Context(), dir) {
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

// rewrite replaces the content of a folder's only segment.
func rewrite(t *testing.T, dir string, change func(lines []string) []string) {
	t.Helper()
	path := segment(t, dir)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := change(strings.SplitAfter(string(b), "\n"))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// summed gives a line the checksum that it should have.
func summed(line string) string {
	body := line[:len(line)-sumLength-1]
	return fmt.Sprintf(`%s,"sum":"%08x"}`+"\n", body, crc32.Checksum([]byte(body), castagnoli))
}

// A line whose checksum is right and that is no record all the same does not count as one: its cell is run again. Of a field that only
// reports need it is found when the record is read.
func TestWrongContent(t *testing.T) {
	onlyRead := []string{`"fit_seconds":"x"`, `"val":["x"]`, `"rows":"no"`}
	for _, c := range []struct{ old, with, why string }{
		{`"fold":1`, `"fold":"one"`, "not a record"},
		{`"val":{`, `"val":{{`, "not a record"},
		{`"fit_cells":480`, `"fit_cells":`, "not a record"},
		{`"fold":1`, `"fold":2`, "the id " + record(1).ID.String() + " is not that of the cell"},
		{`"n_neighbors":1`, `"n_neighbors":2`, "the id " + record(1).ID.String()},
		{`"id":"`, `"id":"0`, "not a record"},
		{`"status":"ok"`, `"status":"fine"`, `the status "fine" is neither ok nor failed`},
		{`"fit_seconds":0.25`, onlyRead[0], "not a record"},
		{`"val":{"mse_standardised":0.1}`, onlyRead[1], "not a record"},
		{`"rows":[353,102,51]`, onlyRead[2], "not a record"},
	} {
		dir := t.TempDir()
		write(t, dir, record(1), record(2))
		rewrite(t, dir, func(lines []string) []string {
			if !strings.Contains(lines[0], c.old) {
				t.Fatalf("no %s in %s", c.old, lines[0])
			}
			lines[0] = summed(strings.Replace(lines[0], c.old, c.with, 1))
			return lines
		})
		want := segment(t, dir) + ":1: " + c.why
		index, damages, err := readIndex(t, dir)
		if slices.Contains(onlyRead, c.with) {
			if err != nil || len(index) != 2 || len(damages) > 0 {
				t.Errorf("%s: index %v, damages %v, %v; want both records", c.with, index, damages, err)
			}
		} else if err != nil || len(index) != 1 || index[record(2).ID] != OK || len(damages) != 1 || !strings.HasPrefix(damages[0].Error(), want) {
			t.Errorf("%s: index %v, damages %v, %v; want %s", c.with, index, damages, err, want)
		}
		records, damages := read(t, dir)
		if len(records) != 1 || len(damages) != 1 || !strings.HasPrefix(damages[0].Error(), want) {
			t.Errorf("%s: %d records, damages %v; want %s", c.with, len(records), damages, want)
		}
		if _, _, err := Merge(t.Context(), filepath.Join(t.TempDir(), "all.jsonl.gz"), false, dir); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: merged, %v; want %s", c.with, err, want)
		}
	}
}

// Sixty damaged lines are a few complaints, and no more is lost than they.
func TestManyDamages(t *testing.T) {
	dir := t.TempDir()
	var all []*Record
	for i := range 100 {
		all = append(all, record(i))
	}
	write(t, dir, all...)
	rewrite(t, dir, func(lines []string) []string {
		for i := range 60 {
			lines[i+20] = strings.Replace(lines[i+20], "4.2746", "4.3746", 1)
		}
		return lines
	})
	index, damages, err := readIndex(t, dir)
	if err != nil || len(index) != 40 || len(damages) != 4 {
		t.Fatalf("%d records, %v, %v", len(index), damages, err)
	}
	path := segment(t, dir)
	for i, want := range []string{":21: checksum does not match", ":22: checksum", ":23: checksum", ":24: 57 more damaged lines from here on"} {
		if !strings.HasPrefix(damages[i].Error(), path+want) {
			t.Errorf("%v, want %s", damages[i], want)
		}
	}
	if n := damages[2].Lines + damages[3].Lines; n != 58 {
		t.Errorf("%d lines, want 58", n)
	}
}

// Of a compressed segment that is cut off, what is left is read, and the rest is said to be lost.
func TestCutCompressed(t *testing.T) {
	dir := t.TempDir()
	var all []*Record
	for i := range 2000 {
		all = append(all, record(i))
	}
	write(t, dir, all...)
	kept := t.TempDir()
	file := filepath.Join(kept, "all.jsonl.gz")
	if _, _, err := Merge(t.Context(), file, false, dir); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(file)
	os.WriteFile(file, whole[:len(whole)/2], 0o644)
	index, damages, err := readIndex(t, kept)
	want := fmt.Sprintf("%s:%d: the compressed file is cut off, all records from here on are lost", file, len(index)+1)
	if err != nil || len(index) < 100 || len(index) > 1900 || len(damages) != 1 || !strings.HasPrefix(damages[0].Error(), want) || damages[0].Torn {
		t.Errorf("%d records, damages %v, %v; want %s", len(index), damages, err, want)
	}
}

// later is a record of the same cell, made later and with another result.
func later(r *Record, seconds int, rmse float64) *Record {
	c := *r
	c.Test = Metrics{"rmse": rmse}
	c.Provenance.Finished = r.Provenance.Finished.Add(time.Duration(seconds) * time.Second)
	return &c
}

// Which of several records stands for a cell does not depend on where they are, and different results are pointed out.
func TestSeveralRecordsOfACell(t *testing.T) {
	for _, weights := range []string{"uniform", `a\"b`} { // as lines are that need no encoding/json, and as one is that does
		t.Run(weights, func(t *testing.T) {
			severalRecordsOfACell(t, func(i int) *Record {
				r := record(i)
				r.Config = Config(fmt.Sprintf(`{"n_neighbors":%d,"weights":"%s"}`, i, weights))
				r.ID = r.Cell.ID()
				return r
			})
		})
	}
}

func severalRecordsOfACell(t *testing.T, record func(int) *Record) {
	failed := later(record(1), 100, 0)
	failed.Status, failed.Val, failed.Test = Failed, nil, nil
	best := later(record(1), 9, 4.1)
	records := []*Record{later(record(1), 5, 4.2), best, failed, later(record(1), 7, 4.2)}
	for range 24 {
		rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		a, b := t.TempDir(), t.TempDir()
		write(t, a, records[:2]...)
		write(t, b, append(records[2:], record(2))...)
		var got []*Record
		var conflicts []*Conflict
		for r, err := range Read(t.Context(), a, b) {
			var c *Conflict
			if errors.As(err, &c) {
				conflicts = append(conflicts, c)
			} else if err != nil {
				t.Fatal(err)
			} else {
				got = append(got, r)
			}
		}
		if len(got) != 2 || !reflect.DeepEqual(got[0], best) && !reflect.DeepEqual(got[1], best) {
			t.Fatalf("%d records, the best is not among them", len(got))
		}
		if len(conflicts) != 1 || conflicts[0].Cells != 1 || conflicts[0].Cell != record(1).Cell || conflicts[0].Kept == conflicts[0].Other {
			t.Fatalf("conflicts %v", conflicts)
		}
		file, line, _ := strings.Cut(conflicts[0].Kept, ".jsonl:")
		content, _ := os.ReadFile(file + ".jsonl")
		number, _ := strconv.Atoi(line)
		if !strings.Contains(strings.Split(string(content), "\n")[number-1], `"rmse":4.1`) {
			t.Errorf("%v does not name the best", conflicts[0])
		}
		if _, merged, err := Merge(t.Context(), filepath.Join(t.TempDir(), "all.jsonl.gz"), false, a, b); err != nil || !reflect.DeepEqual(merged, conflicts[0]) {
			t.Errorf("merged: %v, %v; want %v", merged, err, conflicts[0])
		}
	}
	again := later(record(1), 5, 0)
	again.Test = record(1).Test // no conflict
	dir := t.TempDir()
	write(t, dir, record(1), again, record(1))
	if got, _ := read(t, dir); len(got) != 1 || !reflect.DeepEqual(got[0], again) {
		t.Errorf("%d records of one cell, or not the last one", len(got))
	}
	if _, conflict, err := Merge(t.Context(), filepath.Join(t.TempDir(), "all.jsonl.gz"), false, dir); conflict != nil || err != nil {
		t.Errorf("%v, %v; want no conflict", conflict, err)
	}
}

// A conflict names two records that differ, whichever came in between.
func TestConflictNamesADifference(t *testing.T) {
	for _, rmse := range [][]float64{{1, 2, 1}, {1, 2, 2}, {1, 1, 2}, {2, 1, 3}} {
		dir := t.TempDir()
		write(t, dir, later(record(0), 0, rmse[0]), later(record(0), 1, rmse[1]), later(record(0), 2, rmse[2]))
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		of := func(place string) float64 {
			line, _ := strconv.Atoi(place[strings.LastIndex(place, ":")+1:])
			return rmse[line-1]
		}
		if of(s.Conflict.Kept) == of(s.Conflict.Other) {
			t.Errorf("%v: %v", rmse, s.Conflict)
		}
	}
}

// Whoever removes, renames or cuts what a run writes does not make it believe that its records are kept.
func TestSegmentDisappears(t *testing.T) {
	for what, spoil := range map[string]func(dir, segment string) error{
		"folder removed":  func(dir, _ string) error { return os.RemoveAll(dir) },
		"folder renamed":  func(dir, _ string) error { return os.Rename(dir, dir+"-old") },
		"folder replaced": func(dir, _ string) error { return errors.Join(os.Rename(dir, dir+"-old"), os.Mkdir(dir, 0o755)) },
		"segment removed": func(_, segment string) error { return os.Remove(segment) },
		"segment copied": func(_, segment string) error {
			b, err := os.ReadFile(segment)
			return errors.Join(err, os.Remove(segment), os.WriteFile(segment, b, 0o644))
		},
		"segment cut": func(_, segment string) error { return os.Truncate(segment, 10) },
	} {
		dir := filepath.Join(t.TempDir(), "records")
		w := NewWriter(dir)
		if err := w.Append(record(1)); err != nil {
			t.Fatal(err)
		}
		w.sync()
		if err := spoil(dir, segment(t, dir)); err != nil {
			t.Fatal(err)
		}
		w.sync() // as every second
		err := w.Append(record(2))
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.HasPrefix(err.Error(), "records are lost: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
		if closed := w.Close(); closed == nil {
			t.Errorf("%s: Close says nothing", what)
		}
	}
	dir := filepath.Join(t.TempDir(), "records")
	w := NewWriter(dir)
	w.Append(record(1))
	os.RemoveAll(dir)
	if w.Close() == nil {
		t.Error("Close does not look")
	}
}

// A cell that has records in several segments has one in the file, which merged with itself is the same again.
func TestMergeAgain(t *testing.T) {
	dir := t.TempDir()
	for _, finished := range []int{1, 3, 2} {
		var all []*Record
		for _, i := range rand.Perm(40) {
			r := record(i)
			r.Provenance.Finished = time.Date(2026, 1, finished, 0, 0, 0, 0, time.UTC)
			if finished == 3 && i%2 == 0 {
				r.Status = Failed
			}
			all = append(all, r)
		}
		write(t, dir, all...)
	}
	file := filepath.Join(t.TempDir(), "all.jsonl.gz")
	var files [][]byte
	for range 2 { // the second time over itself
		if n, _, err := Merge(t.Context(), file, false, dir); n != 40 || err != nil {
			t.Fatalf("%d records, %v", n, err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the files differ")
	}
	for r, err := range Read(t.Context(), file) {
		if err != nil || r.Status != OK || r.Provenance.Finished.Day() != 2+r.Fold%2 { // the last success
			t.Errorf("%v, fold %d: %s on day %d", err, r.Fold, r.Status, r.Provenance.Finished.Day())
		}
	}
}

// A countdown is a context that ends when it has been asked so often whether it has.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A merge that is interrupted, while it reads, sorts or writes, leaves nothing behind.
func TestMergeInterrupted(t *testing.T) {
	dir, target, temporary := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var all []*Record
	for i := range 40 {
		all = append(all, record(i))
	}
	write(t, dir, all...)
	for _, left := range []int{0, 39, 50, 90, 119} {
		if _, _, err := Merge(&countdown{t.Context(), left}, filepath.Join(target, "all.jsonl.gz"), false, dir); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d records: %v", left, err)
		}
		for _, folder := range []string{target, temporary} {
			if files, err := os.ReadDir(folder); len(files) > 0 || err != nil {
				t.Errorf("after %d records: left behind: %v, %v", left, files, err)
			}
		}
	}
	if n, _, err := Merge(&countdown{t.Context(), 120}, filepath.Join(target, "all.jsonl.gz"), false, dir); n != 40 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
}

// A file keeps what it had, unless it is replaced; by nothing it never is.
func TestMergeKeepsRecords(t *testing.T) {
	failed := record(2)
	failed.Status = Failed
	two, one, worse := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, two, record(1), record(2))
	write(t, one, record(1))
	write(t, worse, record(1), failed)
	file := filepath.Join(t.TempDir(), "all.jsonl.gz")
	if n, _, err := Merge(t.Context(), file, false, two); n != 2 || err != nil {
		t.Fatalf("%d records, %v", n, err)
	}
	before, _ := os.ReadFile(file)
	for _, dir := range []string{one, worse} {
		if n, _, err := Merge(t.Context(), file, false, dir); n != 2 || err != nil {
			t.Errorf("%d records, %v", n, err)
		}
	}
	for _, replace := range []bool{false, true} {
		if _, _, err := Merge(t.Context(), file, replace, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no records in") {
			t.Errorf("replaced by nothing: %v", err)
		}
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
	if n, _, err := Merge(t.Context(), file, true, one); n != 1 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
	if err := os.WriteFile(file, before[:len(before)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Merge(t.Context(), file, false, one); err == nil {
		t.Error("added to a damaged file")
	}
	if n, _, err := Merge(t.Context(), file, true, one); n != 1 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
}

// Equal records give equal files, whatever folders and order they come in; every line stays as it was written.
func TestMergeIsCanonical(t *testing.T) {
	var files [2][]byte
	for i := range files {
		a, b := t.TempDir(), t.TempDir()
		for k, n := range rand.Perm(60) {
			dir := a
			if k%2 == 1 {
				dir = b
			}
			write(t, dir, record(n))
		}
		file := filepath.Join(t.TempDir(), "all.jsonl.gz")
		if n, _, err := Merge(t.Context(), file, false, a, b); n != 60 || err != nil {
			t.Fatal(n, err)
		}
		files[i], _ = os.ReadFile(file)
		fold := -1
		for r, err := range Read(t.Context(), file) {
			if err != nil || r.Fold < fold {
				t.Fatal(r, err)
			}
			fold = r.Fold
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two files")
	}
}

// Published records are decoded as encoding/json would do it.
func TestDecoding(t *testing.T) {
	i := 0
	files, err := Segments("published")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for line, err := range segmentLines(file) {
			if err != nil {
				t.Fatal(err)
			}
			if i++; i%25 != 0 {
				continue
			}
			want := new(Record)
			asJSON := json.Unmarshal(line.text, want)
			if got, err := decodeAs[Record](line); err != nil || asJSON != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s:%d: %s\nis read as %+v, %v, want %+v, %v", line.file, line.line, line.text, got, err, want, asJSON)
			}
		}
	}
}

// Lines of all lengths stay as they were read, from compressed segments as well.
func TestSegmentLines(t *testing.T) {
	var text []byte
	for i, length := range []int{0, 1, 500, 4095, 1, 4096, 65_535, 65_536, 1, 65_537, 0, 500_000, 3} {
		text = append(bytes.Join([][]byte{text, bytes.Repeat([]byte{'a' + byte(i)}, length)}, nil), '\n')
	}
	plain, compressed := filepath.Join(t.TempDir(), "1.jsonl"), filepath.Join(t.TempDir(), "1.jsonl.gz")
	var z bytes.Buffer
	zip := gzip.NewWriter(&z)
	zip.Write(text)
	if err := errors.Join(zip.Close(), os.WriteFile(plain, text, 0o644), os.WriteFile(compressed, z.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, compressed} {
		var lines [][]byte
		for l, err := range segmentLines(path) {
			if err != nil || l.line != len(lines)+1 {
				t.Fatalf("%s:%d: %v", path, l.line, err)
			}
			lines = append(lines, l.text)
		}
		if got := append(bytes.Join(lines, []byte("\n")), '\n'); !bytes.Equal(got, text) {
			t.Errorf("%s: %d lines of %d bytes, want %d bytes", path, len(lines), len(got), len(text))
		}
	}
}

// Records that are cut off behind a store's back are missed.
func TestCutBehindTheStore(t *testing.T) {
	dir := t.TempDir()
	w := NewWriter(dir)
	for i := range 10 {
		if err := w.Append(record(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, dir, func(lines []string) []string { return lines[:7] })
	whole := 0
	var missed *Damage
	for _, err := range s.Records() {
		if err == nil {
			whole++
		} else if !errors.As(err, &missed) {
			t.Error(err)
		}
	}
	if whole != 7 || missed == nil || missed.Line != 8 || missed.Lines != 3 {
		t.Errorf("%d records, %+v", whole, missed)
	}
}

// A segment that is replaced after the store was opened, as Merge does, gives no records in place of others.
func TestReplacedBehindTheStore(t *testing.T) {
	for from, want := range []int{0, 1, 2, 3} { // how many lines stay where they are
		dir := t.TempDir()
		write(t, dir, record(0), record(1), record(2), record(3), record(4))
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, dir, func(lines []string) []string {
			slices.Reverse(lines[from:5])
			return lines
		})
		whole := 0
		var changed *Damage
		for r, err := range s.Records() {
			if err == nil && r.Fold == whole {
				whole++
			} else if !errors.As(err, &changed) {
				t.Errorf("%+v, %v", r, err)
			}
		}
		if whole != want || changed == nil || changed.Line != want+1 || changed.Lines != 5-want || changed.Why != "has changed since it was first read" {
			t.Errorf("from line %d: %d records, %+v", from+1, whole, changed)
		}
	}
}

// Of a segment that somebody has removed it is said why it cannot be read.
func TestRemovedBehindTheStore(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, record(0), record(1))
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := Segments(dir)
	os.Remove(files[0])
	var all []error
	for _, err := range s.Records() {
		all = append(all, err)
	}
	if d := (*Damage)(nil); len(all) != 1 || !errors.As(all[0], &d) || d.Lines != 2 || !strings.Contains(d.Why, "no such file") {
		t.Errorf("%v", all)
	}
}

// A record that says nothing of libraries does not say that there are none, either.
func TestNoLibraries(t *testing.T) {
	r := record(1)
	r.Provenance.Libraries = LibrariesOf(nil)
	line, err := r.line()
	if err != nil || bytes.Contains(line, []byte("libraries")) {
		t.Errorf("%s, %v", line, err)
	}
	want := map[string]string{"gomlx": "v0.28.2"}
	if got := LibrariesOf(want).Versions(); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := Libraries(`{"a":1,"b":"2"}`).Versions(); got != nil {
		t.Errorf("versions %v of what is none", got)
	}
}

// What a file has lost is not given up silently.
func TestMergeIntoATornFile(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write(t, dir, record(1), record(2))
	write(t, other, record(3))
	file := segment(t, dir)
	content, _ := os.ReadFile(file)
	os.WriteFile(file, content[:len(content)-20], 0o666)
	if n, _, err := Merge(t.Context(), file, false, other); err == nil {
		t.Errorf("%d records: the torn one is gone", n)
	}
}

// Of two records of a cell that are as old the first stands for it.
func TestFirstOfEqualAge(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, record(1), later(record(1), 0, 9))
	if got, _ := first(t, dir); got.Test["rmse"] != 4.2746 {
		t.Errorf("%v", got.Test)
	}
}

// first is the first record of a folder, with the conflict there is.
func first(t *testing.T, dir string) (*Record, *Conflict) {
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range s.Records() {
		if err == nil {
			return r, s.Conflict
		}
	}
	return nil, s.Conflict
}

// Records that differ in validation metrics alone, by which settings are chosen, are a conflict too.
func TestConflictOfValidation(t *testing.T) {
	dir, other := t.TempDir(), *record(1)
	other.Val = Metrics{"rmse": 4}
	write(t, dir, record(1), &other)
	if _, c := first(t, dir); c == nil || c.Cells != 1 {
		t.Errorf("%v", c)
	}
}

// A cell that both failed and succeeded, in whichever order, contradicts nothing, and has the success.
func TestFailureIsNoConflict(t *testing.T) {
	for _, failedAfter := range []int{0, 20} {
		dir := t.TempDir()
		failed, succeeded := later(record(1), failedAfter, 0), later(record(1), 9, 4.1)
		failed.Status, failed.Val, failed.Test, failed.Failure = Failed, nil, nil, &Failure{Kind: "timeout"}
		records := []*Record{failed, succeeded}
		if failedAfter > 9 {
			slices.Reverse(records)
		}
		write(t, dir, records...)
		if got, c := first(t, dir); c != nil || got.Status != OK {
			t.Errorf("failed after %d: %s, %v", failedAfter, got.Status, c)
		}
	}
}
