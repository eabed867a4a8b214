package run

import (
	"os/exec"
	"testing"
	"time"
)

// What a child does counts while it runs and after it was waited for, once.
func TestProcessorTime(t *testing.T) {
	before := processorTime()
	child := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo; read line")
	in, _ := child.StdinPipe()
	out, _ := child.StdoutPipe()
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	out.Read(make([]byte, 1)) // it has counted
	during := processorTime() - before
	in.Close()
	child.Wait()
	after := processorTime() - before
	if during < 10*time.Millisecond || after < during-20*time.Millisecond || after > during+during/2+time.Second {
		t.Errorf("%v while the child ran, %v after", during, after)
	}
}
