package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/plan"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/results"
)

// setup is an appendix: what the data sets are, and what the paper's own sweep searches, from the definitions that every run uses.
func (s *Summary) setup() []Block {
	if s.Setup == nil || !slices.ContainsFunc(s.Plan.Datasets, func(d *plan.Dataset) bool { return slices.Contains(s.Setup.Datasets, d.Info.Name) }) {
		return nil
	}
	var datasets []dataset.Info
	for _, info := range dataset.Infos() {
		if slices.Contains(s.Setup.Datasets, info.Name) {
			datasets = append(datasets, info)
		}
	}
	return []Block{Heading("Data sets and settings (Tables 14 to 25)"), s.statistics(datasets), s.settingCounts(datasets), s.searches(datasets)}
}

// statistics is a table of what is known of the data sets before anything is loaded, and of how many rows records are.
func (s *Summary) statistics(datasets []dataset.Info) *Table {
	columns := []struct {
		head, field string
		ours        func(info dataset.Info, paper string) Cell
	}{
		{"Rows", "n_instances", func(d dataset.Info, _ string) Cell { return count(d.Rows) }},
		{"Features", "n_features", func(d dataset.Info, _ string) Cell { return count(d.Columns - 1) }},
		{"Categorical", "n_categorical_features", func(d dataset.Info, _ string) Cell { return count(d.Categorical) }},
		{"Continuous", "n_continuous_features", func(d dataset.Info, _ string) Cell { return count(d.Columns - 1 - d.Categorical) }},
		{"Classes", "n_classes", func(d dataset.Info, _ string) Cell {
			if d.Problem == dataset.Regression {
				return Cell{Text: none}
			}
			return count(d.Classes)
		}},
		{"Train/val/test", "split", func(d dataset.Info, paper string) Cell { return Cell{Text: shares(d, paper)} }},
		{"Fixed test rows", "fixed_test_set", func(d dataset.Info, _ string) Cell { return Cell{Text: fixedTestRows(d)} }},
		{"NPT's batches", "minibatches", func(d dataset.Info, _ string) Cell { return Cell{Text: s.minibatches(d)} }},
	}
	t := &Table{Name: "datasets", Columns: []Column{{Head: "Data set"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{c.head, true})
	}
	t.Columns = append(t.Columns, Column{"Rows of records", true})
	var of agreement
	for _, d := range datasets {
		row := Row{Cells: cells(d.Title)}
		for _, c := range columns {
			paper, has := results.PaperStatistic(d.Name, c.field)
			cell := c.ours(d, paper.Printed)
			if has && !of.beside(&cell, withThousands(paper.Printed)) && paper.Why != "" {
				cell.Notes = []int{t.Note(paper.Why)}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, Row{Cells: append(row.Cells, s.recordedRows(t, d))})
	}
	t.Caption = fmt.Sprintf("Data sets (Tables 14 and 15): %d of the paper's %d entries are the same; where not, the paper's stands in parentheses. "+
		"NPT's batches are rows of sweep %s.", of.same, of.entries, s.Setup.Name)
	return t
}

// An agreement counts the entries of a table of the paper, and those that are the same here.
type agreement struct{ entries, same int }

// beside counts an entry, and puts the paper's in parentheses behind ours where they differ.
func (a *agreement) beside(ours *Cell, paper string) (same bool) {
	a.entries++
	if paper == ours.Text {
		a.same++
		return true
	}
	ours.Text += " (" + paper + ")"
	return false
}

// withThousands writes a printed integer with separators.
func withThousands(printed string) string {
	if n, err := strconv.Atoi(printed); err == nil {
		return spelling.Thousands(n)
	}
	return printed
}

// shares writes the parts of training, validation and test rows, with the digits of the paper's where it has them.
func shares(d dataset.Info, paper string) string {
	train, val, test := split.Rule{Rows: d.Rows, Folds: d.Folds, TestAt: d.TestAt}.Sizes(0)
	texts := []string{"", "", ""}
	printed := strings.Split(paper, "/")
	for i, n := range []int{train, val, test} {
		digits := 2
		if len(printed) == len(texts) {
			_, fraction, _ := strings.Cut(printed[i], ".")
			digits = len(fraction)
		}
		texts[i] = Decimal(float64(n)/float64(d.Rows), digits)
	}
	return strings.Join(texts, "/")
}

func fixedTestRows(d dataset.Info) string {
	switch {
	case d.TestAt > 0:
		return "Yes"
	case d.RunFolds > 1:
		return fmt.Sprintf("No (%d-Fold CV)", d.RunFolds)
	}
	return "No"
}

// minibatches says whether NPT's batches are smaller than the table in the paper's sweep.
func (s *Summary) minibatches(d dataset.Info) string {
	answer := none
	for _, setting := range s.Setup.Settings(d.Name) {
		if rows, has := setting.Config["batch_size"].(int); setting.Method.Name == "npt" && has {
			if rows > 0 && rows < d.Rows {
				return "Yes"
			}
			answer = "No"
		}
	}
	return answer
}

// recordedRows is how many rows the tables had that records are of.
func (s *Summary) recordedRows(t *Table, d dataset.Info) Cell {
	for _, g := range s.Groups {
		rows := g.rows()
		n := rows[0] + rows[1] + rows[2]
		if g.Info.Name != d.Name || n == 0 {
			continue
		}
		cell := count(n)
		if subset := g.subset(); subset != "" {
			cell.Notes = []int{t.Note(fmt.Sprintf("%s: %s.", d.Title, subset))}
		}
		return cell
	}
	return Cell{Text: none, Tone: Faint, Notes: []int{t.Note("There is no record yet.")}}
}

// settingCounts is a table of how many settings the paper's sweep has.
func (s *Summary) settingCounts(datasets []dataset.Info) *Table {
	t := &Table{Name: "settings", Columns: []Column{{Head: "Method"}}}
	for _, d := range datasets {
		t.Columns = append(t.Columns, Column{d.Title, true})
	}
	var of agreement
	for _, m := range results.PaperMethods {
		row := Row{Cells: cells(m.Title)}
		for _, d := range datasets {
			all, distinct := s.countSettings(d, m.Name)
			paper, has := results.PaperSettings(d.Name, m.Name)
			cell := count(all)
			if has {
				of.beside(&cell, spelling.Thousands(paper))
			} else if all == 0 {
				cell = blank
			}
			if distinct < all {
				cell.Notes = []int{t.Note(spelling.Thousands(distinct) + " of them can differ in their predictions.")}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Caption = fmt.Sprintf("Settings of sweep %s (Table 16): %d of the paper's %d numbers are the same; where not, the paper's stands in parentheses.",
		s.Setup.Name, of.same, of.entries)
	return t
}

// countSettings counts the settings that the paper's sweep has of a method on a data set, and those whose predictions can differ.
func (s *Summary) countSettings(d dataset.Info, method string) (all, distinct int) {
	seen := map[string]bool{}
	for _, setting := range s.Setup.Settings(d.Name) {
		if setting.Method.Name != method {
			continue
		}
		all++
		canonical := setting.Config
		if setting.Method.Canonical != nil {
			canonical = setting.Method.Canonical(setting.Config, d.Problem)
		}
		seen[canonical.JSON()] = true
	}
	return all, len(seen)
}

// searches is a table of the values that the paper's sweep has of each hyperparameter that the paper searches.
func (s *Summary) searches(datasets []dataset.Info) *Table {
	t := &Table{Name: "searches", Grouped: "Table", Columns: []Column{{Head: "Hyperparameter"}, {Head: "Paper"}, {Head: "Values here"}, {"Number", true}}}
	lines, same := 0, 0
	for _, search := range results.PaperSearches() {
		values, everywhere := s.valuesOf(search)
		row := Row{Group: searchTitle(search, datasets), Cells: cells(search.Printed, search.Range, none, none)}
		if len(values) > 0 {
			texts := valueTexts(values)
			row.Cells[2].Text, row.Cells[3] = strings.Join(texts, ", "), count(len(values))
			lines++
			switch {
			case !inRange(search.Range, values, texts):
				row.Cells[2].Notes = []int{t.Note("Not the paper's.")}
			case !everywhere:
				row.Cells[2].Notes = []int{t.Note("Not the same for all of these methods and data sets.")}
			default:
				same++
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Caption = fmt.Sprintf("Values that sweep %s searches (Tables 17 to 25; the paper prints the least and the largest of numbers, and all values of anything else): "+
		"%d of %d are as the paper prints.", s.Setup.Name, same, lines)
	return t
}

// searchTitle names a table of the paper by its number, methods and data sets.
func searchTitle(search results.Search, datasets []dataset.Info) string {
	var methods, names []string
	for _, name := range search.Methods {
		methods = append(methods, results.PaperMethods[results.PaperPlace(name)].Title)
	}
	classes := 0
	for _, d := range datasets {
		if slices.Contains(search.Datasets, d.Name) {
			names = append(names, d.Title)
			if d.Problem.Classification() {
				classes++
			}
		}
	}
	title := fmt.Sprintf("%d: %s", search.Table, strings.Join(methods, ", "))
	switch {
	case len(names) == len(datasets):
		return title
	case classes == 0:
		return title + ", regression"
	case classes == len(names) && len(names) > 1:
		return title + ", classification"
	}
	return title + " on " + strings.Join(names, ", ")
}

// valuesOf returns the values that the paper's sweep has of a parameter, in its order, and whether all methods and data sets of the
// search have all of them.
func (s *Summary) valuesOf(search results.Search) (values []any, everywhere bool) {
	seen := map[string]bool{}
	var counts []int
	for _, name := range search.Datasets {
		for _, method := range search.Methods {
			here := map[string]bool{}
			for _, setting := range s.Setup.Settings(name) {
				if setting.Method.Name != method {
					continue
				}
				value := setting.Config[search.Param]
				key := fmt.Sprint(value)
				if here[key] = true; !seen[key] {
					seen[key] = true
					values = append(values, value)
				}
			}
			counts = append(counts, len(here))
		}
	}
	return values, !slices.ContainsFunc(counts, func(n int) bool { return n != len(values) })
}

// valueTexts writes values as the paper's tables do: (25)-(500) are widths of a layer, (25,25)-(500,500) of two layers.
func valueTexts(values []any) (texts []string) {
	last := 0 // layers of the last text
	for _, v := range values {
		switch v := v.(type) {
		case []int:
			text := "(" + strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ",") + ")"
			if len(v) == last {
				from, _, _ := strings.Cut(texts[len(texts)-1], "-")
				texts[len(texts)-1] = from + "-" + text
			} else {
				texts, last = append(texts, text), len(v)
			}
		case float64:
			texts = append(texts, strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1))
		default:
			texts = append(texts, fmt.Sprint(v))
		}
	}
	return texts
}

// inRange reports whether values are those that the paper prints: from the least to the largest number, or each of a list.
func inRange(printed string, values []any, texts []string) bool {
	bounds, isInterval := strings.CutPrefix(printed, "[")
	if !isInterval {
		list := strings.Split(printed, ", ")
		slices.Sort(list)
		return slices.Equal(list, slices.Sorted(slices.Values(texts)))
	}
	var numbers []float64
	for _, v := range values {
		switch v := v.(type) {
		case int:
			numbers = append(numbers, float64(v))
		case float64:
			numbers = append(numbers, v)
		default:
			return false
		}
	}
	least, largest, _ := strings.Cut(strings.TrimSuffix(bounds, "]"), ", ")
	from, _ := strconv.ParseFloat(least, 64)
	to, _ := strconv.ParseFloat(largest, 64)
	return slices.Min(numbers) == from && slices.Max(numbers) == to
}
