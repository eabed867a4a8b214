package report

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"nptbench/internal/command"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/plan"
	"nptbench/internal/split"
	"nptbench/results"
	"nptbench/sweeps"
)

// A Spec says what a report shows of a plan.
type Spec struct {
	Name   string // of its files
	Title  string
	Plan   *plan.Plan
	Says   string   // what the paper says, in a sentence; the report begins with it
	Series []string // what tells rows apart besides the method: "variant", or names of parameters
	Chosen string   // as a variant: the settings of all variants, of which validation chooses in every fold; empty: none
	Tables []Layout // nil: those of a comparison of methods, and rank orders
	Claims []Claim  // of the paper, which numbers are held against
	Curves bool     // also a figure of learning curves

	// Setup is the paper's own sweep, which an appendix holds against the paper's Tables 14 to 25; nil: there is none.
	Setup *sweeps.Sweep

	Estimate *plan.Estimate // how long cells take that have no record; nil: tables have no core times of searches

	// Methods are those that there are. Where a plan has all that the paper has of them, the paper's others keep their places
	// in the tables.
	Methods []*method.Method
}

// A Summary is what a report needs to know of the records of a plan.
type Summary struct {
	Spec
	Groups  []*Group  // by data set, protocol and series
	Numbers []*Number // of the groups, each with the metrics of its problem

	Records    int // of the plan's cells
	Failures   int // of Records
	OtherSeeds int // of the plan's cells under other seeds
	OutOfPlan  int // records of other cells
	Outdated   int // of OutOfPlan: they would be of the plan's cells if a data set, or the files of a command, had not changed since

	Unreadable      int     // lines of the records that could not be read
	UnreadableMore  bool    // there may be more of them: where the rest of a segment is lost nobody knows how many
	FirstUnreadable []error // the first few of them

	Conflict *results.Conflict // cells whose records have different metrics; nil: none

	origins  *origins
	own      bool         // the tables are those of Table 1, and the paper has none of their numbers
	ranks    []*rankTable // see rankTables
	appendix []Block      // of data sets and settings; nil: none
}

// firstUnreadable is how many errors a summary keeps.
const firstUnreadable = 10

// Collect reads the records of a plan, at most one of each cell (results.Store.Records), and keeps one for each fold, however many
// there are. An error among the records says that a part of them could not be read: it is counted and shown, and the rest is used.
func Collect(records iter.Seq2[*results.Record, error], spec Spec) (*Summary, error) {
	if !slices.ContainsFunc(spec.Plan.Datasets, func(d *plan.Dataset) bool { return dataset.BuiltIn(d.Info.Name) }) {
		spec.Says, spec.Claims = "", nil // all are somebody's own, of which the paper says nothing
	}
	spec.keepClaims()
	c := &collector{Summary: &Summary{Spec: spec, origins: newOrigins()}, places: spec.Plan.Places(), indexes: map[*plan.Group]*foldIndex{},
		failures: map[results.Failure]*results.Failure{}}
	for _, l := range spec.Tables {
		if err := l.check(spec.Series); err != nil {
			return nil, err
		}
	}
	series, err := newSeriesIndex(spec)
	if err != nil {
		return nil, err
	}
	for _, g := range spec.Plan.Groups() {
		c.addGroup(g, series)
	}
	c.keepPlaces(series)
	c.sort()
	for rec, err := range records {
		if err == nil {
			c.add(rec)
		} else if !errors.As(err, &c.Conflict) {
			c.unreadable(err)
		}
	}
	for _, g := range c.Groups {
		if _, _, missing := g.counts(); missing == 0 { // and no estimate is needed
			g.cost.left, g.cost.known = 0, true
		}
		for _, m := range g.metrics() {
			c.Numbers = append(c.Numbers, g.number(m))
		}
	}
	c.scale()
	c.own = c.Tables == nil && !slices.ContainsFunc(c.Numbers, func(n *Number) bool { return n.HasPaper })
	if c.own {
		c.Title, c.Says, c.Claims = c.Plan.Sweep.Name, "", nil
	}
	c.ranks, c.appendix = c.rankTables(), c.setup()
	return c.Summary, nil
}

// Check says why a report of this kind would have nothing of the plan, or a table nothing to hold its rows against, before anything of that is
// run.
func Check(spec Spec) error {
	if spec.Tables == nil && spec.Series == nil { // the tables are those of Table 1, which have something of every method
		return nil
	}
	s, err := Collect(func(func(*results.Record, error) bool) {}, spec)
	if err != nil || spec.Tables == nil {
		return err
	}
	shows := false
	for _, l := range s.Tables {
		if lines, _ := l.project(s.Numbers); lines != nil {
			shows = true
			if err := s.checkBase(l); err != nil {
				return err
			}
		}
	}
	if shows {
		return nil
	}
	var asked []string
	for _, w := range s.Tables[0].Where {
		values := w.Values
		if len(values) > 3 {
			values = append(slices.Clone(values[:3]), fmt.Sprintf("%d others", len(values)-3))
		}
		asked = append(asked, w.Field+" "+strings.Join(values, " or "))
	}
	return fmt.Errorf("sweep %s has nothing that %s shows; its first table is of %s", s.Plan.Sweep.Name, s.Name, strings.Join(asked, ", "))
}

