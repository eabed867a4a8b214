package gbdt

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"nptbench/internal/filesystem"
)

// requirements is what `make venv` installs.
//
//go:embed requirements.txt
var requirements string

// A python is an interpreter and the versions of the packages that it has.
type python struct {
	path     string
	version  string
	packages map[string]string
}

// found is the interpreter that was inspected; failures are not remembered, but for that of one that does not answer.
var found struct {
	sync.Mutex
	python *python
	hangs  error
}

// findPython inspects the interpreter of pythonPath, once if all goes well.
func findPython() (*python, error) {
	found.Lock()
	defer found.Unlock()
	if found.python != nil || found.hangs != nil {
		return found.python, found.hangs
	}
	path, err := pythonPath()
	if err != nil {
		return nil, err
	}
	p, err := inspectPython(path)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		p, err = inspectPython(path) // its process may have been killed
	}
	if errors.Is(err, context.DeadlineExceeded) {
		found.hangs = err
	}
	found.python = p
	return p, err
}

// pythonPath looks for $NPT_PYTHON, then for .venv/bin/python in the working directory and those above it.
func pythonPath() (string, error) {
	if name := os.Getenv("NPT_PYTHON"); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("NPT_PYTHON is %q, which is no program here: unset it for .venv, or name a Python", name)
		}
		return path, nil
	}
	if path := filesystem.HereOrAbove(".venv/bin/python"); path != "" {
		return path, nil
	}
	return "", errors.New("no .venv with Python here or above, and NPT_PYTHON is not set; run `make venv`")
}

// listPackages prints the version of Python and of its packages without importing any of them.
const listPackages = `import importlib.metadata as m, json, platform
print(json.dumps([platform.python_version(), {name.lower(): d.version for d in m.distributions() if (name := d.metadata["Name"])}]))`

// isolated runs a program in Python, which from 3.11 on imports nothing from the working directory, where a user may have a queue.py or an
// xgboost.py.
func isolated(ctx context.Context, path, program string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, "-c", program)
	cmd.Env = append(os.Environ(), "PYTHONSAFEPATH=1")
	return cmd
}

// inspectTimeout is how long an interpreter has to list its packages, which takes a fraction of a second.
var inspectTimeout = 15 * time.Second

func inspectPython(path string) (*python, error) {
	ctx, cancel := context.WithTimeout(context.Background(), inspectTimeout)
	defer cancel()
	cmd := isolated(ctx, path, listPackages)
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s does not list its packages within %v, want a Python: %w", path, inspectTimeout, ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", path, err, lastLine(stderr.String()))
	}
	p := &python{path: path}
	out = bytes.TrimSpace(out)
	list := out[bytes.LastIndexByte(out, '\n')+1:] // something may have been printed before
	if err := json.Unmarshal(list, &[]any{&p.version, &p.packages}); err != nil {
		return nil, fmt.Errorf("%s does not list its packages, want a Python: %w", path, err)
	}
	return p, nil
}

// checkPackage says in one line why nothing can be fitted with the named package.
func checkPackage(name string) error {
	p, err := findPython()
	if err != nil {
		return err
	}
	return p.check(name)
}

// check wants the versions of the package and of NumPy that the requirements name: others may give other trees.
func (p *python) check(name string) error {
	var major, minor int
	if _, err := fmt.Sscanf(p.version, "%d.%d", &major, &minor); err != nil || major != 3 || minor < 11 {
		return fmt.Errorf("%s is Python %s, want 3.11: %s", p.path, p.version, otherPython())
	}
	return cmp.Or(p.checkVersion(name, minor), p.checkVersion("numpy", minor))
}

func (p *python) checkVersion(name string, minor int) error {
	switch have, want := p.packages[name], pinned(name); have {
	case want:
		return nil
	case "":
		if minor > 11 {
			return fmt.Errorf("%s has no %s; that is Python %s, and %s %s is for 3.11: %s", p.path, name, p.version, name, want, otherPython())
		}
		return fmt.Errorf("%s has no %s, want %s; run `make venv`", p.path, name, want)
	default:
		return fmt.Errorf("%s has %s %s, want %s; run `make venv`", p.path, name, have, want)
	}
}

// otherPython says how to have another one.
func otherPython() string {
	if os.Getenv("NPT_PYTHON") != "" {
		return "name one of that version by NPT_PYTHON, or unset it and run `make venv PY=python3.11`"
	}
	return "run `make venv PY=python3.11`"
}

// pinned returns the version that the requirements name.
func pinned(name string) string {
	for line := range strings.Lines(requirements) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), name+"=="); ok {
			return version
		}
	}
	return ""
}

// lastLine returns the last line that is not empty, for the end of a message.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return ": " + last
	}
	return ""
}
