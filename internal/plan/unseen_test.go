package plan

import (
	"testing"

	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/method"
	"nptbench/results"
)

// A command without files that has records is named, once: that it has changed cannot be seen.
func TestUnseen(t *testing.T) {
	lib := datasettest.Library(t)
	for _, c := range []struct {
		command *method.Command
		done    bool
		options Options
		lines   int
	}{
		{&method.Command{}, true, Options{}, 1}, {&method.Command{}, false, Options{}, 0}, {&method.Command{Digest: "0123abcd"}, true, Options{}, 0},
		{nil, true, Options{}, 0}, {&method.Command{}, true, Options{Methods: []string{"absent"}}, 0},
	} {
		s := sweep(t, lib, "waves, circles", "{shift: [1]}", "  - method: absent\n")
		all, records := planned(t, s, Options{}, lib, nil), results.Index{}
		for _, g := range all.Groups() {
			if c.done && g.Method.Name == "mean" {
				records[all.cell(g, 1, 0).ID()] = results.OK
			}
		}
		p := planned(t, s, c.options, lib, records)
		for _, g := range p.Groups() {
			if g.Method.Name == "mean" {
				g.Method.Command = c.command
			}
		}
		const want = "mean: has records, and the content of its program is not looked at: if that has changed since, count a version in its params"
		if lines := p.Unseen(); len(lines) != c.lines || c.lines > 0 && lines[0] != want {
			t.Errorf("%+v: %q", c, lines)
		}
	}
}
