package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nptbench/internal/dataset"
	"nptbench/internal/split"
	"nptbench/internal/task"
	"nptbench/results"
)

// find makes a data set of the plan. Its table is the one that is here. Where there is none, or nothing will be run on it, it is among all
// tables that are known of the data set, a subset of its rows for instance, the one with the most records.
func (p *Plan) find(ctx context.Context, name string, o Options, lib *dataset.Library, records results.Index) (*Dataset, error) {
	var tables []dataset.Location
	var missing error
	if selects(o.Datasets, name) {
		at, err := locate(ctx, lib, name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if missing = err; err == nil {
			tables = append(tables, at)
		}
	}
	if len(tables) == 0 || o.ReportOnly {
		known, err := lib.Known(name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, known...)
	}
	if len(tables) == 0 && missing == nil { // one's own, and not to be run: its content alone says which records are of it
		if at, err := locate(ctx, lib, name); err == nil {
			tables = append(tables, at)
		}
	}
	if len(tables) == 0 {
		info, err := lib.Lookup(name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, dataset.Location{Info: info})
	}
	var best *Dataset
	most := -1
	for _, at := range tables {
		d := &Dataset{Info: at.Info, Digest: at.Digest, Subset: at.Subset, Missing: missing}
		d.Folds = foldsOf(at.Info, p.Protocols, p.Sweep.Folds(at.Info))
		d.addGroups(p.Sweep, o)
		n, err := p.addStatus(ctx, d, records)
		if err != nil {
			return nil, err
		}
		if n > most {
			best, most = d, n
		}
	}
	return best, nil
}

// tellApart adds its name to the title of a data set of one's own where another has the same.
func (p *Plan) tellApart() {
	all := dataset.Infos()
	for _, d := range p.Datasets {
		all = append(all, d.Info)
	}
	for _, d := range p.Datasets {
		taken := func(other dataset.Info) bool { return other.Title == d.Info.Title && other.Name != d.Info.Name }
		if !dataset.BuiltIn(d.Info.Name) && slices.ContainsFunc(all, taken) {
			d.Info.Title += " (" + d.Info.Name + ")"
		}
	}
}

// locate finds a table, after a download where the library may, and its digest, by reading it where the checksum of its file is
// not a known one.
func locate(ctx context.Context, lib *dataset.Library, name string) (dataset.Location, error) {
	at, err := lib.Find(name)
	if missing := (*dataset.MissingError)(nil); lib.Download && errors.As(err, &missing) && missing.Fetchable {
		if failed := lib.Fetch(ctx, name); failed != nil {
			return at, fmt.Errorf("%w (it cannot be downloaded: %w)", err, failed)
		}
		at, err = lib.Find(name)
	}
	if err != nil || at.Digest != "" {
		return at, err
	}
	table, err := lib.Load(ctx, name)
	if err != nil {
		return at, err
	}
	at.Digest, at.Subset = table.Digest, table.Subset
	return at, nil
}

// foldsOf lists the tasks that the protocols make of folds with these numbers.
func foldsOf(info dataset.Info, protocols []split.Protocol, numbers []int) []Fold {
	var out []Fold
	for i, protocol := range protocols {
		for _, n := range numbers {
			f := Fold{Protocol: task.Canonical(info, protocol, n), Number: n, Under: []split.Protocol{protocol}}
			if task.Shared(info, n) {
				if i > 0 {
					continue // there with the first protocol
				}
				f.Under = protocols
			}
			out = append(out, f)
		}
	}
	return out
}
