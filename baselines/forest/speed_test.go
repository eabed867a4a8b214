//go:build unix

package forest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"nptbench/baselines/internal/papertest"
	"nptbench/internal/split"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
)

// BenchmarkFit grows trees on the training rows of fold 0, on one thread, beside scikit-learn where $NPT_PYTHON or the
// virtual environment of `make venv` has it. Times are of the processor, so that other work on the machine matters less.
// What is done once for a forest, however many trees it has, is given apart.
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		dataset, criterion, rule string
		trees, scikit            int // trees to fit; 0 trees of scikit-learn where its mae would take hours
	}{
		{"boston-housing", MSE, "auto", 50, 50},
		{"boston-housing", MAE, "auto", 50, 50},
		{"breast-cancer", Gini, "sqrt", 50, 50},
		{"protein", MSE, "auto", 10, 10},
		{"protein", MSE, "sqrt", 10, 10},
		{"protein", MAE, "auto", 10, 0},
		{"protein", MAE, "sqrt", 10, 0},
		{"kick", Gini, "sqrt", 20, 4},
		{"kick", Entropy, "sqrt", 20, 4},
		{"poker-hand", Gini, "sqrt", 20, 20},
		{"income", Gini, "sqrt", 10, 4},
		{"forest-cover", Gini, "sqrt", 10, 4},
		{"forest-cover", Entropy, "sqrt", 10, 4},
	} {
		name := fmt.Sprintf("%s/%s/%s", c.dataset, c.criterion, c.rule)
		var tk *task.Task
		b.Run(name+"/nptbench", func(b *testing.B) {
			if tk == nil {
				tk, _ = papertest.Fold(b, papertest.Load(b, c.dataset), split.Corrected, 0)
			}
			d := trainingRows(tk)
			o := options{criterion: c.criterion, maxFeatures: MaxFeatures(c.rule, tk.Width), threads: 1}
			start := subprocess.OwnTime()
			n, err := newBuilder(b.Context(), d, o)
			if err != nil {
				b.Fatal(err)
			}
			once := subprocess.OwnTime() - start
			start = subprocess.OwnTime()
			trees := 0
			for b.Loop() {
				if _, err := n.grow(b.Context(), trees, trees+c.trees); err != nil {
					b.Fatal(err)
				}
				trees += c.trees
			}
			b.ReportMetric(once.Seconds()*1000, "cpu-ms/forest")
			b.ReportMetric((subprocess.OwnTime()-start).Seconds()*1000/float64(trees), "cpu-ms/tree")
		})
		if c.scikit > 0 && tk != nil {
			b.Run(name+"/scikit-learn", func(b *testing.B) {
				b.ReportMetric(scikitLearn(b, tk, c.criterion, c.rule, c.scikit)*1000, "cpu-ms/tree")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkRows shows how time grows with the number of rows of a table of 28 continuous columns.
func BenchmarkRows(b *testing.B) {
	const width = 28
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			d := data{x: make([]float32, rows*width), width: width, labels: make([]uint16, rows), classes: 2}
			for i := range d.x {
				d.x[i] = float32(rng.NormFloat64())
			}
			for i := range d.labels {
				x := d.x[i*width:]
				if float64(x[0]*x[1]+x[2]+x[3]*x[4])+rng.NormFloat64() > 0 {
					d.labels[i] = 1
				}
			}
			start := subprocess.OwnTime()
			n := 0
			for b.Loop() {
				fit(b, d, options{criterion: Gini, maxFeatures: 5, threads: 1, seed: uint64(n)}, 4)
				n += 4
			}
			b.ReportMetric((subprocess.OwnTime()-start).Seconds()*1000/float64(n), "cpu-ms/tree")
		})
	}
}

// BenchmarkPredict predicts the test rows of Protein by 50 trees, on one thread.
func BenchmarkPredict(b *testing.B) {
	tk, _ := papertest.Fold(b, papertest.Load(b, "protein"), split.Corrected, 0)
	f := fit(b, *trainingRows(tk), options{criterion: MSE, maxFeatures: 3, threads: 2}, 50)
	for b.Loop() {
		f.predict(tk.TestX(), 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(50*tk.Test), "ns/row/tree")
}

// scikitLearn returns the seconds per tree that testdata/speed.py measures.
func scikitLearn(b *testing.B, tk *task.Task, criterion, rule string, trees int) float64 {
	b.Helper()
	python := os.Getenv("NPT_PYTHON")
	if python == "" {
		python = "../../.venv/bin/python"
	}
	if _, err := exec.LookPath(python); err != nil {
		b.Skipf("no scikit-learn: %v", err)
	}
	dir := b.TempDir()
	d := trainingRows(tk)
	y := slices.Clone(d.y)
	for _, label := range d.labels {
		y = append(y, float64(label))
	}
	for name, values := range map[string]any{"x": d.x, "y": y} {
		var buffer bytes.Buffer
		if err := binary.Write(&buffer, binary.LittleEndian, values); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), buffer.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	command := exec.Command(python, "testdata/speed.py", dir, criterion, rule, fmt.Sprint(trees))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		b.Fatal(err)
	}
	var seconds float64
	if err := json.Unmarshal(out, &seconds); err != nil {
		b.Fatal(err)
	}
	return seconds
}
