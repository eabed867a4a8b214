package experiment

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"nptbench/internal/backends"
	"nptbench/internal/method"
	"nptbench/internal/program"
	"nptbench/internal/run"
	"nptbench/internal/split"
)

// A process that was started to open a backend finds none, and one to fit something fits nothing: no test here may come to that, and
// none starts all tests again.
func TestMain(m *testing.M) {
	if run.IsWorker() {
		os.Exit(program.ExitFailed)
	}
	if name := os.Getenv(probeVariable); name != "" {
		fmt.Fprintln(os.Stderr, "a warning")
		fmt.Fprintln(os.Stderr, backends.Try(name))
		os.Exit(program.ExitFailed)
	}
	os.Exit(m.Run())
}

// A device that was asked for by name and cannot be had is an error, before anything is run.
func TestChooseBackend(t *testing.T) {
	var said bytes.Buffer
	name, err := chooseBackend(t.Context(), "xla:cuda", "NPT", program.Env{Stderr: &said})
	if want := "backend xla:cuda: there is no XLA for it"; err == nil || !strings.HasPrefix(err.Error(), want) || name != "" {
		t.Errorf("%q, %v; want %q", name, err, want)
	}
	name, err = chooseBackend(t.Context(), "go", "NPT", program.Env{Stderr: &said})
	if name != "go" || err != nil || said.String() != "NPT: on the processor (backend go)\n" {
		t.Errorf("%q, %v, said %q", name, err, said.String())
	}
}

var one = []*method.Method{{Name: "one", Title: "One", Doc: "For tests.", Params: []method.Param{{Name: "size", Type: method.Int, Default: 3, Min: 1, Doc: "how large"},
	{Name: "most", Type: method.Int, Default: 3, Min: 1, Max: 1e6}, {Name: "kind", Type: method.Choice, Default: "b", Choices: []string{"a", "b"}, RegressionChoices: []string{"b"}}}}}

var table1 = Spec{Name: "table1", About: "about", Sweep: "table1-quick"}

func parseArgs(args ...string) (*options, error) {
	return parse(table1, program.Env{Args: args, Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv, Width: 80}, one)
}

func TestParse(t *testing.T) {
	with := t.TempDir()
	if err := os.WriteFile(filepath.Join(with, "some.jsonl"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := parseArgs("-datasets", "yacht, kick", "-protocol", "both", "-jobs", "3", "-seed", "0", "-with", with)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o.Plan.Datasets, []string{"yacht", "kick"}) || !reflect.DeepEqual(o.Plan.Protocols, split.Protocols) ||
		o.Seed == nil || *o.Seed != 0 || o.Jobs != 3 || o.Backend != "auto" || o.Sweep != "table1-quick" || len(o.recordFolders()) != 2 || o.Out != "" || o.Fetch {
		t.Errorf("got %+v", o)
	}
}

// Where Slurm's tasks run networks its arguments say, not what the login node has.
func TestOnGPU(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, "")
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"-backend", backends.Fused}, false},
		{[]string{"-backend", backends.CUDA}, true},
		{[]string{"-executor", "slurm"}, false},
		{[]string{"-executor", "slurm", "-slurm-args", "--partition=cpu"}, false},
		{[]string{"-executor", "slurm", "-slurm-gpu-args", "--gres=gpu:1"}, true},
		{[]string{"-executor", "slurm", "-backend", backends.Fused}, false},
		{[]string{"-executor", "slurm", "-backend", backends.CUDA}, true},
	} {
		o, err := parseArgs(c.args...)
		if err != nil {
			t.Fatal(err)
		}
		if o.onGPU() != c.want {
			t.Errorf("%q: networks on a GPU: %v, want %v", c.args, o.onGPU(), c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-jbos", "3"}, "not defined: -jbos"},
		{[]string{"yacht"}, `"yacht" is not a flag`},
		{[]string{"-protocol", "publishd"}, `(did you mean "published"?)`},
		{[]string{"-jobs", "0"}, "at least 1"},
		{[]string{"-jobs", "2", "-executor", "slurm"}, "leave it out"},
		{[]string{"-jobs", "1000000"}, "-jobs 1000000: at most"},
		{[]string{"-seed", "-1"}, "-seed"},
		{[]string{"-networks", "0"}, "at least 1"},
		{[]string{"-backend", "cuda"}, "want auto, fused, fused,products=bfloat16, go, xla:cpu, xla:cuda or xla:PLUGIN"},
		{[]string{"-with", "/no/such/folder"}, "there is no such folder"},
		{[]string{"-with", t.TempDir()}, "no records there"},
		{[]string{"-out", ""}, "-out: want the name of a folder"},
		{[]string{"-executor", "slurm", "-cancel", "-dry-run"}, "-dry-run has no meaning with -cancel"},
		{[]string{"-dry-run", "-report-only"}, "-dry-run has no meaning with -report-only"},
	} {
		_, err := parseArgs(c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: got %v, want one line with %q", c.args, err, c.want)
		}
	}
}

// A folder that cannot be read is not one without records.
func TestParseUnreadableRecords(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(dir); err == nil {
		t.Skip("root reads every folder")
	}
	if _, err := parseArgs("-with", dir); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
}

// Records may be a folder of any name, or a file.
func TestParseRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs[1]")
	file := filepath.Join(dir, "a.jsonl")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(file, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if o, err := parseArgs("-with", dir+","+file); err != nil || !slices.Equal(o.With, []string{dir, file}) {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestHelpNamesEverything(t *testing.T) {
	var out bytes.Buffer
	_, err := parse(table1, program.Env{Args: []string{"-help"}, Stdout: &out, Getenv: os.Getenv, Width: 80}, one)
	if !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for _, want := range []string{"-dry-run", "-seed number", "forest-cover", "one (One)", "size", "how large", "integer >= 1, default 3", "from 1 to 1000000", "Measurements on fitted models", "corruption: ", "for regression [one of b, default b]", "130 interrupted"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("the help does not mention %q", want)
		}
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

// What only looks downloads nothing.
func TestFetchOnlyForARun(t *testing.T) {
	for _, o := range []options{{Fetch: true}, {Fetch: true, DryRun: true}, {Fetch: true, ReportOnly: true}, {}} {
		if got, want := o.library(program.Env{}).Download, o.Fetch && !o.DryRun && !o.ReportOnly; got != want {
			t.Errorf("%+v: downloads %v", o, got)
		}
	}
}
