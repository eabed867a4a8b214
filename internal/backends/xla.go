//go:build cgo

package backends

import (
	"path/filepath"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla" // registers "xla"
)

// errNoXLA is why this program can have no XLA, whatever is installed.
var errNoXLA error

// newXLA opens XLA by GoMLX's name for it, which has the plugin and options.
func newXLA(name string) (compute.Backend, error) {
	xla.EnableAutoInstall(false)
	return compute.NewWithConfig(name)
}

// pluginOf is the name of the plugin's file of a backend that is XLA.
func pluginOf(b compute.Backend) (file string, ok bool) {
	x, ok := b.(*xla.Backend)
	if !ok {
		return "", false
	}
	return filepath.Base(x.PluginName()), true
}