// checkBase refuses a base that nothing of the plan is.
func (s *Summary) checkBase(l Layout) error {
	if l.Base.Field == "" {
		return nil
	}
	var known []string
	for _, n := range s.Numbers {
		value, _ := n.field(l.Base.Field)
		if slices.Contains(l.Base.Values, value) {
			return nil
		}
		if value != "" && !slices.Contains(known, value) {
			known = append(known, value)
		}
	}
	return fmt.Errorf("sweep %s has no %s %q, against which table %s shows changes; want one of %s", s.Plan.Sweep.Name, l.Base.Field,
		strings.Join(l.Base.Values, " or "), l.Name, strings.Join(known, ", "))
}

// keepClaims leaves out the claims about methods that the plan does not have, and with the last of them what the paper says.
func (s *Spec) keepClaims() {
	if len(s.Claims) == 0 {
		return
	}
	s.Claims = slices.DeleteFunc(slices.Clone(s.Claims), func(c Claim) bool {
		return !slices.ContainsFunc(s.Plan.Groups(), func(g *plan.Group) bool { return g.Method.Name == cmp.Or(c.Method, "npt") })
	})
	if len(s.Claims) == 0 {
		s.Says = ""
	}
}

func (s *Summary) unreadable(err error) {
	d := new(results.Damage) // of nobody knows how many lines
	errors.As(err, &d)
	if d.Torn { // by a crash: its cell is run again
		return
	}
	s.Unreadable += max(1, d.Lines)
	s.UnreadableMore = s.UnreadableMore || d.Lines == 0
	if len(s.FirstUnreadable) < firstUnreadable {
		s.FirstUnreadable = append(s.FirstUnreadable, err)
	}
}

type collector struct {
	*Summary
	places   map[results.ID]plan.Place
	indexes  map[*plan.Group]*foldIndex
	failures map[results.Failure]*results.Failure // each distinct one is kept once
}

// A foldIndex finds the folds that a record of a plan's group counts for: several, where protocols share the task.
type foldIndex struct {
	dataset   string
	subgroups []*subgroup
	places    [][]place // of each setting: in its series, and in the one of all settings
}

// A subgroup of a plan's group has its settings of one series.
type subgroup struct {
	series   *Series
	settings int
	sizes    sizes
	folds    [][]*Fold // by the plan's fold
}

// A place is a setting's: in which subgroup, and which of its settings, from 0.
type place struct {
	*subgroup
	setting int
}

// put adds a setting to the subgroup of a series.
func (t *foldIndex) put(s *Series, setting *plan.Setting, number int) {
	at := slices.IndexFunc(t.subgroups, func(p *subgroup) bool { return p.series == s })
	if at < 0 {
		at = len(t.subgroups)
		t.subgroups = append(t.subgroups, &subgroup{series: s, sizes: make(sizes, len(s.sizes))})
	}
	p := t.subgroups[at]
	t.places[number] = append(t.places[number], place{p, p.settings})
	p.settings++
	p.sizes.widen(setting, t.dataset)
}

func (c *collector) addGroup(of *plan.Group, index *seriesIndex) {
	t := &foldIndex{dataset: of.Dataset.Info.Name, places: make([][]place, len(of.Settings))}
	c.indexes[of] = t
	for i := range of.Settings {
		t.put(index.of(&of.Settings[i]), &of.Settings[i], i)
	}
	whole := len(t.subgroups) == 1
	predicting := slices.DeleteFunc(slices.Clone(t.subgroups), func(p *subgroup) bool { return p.series.Measure != nil })
	for i := range of.Settings {
		if c.Chosen != "" && len(predicting) > 1 && of.Settings[i].Measure == nil {
			t.put(index.chosen(of.Method), &of.Settings[i], i)
		}
	}
	for _, p := range t.subgroups {
		p.folds = make([][]*Fold, len(of.Dataset.Folds))
		for _, protocol := range c.Plan.Protocols {
			g := c.newGroup(of.Dataset, protocol, p.series, p.settings)
			g.sizes = p.sizes
			if whole {
				g.cost.extrapolate(c.Plan, c.Estimate, of)
			}
			left := g.Folds
			for i, fold := range of.Dataset.Folds {
				if slices.Contains(fold.Under, protocol) {
					p.folds[i], left = append(p.folds[i], left[0]), left[1:]
				}
			}
		}
	}
}

