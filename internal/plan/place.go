package plan

import "nptbench/results"

// A Place is where a cell stands: in a group, by its fold and setting.
type Place struct {
	*Group
	Fold, Setting int // in Group.Dataset.Folds and Group.Settings
}

// GoesOn names the training that serves the cells of a place, for results.Clock.
func (p Place) GoesOn() string { return p.Settings[p.Setting].goesOn() }

// Places has the places of all cells whose data set is known, by their ids.
func (p *Plan) Places() map[results.ID]Place {
	places := make(map[results.ID]Place, p.Count(p.Groups()...).Cells)
	for _, g := range p.Groups() {
		if g.Dataset.Digest == "" {
			continue
		}
		for fold := range g.Dataset.Folds {
			for setting := range g.Settings {
				places[p.cell(g, fold, setting).ID()] = Place{g, fold, setting}
			}
		}
	}
	return places
}
