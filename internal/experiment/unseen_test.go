package experiment

import (
	"strings"
	"testing"

	"nptbench/internal/program/programtest"
)

// Before it does nothing anew a run says that it cannot see whether a command without files has changed; a report, which runs nothing, does
// not, and a version in params makes cells without records.
func TestCommandWithoutFiles(t *testing.T) {
	out := t.TempDir()
	mine := func(params string) []string {
		return small(t, "{method: mine, command: [sh, -c, 'exit 1'], params: {"+params+"}}", out)
	}
	record(t, mine("rate: 1"), out, "mine")
	for _, c := range []struct {
		args []string
		says bool
		toDo string
	}{
		{mine("rate: 1"), true, "0 to do"}, {append(mine("rate: 1"), "-report-only"), false, "0 to do"}, {mine("rate: 1, version: 2"), false, "1 to do"},
	} {
		_, _, errs := programtest.Run(t, experiment, c.args...)
		if strings.Contains(errs, "mine: has records, and the content of its program is not looked at") != c.says || !strings.Contains(errs, c.toDo) {
			t.Errorf("%s: %s", c.args, errs)
		}
	}
}
