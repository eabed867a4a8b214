package sweeps

import (
	"fmt"
	"slices"

	"nptbench/internal/method"
)

// Import adds a method whose predictions were made elsewhere, with its one configuration, to those of some data sets that the sweep
// has. It is an error when the sweep has a method of that name.
func (s *Sweep) Import(m *method.Method, datasets []string) error {
	for _, settings := range s.settings {
		if slices.ContainsFunc(settings, func(has Setting) bool { return has.Method.Name == m.Name }) {
			return fmt.Errorf("%s: method %s is also an imported one: give the predictions another name", s.File, m.Name)
		}
	}
	for _, d := range s.Datasets {
		if !slices.Contains(datasets, d) {
			continue
		}
		config := method.Config{}
		for _, p := range m.Params {
			config[p.Name] = p.Default
		}
		s.settings[d] = append(s.settings[d], Setting{Method: m, Config: config, JSON: config.JSON()})
	}
	return nil
}
