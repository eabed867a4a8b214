package run

import (
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/split"
)

// A fold that both protocols share is called by the protocol of the plan.
func TestDescribeJob(t *testing.T) {
	j := &plan.Job{Dataset: &plan.Dataset{Info: dataset.Info{Name: "yacht"}}, Method: &method.Method{Name: "knn"},
		Fold: plan.Fold{Protocol: split.Published, Under: []split.Protocol{split.Corrected}}}
	if got, want := describeJob(j), "yacht knn corrected fold 0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
