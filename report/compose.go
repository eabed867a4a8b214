package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nptbench/internal/dataset"
	"nptbench/results"
)

// Document is the whole report.
func (s *Summary) Document() *Document {
	d := &Document{Title: s.Plan.Title}
	d.Blocks = append(d.Blocks, Paragraph(s.progress()), Paragraph(s.verdictCounts()))
	if len(s.Plan.Notes) > 0 {
		d.Blocks = append(d.Blocks, List(s.Plan.Notes))
	}
	d.Blocks = append(d.Blocks, s.tables()...)
	d.Blocks = append(d.Blocks, Heading("What ran"), s.coverage())
	d.Blocks = append(d.Blocks, Heading("How to read this"), List(s.howToRead()))
	d.Blocks = append(d.Blocks, Heading("Where the numbers come from"), List(s.sources()))
	return d
}

// digest is what a terminal shows: the tables, and what is needed to take them right.
func (s *Summary) digest() *Document {
	d := &Document{Title: s.Plan.Title, Blocks: s.tables()}
	d.Blocks = append(d.Blocks, Paragraph(s.verdictCounts()), Paragraph(s.progress()))
	if len(s.Plan.Notes) > 0 {
		d.Blocks = append(d.Blocks, List(s.Plan.Notes))
	}
	return d
}

// tables are Tables 1 and 8 to 12, as far as the plan has data sets for them.
func (s *Summary) tables() []Block {
	blocks := []Block{Heading("Rank orders (the paper's Table 1)")}
	for _, t := range s.RankTables() {
		blocks = append(blocks, t.table())
	}
	entries := s.Entries()
	for _, m := range metricTables {
		if t := s.metricTable(m, entries); t != nil {
			blocks = append(blocks, Heading(m.title), t)
		}
	}
	return blocks
}

func (s *Summary) progress() string {
	planned, failed := 0, 0
	for _, g := range s.Groups {
		planned += len(g.Folds) * g.Settings
		for _, f := range g.Folds {
			failed += f.Failed
		}
	}
	text := fmt.Sprintf("%s of %s cells have a record", thousands(s.Records), thousands(planned))
	if failed > 0 {
		text += fmt.Sprintf(", %s of them a failure", thousands(failed))
	}
	return text + "."
}

// verdictCounts counts the verdicts over all numbers of Tables 8 to 12.
func (s *Summary) verdictCounts() string {
	count := map[Verdict]int{}
	total := 0
	for _, e := range s.Entries() {
		count[e.Verdict]++
		total++
	}
	var parts []string
	for _, v := range Verdicts {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", thousands(count[v]), v))
		}
	}
	return fmt.Sprintf("Of %s: %s.", plural(total, "number", "numbers"), strings.Join(parts, ", "))
}

// metricTables are the paper's Tables 8 to 12.
var metricTables = []struct {
	metric, title, caption string
	stdDev                 bool
}{
	{"accuracy", "Accuracy (Table 8)", "Test accuracy in percent, higher is better", false},
	{"nll", "Negative log-likelihood (Table 9)", "Test negative log-likelihood, lower is better", false},
	{"auroc", "AUROC (Table 10)", "Test area under the ROC curve, higher is better", false},
	{"rmse", "RMSE (Table 11)", "Test root mean squared error in original units, lower is better", false},
	{"mse", "MSE (Table 12)", "Test mean squared error in original units, lower is better", true},
}

// comparison is the two protocols' entries of one line of a table; either may be nil.
type comparison struct{ published, corrected *Entry }

func (c comparison) any() *Entry {
	if c.published != nil {
		return c.published
	}
	return c.corrected
}

