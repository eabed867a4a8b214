package gbdt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// The test program stands in for a trainer when this is set; its value says how it misbehaves.
const standInVariable = "GBDT_STAND_IN"

func TestMain(m *testing.M) {
	if how := os.Getenv(standInVariable); how != "" {
		standIn(how)
		return
	}
	os.Exit(m.Run())
}

func standIn(how string) {
	answers := os.NewFile(3, "answers")
	switch how {
	case "crash at start":
		fmt.Fprintln(os.Stderr, "fatal: no numpy")
		os.Exit(3)
	case "print":
		fmt.Println(`{"error":"printed by a C library"}`)
	}
	fmt.Fprintln(answers, "{}")
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		return
	}
	switch how {
	case "crash":
		fmt.Fprintln(os.Stderr, "starting\nfatal: the library has a bug")
		os.Exit(3)
	case "terminate":
		fmt.Fprintln(os.Stderr, "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc")
		os.Exit(3)
	case "hang":
		time.Sleep(time.Minute)
	case "kill":
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		time.Sleep(time.Minute)
	case "babble":
		fmt.Fprintln(answers, "[LightGBM] [Info] Total Bins 12")
		time.Sleep(time.Minute)
	case "print":
		fmt.Println("[LightGBM] [Info] Total Bins 12")
		fmt.Fprintln(answers, `{"version":"1","fit_seconds":7}`)
		time.Sleep(time.Minute)
	case "stop short":
		fmt.Fprintln(answers, `{"arrays":[{"name":"model","bytes":100}]}`)
		fmt.Fprint(answers, "0123456789")
	case "no memory":
		fmt.Fprintln(answers, `{"error":"MemoryError: Unable to allocate 3 GiB","out_of_memory":true}`)
		time.Sleep(time.Minute)
	case "broken":
		fmt.Fprintln(answers, `{"error":"ModuleNotFoundError: No module named 'xgboost'","broken":true}`)
		time.Sleep(time.Minute)
	case "refuse":
		fmt.Fprintln(answers, `{"error":"ValueError: y is wrong"}`)
		time.Sleep(time.Minute)
	}
}

// standIns is a pool whose trainers behave as named, one after the other; started counts them.
func standIns(how ...string) (p *pool, started *int) {
	started = new(int)
	return &pool{command: func() (*exec.Cmd, error) {
		this := how[min(*started, len(how)-1)]
		*started++
		if this == "gone" {
			return nil, errors.New("no .venv with Python")
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), standInVariable+"="+this)
		return cmd, nil
	}}, started
}

func TestWorkerFailures(t *testing.T) {
	for _, c := range []struct {
		how, want string
		kind      error
		reused    bool
		started   int
	}{
		{"crash", "trainer crashed: exit status 3: fatal: the library has a bug", method.ErrCrash, false, 1},
		{"kill", "trainer crashed: signal: killed", method.ErrCrash, false, 1},
		{"terminate", "trainer out of memory: exit status 3: what():  std::bad_alloc", method.ErrMemory, false, 1},
		{"babble", "the trainer's answer makes no sense: invalid character", nil, false, 1},
		{"stop short", "trainer crashed: it ended without an answer", method.ErrCrash, false, 1},
		{"no memory", "out of memory: MemoryError: Unable to allocate 3 GiB", method.ErrMemory, false, 1},
		{"refuse", "ValueError: y is wrong", nil, true, 1},
		{"crash at start", "the trainer did not start: trainer crashed: exit status 3: fatal: no numpy", method.ErrCrash, false, 2},
		{"broken", "the trainer did not start: ModuleNotFoundError: No module named 'xgboost'", nil, false, 2},
		{"gone", "the trainer did not start: no .venv with Python", nil, false, 2},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			p, started := standIns(c.how)
			_, err := p.fit(context.Background(), &fitRequest{})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want %q", err, c.want)
			}
			for _, kind := range []error{method.ErrCrash, method.ErrMemory} {
				if errors.Is(err, kind) != (kind == c.kind) {
					t.Errorf("error %q: it is %q: %v", err, kind, kind != c.kind)
				}
			}
			if reused := len(p.idle) == 1; reused != c.reused {
				t.Errorf("the worker is kept: %v, want %v", reused, c.reused)
			}
			if *started != c.started {
				t.Errorf("%d workers, want %d", *started, c.started)
			}
		})
	}
}

// A fault that is over with the next start costs no fit, and no trainer that had it is kept. What the next one prints to standard output
// is not taken for an answer.
func TestTransientFaults(t *testing.T) {
	for _, fault := range []string{"gone", "crash at start", "broken"} {
		p, started := standIns(fault, "print")
		answer, err := p.fit(t.Context(), &fitRequest{})
		if err != nil || answer.FitSeconds != 7 || *started != 2 || len(p.idle) != 1 {
			t.Errorf("%s: answer %+v, error %v, %d started, %d kept", fault, answer, err, *started, len(p.idle))
		}
		for _, w := range p.idle {
			w.stop()
		}
	}
}

