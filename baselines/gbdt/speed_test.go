package gbdt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dmitryikh/leaves"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

// realTask encodes a fold of a real data set, or skips the test where its files are not at hand.
func realTask(t testing.TB, name string, protocol split.Protocol, fold int) (*task.Task, *task.Truth) {
	t.Helper()
	dir := os.Getenv("NPT_DATA_DIR")
	for _, d := range []string{"../../data", "../../../shared/data"} {
		if _, err := os.Stat(filepath.Join(d, name)); dir == "" && err == nil {
			dir = d
		}
	}
	if dir == "" {
		t.Skipf("no files of %s in $NPT_DATA_DIR, data or ../shared/data", name)
	}
	on, truth, err := task.Load(t.Context(), dataset.NewLibrary(dir), task.Spec{Dataset: name, Protocol: protocol, Fold: fold})
	if err != nil {
		t.Skip(err)
	}
	on.Threads = 1
	return on, truth
}

// speedRows is how many of Protein's training rows the models of TestPredictionSpeed are fitted on, to save time.
const speedRows = 4000

// Prediction by 1,000 trees for the 9,146 validation and test rows of Protein on one thread: ours, that of leaves, and the
// library's own, of arrays that are in its process already.
func TestPredictionSpeed(t *testing.T) {
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("set NPT_LONG_TESTS=1 to measure for minutes")
	}
	on, _ := realTask(t, "protein", split.Published, 0)
	for _, depth := range []int{3, 5, 10} {
		for i, m := range all {
			needPython(t, m)
			f, err := libraries[i].newFit(on, []method.Config{resolve(t, m, on.Info, 0.1, depth, 1000)})
			if err != nil {
				t.Fatal(err)
			}
			r := f.request()
			r.Rows, r.x, r.y = speedRows, r.x[:speedRows*r.Width], r.y[:speedRows]
			answer, err := trainers.fit(context.Background(), r, ignore)
			if err != nil {
				t.Fatal(err)
			}
			model, err := f.load(answer)
			if err != nil {
				t.Fatal(err)
			}
			ours := fastest(t, func() error {
				_, err := model.Predict(context.Background(), f.unseen(), f.counts, 1)
				return err
			})
			text := (&ensemble{features: model.Features, outputs: model.Outputs, link: model.link, trees: model.trees}).text()
			e, err := leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(text)), false)
			if err != nil {
				t.Fatal(err)
			}
			x, scores := widened(f.unseen()), make([]float64, on.Val+on.Test)
			byLeaves := fastest(t, func() error { return e.PredictDense(x, len(scores), on.Width, scores, 0, 1) })
			r.check, r.CheckRows = f.unseen(), on.Val+on.Test
			t.Logf("%-17s depth %2d: %.3f s, leaves %.3f s, the library %.3f s", m.Name, depth, ours, byLeaves, libraryTime(t, r))
		}
	}
}

// fastest is the least processor time of five calls.
// The measurement itself, on a small fit.
func TestLibraryTime(t *testing.T) {
	on := awkwardTask(dataset.Regression, 0, 100, 5, 5)
	for _, m := range all {
		needPython(t, m)
		f, err := libraryOf(t, m.Name).newFit(on, []method.Config{resolve(t, m, on.Info, 0.1, 3, 5)})
		if err != nil {
			t.Fatal(err)
		}
		if seconds := libraryTime(t, f.request()); seconds < 0 || seconds > 10 {
			t.Errorf("%s takes %v s", m.Name, seconds)
		}
	}
}

func fastest(t *testing.T, call func() error) float64 {
	least := math.Inf(1)
	for range 5 {
		begin := processTime(t)
		if err := call(); err != nil {
			t.Fatal(err)
		}
		least = min(least, processTime(t)-begin)
	}
	return least
}

// processTime is the processor time of this process in seconds, which a busy machine does not blur.
func processTime(t *testing.T) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// libraryTime is the processor time that the library takes for a request's check rows, measured next to it in Python.
func libraryTime(t *testing.T, r *fitRequest) float64 {
	p, err := findPython()
	if err != nil {
		t.Fatal(err)
	}
	header, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.path, "-B", "-c", `import queue, sys, time, trainer
requests = queue.Queue()
trainer.read_requests(sys.stdin.buffer, requests)
r = requests.get()
library = trainer.LIBRARIES[r["method"]](r["classify"], r["seed"], r["threads"], r["params"])
library.fit(r["x"], r["y"])
times = []
for _ in range(5):
    start = time.process_time()
    library.raw(r["check"], [r["params"]["n_estimators"]])
    times.append(time.process_time() - start)
print(min(times))`)
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(header, '\n')),
		bytes.NewReader(toBytes(r.x)), bytes.NewReader(toBytes(r.y)), bytes.NewReader(toBytes(r.check)))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}