// newGroup adds a group with the folds that a data set has under a protocol.
func (c *collector) newGroup(d *plan.Dataset, protocol split.Protocol, s *Series, settings int) *Group {
	g := &Group{Info: d.Info, Protocol: protocol, Series: s, Settings: settings, Select: c.selects(d.Info.Problem)}
	if n, ok := results.PaperSettings(d.Info.Name, s.Method.Name); ok && 0 < settings && settings < n && c.Setup != nil {
		_, g.distinct = c.countSettings(d.Info, s.Method.Name)
	}
	for _, f := range d.Folds {
		if slices.Contains(f.Under, protocol) {
			g.Folds = append(g.Folds, g.newFold(f.Number))
		}
	}
	c.Groups = append(c.Groups, g)
	return g
}

// selects returns the metric that chooses settings.
func (s *Summary) selects(p dataset.Problem) metric.Metric {
	return metric.Named(s.Plan.Sweep.Select.Metric(p)).Recorded()
}

// keepPlaces adds groups without settings for what the paper has and the plan has not, on the plan's data sets.
func (c *collector) keepPlaces(index *seriesIndex) {
	has := map[string]bool{}
	for _, g := range c.Groups {
		has[g.Series.Method.Name], has[g.Info.Name+" "+g.Series.Method.Name] = true, true
	}
	for _, m := range c.Methods {
		if !m.Extra && !has[m.Name] {
			return
		}
	}
	for _, d := range c.Plan.Datasets {
		for _, paper := range results.PaperMethods {
			if !has[d.Info.Name+" "+paper.Name] {
				c.newGroup(d, c.Plan.Protocols[0], index.placeholder(paper), 0)
			}
		}
	}
}

// sort puts the groups into the order of the catalogue, one's own data last as the plan has them, the published protocol first, and the
// series' own.
func (c *collector) sort() {
	place, infos := map[string]int{}, dataset.Infos()
	for i, d := range c.Plan.Datasets {
		place[d.Info.Name] = i
	}
	for i, info := range infos {
		place[info.Name] = i - len(infos)
	}
	slices.SortStableFunc(c.Groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(place[a.Info.Name], place[b.Info.Name]),
			cmp.Compare(slices.Index(split.Protocols, a.Protocol), slices.Index(split.Protocols, b.Protocol)),
			slices.Compare(a.Series.order[:], b.Series.order[:]))
	})
}

func (c *collector) add(rec *results.Record) {
	at, planned := c.places[rec.ID]
	seed := c.Plan.Sweep.Seed
	if !planned && rec.Seed != seed { // perhaps a cell of the plan, under another seed
		cell := rec.Cell
		cell.Seed = seed
		at, planned = c.places[cell.ID()]
		seed = rec.Seed
	}
	if !planned {
		c.OutOfPlan++
		if c.isOutdated(rec.Cell) {
			c.Outdated++
		}
		return
	}
	var failure *results.Failure
	if rec.Status != results.OK {
		failure = c.distinct(cmp.Or(rec.Failure, &results.Failure{Kind: "error", Message: "the record does not say why"}))
	}
	t := c.indexes[at.Group]
	for _, p := range t.places[at.Setting] {
		for _, f := range p.folds[at.Fold] {
			if seed != c.Plan.Sweep.Seed {
				f = f.under(seed)
			}
			f.add(rec, failure, p.setting)
			if seed == c.Plan.Sweep.Seed {
				f.group.cost.add(rec, at.GoesOn())
			}
		}
	}
	if seed == c.Plan.Sweep.Seed {
		c.Records++
		if failure != nil {
			c.Failures++
		}
	} else {
		c.OtherSeeds++
	}
	c.origins.add(rec, at.GoesOn())
}

// isOutdated reports whether a cell would be one of the plan if its table, or the files of its command, were what they are now.
func (c *collector) isOutdated(cell results.Cell) bool {
	cell.Seed = c.Plan.Sweep.Seed
	for _, g := range c.Plan.Groups() {
		if g.Method.Name == cell.Method && g.Dataset.Info.Name == cell.Dataset {
			cell.DataDigest = g.Dataset.Digest
			if g.Method.Command != nil {
				cell.Config = results.Config(command.Renew(string(cell.Config), *g.Method.Command))
			}
			_, planned := c.places[cell.ID()]
			return planned
		}
	}
	return false
}

// distinct returns the one copy that is kept of a failure.
func (c *collector) distinct(failure *results.Failure) *results.Failure {
	kept, ok := c.failures[*failure]
	if !ok {
		one := *failure
		kept = &one
		c.failures[one] = kept
	}
	return kept
}
