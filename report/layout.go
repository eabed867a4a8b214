package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/metric"
	"nptbench/internal/split"
)

// A Layout says how numbers become a table. Every number belongs to the row and the column that the values of its fields
// name; the same row and column under both protocols make one comparison, of which Show has the parts.
//
// Fields are "dataset", "series" (method, and whatever else tells rows apart), "metric", "protocol", "ranking" (the metric by
// which Table 1 ranks on the data set: "yes" or "no"), "method", "measure" (the name of what was measured on the models),
// "measured" (that with its parameters), and those that Spec.Series names. Tests of claims can also ask for single parameters of
// what was measured.
type Layout struct {
	Name    string   // by which documents take the table out of a report
	Title   string   // heading above; empty: no further one
	Caption string   // above the table
	Where   []Where  // which numbers; all must hold
	Group   string   // field to group rows by; empty: none
	Rows    []string // fields
	Columns []string // empty: a column for each part of Show
	Show    []Part
	Wide    bool // too wide for a terminal

	Paper  int   // the table of the paper whose variants stand beside ours; 0: its results for the method as published
	Base   Where // the variant that changes are against, by a field
	Order  bool  // the caption says how much the order of the rows is like the paper's
	Figure bool  // the report's figure shows what the first part does
	Best   bool  // the best and the second best of each column are marked, by their printed digits; Show has one part
}

// Where has the values of a field that are shown, in the order of columns.
type Where struct {
	Field  string
	Values []string
}

// Is selects the numbers whose field has one of the values.
func Is(field string, values ...string) Where { return Where{field, values} }

// place is where a number's value stands among the values, -1 when it is none of them.
func (w Where) place(n *Number) int {
	value, _ := n.field(w.Field)
	return slices.Index(w.Values, value)
}

// check refuses fields that numbers do not have; series are those of Spec.Series.
func (l *Layout) check(series []string) error {
	if l.Name == "" {
		return fmt.Errorf("report: the table %q has no name, which its file needs", l.Caption)
	}
	known := append(sortedKeys(fields), series...)
	asked := slices.Concat(l.Rows, l.Columns)
	if l.Group != "" {
		asked = append(asked, l.Group)
	}
	for _, w := range l.Where {
		asked = append(asked, w.Field)
	}
	if l.Base.Field != "" {
		asked = append(asked, l.Base.Field)
	}
	for _, field := range asked {
		if !slices.Contains(known, field) {
			return fmt.Errorf("report: table %q asks for the field %q, want one of %s", l.Name, field, strings.Join(known, ", "))
		}
	}
	return nil
}

// A comparison is what a row and a column have: the number under each of the protocols; one may be nil. More of them than that
// are counted and not shown.
type comparison struct {
	published, corrected *Number
	more                 int

	layout *Layout
	titled sizes     // those in the title of its row; nil: it has none
	among  []*Number // all numbers, also those that the layout leaves out
}

func (c comparison) under(p split.Protocol) *Number {
	if p == split.Published {
		return c.published
	}
	return c.corrected
}

// any is the number under the published protocol, or under the corrected one where fewer cells of this one are to be run.
func (c comparison) any() *Number {
	if c.published == nil || c.corrected != nil && c.corrected.missing() < c.published.missing() {
		return c.corrected
	}
	return c.published
}

// source is what the number of a part is of.
func (c comparison) source(p Part) *Group {
	if len(p.needs) == 1 {
		return c.under(p.needs[0]).Group
	}
	return c.any().Group
}

func (c *comparison) set(n *Number) {
	switch {
	case n.Protocol == split.Published && c.published == nil:
		c.published = n
	case n.Protocol != split.Published && c.corrected == nil:
		c.corrected = n
	default:
		c.more++
	}
}

// fields are what numbers are told apart by, besides those of Spec.Series.
var fields = map[string]struct {
	head string // of a column
	of   func(*Number) (value, title string)
}{
	"dataset":  {"Data set", func(n *Number) (string, string) { return n.Info.Name, n.Info.Title }},
	"series":   {"Method", func(n *Number) (string, string) { return n.Series.Title, n.Series.Title }},
	"method":   {"Method", func(n *Number) (string, string) { return n.Series.Method.Name, n.Series.Method.Title }},
	"metric":   {"Metric", func(n *Number) (string, string) { return n.Metric.Name, n.Metric.Title }},
	"measure":  {"Measured", func(n *Number) (string, string) { return n.Series.measure(), n.Series.measure() }},
	"measured": {"Measured", func(n *Number) (string, string) { return n.Series.measured(), n.Series.measured() }},
	"protocol": {"Folds are", func(n *Number) (string, string) { return string(n.Protocol), string(n.Protocol) }},
	"ranking": {"Ranks", func(n *Number) (string, string) {
		if n.Metric == metric.Ranking(n.Info.Problem) {
			return "yes", "yes"
		}
		return "no", "no"
	}},
}

