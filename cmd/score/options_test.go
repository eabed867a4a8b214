package main

import (
	"testing"

	"nptbench/internal/split"
	"nptbench/internal/task"
)

// Folds are those of the paper's code for its data sets, and true ones for others, where neither options nor the model say.
func TestDefaultProtocol(t *testing.T) {
	for _, c := range []struct {
		o           options
		other, want split.Protocol
	}{
		{options{dataset: "yacht"}, "", split.Published},
		{options{dataset: "waves"}, "", split.Corrected},
		{options{dataset: "waves", protocol: split.Published}, "", split.Published},
		{options{dataset: "yacht"}, split.Corrected, split.Corrected},
		{options{dataset: "yacht", protocol: split.Published}, split.Corrected, split.Published},
	} {
		if got := c.o.spec(task.Spec{Protocol: c.other}).Protocol; got != c.want {
			t.Errorf("%+v, of a model by %q folds: %s, want %s", c.o, c.other, got, c.want)
		}
	}
}
