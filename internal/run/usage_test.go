package run

import (
	"bytes"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
)

// What earlier jobs left, in pools too, is no memory of the next one.
func TestForgetEarlierJobs(t *testing.T) {
	const size = 256 << 20
	var pool sync.Pool
	func() {
		kept := bytes.Repeat([]byte{1}, size)
		pool.Put(&kept)
	}()
	before := peakMemory()
	if before == 0 {
		t.Skip("this system does not tell the largest resident size")
	}
	if forgetEarlierJobs(); peakMemory() > before-size/4*3 { // others may have taken some in between
		t.Errorf("%d MiB before, %d MiB after 256 MiB are of no more use", before>>20, peakMemory()>>20)
	}
	runtime.KeepAlive(&pool)
}

// What a child does, and a child of its own that it has waited for, counts while it runs and once it was waited for.
func TestProcessorTime(t *testing.T) {
	const count = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
	child := exec.Command("sh", "-c", "sh -c '"+count+"'; "+count+"; echo; read line")
	in, _ := child.StdinPipe()
	out, _ := child.StdoutPipe()
	before := processorTime()
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	out.Read(make([]byte, 1)) // it has counted
	during := processorTime() - before
	in.Close()
	child.Wait()
	after := processorTime() - before
	took := child.ProcessState.UserTime() + child.ProcessState.SystemTime()
	for _, got := range []time.Duration{during, after} {
		if near := took/5 + 50*time.Millisecond; (got - took).Abs() > near {
			t.Errorf("%v while the child ran and %v after, the child took %v", during, after, took)
		}
	}
}
