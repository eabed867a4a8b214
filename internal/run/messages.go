package run

import (
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// A request asks a worker for one job. It is a line of JSON on the worker's standard input.
type request struct {
	Number int // of the job in its worker, which replies repeat: what comes late of another is not taken

	Library        dataset.Library
	Dataset        string
	Digest         string // of the table that the plan was made for
	Protocol       split.Protocol
	Fold           int
	Method         string
	Command        *method.Command // of a method of one's own
	Configurations []*plan.Configuration
	Sweep          string
	Code           string // version of the program, as it was when the planning process began
	Seed           uint64 // of the sweep
	Threads        int
	Backend        string // of networks
	Networks       int    // that may train on the same device at a time, where these are several
	Memory         int64  // budget in bytes, a hint for the garbage collector; 0: none

	Statistics              task.Statistics // of the configurations
	ModelDir, CheckpointDir string          // for the fields of task.Task
	MoreModels              []string        // folders with models that are only read
}

// spec names the job's task.
func (q *request) spec() task.Spec {
	return task.Spec{Dataset: q.Dataset, Protocol: q.Protocol, Fold: q.Fold, Statistics: q.Statistics}
}

// A reply has the records of one configuration, or of a measurement on its model, or, with Done, the end of the job, or, with Began,
// Loaded, Progress or Measuring, nothing but that. It is a line of JSON on a pipe of its own: see repliesDescriptor.
type reply struct {
	Number    int
	Began     bool // what earlier jobs needed is given back, and the task is being loaded
	Loaded    bool // it is, and its fit begins
	Progress  *task.Progress
	Measuring bool // the fit is over, and a measurement begins

	Records []*results.Record

	Done    bool
	Failure *results.Failure // of the cells that were not reported
}

// failed reports whether the reply is of a fit that failed.
func (r *reply) failed() bool {
	return r.Failure != nil || slices.ContainsFunc(r.Records, func(r *results.Record) bool { return r.Status == results.Failed })
}
