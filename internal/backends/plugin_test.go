//go:build cgo

package backends

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plugin that is there but cannot be loaded is an error when it is asked for, and no matter otherwise.
func TestDamagedPlugin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plugin.so")
	if err := os.WriteFile(path, []byte("\x7fELF no more"), 0o755); err != nil {
		t.Fatal(err)
	}
	noGPU(t)
	for _, file := range []string{path, path + "-missing"} {
		t.Setenv(cpuPlugin.variable, file)
		t.Setenv("GOMLX_BACKEND", "")
		if b, err := Open("auto", 1); err != nil || b.Name() != Processor {
			t.Errorf("auto opens %v, error %v", b, err)
		}
		if _, err := Open(CPU, 1); err == nil || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the plugin itself: error %v", err)
		}
	}
}

// python writes a program that stands in for an environment's Python.
func python(t *testing.T, environment string) string {
	t.Helper()
	path := filepath.Join(environment, "bin", "python")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhereThePluginIsFound(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	install := func(environment string) string {
		path := filepath.Join(root, environment, "lib/python3.11/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	find := func(want string) {
		t.Helper()
		if got, err := cpuPlugin.find(); got != want || (err == nil) != (want != "") {
			t.Errorf("found %q, error %v; want %q", got, err, want)
		}
	}
	below := filepath.Join(root, "project", "folder")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	t.Setenv("NPT_PYTHON", "")
	t.Setenv(cpuPlugin.variable, "")
	find("")
	for p, target := range map[*plugin]string{&cpuPlugin: "make xla`", &cudaPlugin: "make xla-cuda`"} {
		t.Setenv(p.variable, "")
		if _, err := p.find(); err == nil || !strings.Contains(err.Error(), target) {
			t.Errorf("where %s is missing: %v", p.backend, err)
		}
	}
	venv := install("project/.venv")
	find(venv)
	t.Setenv("NPT_PYTHON", python(t, filepath.Join(root, "other")))
	find(venv)
	other := install("other")
	find(other)
	t.Setenv("NPT_PYTHON", "python")
	t.Setenv("PATH", filepath.Join(root, "other", "bin"))
	find(other)
	t.Setenv("PATH", "")
	find(venv)
	t.Setenv(cpuPlugin.variable, venv)
	find(venv)
}

// noGPU hides the machine's GPU until the test is over.
func noGPU(t *testing.T) {
	before := gpuDevices
	gpuDevices = filepath.Join(t.TempDir(), "none")
	t.Cleanup(func() { gpuDevices = before })
}

// A GPU is used automatically where its plugin is, and where it is not, that is said.
func TestGPU(t *testing.T) {
	root := t.TempDir()
	packages := filepath.Join(root, "lib/python3.12/site-packages")
	path := filepath.Join(packages, "jax_plugins/xla_cuda12/xla_cuda_plugin.so")
	toolchain := filepath.Join(packages, "nvidia/cuda_nvcc")
	device := filepath.Join(root, "nvidia0")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.MkdirAll(toolchain, 0o755), os.WriteFile(device, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"GOMLX_BACKEND", cudaPlugin.variable, cpuPlugin.variable, "XLA_FLAGS"} {
		t.Setenv(v, "")
	}
	t.Setenv("NPT_PYTHON", python(t, root))
	t.Chdir(root)
	noGPU(t)
	gpuDevices = filepath.Join(root, "nvidia[0-9]*")
	name, reason := Resolve("auto")
	if name != Processor || reason == nil || !strings.Contains(reason.Error(), "make xla-cuda") {
		t.Errorf("without a plugin: %q, %v", name, reason)
	}
	if err := os.WriteFile(path, []byte("\x7fELF no more"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"", "auto"} {
		t.Setenv("GOMLX_BACKEND", variable)
		if name, reason := Resolve("auto"); name != CUDA || reason != nil {
			t.Errorf("with a plugin: %q, %v", name, reason)
		}
	}
	gpuDevices = filepath.Join(root, "none[0-9]*")
	if name, reason := Resolve("auto"); name != Processor || reason != nil {
		t.Errorf("without a GPU: %q, %v", name, reason)
	}
	if _, err := Open("xla:cuda,tf32=false", 0); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a damaged plugin: %v", err)
	}
	if flags := os.Getenv("XLA_FLAGS"); flags != "--xla_gpu_cuda_data_dir="+toolchain {
		t.Errorf("flags for XLA: %q", flags)
	}
}

// Of the plugins for several versions of CUDA that an environment has, the one for the latest is taken.
func TestLatestPlugin(t *testing.T) {
	environment := t.TempDir()
	for _, cuda := range []string{"12", "13"} {
		file := filepath.Join(environment, "lib", "python3.11", "site-packages", "jax_plugins", "xla_cuda"+cuda, "xla_cuda_plugin.so")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(cudaPlugin.variable, "")
	t.Setenv("NPT_PYTHON", python(t, environment))
	if path, err := cudaPlugin.find(); err != nil || !strings.Contains(path, "xla_cuda13") {
		t.Errorf("%s, %v", path, err)
	}
}
