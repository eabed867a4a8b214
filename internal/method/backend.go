package method

import (
	"path/filepath"
	"strings"
)

// Accelerated reports whether the named backend of a network has a device of its own. The others share the processor, which the system
// divides between them.
func Accelerated(name string) bool {
	kind, plugin, _ := strings.Cut(name, ":")
	plugin, _, _ = strings.Cut(plugin, ",")
	return kind == "xla" && !strings.Contains(filepath.Base(plugin), "cpu")
}