// metricTable is one of Tables 8 to 12, nil when the plan has nothing for it.
func (s *Summary) metricTable(m struct {
	metric, title, caption string
	stdDev                 bool
}, entries []*Entry) *Table {
	var lines []comparison
	var hasPublished, hasCorrected bool
	at := map[[2]string]int{}
	for _, e := range entries {
		if e.Metric != m.metric {
			continue
		}
		key := [2]string{e.Info.Name, e.Method.Name}
		i, ok := at[key]
		if !ok {
			i = len(lines)
			at[key] = i
			lines = append(lines, comparison{})
		}
		if e.Protocol == published {
			lines[i].published, hasPublished = e, true
		} else {
			lines[i].corrected, hasCorrected = e, true
		}
	}
	if len(lines) == 0 {
		return nil
	}
	slices.SortStableFunc(lines, func(a, b comparison) int {
		return s.Plan.datasetIndex(a.any().Info.Name) - s.Plan.datasetIndex(b.any().Info.Name)
	})
	spread := "standard error over folds"
	if m.stdDev {
		spread = "standard deviation over folds"
	}
	t := &Table{Caption: fmt.Sprintf("%s (± %s).", m.caption, spread)}
	t.Columns = []Column{{Head: "Data set"}, {Head: "Method"}}
	if hasPublished {
		t.Columns = append(t.Columns, Column{"Ours", true})
	}
	t.Columns = append(t.Columns, Column{"Paper", true})
	if hasPublished {
		t.Columns = append(t.Columns, Column{"Difference", true}, Column{Head: "Verdict"})
	}
	if hasCorrected {
		t.Columns = append(t.Columns, Column{"Corrected folds", true})
	}
	if hasPublished && hasCorrected {
		t.Columns = append(t.Columns, Column{"Change", true})
	}
	previous := ""
	for _, c := range lines {
		e := c.any()
		row := Row{Cells: cells("", e.Method.Title)}
		if e.Info.Name != previous {
			row.Break = previous != ""
			row.Cells[0].Text = e.Info.Title
			previous = e.Info.Name
		}
		digits := e.digits()
		if hasPublished {
			row.Cells = append(row.Cells, c.published.value(digits, m.stdDev))
		}
		row.Cells = append(row.Cells, e.paperValue())
		if hasPublished {
			row.Cells = append(row.Cells, c.published.difference(digits), t.verdict(c.published))
		}
		if hasCorrected {
			value := c.corrected.value(digits, m.stdDev)
			if c.corrected != nil {
				value.Notes = t.notes(c.corrected.Notes)
			}
			row.Cells = append(row.Cells, value)
		}
		if hasPublished && hasCorrected {
			row.Cells = append(row.Cells, c.change(digits))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// digits is one digit more than the paper prints.
func (e *Entry) digits() int {
	if e.HasPaper {
		return e.Paper.Decimals + 1
	}
	return map[string]int{"accuracy": 2, "nll": 4, "auroc": 4, "rmse": 3, "mse": 2}[e.Metric]
}

func (e *Entry) value(digits int, stdDev bool) Cell {
	if e == nil || e.N == 0 {
		return Cell{Text: none, Tone: Faint}
	}
	spread := e.StdErr
	if stdDev {
		spread = e.StdDev()
	}
	return Cell{Text: plusMinus(e.Mean, spread, digits)}
}

func (e *Entry) paperValue() Cell {
	if !e.HasPaper {
		return Cell{Text: none, Tone: Faint}
	}
	return Cell{Text: e.Paper.String()}
}

func (e *Entry) difference(digits int) Cell {
	if e == nil || !e.HasDifference() {
		return Cell{Text: none, Tone: Faint}
	}
	return Cell{Text: signed(e.Difference(), digits)}
}

func (c comparison) change(digits int) Cell {
	if c.published == nil || c.corrected == nil || !c.published.Complete() || !c.corrected.Complete() {
		return Cell{Text: none, Tone: Faint}
	}
	return Cell{Text: signed(c.corrected.Mean-c.published.Mean, digits)}
}

// verdict is the cell with an entry's verdict and all of its footnotes.
func (t *Table) verdict(e *Entry) Cell {
	if e == nil {
		return Cell{Text: none, Tone: Faint}
	}
	text := string(e.Verdict)
	switch {
	case e.Verdict == Reproduced && e.SpreadReproduced:
		text += ", ± too"
	case e.Verdict == Differs && !math.IsNaN(e.Z):
		text += fmt.Sprintf(" by %.1f s.e.", math.Abs(e.Z))
	}
	return Cell{Text: text, Tone: e.Verdict.tone(), Notes: t.notes(e.Notes)}
}

func (v Verdict) tone() Tone {
	switch v {
	case Reproduced:
		return Good
	case WithinOne, WithinTwo:
		return Fair
	case Differs, FailedCell:
		return Bad
	case NotRun, NoPaper, NotJudged:
		return Faint
	}
	return Neutral
}

// table is a part of Table 1.
func (t *RankTable) table() *Table {
	names := make([]string, len(t.Datasets))
	for i, d := range t.Datasets {
		names[i] = d.Title
	}
	caption := fmt.Sprintf("Mean rank by %s, %s data sets, %s folds", metricTitle(t.Metric), taskTitle(t.Task), t.Protocol)
	if len(names) > 0 {
		caption += ", over " + strings.Join(names, ", ")
	}
	out := &Table{
		Caption: caption + " (± standard error over data sets).",
		Columns: []Column{{Head: "Method"}, {"Ours", true}, {"Paper, same methods and data sets", true}, {"Paper, Table 1", true}},
		Notes:   t.Notes,
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, Row{Cells: cells(r.Method.Title,
			plusMinus(r.Mean, r.StdErr, 2), plusMinus(r.PaperMean, r.PaperStdErr, 2),
			r.Paper.PrintedMeanRank+" ± "+r.Paper.PrintedStdErr)})
	}
	return out
}

func taskTitle(task dataset.Task) string {
	if task == dataset.MultiClass {
		return "multi-class"
	}
	return task.String()
}

// coverage says how much of the plan has been run.
func (s *Summary) coverage() *Table {
	t := &Table{
		Caption: "Cells by data set, protocol and method.",
		Columns: []Column{{Head: "Data set"}, {Head: "Protocol"}, {Head: "Method"}, {"Folds", true}, {"Settings", true},
			{"Paper's settings", true}, {"Done", true}, {"Failed", true}, {"To do", true}},
	}
	previous := ""
	for _, g := range s.Groups {
		row := Row{Cells: cells("", g.Protocol, g.Method.Title)}
		if g.Info.Name != previous {
			row.Break = previous != ""
			row.Cells[0].Text = g.Info.Title
			previous = g.Info.Name
		}
		complete, done, failed := 0, 0, 0
		for _, f := range g.Folds {
			if f.Complete() {
				complete++
			}
			done += f.OK
			failed += f.Failed
		}
		searched := none
		if n, ok := results.PaperSettings(g.Info.Name, g.Method.Name); ok {
			searched = thousands(n)
		}
		row.Cells = append(row.Cells, cells(fmt.Sprintf("%d of %d", complete, len(g.Folds)), thousands(g.Settings), searched,
			thousands(done), thousands(failed), thousands(len(g.Folds)*g.Settings-done-failed))...)
		if failed > 0 {
			row.Cells[7].Notes = []int{t.note(fmt.Sprintf("%s on %s, %s: %s.", g.Method.Title, g.Info.Title, g.Protocol, g.failures()))}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (s *Summary) howToRead() []string {
	lines := []string{
		"Ours: the mean over folds of a test metric. In each fold, the setting with the smallest validation loss (standardised " +
			"squared error for regression, negative log-likelihood for classes) is chosen, the first of the sweep among equals, " +
			"and only its test result is used.",
		"±: standard error of the mean over folds, sd/√n with ddof 1 (MSE: standard deviation over folds, as the paper prints " +
			"it). A single split has none. The paper's own ± is over ten folds, with ddof 0 for the baselines and ddof 1 for NPT.",
		"Reproduced: our mean, rounded to the paper's digits, is the paper's number; \"± too\": so is the spread, with the " +
			"paper's ddof. Where only a part of the paper's test rows was used, a difference of at most two standard errors of " +
			"those rows counts as reproduced, with a footnote.",
		"Within 1 or 2 s.e., differs: the difference in standard errors of ours and the paper's together; for a single split, in " +
			"standard errors of our metric over the test rows.",
		"Not comparable: training rows other than the paper's. Partial: not all folds of the paper; such a mean is not compared.",
		"Published folds are made as the paper's code made them, and only they are compared with the paper. Corrected folds are " +
			"true cross-validation; a change is corrected minus published.",
		"Ranks: 1 is best, by unrounded mean results; a finished method without a result is ranked last. Only methods that have " +
			"finished all of the data sets named are ranked. The paper's Table 1 ranks nine methods over all data sets of a task.",
		"Tracing a number: cells.csv has it in full; folds.csv has the folds behind it, each with the chosen setting and the id " +
			"of its record.",
	}
	return lines
}

func (s *Summary) sources() []string {
	p := &s.Provenance
	lines := []string{fmt.Sprintf("Records: %s of this sweep's cells, %s of cells that have one, %s of other cells.",
		thousands(s.Records), plural(s.Duplicates, "further record", "further records"), thousands(s.OutOfPlan))}
	if s.Records == 0 {
		return lines
	}
	lines = append(lines,
		"Sweep: "+countList(p.Sweeps),
		"Code: "+countList(p.Code),
		"Machine: "+countList(p.Machines),
		"Libraries: "+countList(p.Libraries),
		fmt.Sprintf("Finished from %s to %s.", p.First.UTC().Format(time.RFC3339), p.Last.UTC().Format(time.RFC3339)),
		fmt.Sprintf("Fits took %s in all.", p.FitTime.Round(time.Second)),
	)
	if p.PeakMemory > 0 {
		lines = append(lines, "Most memory of the process while a fit ran: "+bytesText(p.PeakMemory)+".")
	}
	for _, d := range p.Data {
		name, digest, _ := strings.Cut(d.Text, " ")
		lines = append(lines, fmt.Sprintf("Data: %s, digest %s.", name, digest))
	}
	for _, err := range s.Unreadable {
		lines = append(lines, "Unreadable: "+oneLine(err.Error()))
	}
	return lines
}

// countList writes what the records agree on, or how many say what.
func countList(counts []Count) string {
	if len(counts) == 1 {
		return counts[0].Text
	}
	parts := make([]string, len(counts))
	for i, c := range counts {
		parts[i] = fmt.Sprintf("%s (%s)", c.Text, plural(c.Records, "record", "records"))
	}
	return strings.Join(parts, "; ")
}
