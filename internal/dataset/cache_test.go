package dataset

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// cachedToy loads the toy table once, so that it is in the cache.
func cachedToy(t *testing.T) (l *Library, table *Table, path string) {
	t.Helper()
	l = put(t, map[string]string{"toy.csv": toyText})
	l.CacheDir = filepath.Join(t.TempDir(), "new", "cache")
	table, err := l.load(context.Background(), toy())
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(l.CacheDir, "*"))
	if len(files) != 1 {
		t.Fatalf("cache files %q", files)
	}
	return l, table, files[0]
}

func TestCache(t *testing.T) {
	l, table, path := cachedToy(t)
	loc, err := l.find(toy())
	if err != nil || loc.Digest != table.Digest || loc.Check != SameTable || l.cachePath(&loc) != path {
		t.Fatalf("Find with a cache: %+v, %v", loc, err)
	}
	if cached := l.fromCache(context.Background(), &loc); !sameTables(cached, table) {
		t.Errorf("%+v from the cache, want %+v", cached, table)
	}
}

func sameTables(a, b *Table) bool {
	return a != nil && b != nil && reflect.DeepEqual(a.Columns, b.Columns) && a.Rows == b.Rows && a.Info.TestAt == b.Info.TestAt &&
		a.Digest == b.Digest && a.Check == b.Check && a.Subset == b.Subset && a.Info.Name == b.Info.Name
}

// A cache file that is not exactly what was written is passed over with a warning, and replaced.
func TestCacheDamage(t *testing.T) {
	l, table, path := cachedToy(t)
	loc, err := l.find(toy())
	if err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Index(sound, []byte("}\n")) + 2
	refused := func(content []byte) bool {
		cached, err := parseCache(bufio.NewReader(bytes.NewReader(content)), &loc)
		if err == nil && !reflect.DeepEqual(cached.Columns, table.Columns) {
			t.Errorf("read %+v", cached.Columns)
		}
		return err != nil
	}
	for i := range sound {
		content := bytes.Clone(sound)
		content[i] ^= 1
		if !refused(content) && i >= body { // the word "check" may change without harm to the values
			t.Errorf("a changed byte %d was not noticed", i)
		}
		if !refused(sound[:i]) {
			t.Errorf("an end after %d bytes was not noticed", i)
		}
	}
	if !refused(bytes.Replace(sound, []byte("columns 1"), []byte("columns 2"), 1)) {
		t.Error("another version was not noticed")
	}

	var log strings.Builder
	l.Log = &log
	os.WriteFile(path, sound[:len(sound)-1], 0o644)
	if again, err := l.load(context.Background(), toy()); err != nil || !sameTables(again, table) {
		t.Errorf("%+v, %v", again, err)
	}
	if want := "warning: toy: cache file " + path + " passed over: cut short\n"; log.String() != want {
		t.Errorf("log %q, want %q", log.String(), want)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, sound) {
		t.Error("not replaced")
	}
}

// A cache file must have the digest that it says, come from the files that are there, and hold the published table where one is known.
func TestCacheChecks(t *testing.T) {
	l, table, path := cachedToy(t)
	loc, err := l.find(toy())
	if err != nil {
		t.Fatal(err)
	}
	other := *table
	other.Columns = slices.Clone(table.Columns)
	last := &other.Columns[len(other.Columns)-1]
	last.Codes = slices.Clone(last.Codes)
	last.Codes[0] ^= 1
	other.Digest = tableDigest(other.Columns, other.Rows)
	unknown := toy()
	unknown.variants[0].digest = ""
	unpublished := loc
	unpublished.source, unpublished.variant = unknown, &unknown.variants[0]
	for _, c := range []struct {
		what                      string
		loc                       Location
		dataset, identity, digest string // of the head
		table                     *Table
		want                      string
	}{
		{"the table", loc, "toy", loc.identity(), table.Digest, table, ""},
		{"any table where none is known", unpublished, "toy", loc.identity(), other.Digest, &other, ""},
		{"a changed value where no table is known", unpublished, "toy", loc.identity(), table.Digest, &other, "damaged"},
		{"another table", loc, "toy", loc.identity(), other.Digest, &other, "not the published table"},
		{"the table of other files", loc, "toy", strings.Repeat("0", 64), table.Digest, table, "made from other files"},
		{"another data set's table", loc, "joy", loc.identity(), table.Digest, table, "made from other files"},
	} {
		if err := writeCache(t.Context(), path, cacheHead{c.dataset, c.identity, c.digest, SameTable}, c.table); err != nil {
			t.Fatal(err)
		}
		cached, err := readCache(t.Context(), path, &c.loc)
		switch {
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: error %v, want %s", c.what, err, c.want)
		case c.want == "" && (err != nil || !reflect.DeepEqual(cached.Columns, c.table.Columns)):
			t.Errorf("%s: %+v, error %v", c.what, cached, err)
		}
	}
}

// Another source file is another cache file, whatever its size and time of change.
func TestCacheFollowsSource(t *testing.T) {
	l, _, _ := cachedToy(t)
	file := filepath.Join(l.Dirs[0], "toy", "toy.csv")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(toyText, "1.1", "1.2", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(file, time.Time{}, info.ModTime())
	if table, err := l.load(context.Background(), toy()); err == nil {
		t.Errorf("loaded %v though the file was altered", table)
	}
}

// A table is returned even when it cannot be cached.
func TestCacheUnwritable(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{"not a folder": blocked}
	if runtime.GOOS == "linux" {
		dirs["no such device"] = "/proc/nowhere"
	}
	for name, dir := range dirs {
		l := put(t, map[string]string{"toy.csv": toyText})
		var log strings.Builder
		l.CacheDir, l.Log = dir, &log
		if _, err := l.load(context.Background(), toy()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(log.String(), "warning: toy: no cache file: ") {
			t.Errorf("%s: log %q", name, log.String())
		}
	}
}

// A full disk leaves no part of a cache file behind.
func TestCacheDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	l, table, path := cachedToy(t)
	if err := encode(full, table.Columns, table.Rows); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("writing to a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	os.Remove(path)
	loc, _ := l.find(toy())
	if err := writeCache(ctx, path, cacheHead{}, table); err == nil {
		t.Error("written though cancelled")
	}
	l.toCache(ctx, &loc, table)
	if left, _ := os.ReadDir(l.CacheDir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func FuzzDecode(f *testing.F) {
	specs := toy().columns
	b := make([]*builder, len(specs))
	for i := range specs {
		b[i] = newBuilder(specs[i], 4)
	}
	if err := toyForm.parse(strings.NewReader(toyText), 4, b); err != nil {
		f.Fatal(err)
	}
	columns := make([]Column, len(b))
	for i := range b {
		columns[i] = b[i].column()
	}
	var form strings.Builder
	encode(&form, columns, 4)
	f.Add(form.String())
	f.Add(form.String()[:100])
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		columns, digest, err := decode(strings.NewReader(s), specs, 4)
		if err != nil {
			return
		}
		var again strings.Builder
		encode(&again, columns, 4)
		if !strings.HasPrefix(s, again.String()) && tableDigest(columns, 4) == digest {
			t.Error("two tables with one digest")
		}
	})
}
