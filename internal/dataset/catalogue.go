package dataset

import (
	"fmt"
	"slices"
)

// catalogue lists the data sets in the order of the paper's tables. Adding one takes a file that describes it and a line
// here.
var catalogue = []*source{
	yacht,
	bostonHousing,
	breastCancer,
	concrete,
	protein,
	kick,
	income,
	pokerHand,
	forestCover,
	higgs,
	mnist,
	lookup,
	lookupRandom,
	lookupAddOne,
	lookupRandomAdd,
	lookupFlagged,
	lookupAnyColumn,
}

// A source is all that is known of a data set.
type source struct {
	Info
	columns  []columnSpec
	variants []variant // in order of preference
	// cached says that the columns are kept in a cache, where it saves more than a second: 1.1 s of Income's 1.6, 1.3 s of Forest
	// Cover's 2.1, most of the minutes of the full Higgs, each time that a plan is made or a worker begins.
	cached bool

	dir    string // of a data set of one's own: its folder
	folder string // of a data set that is made of another one's files: that one's name; empty: its own
}

// A variant is one set of files that a table can be read from. The first one is complete: its counts are those of Info.
type variant struct {
	files     []File
	subset    string // which part of the published table it holds; empty: all
	rows      int    // of a subset; 0: all
	testAt    int    // first row of the fixed test set; 0: none
	classRows []int  // rows of each class; nil: regression
	digest    string // of the table; empty: nobody has had all its files yet
	rule      string // what else the tasks depend on, of data sets of one's own and of semi-synthetic ones
}

// rowsOf returns how many rows a table read from the variant has.
func (s *source) rowsOf(v *variant) int {
	if v.rows > 0 {
		return v.rows
	}
	return s.Rows
}

// info returns what a table read from the variant says of itself.
func (s *source) info(v *variant) Info {
	info := s.Info
	info.TestAt = v.testAt
	for i, c := range s.columns {
		if c.kind == Categorical && i != s.Target {
			info.Categorical++
		}
	}
	return info
}

// Infos returns what is known of every built-in data set, in the order of the paper's tables.
func Infos() []Info {
	infos := make([]Info, len(catalogue))
	for i, s := range catalogue {
		infos[i] = s.info(&s.variants[0])
	}
	return infos
}

// Names lists every data set: the built-in ones, and those of one's own in the library's folders, those too whose declaration is wrong.
func (l *Library) Names() (names []string) {
	own := l.ownNames()
	for _, s := range catalogue {
		names = append(names, s.Name)
		own = slices.DeleteFunc(own, func(name string) bool { return name == s.Name })
	}
	return append(names, own...)
}

// Infos returns what is known of every data set, but for those of one's own whose declaration is wrong: Lookup says what is.
func (l *Library) Infos() []Info {
	infos := Infos()
	for _, name := range l.ownNames() {
		if s, err := l.own(name); err == nil {
			infos = append(infos, s.info(&s.variants[0]))
		}
	}
	return infos
}

// Lookup returns what is known of a data set. The error names the nearest known name.
func (l *Library) Lookup(name string) (Info, error) {
	s, err := l.source(name)
	if err != nil {
		return Info{}, err
	}
	return s.info(&s.variants[0]), nil
}

func (l *Library) source(name string) (*source, error) {
	if s, err := l.own(name); s != nil || err != nil {
		return s, err
	}
	if s := builtIn(name); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("unknown data set %q%s", name, Unknown(name, l.Dirs, l.Names()))
}

// BuiltIn reports whether the catalogue has a data set of that name.
func BuiltIn(name string) bool { return builtIn(name) != nil }

// builtIn returns the data set of that name in the catalogue, or nil.
func builtIn(name string) *source {
	if i := slices.IndexFunc(catalogue, func(s *source) bool { return s.Name == name }); i >= 0 {
		return catalogue[i]
	}
	return nil
}

const uci = "https://archive.ics.uci.edu/ml/machine-learning-databases/"

// continuous and categorical describe columns by name.
func continuous(names ...string) []columnSpec { return columnSpecs(Continuous, names) }

func categorical(names ...string) []columnSpec { return columnSpecs(Categorical, names) }

func columnSpecs(kind ColumnType, names []string) []columnSpec {
	specs := make([]columnSpec, len(names))
	for i, name := range names {
		specs[i] = columnSpec{name: name, kind: kind}
	}
	return specs
}

// levels describes a categorical column that can only have the given values.
func levels(name string, values ...string) columnSpec {
	return columnSpec{name: name, kind: Categorical, levels: values}
}
