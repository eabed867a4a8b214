//go:build !linux

package subprocess

import (
	"os/exec"
	"syscall"
)

// EndWithParent does nothing here: a command has to end by itself when its standard input does.
func EndWithParent(*exec.Cmd, syscall.Signal) {}
