package backends

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"nptbench/internal/filesystem"
)

// A plugin is a shared library with XLA for one kind of device.
type plugin struct {
	backend       string // its name in Open
	variable      string // names the file, where it does not lie in a Python environment
	inEnvironment string // where its Python package puts it, below an environment's folder
	target        string // of make, that installs it
}

var (
	cpuPlugin = plugin{
		CPU, "NPT_XLA_CPU", "lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "xla",
	}
	cudaPlugin = plugin{
		CUDA, "NPT_XLA_CUDA", "lib/python3*/site-packages/jax_plugins/xla_cuda1*/xla_cuda_plugin.so", "xla-cuda",
	}
)

// ErrNoXLA says that a backend is none here because XLA for it is not installed, or not in this program.
var ErrNoXLA = errors.New("there is no XLA for it")

// CPUPlugin returns the file with XLA for the backend CPU.
func CPUPlugin() (path string, err error) { return cpuPlugin.find() }

// find returns the absolute path of a plugin: what its variable says, or else in the Python environment of the interpreter
// $NPT_PYTHON, or else in the environment .venv in the working directory or the nearest one above.
func (p *plugin) find() (string, error) {
	if errNoXLA != nil {
		return "", errNoXLA
	}
	if path := os.Getenv(p.variable); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%s: %w", p.variable, err)
		}
		return filepath.Abs(path)
	}
	for _, environment := range pythonEnvironments() {
		if found := filesystem.Glob(environment, p.inEnvironment); len(found) > 0 {
			return filepath.Abs(filepath.Join(environment, found[len(found)-1])) // for the later CUDA
		}
	}
	return "", fmt.Errorf("%w: `make %s` installs it", ErrNoXLA, p.target)
}

func pythonEnvironments() (out []string) {
	if python, err := exec.LookPath(os.Getenv("NPT_PYTHON")); err == nil {
		out = append(out, filepath.Dir(filepath.Dir(python)))
	}
	if venv := filesystem.HereOrAbove(".venv"); venv != "" {
		out = append(out, venv)
	}
	return out
}

// gpuDevices are the files by which the driver of NVIDIA's GPUs shows them.
var gpuDevices = "/dev/nvidia[0-9]*"

func gpuIsHere() bool {
	found, err := filepath.Glob(gpuDevices)
	return err == nil && len(found) > 0
}

// showToolchain tells XLA where the compiler of CUDA lies that was installed beside a plugin, unless $XLA_FLAGS does.
func showToolchain(pluginPath string) {
	flags := os.Getenv("XLA_FLAGS")
	if strings.Contains(flags, "xla_gpu_cuda_data_dir") {
		return
	}
	packages := filepath.Dir(filepath.Dir(filepath.Dir(pluginPath)))
	for _, toolchain := range []string{"nvidia/cuda_nvcc", "nvidia/cu13"} {
		dir := filepath.Join(packages, toolchain)
		if _, err := os.Stat(dir); err == nil {
			os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" --xla_gpu_cuda_data_dir="+dir))
			return
		}
	}
}