// A worker that hangs is ended when the context is, and at once.
func TestWorkerHangs(t *testing.T) {
	p, started := standIns("hang")
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		begin := time.Now()
		_, err := p.fit(ctx, &fitRequest{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	}
	if *started != 2 {
		t.Errorf("%d workers, want a fresh one for each fit", *started)
	}
}

// A trainer killed in the middle of a fit fails that fit alone; the next one gets a fresh trainer.
func TestKilledTrainer(t *testing.T) {
	needPython(t, CatBoost)
	on := awkwardTask(dataset.Regression, 0, 300, 20, 20)
	fitAll(t, CatBoost, on, 0.3, 3, 5)
	victim := trainers.idle[len(trainers.idle)-1]
	time.AfterFunc(200*time.Millisecond, func() { victim.cmd.Process.Kill() })
	long := resolve(t, CatBoost, on.Info, 0.001, 10, 50_000)
	err := CatBoost.Run(context.Background(), on, []method.Config{long}, func(method.Result) { t.Error("a result") })
	if err == nil || !strings.Contains(err.Error(), "trainer crashed: signal: killed") || !errors.Is(err, method.ErrCrash) {
		t.Errorf("error %v", err)
	}
	fitAll(t, CatBoost, on, 0.3, 3, 5)
	if trainers.idle[len(trainers.idle)-1] == victim {
		t.Error("the dead trainer is still used")
	}
}

// A trainer that is killed while it has nothing to do costs no fit.
func TestKilledIdleTrainer(t *testing.T) {
	needPython(t, CatBoost)
	on := awkwardTask(dataset.Regression, 0, 300, 20, 20)
	fitAll(t, CatBoost, on, 0.3, 3, 5)
	victim := trainers.idle[len(trainers.idle)-1]
	victim.cmd.Process.Kill()
	victim.ended() // which a busy machine may take a while for
	fitAll(t, CatBoost, on, 0.3, 3, 5)
	if trainers.idle[len(trainers.idle)-1] == victim {
		t.Error("the dead trainer is still used")
	}
}

// A library that may not have the memory it wants fails with a failure of that kind, and the next fit has a fresh trainer.
func TestOutOfMemory(t *testing.T) {
	long := os.Getenv("NPT_LONG_TESTS") != ""
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			needPython(t, m)
			if m != CatBoost && !long {
				t.Skip("set NPT_LONG_TESTS=1 for the other libraries")
			}
			limited := pool{command: func() (*exec.Cmd, error) {
				python, err := trainerCommand()
				if err != nil {
					return nil, err
				}
				cmd := exec.Command("sh", append([]string{"-c", `ulimit -v 1500000; exec "$@"`, "sh"}, python.Args...)...)
				cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
				return cmd, nil
			}}
			on := awkwardTask(dataset.MultiClass, 4, 100, 5, 5)
			f, err := libraryOf(t, m.Name).newFit(on, []method.Config{resolve(t, m, on.Info, 0.1, 3, 5)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := limited.fit(context.Background(), f.request()); err != nil {
				t.Fatalf("a small fit: %v", err)
			}
			big, times := f.request(), 1<<30 // the table does not fit into memory
			if long {
				times = 400_000 // it does, but not together with what the library makes of it
				big.x, big.labels = slices.Repeat(big.x, times), slices.Repeat(big.labels, times)
			}
			big.Rows *= times
			_, err = limited.fit(context.Background(), big)
			if !errors.Is(err, method.ErrMemory) || strings.Contains(err.Error(), "\n") {
				t.Errorf("a large fit: %v", err)
			}
			if len(limited.idle) != 0 {
				t.Error("the trainer that failed is kept")
			}
			if _, err := limited.fit(context.Background(), f.request()); err != nil {
				t.Errorf("the next fit: %v", err)
			}
			limited.idle[0].stop()
		})
	}
}

