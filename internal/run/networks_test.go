package run

import (
	"context"
	"os"
	"testing"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/task"
	"nptbench/results/resultstest"
)

// testNetwork says in which process it trained.
func testNetwork() *method.Method {
	return &method.Method{
		Name: "network", Title: "Network", Doc: "for tests", Network: true,
		Run: func(_ context.Context, t *task.Task, _ []method.Config, done func(method.Result)) error {
			time.Sleep(100 * time.Millisecond)
			done(method.Result{Val: make([]float64, t.Val), Test: make([]float64, t.Test), Details: map[string]any{"process": os.Getpid()}})
			return nil
		},
	}
}

// On a device of their own, networks have processes that do nothing else, and records say how many, and on which backend.
func TestNetworksOnADevice(t *testing.T) {
	lib := library(t)
	s := parse(t, "name: test\nseed: 7\nprotocols: [published]\ndatasets: [waves]\nfolds: 6\nmethods:\n  - {method: mean, params: {pause: 50}}\n  - method: network\n")
	for networks := range 3 {
		dir := t.TempDir()
		o := execute(t, t.Context(), planned(t, s, lib, dir, plan.Options{}), lib, dir, func(p *Pool) { p.Networks = networks })
		if o != (Counts{OK: 12}) {
			t.Fatal(o)
		}
		processes := map[string]map[any]bool{"network": {}, "mean": {}}
		for _, r := range resultstest.Records(t, dir) {
			processes[r.Cell.Method][r.Details["process"]] = true
			want, backend := 0, ""
			if r.Cell.Method == "network" {
				backend = "go"
				if networks > 1 {
					want = networks
				}
			}
			if r.Provenance.Networks != want || r.Provenance.Backend != backend {
				t.Errorf("a record of %s says %d networks on backend %q, want %d on %q", r.Cell.Method, r.Provenance.Networks, r.Provenance.Backend, want, backend)
			}
		}
		shared := 0
		for p := range processes["network"] {
			if processes["mean"][p] {
				shared++
			}
		}
		if networks > 0 && (len(processes["network"]) != networks || shared > 0) {
			t.Errorf("%d networks at a time: fits in the processes %v", networks, processes)
		}
	}
}
