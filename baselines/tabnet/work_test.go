package tabnet

import (
	"maps"
	"math"
	"slices"
	"testing"

	"nptbench/internal/dataset"
)

// What an epoch takes one core is in proportion to its work, from tables of 300 rows to eleven million, and whether a fixed test set is most
// of the table or not: processor seconds of records in results/published by their epochs, and for Higgs the epoch of make bench-higgs.
func TestWork(t *testing.T) {
	small := map[string]any{"n_steps": 3, "batch_size": 64, "virtual_batch_size": 16}
	of := map[string]struct {
		config  map[string]any
		seconds float64
	}{
		"yacht":          {small, 0.623 / 292},
		"boston-housing": {small, 0.649 / 159},
		"concrete":       {small, 1.097 / 162},
		"breast-cancer":  {small, 1.242 / 227},
		"poker-hand":     {map[string]any{"n_d": 16, "n_a": 16, "n_steps": 4, "batch_size": 1024, "virtual_batch_size": 128}, 71.9 / 184},
		"income":         {map[string]any{"n_d": 16, "n_a": 16, "n_steps": 5, "batch_size": 4096, "virtual_batch_size": 128}, 1349.2 / 193},
		"higgs":          {map[string]any{"n_d": 96, "n_a": 32, "n_steps": 8, "batch_size": 8192, "virtual_batch_size": 256}, 2023},
	}
	rates := map[string]float64{}
	for _, info := range dataset.Infos() {
		took, ok := of[info.Name]
		if !ok {
			continue
		}
		took.config["max_epochs"] = 1
		c, err := Method.Resolve(took.config, info)
		if err != nil {
			t.Fatal(err)
		}
		rates[info.Name] = took.seconds / work(c, info)
	}
	if len(rates) != len(of) {
		t.Fatalf("%d data sets of %d", len(rates), len(of))
	}
	middle := slices.Sorted(maps.Values(rates))[len(rates)/2]
	for name, r := range rates {
		if !(math.Abs(math.Log(r/middle)) <= math.Log(2)) {
			t.Errorf("%s takes %.2g s by its work, the median is %.2g", name, r, middle)
		}
	}
}
