package report_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The experiment in EXTENDING.md is one as it stands there: with its sweep built in it gets as far as looking for records.
func TestDocumentedExperiment(t *testing.T) {
	document, err := os.ReadFile("../EXTENDING.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## Your own experiment\n")
	dir := t.TempDir()
	added := map[string]string{}
	for path, language := range map[string]string{"experiments/neighbours/main.go": "go", "sweeps/neighbours.yaml": "yaml"} {
		_, block, _ := strings.Cut(section, "```"+language+"\n")
		block, _, _ = strings.Cut(block, "```")
		added[filepath.Join(root, path)] = filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(added[filepath.Join(root, path)], []byte(block), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": added})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", "-overlay", filepath.Join(dir, "overlay.json"), "./experiments/neighbours",
		"-report-only", "-out", filepath.Join(dir, "out"))
	run.Dir = root
	if printed, err := run.CombinedOutput(); err == nil || !strings.Contains(string(printed), "no records of sweep neighbours in") {
		t.Errorf("%v, %s", err, printed)
	}
}
