package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nptbench/internal/program"
)

// The test program, asked for a fit on a large table, stands in for one that takes long.
func TestMain(m *testing.M) {
	if os.Getenv(bigVariable) != "" {
		time.Sleep(time.Minute)
		return
	}
	os.Exit(m.Run())
}

// An interrupt is the error, and not what became of a process for it; of a Python that fails the last line is told.
func TestProcesses(t *testing.T) {
	tk, truth := generated(20, 5)
	theirs := func(ctx context.Context, script string) error {
		python := filepath.Join(t.TempDir(), "python")
		if err := os.WriteFile(python, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		_, _, err := benchmarks[0].theirs(ctx, &options{python: python, threads: 1}, tk, truth)
		return err
	}
	err := theirs(t.Context(), "printf 'Traceback:\n  File\nImportError: no sklearn\n' >&2; exit 1")
	if err == nil || !strings.HasSuffix(err.Error(), "python: exit status 1: ImportError: no sklearn") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a Python that fails: %q", err)
	}
	for what, run := range map[string]func(context.Context) error{
		"scikit-learn": func(ctx context.Context) error { return theirs(ctx, "exec sleep 60") },
		"a large fit": func(ctx context.Context) error {
			_, err := measureBig(ctx, bigFits()[0], 64, math.MaxUint64)
			return err
		},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, interrupt)
		if err := run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want the context's error", what, err)
		}
	}
}

// What the command line asks for is checked before anything is measured, and the document stays as it is.
func TestRefuses(t *testing.T) {
	document := filepath.Join(t.TempDir(), "BENCHMARKS.md")
	const text = "<!-- comparison -->\nrows\n<!-- end of comparison -->\n"
	if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"-methods knnn":                   `-methods: "knnn" is not measured (did you mean "knn"?)`,
		"-methods tabnet":                 `-methods: "tabnet" is not measured; known: knn, mlp, random-forest`,
		"-tables yatch":                   `-tables: "yatch" is not measured (did you mean "yacht"?)`,
		"-scaling -tables yacht":          `-tables: "yacht" is not measured; known: 28 numbers, forest-cover, income, poker-hand`,
		"-higgs -tables yacht":            `-tables: "yacht" is not measured; known: higgs`,
		"-methods knn -tables yacht":      `-methods, -tables: none of these methods is measured on one of these tables`,
		"-methods knn -document DOC":      `-document: its table would lose the rows that -methods or -tables leave out`,
		"-tables yacht -document DOC":     `-document: its table would lose the rows that -methods or -tables leave out`,
		"-higgs -methods knn -document D": `-document: its table would lose the rows that -methods or -tables leave out`,
		"-higgs -largest 3":               `-largest 3: want 64, 16, 4 or 1`,
		"-higgs -memory 0":                `-memory 0: want more than 0`,
		"-threads 0":                      `-threads 0: want at least 1`,
	} {
		var out strings.Builder
		words := strings.Fields(strings.ReplaceAll(args, "DOC", document))
		exit, err := bench(t.Context(), program.Env{Args: words, Getenv: os.Getenv, Width: 80, Stdout: &out, Stderr: &out})
		if exit != program.ExitBadInput || err == nil || !strings.HasPrefix(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%s: exit code %d, error %v, printed %q, want %s", args, exit, err, out.String(), want)
		}
	}
	nothing := &section{out: &strings.Builder{}}
	nothing.head("Method", "Table")
	if err := nothing.replaceIn(document, "comparison", "make"); err == nil || !strings.HasSuffix(err.Error(), "nothing was measured, so its table stays") {
		t.Errorf("a table without rows: %v", err)
	}
	if now, err := os.ReadFile(document); err != nil || string(now) != text {
		t.Errorf("the document is now %q, error %v", now, err)
	}
}
