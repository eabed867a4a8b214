package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"nptbench/internal/machine"
	"nptbench/results"
)

// libraries are the modules whose version can change a number.
var libraries = []string{
	"github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla", "github.com/dmitryikh/leaves", "gonum.org/v1/gonum",
}

// Provenance says by what and on what records are made here, but for the revision of the code.
var Provenance = sync.OnceValue(describe)

func describe() results.Provenance {
	p := results.Provenance{
		Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: machine.ProcessorModel(), Cores: runtime.NumCPU(), GPU: gpu(),
	}
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			for _, name := range libraries {
				if m.Path == name {
					versions[filepath.Base(name)] = m.Version
				}
			}
		}
	}
	p.Libraries = results.LibrariesOf(versions)
	return p
}

// CodeVersion is the revision that the program was built from: the one stamped into it, or else, as "go run" stamps none,
// that of the checkout it runs in. That may be another one hours later, so it is asked for once, when the planning process begins its
// first job, and workers are told.
var CodeVersion = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changes := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if revision != "" {
		return revision + changes
	}
	if mod, err := os.ReadFile("go.mod"); err != nil || !strings.HasPrefix(string(mod), "module "+info.Main.Path+"\n") {
		return "unknown"
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	if status, err := exec.Command("git", "status", "--porcelain").Output(); err != nil || len(status) > 0 {
		changes = "+changes"
	}
	return strings.TrimSpace(string(head)) + changes
})

// gpu names the accelerator that the driver shows, or is empty.
func gpu() string {
	files, _ := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		_, rest, ok := strings.Cut(string(b), "Model:")
		if ok {
			model, _, _ := strings.Cut(rest, "\n")
			return strings.TrimSpace(model)
		}
	}
	return ""
}
