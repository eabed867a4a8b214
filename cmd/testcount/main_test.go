package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

// The packages under testdata have tests of every outcome; what is expected of them was counted by hand.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		args   string
		exit   int
		want   []string // of these, what is printed ends in all lines, or has them somewhere
		not    string
		stderr string
	}{
		{"./testdata/green", program.ExitOK, []string{"skipped 1: no GPU (green.TestSkips)\n1 tests passed, 0 failed, 1 skipped\n"}, "PASS", ""},
		{"-allowed GPU ./testdata/green", program.ExitOK, []string{"1 skipped\n"}, "NOT", ""},
		{"-allowed Windows ./testdata/green", program.ExitFailed, []string{"skipped 1: NOT ALLOWED HERE: no GPU (green.TestSkips)\n"}, "", "1 tests are skipped"},
		{"-flags -run=Passes ./testdata/green ./testdata/mixed ./testdata/broken", program.ExitFailed, []string{"2 tests passed, 0 failed, 0 skipped\n", "undefined: undefined"}, "", ""},
		{"./testdata/mixed", program.ExitFailed, []string{
			"skipped 2: no GPU (mixed.TestOneSubtestSkips/a, ...)\nskipped 2: no file: get one (mixed.TestAllSubtestsSkip/a, ...)\n" +
				"skipped 1: without a reason (mixed.TestSkipsWithoutReason)\n3 tests passed, 1 failed, 6 skipped\n",
			"skipped 1: all its subtests are skipped (mixed.TestAllSubtestsSkip)\n", "the cause"}, "not shown", ""},
		{"-allowed GPU ./testdata/mixed", program.ExitFailed, nil, "HERE: all its", "3 tests are skipped"},
		{"./testdata/crash", program.ExitFailed, []string{"0 tests passed, 1 failed, 0 skipped\n", "going down"}, "", ""},
		{"./testdata/none", program.ExitFailed, []string{"0 tests passed, 0 failed, 0 skipped\n"}, "", ""},
		{"-allowed ( ./testdata/green", program.ExitBadInput, nil, "passed", "-allowed"},
	} {
		t.Run(c.args, func(t *testing.T) {
			exit, out, errs := programtest.Run(t, testcount, strings.Fields(c.args)...)
			missing := func(s string) bool { return !strings.Contains(out, s) }
			if exit != c.exit || slices.ContainsFunc(c.want, missing) || c.not != "" && strings.Contains(out, c.not) || !strings.Contains(errs, c.stderr) {
				t.Errorf("exit %d, want %d; printed, beside %q:\n%s", exit, c.exit, errs, out)
			}
		})
	}
}

// What continuous integration allows is a test that takes long or needs another machine, not one whose tools are missing.
func TestAllowedInIntegration(t *testing.T) {
	script, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`SKIPS='(.*)'`).FindSubmatch(script)
	if found == nil {
		t.Fatal("no SKIPS in .ci/run")
	}
	allowed := regexp.MustCompile(string(found[1]))
	for why, want := range map[string]bool{
		"takes minutes; NPT_LONG_TESTS=1 runs it":            true,
		"set NPT_LONG_TESTS=1 to measure for minutes":        true,
		"NPT_GPYTORCH_PYTHON is not set: see make check-dkl": true,
		"no GPU":           true,
		"without a reason": false,
		"no .venv with Python here or above, and NPT_PYTHON is not set; run `make venv`": false,
		"backend xla:cpu: no XLA plugin: $NPT_XLA_CPU names none":                        false,
	} {
		if got := allowed.MatchString(why); got != want {
			t.Errorf("%q: allowed %v, want %v", why, got, want)
		}
	}
}
