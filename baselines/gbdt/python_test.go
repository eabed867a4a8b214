package gbdt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

// script writes an executable that stands in for Python.
func script(t *testing.T, file, body string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPythonPath(t *testing.T) {
	dir := t.TempDir()
	venv := script(t, filepath.Join(dir, ".venv", "bin", "python"), "exit 0")
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	t.Setenv("NPT_PYTHON", "")
	if path, err := pythonPath(); err != nil || path != venv {
		t.Errorf("path %s, error %v, want %s", path, err, venv)
	}
	t.Setenv("NPT_PYTHON", filepath.Join(dir, "missing"))
	if path, err := pythonPath(); err == nil {
		t.Errorf("path %s, want an error", path)
	}
}

func TestInspectPython(t *testing.T) {
	t.Setenv("NPT_PYTHON", "") // messages are others where it is set
	dir := t.TempDir()
	p, err := inspectPython(script(t, filepath.Join(dir, "good"),
		`printf '\n\nwelcome\n["3.11.2", {"xgboost": "1.7.4", "lightgbm": "4.1.0", "numpy": "1.23.5"}]\n'`))
	if err != nil || p.version != "3.11.2" {
		t.Fatal(p, err)
	}
	if err := p.check("xgboost"); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"lightgbm": "good has lightgbm 4.1.0, want 3.3.5; run `make venv`",
		"catboost": "good has no catboost, want 1.2; run `make venv`",
	} {
		if err := p.check(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	newer := python{version: "3.11.2", path: "good", packages: map[string]string{"xgboost": "1.7.4", "numpy": "1.26.4"}}
	if err := newer.check("xgboost"); err == nil || err.Error() != "good has numpy 1.26.4, want 1.23.5; run `make venv`" {
		t.Error(err)
	}
	old := *p
	for old.version = range map[string]bool{"3.10.12": true, "2.7": true, "": true} {
		if err := old.check("xgboost"); err == nil || !strings.Contains(err.Error(), "is Python "+old.version+", want 3.11: run") {
			t.Error(err)
		}
	}
	for old.version = range map[string]bool{"3.12.1": true, "3.13.0": true} { // whose packages cannot be installed
		if err := old.check("catboost"); err == nil || !strings.Contains(err.Error(), "good has no catboost; that is Python "+old.version+", and catboost 1.2 is for 3.11: run `make venv PY=python3.11`") {
			t.Error(err)
		}
	}
	_, err = inspectPython(script(t, filepath.Join(dir, "bad"), "echo 'first\nno module named json' >&2; exit 3"))
	if err == nil || !strings.HasSuffix(err.Error(), "bad: exit status 3: no module named json") {
		t.Error(err)
	}
	if _, err = inspectPython(script(t, filepath.Join(dir, "mute"), "exit 0")); err == nil {
		t.Error("no answer, no error")
	}
}

// forget has the next findPython inspect an interpreter again.
func forget(t *testing.T) {
	t.Helper()
	reset := func() { found.python, found.hangs = nil, nil }
	reset()
	t.Cleanup(reset)
}

// An interpreter that is killed once is asked again, and one that fails is not remembered.
func TestTransientFaultsOfPython(t *testing.T) {
	forget(t)
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	t.Setenv("NPT_PYTHON", script(t, filepath.Join(dir, "python"),
		`echo x >>`+count+`; case $(wc -l <`+count+`) in 1|3|4) kill -9 $$;; esac; echo '["3.11.2", {"xgboost": "1.7.4", "numpy": "1.23.5"}]'`))
	if _, err := findPython(); err != nil {
		t.Errorf("killed once: %v", err)
	}
	forget(t)
	if err := checkPackage("xgboost"); err == nil || !strings.HasSuffix(err.Error(), "python: signal: killed") {
		t.Errorf("killed twice: %v", err)
	}
	if err := checkPackage("xgboost"); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// A program that does not answer is given up, once for all methods.
func TestPythonThatHangs(t *testing.T) {
	forget(t)
	defer func(d time.Duration) { inspectTimeout = d }(inspectTimeout)
	inspectTimeout = 200 * time.Millisecond
	path := script(t, filepath.Join(t.TempDir(), "python"), "sleep 100")
	t.Setenv("NPT_PYTHON", path)
	start := time.Now()
	for range 4 {
		err := checkPackage("xgboost")
		if want := path + " does not list its packages within 200ms, want a Python"; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

// What is printed while Python starts is neither its list of packages nor an answer of the trainer.
func TestPythonThatPrints(t *testing.T) {
	needPython(t, XGBoost)
	forget(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), []byte("print('welcome', flush=True)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", dir)
	if err := checkPackage("xgboost"); err != nil {
		t.Error(err)
	}
	f, err := xgboost.newFit(awkwardTask(dataset.Regression, 0, 100, 5, 5), []method.Config{resolve(t, XGBoost, dataset.Info{}, 0.1, 3, 5)})
	if err != nil {
		t.Fatal(err)
	}
	p := pool{command: trainerCommand}
	if _, err := p.fit(t.Context(), f.request()); err != nil {
		t.Fatal(err)
	}
	if printed := p.idle[0].printed.String(); printed != "welcome" {
		t.Errorf("printed %q", printed)
	}
	p.idle[0].stop()
}

func TestPinned(t *testing.T) {
	for _, lib := range []library{scikit, xgboost, lightgbm, catboost} {
		if pinned(lib.pkg) == "" {
			t.Errorf("%s is not in requirements.txt", lib.pkg)
		}
	}
}