// key is what tells the rows or columns of some fields apart, and title how tables print it.
func (n *Number) key(names ...string) (key string) {
	for _, name := range names {
		value, _ := n.field(name)
		key += value + "\x00"
	}
	return key
}

func (n *Number) title(names ...string) string {
	titles := make([]string, len(names))
	for i, name := range names {
		_, titles[i] = n.field(name)
	}
	return strings.Join(titles, " ")
}

func (n *Number) field(name string) (value, title string) {
	if f, ok := fields[name]; ok {
		return f.of(n)
	}
	value = n.Series.Values[name]
	if of, has := n.Series.With[name]; has { // a parameter of what was measured
		value = fmt.Sprint(of)
	}
	switch {
	case name == variantField && value == "": // of a method without variants
		return value, n.Series.Title
	case name == variantField:
		return value, value
	}
	return value, name + " " + value
}

// fieldTitle heads the column of a field, a parameter's with its name in sweeps.
func fieldTitle(name string) string {
	if name == variantField {
		return "Variant"
	}
	return cmp.Or(fields[name].head, name)
}

// A line is a row before its cells are written, with one of its numbers.
type line struct {
	*Number
	cells map[string]*comparison // by column
	sizes sizes                  // of the networks of all its numbers, where these are of one series
}

// labels are what the table has for the fields of a row.
func (l *line) labels(fields []string) []string {
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i] = l.title(field)
		if field == "series" && l.Settings > 0 {
			texts[i] = l.Series.titled(l.sizes)
		}
	}
	return texts
}

// project finds the lines and columns of some numbers, which come by data set, protocol and series.
func (l *Layout) project(numbers []*Number) (lines []*line, columns []*Number) {
	at := map[string]*line{}
	group := map[string]int{}
	bySeries := slices.Contains(l.Rows, "series")
	for _, n := range numbers {
		if !n.meets(l.Where) {
			continue
		}
		n = l.withPaper(n)
		key := n.groupOf(l) + "\x00" + n.key(l.Rows...)
		if at[key] == nil {
			at[key] = &line{n, map[string]*comparison{}, make(sizes, len(n.Series.sizes))}
			lines = append(lines, at[key])
		}
		column := n.key(l.Columns...)
		if !slices.ContainsFunc(columns, func(c *Number) bool { return c.key(l.Columns...) == column }) {
			columns = append(columns, n)
		}
		if at[key].cells[column] == nil {
			at[key].cells[column] = &comparison{layout: l, among: numbers}
			switch {
			case bySeries:
				at[key].cells[column].titled = at[key].sizes
			case n.Series.Values[variantField] == "":
				at[key].cells[column].titled = n.Series.sizes
			}
		}
		at[key].cells[column].set(n)
		if bySeries {
			at[key].sizes.join(n.sizes)
		}
		if name := n.groupOf(l); group[name] == 0 {
			group[name] = len(group) + 1
		}
	}
	slices.SortStableFunc(lines, func(a, b *line) int {
		return cmp.Or(cmp.Compare(group[a.groupOf(l)], group[b.groupOf(l)]), slices.Compare(a.Series.order[:], b.Series.order[:]))
	})
	slices.SortStableFunc(columns, func(a, b *Number) int {
		for _, w := range l.Where {
			if c := cmp.Compare(w.place(a), w.place(b)); c != 0 {
				return c
			}
		}
		return 0
	})
	return lines, columns
}

func (n *Number) meets(all []Where) bool {
	return !slices.ContainsFunc(all, func(w Where) bool { return w.place(n) < 0 })
}

func (n *Number) groupOf(l *Layout) string {
	if l.Group == "" {
		return ""
	}
	return n.title(l.Group)
}

