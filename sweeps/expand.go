package sweeps

import (
	"iter"
	"strings"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/document"
)

// Bounds on what a sweep may ask for: far above the paper's own (half a million cells, 12,000 settings for a data set),
// and small enough that a slip in a grid is refused before it fills the memory.
const (
	maxCells    = 10_000_000
	maxSettings = 1_000_000 // of one entry

	maxTime = 87_600 * time.Hour // of a budget: ten years
)

// expand adds the entry's settings to the sweep: one for each point of the product of its dimensions.
func (p *parser) expand(e *entry) {
	if !p.affordable(e) {
		return
	}
	for _, kind := range e.kinds {
		for point := range e.points() {
			setting, ok := p.resolve(e, point, kind[0])
			if !ok {
				return
			}
			for _, info := range kind {
				p.check(e, point, setting, info)
				p.add(setting, info, e.at)
				p.addMeasures(e, setting, info)
			}
		}
	}
}

// affordable counts before anything is expanded.
func (p *parser) affordable(e *entry) bool {
	size := 1.0 // no integer: a product of lists can be astronomical
	for _, d := range e.dimensions {
		size *= float64(len(d))
	}
	if size > maxSettings {
		p.Errorf(e.at, "%.10g settings of %s; one entry may have %d, shorten its lists", size, e.method.Name, maxSettings)
		return false
	}
	for _, kind := range e.kinds {
		for _, info := range kind {
			p.cells += size * float64((1+len(e.measures))*len(p.sweep.Protocols)*len(p.sweep.Folds(info)))
		}
	}
	if p.cells > maxCells {
		p.Errorf(e.at, "the sweep has %.10g cells up to this entry; it may have %d, shorten its lists", p.cells, maxCells)
		return false
	}
	return true
}

// points yields every combination of one choice from each dimension, the last dimension changing fastest. The slice is
// the same every time.
func (e *entry) points() iter.Seq[[]choice] {
	return func(yield func([]choice) bool) {
		point := make([]choice, len(e.dimensions))
		var walk func(i int) bool
		walk = func(i int) bool {
			if i == len(point) {
				return yield(point)
			}
			for _, point[i] = range e.dimensions[i] {
				if !walk(i + 1) {
					return false
				}
			}
			return true
		}
		walk(0)
	}
}

// resolve makes a setting of a point.
func (p *parser) resolve(e *entry, point []choice, info dataset.Info) (Setting, bool) {
	s := Setting{Method: e.method, At: e.at}
	given := map[string]any{}
	for _, c := range point {
		for _, v := range c.values {
			given[v.name] = v.raw
		}
		if c.variant != "" {
			s.Variant = c.variant
		}
		if c.at != (document.Position{}) {
			s.At = c.at
		}
	}
	config, err := e.plain.Resolve(given, info)
	if err != nil {
		p.Errorf(s.At, "%s on %s: %v", e.method.Name, info.Name, err)
		return Setting{}, false
	}
	s.Config, s.JSON = config, config.JSON()
	return s, true
}

// check lets the method refuse a setting for one data set. It points at the value that the method names, if the file has
// it, else at the setting.
func (p *parser) check(e *entry, point []choice, s Setting, info dataset.Info) {
	err := e.method.Refuse(s.Config, info)
	if err == nil {
		return
	}
	at := s.At
	name, _, _ := strings.Cut(err.Error(), ":")
	for _, c := range point {
		for _, v := range c.values {
			if v.name == name {
				at = v.at
			}
		}
	}
	p.once(note{at: at, text: err.Error()}, "%s on %s: %v", e.method.Name, info.Name, err)
}

// addMeasures adds what is to be measured on a setting's model.
func (p *parser) addMeasures(e *entry, s Setting, info dataset.Info) {
	for _, m := range e.measures {
		var err error
		s.Measure, s.At = m.Measurement, m.at
		if s.With, err = m.Resolve(m.with, info); err == nil && m.Check != nil {
			err = m.Check(e.method, s.Config, info)
		}
		if err != nil {
			p.once(note{at: m.at, text: err.Error()}, "%s of %s on %s: %v", m.Name, e.method.Name, info.Name, err)
			continue
		}
		p.add(s, info, e.at)
	}
}

// A request is a configuration asked for on a data set, or a measurement on its model.
type request struct{ dataset, method, config, measure, with string }

// A place is where a setting is asked for: the entry, and within it the line or variant, which an alias may share.
type place struct{ entry, setting document.Position }

func (p *parser) add(s Setting, info dataset.Info, entry document.Position) {
	name, with := s.Key()
	r, here := request{info.Name, s.Method.Name, s.JSON, name, with}, place{entry, s.At}
	if before, twice := p.requests[r]; twice {
		at, first := here.setting, before.setting
		if at == first {
			at, first = here.entry, before.entry
		}
		p.once(note{at: at, before: first}, "%s on %s: the same configuration as at %s, %s", s.Method.Name, info.Name, first, s.JSON)
		return
	}
	p.requests[r] = here
	p.sweep.settings[info.Name] = append(p.sweep.settings[info.Name], s)
}

// A note identifies a mistake that many settings share.
type note struct {
	at, before document.Position
	text       string
}

// once reports a mistake for the first setting that has it.
func (p *parser) once(n note, format string, args ...any) {
	if !p.notes[n] {
		p.notes[n] = true
		p.Errorf(n.at, format, args...)
	}
}
