package gbdt

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeBytes is the largest size that Linux gives a pipe for everybody.
const pipeBytes = 1 << 20

// widen lets a model fit into the pipe, so that neither process waits for the other while it passes. A pipe that stays as
// it is works as well.
func widen(pipe io.ReadCloser) {
	if f, ok := pipe.(*os.File); ok {
		if c, err := f.SyscallConn(); err == nil {
			c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
		}
	}
}
