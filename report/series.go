package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/spelling"
	"nptbench/results"
)

// A Series is what tables have a row for and figures a line: settings that are alike in their method, and in the further
// fields that Spec.Series names. In every fold the best of them by its validation metric counts.
type Series struct {
	Method *method.Method
	Title  string            // the label of the method, and what the settings differ in from other series or from what the paper has
	Values map[string]string // of the fields of Spec.Series, those that it has
	Paper  bool              // a whole method of the paper, on no data set smaller than published: what its Table 1 ranks

	// Measure is what was measured on the models of the settings, nil for their predictions, With its parameters.
	Measure *measure.Measurement
	With    method.Config

	chosen bool     // has the settings of all variants of its method
	order  [2]int   // the paper's methods first
	sizes  sizes    // over all settings
	fields []string // Spec.Series
	label  string   // title of the method, with its name where another one has that title
}

// measure is the name of what was measured on the models, empty for their predictions.
func (s *Series) measure() string {
	if s.Measure == nil {
		return ""
	}
	return s.Measure.Name
}

// measured is that name with the parameters that are not at their defaults.
func (s *Series) measured() string {
	if with := s.parameters(); with != "" {
		return s.measure() + ", " + with
	}
	return s.measure()
}

// parameters are those of what was measured that are not at their defaults.
func (s *Series) parameters() string {
	if s.Measure == nil {
		return ""
	}
	var texts []string
	for _, p := range s.Measure.Params {
		if value, has := s.With[p.Name]; has && value != p.Default {
			texts = append(texts, fmt.Sprintf("%s = %v", p.Name, value))
		}
	}
	return strings.Join(texts, ", ")
}

// sizes are the smallest and the largest value of each of Method.Sizes, and whether one is smaller than published.
type sizes []bounds

type bounds struct {
	min, max int
	smaller  bool
}

// A seriesIndex has the series of a plan.
type seriesIndex struct {
	Spec
	series map[string]*Series
}

func newSeriesIndex(spec Spec) (*seriesIndex, error) {
	x := &seriesIndex{Spec: spec, series: map[string]*Series{}}
	known := []string{variantField}
	for _, g := range spec.Plan.Groups() {
		known = append(known, g.Method.ParamNames()...)
		for i := range g.Settings {
			x.of(&g.Settings[i]).sizes.widen(&g.Settings[i], g.Dataset.Info.Name)
			known = slices.AppendSeq(known, maps.Keys(g.Settings[i].Config)) // what a method of one's own is given
		}
	}
	for _, g := range spec.Plan.Groups() {
		for i := range g.Settings {
			if spec.Chosen != "" && g.Settings[i].Measure == nil {
				x.chosen(g.Method).sizes.widen(&g.Settings[i], g.Dataset.Info.Name)
			}
		}
	}
	for _, field := range spec.Series {
		if field != variantField && slices.Contains(columnNames(), field) {
			return nil, fmt.Errorf("%q cannot tell rows apart, since the CSV files have a column of that name; give its values as variants in sweep %s, and want %q",
				field, spec.Plan.Sweep.Name, variantField)
		}
		if !slices.Contains(known, field) {
			return nil, fmt.Errorf("no method of sweep %s has %q to tell rows apart by%s", spec.Plan.Sweep.Name, field, spelling.Hint(field, known))
		}
	}
	for _, s := range x.series {
		s.label = x.label(s.Method)
		s.name(spec.Series)
	}
	return x, nil
}

// label is the title of a method, but that one of somebody's own that has the title of another also has its name.
func (x *seriesIndex) label(m *method.Method) string {
	all := slices.Clone(x.Methods)
	for _, g := range x.Plan.Groups() {
		all = append(all, g.Method)
	}
	taken := slices.ContainsFunc(all, func(other *method.Method) bool { return other.Title == m.Title && other.Name != m.Name })
	if taken && results.PaperPlace(m.Name) < 0 {
		return fmt.Sprintf("%s (%s)", m.Title, m.Name)
	}
	return m.Title
}

const variantField = "variant"

// of returns the series of a setting.
func (x *seriesIndex) of(setting *plan.Setting) *Series {
	values := map[string]string{}
	key := ""
	for _, field := range x.Series {
		if v, ok := setting.Config[field]; ok {
			values[field] = fmt.Sprint(v)
		} else if field == variantField && setting.Variant != "" {
			values[field] = setting.Variant
		}
		key += values[field] + "\x00"
	}
	name, with := setting.Key()
	s := x.get(setting.Method, key+name+with, values)
	s.Measure, s.With = setting.Measure, setting.With
	return s
}

// chosen returns the series of all settings of a method.
func (x *seriesIndex) chosen(m *method.Method) *Series {
	s := x.get(m, "all settings", map[string]string{variantField: x.Chosen})
	s.chosen = true
	return s
}