// table is nil when nothing stands in it.
func (l *Layout) table(numbers []*Number) *Table {
	lines, columns := l.project(numbers)
	t := &Table{Name: l.Name, Caption: l.Caption}
	if l.Group != "" {
		t.Grouped = fieldTitle(l.Group)
	}
	for _, f := range l.Rows {
		t.Columns = append(t.Columns, Column{Head: fieldTitle(f)})
	}
	show := l.shown(lines)
	for _, c := range columns {
		for _, part := range show {
			head := part.Head
			if len(l.Columns) > 0 {
				head = c.title(l.Columns...)
				if len(l.Show) > 1 && part.Head != "" {
					head += ", " + part.Head
				}
			}
			t.Columns = append(t.Columns, Column{head, part.Right})
		}
	}
	both := false // kinds of folds, of parts that show either
	for _, line := range lines {
		row, noted := Row{Group: line.groupOf(l), Cells: cells(line.labels(l.Rows)...)}, len(t.Notes)
		something := false
		for _, c := range columns {
			for _, part := range show {
				cell := blank
				if at := line.cells[c.key(l.Columns...)]; at != nil {
					cell = part.cell(t, *at)
					if part.fact != nil && cell.Text != none {
						cell.Of = at.source(part)
						if part.needs == nil && at.published != nil && at.corrected != nil {
							both = true
							if at.any() == at.corrected {
								cell.Notes = append(cell.Notes, t.Note("By corrected folds."))
							}
						}
					}
					if at.more > 0 {
						cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("The first of %d numbers that the table does not tell apart.", at.more+1)))
					}
				}
				something = something || cell.Text != none
				row.Cells = append(row.Cells, cell)
			}
		}
		if something {
			row.noteAtTitle(len(l.Rows))
			t.Rows = append(t.Rows, row)
		} else {
			t.Notes = t.Notes[:noted]
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if l.Best {
		for i, c := range columns {
			t.markBest(len(l.Rows)+i, c.Metric.Larger)
		}
	}
	if both {
		t.Caption += " By published folds, or by corrected ones where a footnote says so."
	}
	if l.Order {
		t.Caption += l.order(l.facts(numbers))
	}
	return t
}

// noteAtTitle puts the footnotes that all numbers of a row have, which is behind so many labels, at the first label.
func (r *Row) noteAtTitle(labels int) {
	var shared []int
	numbers := 0
	for _, c := range r.Cells[labels:] {
		if c.Text == none {
			continue
		}
		if numbers++; numbers == 1 {
			shared = slices.Clone(c.Notes)
		}
		shared = slices.DeleteFunc(shared, func(note int) bool { return !slices.Contains(c.Notes, note) })
	}
	if labels == 0 || numbers < 2 {
		return
	}
	r.Cells[0].Notes = append(r.Cells[0].Notes, shared...)
	for i := labels; i < len(r.Cells); i++ {
		c := &r.Cells[i]
		c.Notes = slices.DeleteFunc(c.Notes, func(note int) bool { return slices.Contains(shared, note) })
	}
}

// markBest marks the best numbers of a column, and, where only one is the best, the second ones.
func (t *Table) markBest(column int, larger bool) {
	places := map[float64][]*Cell{}
	for _, row := range t.Rows {
		c := &row.Cells[column]
		printed, _, _ := strings.Cut(c.Text, " ")
		if x, err := strconv.ParseFloat(printed, 64); err == nil {
			places[x] = append(places[x], c)
		}
	}
	values := sortedKeys(places)
	if len(values) < 2 {
		return
	}
	if larger {
		slices.Reverse(values)
	}
	for i, x := range values[:2] {
		if i == 1 && len(places[values[0]]) > 1 {
			return
		}
		for _, c := range places[x] {
			c.Tone = [...]Tone{First, Second}[i]
		}
	}
}

// shown leaves out the parts that a report with only one of the protocols cannot fill.
func (l *Layout) shown(lines []*line) (show []Part) {
	has := map[split.Protocol]bool{}
	for _, line := range lines {
		for _, c := range line.cells {
			has[split.Published] = has[split.Published] || c.published != nil
			has[split.Corrected] = has[split.Corrected] || c.corrected != nil
		}
	}
	for _, part := range l.Show {
		if !slices.ContainsFunc(part.needs, func(p split.Protocol) bool { return !has[p] }) {
			show = append(show, part)
		}
	}
	return show
}
