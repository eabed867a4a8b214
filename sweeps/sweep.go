package sweeps

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/document"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
)

// A Catalogue lists what a sweep may name.
type Catalogue struct {
	Methods      []*method.Method
	Datasets     []dataset.Info
	Folders      []string // that were searched for data sets of one's own; messages name them
	Measurements []*measure.Measurement
}

// A Sweep is a sweep file, checked and expanded.
type Sweep struct {
	Name        string // the file's name unless it says otherwise
	File        string // as it appears in error messages
	Description string
	Seed        uint64
	Protocols   []split.Protocol
	Datasets    []string // in file order
	Select      Selection
	Budget      Budget

	folds    folds
	settings map[string][]Setting // by data set
}

// A Selection names the metrics on validation rows that choose a method's configuration.
type Selection struct{ Regression, Classification string }

// Metric returns the metric for one kind of task.
func (s Selection) Metric(kind dataset.Problem) string {
	if kind == dataset.Regression {
		return s.Regression
	}
	return s.Classification
}

// A Budget is what one cell may use. Zero is no limit.
type Budget struct {
	Time   time.Duration
	Memory int64 // bytes
}

// A Setting is one configuration that the sweep asks for.
type Setting struct {
	Method  *method.Method
	Config  method.Config     // complete, as method.Resolve gives it; shared, not to be modified
	Variant string            // the name that the file gives it, or ""
	JSON    string            // Config.JSON()
	At      document.Position // where the file asks for it

	// Measure is what is to be measured on the model that the setting's training gives; nil: this is the training. With has its
	// parameters, complete.
	Measure *measure.Measurement
	With    method.Config
}

// Key tells the settings of a data set apart: what is measured, and its parameters, or nothing for a training.
func (s *Setting) Key() (name, with string) {
	if s.Measure == nil {
		return "", ""
	}
	return s.Measure.Name, s.With.JSON()
}

// Settings returns the settings of one data set, all different, in file order, each followed by what is to be measured on its model.
// The slice is shared: do not modify it.
func (s *Sweep) Settings(dataset string) []Setting { return s.settings[dataset] }

// Folds returns the numbers of the folds to run, counted from 0.
func (s *Sweep) Folds(info dataset.Info) []int { return s.folds.of(info) }

//go:embed *.yaml
var files embed.FS

// Names lists the built-in sweeps, which Load knows by these bare names.
func Names() []string {
	entries, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, e := range entries {
		entries[i] = strings.TrimSuffix(e, ".yaml")
	}
	return entries
}

// Load reads a sweep: a built-in one when given a bare name such as "table1-quick", else the file at that path. Mistakes
// in the file come back all together, as document.Errors.
func Load(nameOrPath string, c Catalogue) (*Sweep, error) {
	if slices.Contains(Names(), nameOrPath) {
		content, err := files.ReadFile(nameOrPath + ".yaml")
		if err != nil {
			return nil, err
		}
		return Parse("sweeps/"+nameOrPath+".yaml", content, c)
	}
	info, err := os.Stat(nameOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		bare := strings.TrimSuffix(filepath.Base(nameOrPath), ".yaml")
		if slices.Contains(Names(), bare) {
			return nil, fmt.Errorf("sweep %q: no such file; the built-in sweep is called %q", nameOrPath, bare)
		}
		hint := spelling.Hint(bare, Names())
		if _, err := os.Stat(nameOrPath + ".yaml"); err == nil {
			hint = fmt.Sprintf(" (did you mean %q?)", nameOrPath+".yaml")
		}
		return nil, fmt.Errorf("sweep %q: no such file and no built-in sweep of that name%s", nameOrPath, hint)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("sweep %q: %w", nameOrPath, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("sweep %q: not a regular file; a sweep is a YAML file or the name of a built-in one", nameOrPath)
	case info.Size() > document.MaxBytes:
		return nil, fmt.Errorf("sweep %q: %d bytes; a sweep file has at most %d", nameOrPath, info.Size(), document.MaxBytes)
	}
	content, err := os.ReadFile(nameOrPath)
	if err != nil {
		return nil, fmt.Errorf("sweep %q: %w", nameOrPath, err)
	}
	return Parse(nameOrPath, content, c)
}