// placeholder returns the series of a method of the paper as published, which the plan does not have on some data set.
func (x *seriesIndex) placeholder(m results.PaperMethod) *Series {
	for _, s := range x.series {
		if s.Method.Name == m.Name && s.Paper && s.Measure == nil && !s.chosen { // there is one such series
			return s
		}
	}
	of := &method.Method{Name: m.Name, Title: m.Title}
	if at := slices.IndexFunc(x.Methods, func(has *method.Method) bool { return has.Name == m.Name }); at >= 0 {
		of = x.Methods[at]
	}
	s := x.get(of, "as published", nil)
	s.Title, s.Paper = m.Title, true
	return s
}

func (x *seriesIndex) get(m *method.Method, key string, values map[string]string) *Series {
	key = m.Name + "\x00" + key
	s := x.series[key]
	if s == nil {
		s = &Series{Method: m, Values: values, order: [2]int{x.rank(m), len(x.series)}, sizes: make(sizes, len(m.Sizes))}
		x.series[key] = s
	}
	return s
}

// rank is a method's place among all: those of the paper in its order, then the others.
func (x *seriesIndex) rank(m *method.Method) int {
	if at := results.PaperPlace(m.Name); at >= 0 {
		return at
	}
	return len(results.PaperMethods) + 1 + slices.IndexFunc(x.Methods, func(has *method.Method) bool { return has.Name == m.Name })
}

// widen takes the sizes of one more setting in, on a data set.
func (s sizes) widen(setting *plan.Setting, dataset string) {
	for i, size := range setting.Method.Sizes {
		v, published := setting.Config.Int(size.Param), size.Published
		if own, ok := results.PaperSize(dataset, setting.Variant, size.Param); ok {
			published = own
		}
		s.include(i, bounds{v, v, v < published})
	}
}

func (s sizes) include(i int, b bounds) {
	if s[i].max == 0 {
		s[i] = b
	} else {
		s[i] = bounds{min(s[i].min, b.min), max(s[i].max, b.max), s[i].smaller || b.smaller}
	}
}

// join takes the sizes of other settings in.
func (s sizes) join(other sizes) {
	for i, b := range other {
		s.include(i, b)
	}
}

// smaller lists the sizes of a method that are smaller than published; empty: none is.
func (s sizes) smaller(m *method.Method) string {
	var texts []string
	for i, size := range m.Sizes {
		if s[i].smaller {
			texts = append(texts, size.Text(s[i].min, s[i].max))
		}
	}
	return strings.Join(texts, ", ")
}

// name makes the title, and says whether the series is the paper's method.
func (s *Series) name(fields []string) {
	s.fields = fields
	s.Title = s.titled(s.sizes)
	s.Paper = s.wholeMethod() && s.ofPaper() && !s.hasValues() && s.sizes.smaller(s.Method) == ""
}

// wholeMethod reports whether the series is a method of the paper, of whatever size, or a variant of one, and not what one value of some
// other parameter gives.
func (s *Series) wholeMethod() bool {
	for field := range s.Values {
		if field != variantField && !s.Method.IsSize(field) {
			return false
		}
	}
	return s.methodOfPaper()
}

// methodOfPaper reports whether the series is of a method of the paper, be it a part of its settings.
func (s *Series) methodOfPaper() bool {
	return !s.Method.Extra && results.PaperPlace(s.Method.Name) >= 0
}

// hasValues reports whether the series has the settings with some values of its method's parameters, as Spec.Series asks.
func (s *Series) hasValues() bool {
	for field := range s.Values {
		if field != variantField {
			return true
		}
	}
	return false
}

// titled is the title of the series where its settings have these sizes, as on some of the data sets.
func (s *Series) titled(of sizes) string {
	title := s.label
	for i, size := range s.Method.Sizes {
		if of[i].smaller || slices.Contains(s.fields, size.Param) {
			title += ", " + size.Text(of[i].min, of[i].max)
		}
	}
	for _, field := range s.fields {
		value, has := s.Values[field]
		switch {
		case s.Method.IsSize(field) || !has:
		case field == variantField:
			title += ", " + value
		default:
			title += fmt.Sprintf(", %s = %s", field, value)
		}
	}
	return title
}

// paperName is the name by which results.Paper may know the series: a single variant is not the paper's method.
func (s *Series) paperName() string {
	if s.ofPaper() {
		return s.Method.Name
	}
	return s.Method.Name + ", " + s.Values[variantField]
}

// ofPaper reports whether the paper's results for the method are also the series', as they are not a single variant's.
func (s *Series) ofPaper() bool { return s.chosen || s.Values[variantField] == "" }
