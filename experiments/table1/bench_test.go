package main

import (
	"testing"

	"nptbench/internal/subprocess"
	"nptbench/results"
)

// BenchmarkMillion reports on a million records: the published ones under as many seeds as that takes, in a file of a gigabyte:
// by the clock, and by the processor time of all cores, which depends less on what else the machine does.
func BenchmarkMillion(b *testing.B) {
	const million = 1_000_000
	store, err := results.Open(b.Context(), "../../results/published")
	if err != nil {
		b.Fatal(err)
	}
	dir, written := b.TempDir(), 0
	w := results.NewWriter(dir)
	for again := uint64(0); written < million; again++ {
		for r, err := range store.Records() {
			if err != nil {
				b.Fatal(err)
			}
			r.Seed += 100 * again
			r.ID = r.Cell.ID()
			if err := w.Append(r); err != nil {
				b.Fatal(err)
			}
			if written++; written == million {
				break
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	began := subprocess.OwnTime()
	for b.Loop() {
		exit, _, errs, err := call(b, "-sweep", "table1-cpu", "-protocol", "both", "-with", dir, "-report-only", "-out", b.TempDir())
		if err != nil || exit != 0 {
			b.Fatal(exit, err, errs)
		}
	}
	b.ReportMetric((subprocess.OwnTime()-began).Seconds()/float64(b.N), "processor-s/op")
}
