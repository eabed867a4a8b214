package run

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"nptbench/internal/plan"
	"nptbench/results"
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

// What the loader holds of another fold, the last job's, is no memory of the first job on this one.
func TestEarlierTaskIsNoMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	lib, s := library(t), parse(t, sweepOf("", "{mode: [ok]}"))
	jobs := planned(t, s, lib, t.TempDir(), plan.Options{}).Jobs()
	r := &poolRun{Pool: &Pool{Library: lib, Sweep: s}}
	last, next := r.request(jobs[0], 1), r.request(jobs[1], 1)
	var said bytes.Buffer
	w := &worker{methods: testMethods(), out: json.NewEncoder(&said)}
	func() {
		held, _, err := w.loader.Load(t.Context(), lib, last.spec())
		if err != nil {
			t.Fatal(err)
		}
		held.Missing = slices.Repeat([]bool{true}, 256<<20)
	}()
	before := peakMemory()
	if before == 0 {
		t.Skip("this system does not tell the largest resident size")
	}
	if err := w.serve(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(&said); ; {
		var got reply
		if err := d.Decode(&got); err != nil {
			t.Fatal("no record: ", err)
		}
		if len(got.Records) == 0 {
			continue
		}
		if peak := got.Records[0].PeakMemoryBytes; peak == 0 || peak > before-192<<20 {
			t.Errorf("%d MiB, of %d with what the job before needed", peak>>20, before>>20)
		}
		break
	}
}

// Records that come together share the processor time since the last ones.
func TestSharedProcessorTime(t *testing.T) {
	s := &serving{worker: &worker{out: json.NewEncoder(io.Discard)}, processor: processorTime() - time.Hour}
	var all []*results.Record
	for range 4 {
		all = append(all, &results.Record{Cell: results.Cell{Config: "{}"}})
	}
	if err := s.report(all, true); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if quarter := 900.0; r.ProcessorSeconds < quarter || r.ProcessorSeconds > quarter+60 {
			t.Errorf("%v s for one of four records, want a quarter of an hour", r.ProcessorSeconds)
		}
	}
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
