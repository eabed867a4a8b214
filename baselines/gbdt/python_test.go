package gbdt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	dir := t.TempDir()
	p, err := inspectPython(script(t, filepath.Join(dir, "good"),
		`echo '["3.11.2", {"xgboost": "1.7.4", "lightgbm": "4.1.0"}]'`))
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
	_, err = inspectPython(script(t, filepath.Join(dir, "bad"), "echo 'first\nno module named json' >&2; exit 3"))
	if err == nil || !strings.HasSuffix(err.Error(), "bad: exit status 3: no module named json") {
		t.Error(err)
	}
	if _, err = inspectPython(script(t, filepath.Join(dir, "mute"), "exit 0")); err == nil {
		t.Error("no answer, no error")
	}
}

func TestPinned(t *testing.T) {
	for _, lib := range libraries {
		if pinned(lib.pkg) == "" {
			t.Errorf("%s is not in requirements.txt", lib.pkg)
		}
	}
}