// Errors for want of memory are told from those of a broken environment, also when a library is imported.
func TestErrorsOfMemory(t *testing.T) {
	needPython(t, XGBoost)
	python, err := pythonPath()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-B", "-c", `
from trainer import Broken, out_of_memory

print(*map(out_of_memory, (
    MemoryError(), OSError(12, "no room"), RuntimeError("std::bad_alloc"), Broken("MemoryError: "),
    ImportError("libxgboost.so: failed to map segment from shared object: Cannot allocate memory"),
    OSError(2, "no such file"), Broken("ModuleNotFoundError: No module named 'xgboost'"))))
`).Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != "True True True True True False False" {
		t.Errorf("%v: %s, want True of the first five alone", err, got)
	}
}

// The libraries say how many iterations are done, and that changes no tree.
func TestFitsSayHowFarTheyAre(t *testing.T) {
	for _, m := range all {
		needPython(t, m)
		on := awkwardTask(dataset.MultiClass, 4, 100, 5, 5)
		f, err := libraryOf(t, m.Name).newFit(on, []method.Config{resolve(t, m, on.Info, 0.1, 3, 5)})
		if err != nil {
			t.Fatal(err)
		}
		var told []int
		talkative := f.request()
		talkative.TellSeconds, talkative.grown = 1e-9, func(iterations int) { told = append(told, iterations) }
		answer, err := trainers.fit(t.Context(), talkative)
		if err != nil {
			t.Fatal(err)
		}
		quiet, err := trainers.fit(t.Context(), f.request())
		if err != nil {
			t.Fatal(err)
		}
		want := []int{1, 2, 3, 4, 5}
		if m == CatBoost {
			want = nil
		}
		if !slices.Equal(told, want) || !bytes.Equal(answer.bytes("raw"), quiet.bytes("raw")) {
			t.Errorf("%s: it told of %v iterations, want %v, or has other trees", m.Name, told, want)
		}
	}
}

// What lies in the working directory is not imported.
func TestWorkingDirectory(t *testing.T) {
	needPython(t, XGBoost)
	dir := t.TempDir()
	for _, name := range []string{"queue.py", "xgboost.py", "json.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("raise SystemExit('mine')\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path, err := pythonPath()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NPT_PYTHON", path) // the folder is not below the one with .venv
	t.Chdir(dir)
	f, err := xgboost.newFit(awkwardTask(dataset.Regression, 0, 100, 5, 5), []method.Config{resolve(t, XGBoost, dataset.Info{}, 0.1, 3, 5)})
	if err != nil {
		t.Fatal(err)
	}
	p := pool{command: trainerCommand}
	if _, err := p.fit(t.Context(), f.request()); err != nil {
		t.Fatal(err)
	}
	p.idle[0].stop()
	if _, err := inspectPython(path); err != nil {
		t.Error(err)
	}
}

// A long fit hands on what its library says.
func TestProgressOfLongFits(t *testing.T) {
	on := awkwardTask(dataset.Regression, 0, 300, 20, 20)
	var last task.Progress
	on.Progress = func(p task.Progress) { last = p }
	for _, c := range []struct {
		trees int
		long  bool
	}{{1000, false}, {100_000, true}} {
		f, err := xgboost.newFit(on, []method.Config{resolve(t, XGBoost, on.Info, 0.001, 10, c.trees)})
		if err != nil {
			t.Fatal(err)
		}
		r := f.request()
		if long := r.TellSeconds > 0; long != c.long {
			t.Fatalf("%d trees: a long fit: %v", c.trees, long)
		}
		if c.long {
			r.grown(c.trees / 4)
		}
	}
	if last.Share != 0.25 || last.Left <= 0 || last.Text != "25000 of 100000 iterations" {
		t.Errorf("progress %+v", last)
	}
}

// Cancelling stops a fit in native code, which would take minutes, at once, or after some seconds where the machine is busy.
func TestCancelledFit(t *testing.T) {
	needPython(t, XGBoost)
	on := awkwardTask(dataset.Regression, 0, 300, 20, 20)
	fitAll(t, XGBoost, on, 0.3, 3, 5)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	long := resolve(t, XGBoost, on.Info, 0.001, 10, 100_000)
	err := XGBoost.Run(ctx, on, []method.Config{long}, func(method.Result) { t.Error("a result") })
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
		t.Errorf("error %v after %v", err, time.Since(begin))
	}
}

// The trainer ends when its input does, even in the middle of a fit: it does not outlive the program.
func TestTrainerEndsWithItsInput(t *testing.T) {
	needPython(t, XGBoost)
	cmd, err := trainerCommand()
	if err != nil {
		t.Fatal(err)
	}
	w, err := startWorker(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	on := awkwardTask(dataset.Regression, 0, 300, 20, 20)
	f, err := xgboost.newFit(on, []method.Config{resolve(t, XGBoost, on.Info, 0.001, 10, 100_000)})
	if err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(20*time.Second, w.kill)
	defer guard.Stop()
	request, fitting := f.request(), make(chan struct{})
	begun := sync.OnceFunc(func() { close(fitting) })
	request.TellSeconds, request.grown = 1e-9, func(int) { begun() }
	go func() { w.exchange(request); begun() }() // begun where it ends, too
	<-fitting
	w.in.Close()
	if err := w.ended(); err != nil {
		t.Errorf("it had to be stopped: %v", err)
	}
}

// A fit that is over before it begins takes no trainer away.
func TestCancelledBeforeTheFit(t *testing.T) {
	p, _ := standIns("refuse")
	p.fit(t.Context(), &fitRequest{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.fit(ctx, &fitRequest{}); !errors.Is(err, context.Canceled) || len(p.idle) != 1 {
		t.Errorf("%v; %d trainers are kept", err, len(p.idle))
	}
	for _, w := range p.idle {
		w.stop()
	}
}
