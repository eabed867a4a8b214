package results

import "testing"

// The time of a network on a GPU counts once, however many threads the fit could use; all other times count for each thread.
func TestProcessors(t *testing.T) {
	for _, c := range []struct {
		p    Provenance
		want float64
	}{
		{Provenance{Threads: 16, Backend: "xla:cuda,tf32=false"}, 1}, {Provenance{Threads: 16, Backend: "xla:cpu"}, 16}, {Provenance{Threads: 2, Backend: "fused"}, 2},
		{Provenance{Threads: 4, GPU: "of the machine, which a forest does not use"}, 4}, {Provenance{}, 1},
	} {
		if got := c.p.Processors(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.p, got, c.want)
		}
	}
}
