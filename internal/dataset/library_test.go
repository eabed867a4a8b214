package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestNewLibrary(t *testing.T) {
	t.Setenv("NPT_DATA_DIR", "")
	t.Setenv("NPT_CACHE_DIR", "")
	t.Setenv("XDG_CACHE_HOME", "/home/ada/.cache")
	shared := filepath.Join("..", "shared", "data")
	if l := NewLibrary(""); !reflect.DeepEqual(l.Dirs, []string{"data", shared}) {
		t.Errorf("folders %q", l.Dirs)
	}
	if l := NewLibrary("given"); !reflect.DeepEqual(l.Dirs, []string{"given", "data"}) {
		t.Errorf("folders %q", l.Dirs)
	}
	if l := NewLibrary("data"); !reflect.DeepEqual(l.Dirs, []string{"data"}) {
		t.Errorf("folders %q", l.Dirs)
	}
	t.Setenv("NPT_DATA_DIR", "variable")
	t.Setenv("NPT_CACHE_DIR", "cache")
	if l := NewLibrary(""); !reflect.DeepEqual(l.Dirs, []string{"variable", "data"}) || l.CacheDir != "cache" {
		t.Errorf("%+v", l)
	}
	if l := NewLibrary("given"); !reflect.DeepEqual(l.Dirs, []string{"given", "data"}) {
		t.Errorf("folders %q", l.Dirs)
	}
}

func TestMissing(t *testing.T) {
	l := &Library{Dirs: []string{"data", "more"}}
	for name, want := range map[string]string{
		"yacht": "yacht: data file missing; put there: data/yacht/yacht_hydrodynamics.data[.gz] " +
			"(https://archive.ics.uci.edu/ml/machine-learning-databases/00243/yacht_hydrodynamics.data); or run: go run ./cmd/data -fetch yacht",
		"concrete": "concrete: data file missing; put there: data/concrete/Concrete_Data.arff[.gz] " +
			"(the ARFF file of https://www.openml.org/d/4353); or run: go run ./cmd/data -fetch concrete",
		"kick": "kick: data file missing; put there: data/kick/training.csv[.gz] (training.csv of " +
			"https://www.kaggle.com/c/DontGetKicked (log in, accept the rules, download, unpack))",
		"income": "income: data files missing; put there: data/income/census-income.data[.gz] " +
			"(https://archive.ics.uci.edu/ml/machine-learning-databases/census-income-mld/census-income.data.gz), " +
			"data/income/census-income.test[.gz] " +
			"(https://archive.ics.uci.edu/ml/machine-learning-databases/census-income-mld/census-income.test.gz); or run: go run ./cmd/data -fetch income",
	} {
		_, err := l.Find(name)
		if missing := (*MissingError)(nil); !errors.As(err, &missing) || missing.Dataset != name || filepath.ToSlash(err.Error()) != want {
			t.Errorf("%s: error\n%v, want\n%s", name, err, want)
		}
		if _, again := l.Load(context.Background(), name); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: Load says %v", name, again)
		}
	}
	for _, info := range Infos() {
		if _, err := l.Find(info.Name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", info.Name, err)
		}
	}
	if _, err := (&Library{}).Find("yacht"); err == nil {
		t.Error("found without a folder")
	}
}

// Files of one data set may lie in several folders; earlier folders, complete tables and plain files come first.
func TestFindOrder(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	l := &Library{Dirs: []string{a, b}}
	paths := func(name string) string {
		loc, err := l.Find(name)
		if err != nil {
			return err.Error()
		}
		var found []string
		for _, f := range loc.Files {
			found = append(found, strings.NewReplacer(a, "a", b, "b").Replace(filepath.ToSlash(f.Path)))
		}
		return strings.Join(found, " ") + " " + loc.Subset
	}
	touch := func(dir, name string) {
		path := filepath.Join(dir, "poker-hand", name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	touch(b, "poker-hand-training-true.data.gz")
	if got := paths("poker-hand"); !strings.Contains(got, "data file missing") || strings.Contains(got, "training") {
		t.Errorf("without a test file: %s", got)
	}
	subset := " all training rows and the first 100,000 of the 1,000,000 test rows"
	touch(a, "poker-hand-testing.first100000.data")
	for _, step := range []struct{ dir, name, want string }{
		{b, "unrelated", "b/poker-hand/poker-hand-training-true.data.gz a/poker-hand/poker-hand-testing.first100000.data" + subset},
		{b, "poker-hand-testing.data.gz", "b/poker-hand/poker-hand-training-true.data.gz b/poker-hand/poker-hand-testing.data.gz "},
		{b, "poker-hand-training-true.data", "b/poker-hand/poker-hand-training-true.data b/poker-hand/poker-hand-testing.data.gz "},
		{a, "poker-hand-training-true.data.gz", "a/poker-hand/poker-hand-training-true.data.gz b/poker-hand/poker-hand-testing.data.gz "},
	} {
		touch(step.dir, step.name)
		if got := paths("poker-hand"); got != step.want {
			t.Errorf("after %s: %s, want %s", step.name, got, step.want)
		}
	}
}

// A file that is too large to be hashed each time is told by its size, time of change, beginning and end.
func TestIdentityOfLargeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	identity := func() string {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f := Found{Path: path, Bytes: info.Size()}
		if err := f.identify(); err != nil {
			t.Fatal(err)
		}
		return f.identity
	}
	seen := map[string]bool{}
	changed := time.Unix(1e9, 0)
	for step, change := range []func() error{
		func() error { return os.WriteFile(path, nil, 0o644) },
		func() error { return os.Truncate(path, ReadWhole+10) }, // a hole, which takes no space
		func() error { return os.Truncate(path, ReadWhole+11) },
		func() error { return writeAt(path, 0) },
		func() error { return writeAt(path, ReadWhole+5) },
		func() error { changed = changed.Add(time.Nanosecond); return nil },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
		id := identity()
		if seen[id] || id != identity() {
			t.Errorf("step %d: identity %s again", step, id)
		}
		seen[id] = true
	}
}

func writeAt(path string, at int64) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt([]byte("x"), at)
	return err
}
