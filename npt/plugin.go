package npt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// pluginVariable names the file of the XLA plugin for CPUs, where it does not lie in a Python environment.
const pluginVariable = "NPT_XLA_CPU"

// pluginInEnvironment is where the Python package xla-cpu-pjrt puts the plugin, below an environment's folder.
const pluginInEnvironment = "lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"

var errNoPlugin = errors.New("no XLA plugin for CPUs: `make venv` installs one")

// findCPUPlugin returns the absolute path of the XLA plugin for CPUs: $NPT_XLA_CPU, or else that of the Python environment
// of the interpreter $NPT_PYTHON, or else that of the environment .venv in the working directory or the nearest one above.
func findCPUPlugin() (string, error) {
	if path := os.Getenv(pluginVariable); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%s: %w", pluginVariable, err)
		}
		return filepath.Abs(path)
	}
	for _, environment := range pythonEnvironments() {
		found, err := filepath.Glob(filepath.Join(environment, pluginInEnvironment))
		if err == nil && len(found) > 0 {
			return filepath.Abs(found[0])
		}
	}
	return "", errNoPlugin
}

func pythonEnvironments() []string {
	var out []string
	if python := os.Getenv("NPT_PYTHON"); python != "" {
		out = append(out, filepath.Dir(filepath.Dir(python)))
	}
	dir, err := os.Getwd()
	if err != nil {
		return out
	}
	for {
		venv := filepath.Join(dir, ".venv")
		if _, err := os.Stat(venv); err == nil {
			return append(out, venv)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return out
		}
		dir = parent
	}
}
