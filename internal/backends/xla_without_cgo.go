//go:build !cgo

package backends

import (
	"fmt"

	"github.com/gomlx/compute"
)

// errNoXLA is why this program can have no XLA, whatever is installed.
var errNoXLA = fmt.Errorf("%w: this program was built without a C compiler, or with CGO_ENABLED=0", ErrNoXLA)

func newXLA(string) (compute.Backend, error) { return nil, errNoXLA }

func pluginOf(compute.Backend) (file string, ok bool) { return "", false }
