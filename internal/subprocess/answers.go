package subprocess

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// AnswersDescriptor is the file descriptor at which a process that StartWithAnswers started writes its answers.
const AnswersDescriptor = 3

// StartWithAnswers starts a command and returns its standard input and what it answers, by a pipe of its own: a library may print to
// standard output. The command gets a signal when this process ends.
func StartWithAnswers(cmd *exec.Cmd, signal syscall.Signal) (in io.WriteCloser, answers io.ReadCloser, err error) {
	EndWithParent(cmd, signal)
	cmd.WaitDelay = time.Second // what it started may hold the pipes open
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer write.Close() // so that the pipe ends when the process does
	cmd.ExtraFiles = []*os.File{write}
	if in, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		read.Close()
		return nil, nil, err
	}
	return in, read, nil
}
