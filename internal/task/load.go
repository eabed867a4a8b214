package task

import (
	"context"
	"fmt"

	"nptbench/internal/dataset"
	"nptbench/internal/split"
)

// A Spec names a task.
type Spec struct {
	Dataset    string
	Protocol   split.Protocol
	Fold       int
	Statistics Statistics
}

// FromTable makes a task of a table that has been read.
func FromTable(table *dataset.Table, p split.Protocol, fold int, stats Statistics) (*Task, *Truth, error) {
	rows, err := split.Make(split.RuleOf(table), p, fold)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", table.Info.Name, err)
	}
	return Encode(table, rows, p, fold, stats)
}

// A Loader loads tasks, one after the other. It keeps the last table and the last task.
type Loader struct {
	table *dataset.Table
	spec  Spec
	task  *Task // nil: none
	truth *Truth
}

// Keep drops what was loaded before, but for what the task of s needs of it.
func (l *Loader) Keep(s Spec) {
	if l.spec != s {
		l.task, l.truth = nil, nil
	}
	if l.table != nil && l.table.Info.Name != s.Dataset {
		l.table = nil
	}
}

// Load reads a data set and makes one of its tasks, and the test targets that methods may not see, or has them from the last call.
func (l *Loader) Load(ctx context.Context, library *dataset.Library, s Spec) (t *Task, truth *Truth, err error) {
	l.Keep(s) // before the next one takes memory
	if l.task != nil {
		return l.task, l.truth, nil
	}
	if l.table == nil {
		if l.table, err = library.Load(ctx, s.Dataset); err != nil {
			return nil, nil, err
		}
	}
	l.spec = s
	l.task, l.truth, err = FromTable(l.table, s.Protocol, s.Fold, s.Statistics)
	return l.task, l.truth, err
}
