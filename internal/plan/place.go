package plan

import (
	"sort"

	"nptbench/results"
)

// Places finds the cells of a plan by their ids. It holds some 30 bytes for each.
type Places struct {
	groups []*Group
	ends   []int                 // by group: how many cells there are in it and those before
	number map[results.ID]uint32 // of a cell: by group, then by fold, then by setting
}

// A Place is where a cell stands: in a group, by its fold and setting.
type Place struct {
	*Group
	Fold, Setting int // in Group.Dataset.Folds and Group.Settings
}

// GoesOn names the training that serves the cells of a place, for results.Clock.
func (p Place) GoesOn() string { return p.Settings[p.Setting].goesOn() }

// Places lists all cells whose data set is known.
func (p *Plan) Places() *Places {
	all := &Places{groups: p.Groups(), number: make(map[results.ID]uint32, p.Count(p.Groups()...).Cells)}
	n := 0
	for _, g := range all.groups {
		for fold := range g.Dataset.Folds {
			for setting := range g.Settings {
				if g.Dataset.Digest != "" {
					all.number[p.cell(g, fold, setting).ID()] = uint32(n)
				}
				n++
			}
		}
		all.ends = append(all.ends, n)
	}
	return all
}

// Of returns where the cell with that id stands; false when it is not part of the plan.
func (all *Places) Of(id results.ID) (Place, bool) {
	number, ok := all.number[id]
	if !ok {
		return Place{}, false
	}
	n := int(number)
	i := sort.SearchInts(all.ends, n+1)
	g := all.groups[i]
	if i > 0 {
		n -= all.ends[i-1]
	}
	return Place{g, n / len(g.Settings), n % len(g.Settings)}, true
}
