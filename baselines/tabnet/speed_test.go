//go:build unix

package tabnet

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"nptbench/internal/subprocess"
)

// TestLibrarySpeed prints the processor time of a training step beside the library's, each on one thread, in turns.
func TestLibrarySpeed(t *testing.T) {
	python := needLibrary(t)
	const rounds = 5
	cmd := exec.Command(python, "testdata/oracle.py", "time", "1")
	cmd.Env, cmd.Stderr = append(os.Environ(), "OMP_NUM_THREADS=1"), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for _, b := range benchCases() {
		tr := b.training(t, 1)
		c, columns := tr.net.config, tr.net.columns
		steps := max(2, 800/c.BatchSize)
		ask, err := json.Marshal(map[string]any{
			"numeric": columns.Numeric, "categories": append([]int{}, columns.Categories...), "classes": columns.Classes, "n_d": c.Decision, "n_a": c.Attention,
			"n_steps": c.Steps, "gamma": c.Gamma, "n_shared": c.Shared, "n_independent": c.Independent, "momentum": c.Momentum,
			"batch_size": c.BatchSize, "virtual_batch_size": c.VirtualBatch, "lambda_sparse": c.Sparsity, "steps": steps,
		})
		if err != nil {
			t.Fatal(err)
		}
		batch := make([]int32, c.BatchSize)
		for i := range batch {
			batch[i] = int32(i)
		}
		var ours, theirs []float64
		for range rounds {
			if _, err := tr.step(batch, 0.02); err != nil { // compiles
				t.Fatal(err)
			}
			begin := subprocess.OwnTime()
			for range steps {
				if _, err := tr.step(batch, 0.02); err != nil {
					t.Fatal(err)
				}
			}
			ours = append(ours, (subprocess.OwnTime()-begin).Seconds()/float64(steps))
			fmt.Fprintf(in, "%s\n", ask)
			if !answers.Scan() {
				t.Fatal("the library gave no answer")
			}
			var x float64
			if _, err := fmt.Sscan(answers.Text(), &x); err != nil {
				t.Fatal(err)
			}
			theirs = append(theirs, x)
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		a, l := ours[rounds/2], theirs[rounds/2]
		t.Logf("%-13s %8.2f ms, the library %8.2f ms: %.1f times as fast", b.name, 1e3*a, 1e3*l, l/a)
		tr.free()
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
