package npt

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"nptbench/internal/backends"
)

// TestDumpStep writes the training steps of the benchmarks, as they are made for a GPU, to the folder NPT_DUMP_STEP, from
// where testdata/gpu_estimate.py has XLA compile them for one (`make estimate-gpu`).
func TestDumpStep(t *testing.T) {
	dir := os.Getenv("NPT_DUMP_STEP")
	if dir == "" {
		t.Skip("set NPT_DUMP_STEP to a folder")
	}
	path, err := backends.CPUPlugin()
	if err != nil {
		t.Skip(err)
	}
	// GoMLX builds graphs for a GPU when the plugin's name says so; that of the processor then compiles them too.
	disguised := filepath.Join(t.TempDir(), "xla_cuda_plugin.so")
	if err := os.Symlink(path, disguised); err != nil {
		t.Fatal(err)
	}
	backend, err := backends.Open("xla:"+disguised, 0)
	if err != nil {
		t.Fatal(err)
	}
	verbose := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(verbose)
	for flag, value := range map[string]string{"v": "2", "logtostderr": "false", "one_output": "true", "skip_headers": "true"} {
		if err := verbose.Set(flag, value); err != nil {
			t.Fatal(err)
		}
	}
	defer verbose.Set("v", "0")
	for _, b := range benchmarks {
		for _, p := range []Precision{Float32, BFloat16} {
			var log strings.Builder
			klog.SetOutput(&log)
			e, table := b.engine(t, backend, p)
			codes := e.hostMasks(drawMask(newRand(1), table, &e.net.Config, trainMode))
			step := stepInput{0, rowsBetween(0, table.Rows()), 1e-3, 0.5}
			if _, err := e.take(e.newState(), codes, []stepInput{step}, nil); err != nil {
				t.Fatal(err)
			}
			klog.Flush()
			_, program, _ := strings.Cut(log.String(), "StableHLO program:\n")
			program, _, ok := strings.Cut(program, "\n}\n")
			if !ok {
				t.Fatal("GoMLX's log holds no program any more")
			}
			name := strings.NewReplacer("/", "-", "=", "").Replace(b.name) + "-" + string(p)
			if err := os.WriteFile(filepath.Join(dir, name+".mlir"), []byte(program+"\n}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The tests that a machine with a GPU is to run are there under the names that testdata/gpu.sh has for them.
func TestOfTheGPUKit(t *testing.T) {
	script, err := os.ReadFile("testdata/gpu.sh")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`TESTS:-([^}]+)`).FindSubmatch(script)
	if names == nil {
		t.Fatal("the script runs no tests")
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	for name := range strings.SplitSeq(string(names[1]), "|") {
		if !regexp.MustCompile(`\nfunc Test\w*` + name).Match(all) {
			t.Errorf("there is no test %s", name)
		}
	}
}
