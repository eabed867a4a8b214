package tabnet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"nptbench/internal/backends"
)

// benchTable has random numbers and codes, and a number to predict from them.
func benchTable(rng *rand.Rand, rows int, columns columns) *table {
	t := &table{columns: columns, Train: rows, Val: max(rows/4, 1)}
	for range t.rows() {
		for range t.Numeric {
			t.Numbers = append(t.Numbers, float32(rng.NormFloat64()))
		}
		for _, n := range t.Categories {
			t.Codes = append(t.Codes, int32(rng.IntN(n)))
		}
		if t.Classes > 0 {
			t.Labels = append(t.Labels, uint16(rng.IntN(t.Classes)))
			continue
		}
		t.Targets = append(t.Targets, rng.NormFloat64())
	}
	return t
}

// A benchCase is a table and a setting of the paper's grids.
type benchCase struct {
	name    string
	rows    int
	columns columns
	config  func(*config)
}

func benchCases() (cases []benchCase) {
	for _, batch := range []int{16, 32, 64, 128, 256} {
		cases = append(cases, benchCase{fmt.Sprint("Boston/", batch), 353, columns{Numeric: 11, Categories: []int{2, 9}}, func(c *config) {
			c.BatchSize, c.VirtualBatch = batch, max(4, batch/8)
		}})
	}
	return append(cases, benchCase{"Income/4096", 8192, columns{Numeric: 6, Categories: []int{9, 52, 47, 17, 3, 7, 24, 15, 5, 10, 2, 3, 6, 8, 6, 6, 51, 38, 8, 10, 9, 10, 3, 4, 7, 5, 43, 43, 43, 5, 3, 3, 53, 2, 2}, Classes: 2},
		func(c *config) {
			c.Decision, c.Attention, c.Steps, c.Gamma, c.BatchSize, c.VirtualBatch = 16, 16, 5, 1.5, 4096, 128
		}},
		benchCase{"Protein/4096", 8192, columns{Numeric: 9}, func(c *config) {
			c.Decision, c.Attention, c.Steps, c.Gamma, c.BatchSize, c.VirtualBatch = 128, 128, 5, 1.5, 4096, 128
		}})
}

func (b benchCase) training(t testing.TB, threads int) *training {
	backend, err := backends.Open(backends.Processor, threads)
	if err != nil {
		t.Fatal(err)
	}
	c := defaults
	c.Sparsity, c.DropLast = 1e-4, true
	b.config(&c)
	tr, err := newTraining(benchTable(rand.New(rand.NewPCG(1, 2)), b.rows, b.columns), c, backend)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func BenchmarkStep(b *testing.B) {
	for _, c := range benchCases() {
		b.Run(c.name, func(b *testing.B) {
			tr := c.training(b, 1)
			batch := make([]int32, tr.net.BatchSize)
			for i := range batch {
				batch[i] = int32(i)
			}
			for b.Loop() {
				if _, err := tr.step(batch, 0.02); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEpoch(b *testing.B) {
	tr := benchCases()[0].training(b, 1)
	for b.Loop() {
		if _, err := tr.epoch(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
