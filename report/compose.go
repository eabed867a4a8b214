package report

import (
	"fmt"
	"slices"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/picture"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
)

const claimsTitle = "What the paper claims"

// Document is the whole report.
func (s *Summary) Document() *Document {
	d := &Document{Title: s.Title, Blocks: s.opening()}
	d.Blocks = append(d.Blocks, s.claimed()...)
	d.Blocks = append(d.Blocks, Paragraph(s.progress()))
	if t := s.verdictTable(); t != nil {
		d.Blocks = append(d.Blocks, t)
	}
	if notes := s.notes(); len(notes) > 0 {
		d.Blocks = append(d.Blocks, List(notes))
	}
	if overviews := s.overviews(); s.own && len(overviews) > 0 {
		d.Blocks = append(append(d.Blocks, Heading("At a glance")), overviews...)
	}
	d.Blocks = append(d.Blocks, s.tables(true)...)
	if panels := s.panels(); len(panels) > 0 {
		heading := Heading("Beside the paper")
		if s.own {
			heading = "Figure"
		}
		d.Blocks = append(d.Blocks, heading, Figure{s.file(".svg"), s.figureCaption(panels), picture.Panels(panels)})
	}
	if s.Tables == nil {
		d.Blocks = append(d.Blocks, s.pictures()...)
	}
	if curves := s.learningCurves(); len(curves) > 0 {
		d.Blocks = append(d.Blocks, Heading("Learning curves"), Figure{s.file("-curves.svg"),
			"Training loss of the target, on the standardised scale: each point is the mean over an equal part of the steps, then the geometric " +
				"mean over the folds with the same number of steps.",
			picture.LearningCurves(curves)})
	}
	d.Blocks = append(d.Blocks, s.drawings()...)
	d.Blocks = append(d.Blocks, Heading("What ran"), s.coverage())
	d.Blocks = append(d.Blocks, Heading("How to read this"), List(s.howToRead()))
	d.Blocks = append(d.Blocks, Heading("Where the numbers come from"), List(s.sources()))
	d.Blocks = append(d.Blocks, s.appendix...)
	return d
}

// digest is what a terminal shows: the tables, or of Table 1's the results by which it ranks, and what is needed to take them right.
func (s *Summary) digest() *Document {
	d, notes := &Document{Title: s.Title}, s.leftOut()
	if s.Tables == nil {
		d.Blocks = append([]Block{List{s.on()}}, s.atAGlance()...) // what was found is among the claims
	} else {
		d.Blocks, notes = append(s.opening(), s.tables(false)...), s.notes()
	}
	d.Blocks = append(d.Blocks, Paragraph(s.verdictCounts()+s.progress()))
	d.Blocks = append(d.Blocks, s.claimed()...)
	if len(notes) > 0 {
		d.Blocks = append(d.Blocks, List(notes))
	}
	return d
}

// overviews are the results by which Table 1 ranks, a table for each protocol, or why there is none.
func (s *Summary) overviews() (blocks []Block) {
	for _, protocol := range split.Protocols {
		caption := fmt.Sprintf("Test results on %s folds, ± standard error", protocol)
		show := correctedAlone
		if protocol == split.Published {
			show = Mean
			if !s.own {
				caption += ", the paper's in parentheses"
			}
		}
		l := overview("glance-"+string(protocol), caption+"; "+s.better()+".", show, Ranking, Is("protocol", string(protocol)))
		if t := l.table(s.Numbers); t != nil {
			blocks = append(blocks, t)
		} else if slices.ContainsFunc(s.Numbers, func(n *Number) bool { return n.meets(l.Where) }) {
			blocks = append(blocks, Paragraph(fmt.Sprintf("No method has a result yet on a %s fold on which all its settings have been run.", protocol)))
		}
	}
	return blocks
}

// atAGlance are the overviews, and the mean ranks over several data sets: of all methods, where any is not the paper's.
func (s *Summary) atAGlance() []Block {
	blocks := s.overviews()
	for _, t := range s.ranks {
		ofAll := slices.ContainsFunc(s.ranks, func(all *rankTable) bool {
			return all.All && len(all.Rows) > 0 && all.Protocol == t.Protocol && all.Problem == t.Problem
		})
		if len(t.Datasets) < 2 || !t.All && ofAll || t.Repeats {
			continue
		}
		blocks = append(blocks, t.ranks())
		if len(t.Notes) > 0 {
			blocks = append(blocks, Paragraph(strings.Join(t.Notes, " ")))
		}
	}
	return blocks
}

// better says of the metrics by which the data sets are ranked whether they are to be small or large.
func (s *Summary) better() string {
	titles := map[bool][]string{}
	for _, d := range s.Plan.Datasets {
		if m := metric.Ranking(d.Info.Problem); !slices.Contains(titles[m.Larger], m.Title) {
			titles[m.Larger] = append(titles[m.Larger], m.Title)
		}
	}
	less, more := titles[false], titles[true]
	switch {
	case less == nil:
		return "more is better"
	case more == nil:
		return "less is better"
	}
	return "of " + strings.Join(less, " and ") + " less is better, of " + strings.Join(more, " and ") + " more"
}

// opening says what the paper says, what was found, and on what.
func (s *Summary) opening() []Block {
	if s.Says == "" {
		return []Block{List{s.on()}}
	}
	return []Block{List{"The paper: " + s.Says, "Found: " + s.found(), s.on()}}
}

// on says on which data sets, and by what that is smaller than in the paper.
func (s *Summary) on() string {
	var names, missing []string
	for _, d := range s.Plan.Datasets {
		if s.Records > 0 && !s.begun(d.Info.Name) {
			missing = append(missing, d.Info.Title)
			continue
		}
		folds := map[int]bool{} // by number: both protocols may have one of the same number, which are others
		for _, f := range d.Folds {
			folds[f.Number] = true
		}
		of := spelling.Count(len(folds), "fold")
		if d.Info.Groups != "" {
			of += " by " + d.Info.Groups // whose rows are kept together
		}
		names = append(names, fmt.Sprintf("%s (%s)", d.Info.Title, of))
	}
	on := strings.Join(names, ", ")
	if missing != nil {
		on += "; nothing yet: " + strings.Join(missing, ", ")
	}
	if small := s.smaller(); small != nil {
		on += "; smaller than in the paper: " + strings.Join(small, ", ")
	}
	return "On: " + on + "."
}

// claimed has the claims with what was found, and why nothing was where no fold is published.
func (s *Summary) claimed() (blocks []Block) {
	claims := s.claims()
	if claims == nil {
		return nil
	}
	blocks = append(blocks, Heading(claimsTitle))
	if !slices.Contains(s.Plan.Protocols, split.Published) {
		blocks = append(blocks, Paragraph("They are tested on published folds, of which this report has none."))
	}
	return append(blocks, claims)
}

// begun reports whether any cell of a data set has a record.
func (s *Summary) begun(dataset string) bool {
	return slices.ContainsFunc(s.Groups, func(g *Group) bool {
		return g.Info.Name == dataset && g.begun()
	})
}

// smaller lists the methods that are smaller than published, with their sizes over all data sets.
func (s *Summary) smaller() (list []string) {
	all := map[*method.Method]sizes{}
	var methods []*method.Method
	for _, g := range s.Groups {
		m := g.Series.Method
		if g.Settings == 0 || len(m.Sizes) == 0 || !dataset.BuiltIn(g.Info.Name) {
			continue
		}
		if all[m] == nil {
			methods, all[m] = append(methods, m), make(sizes, len(m.Sizes))
		}
		all[m].join(g.sizes)
	}
	for _, m := range methods {
		if text := all[m].smaller(m); text != "" {
			list = append(list, m.Title+", "+text)
		}
	}
	return list
}

func (s *Summary) figureCaption(panels []picture.Panel) string {
	text, bars := "Test results by data set, ours and the paper's, of methods with a result here", "; bars are standard errors over folds"
	if s.own {
		text = "Test results by data set"
	}
	if i := slices.IndexFunc(s.Tables, func(l Layout) bool { return l.Figure }); i >= 0 {
		text, bars = s.Tables[i].Title, "; bars are standard errors"
		facts := s.Tables[i].facts(s.Numbers)
		if slices.ContainsFunc(facts, func(f fact) bool { return f.Verdict == Extrapolated }) {
			text += ", without what is extrapolated"
		}
		times := slices.DeleteFunc(facts, func(f fact) bool { return f.metric != coreSeconds || f.Verdict == Extrapolated })
		if slices.ContainsFunc(times, func(f fact) bool { return f.cost.untimed > 0 }) {
			text += ", without the time of cells that failed"
		}
		if slices.ContainsFunc(times, func(f fact) bool { return f.cost.onGPU > 0 }) {
			text += ", of networks on a GPU by its seconds"
		}
	}
	if slices.ContainsFunc(panels, picture.Panel.HasBars) {
		text += bars
	}
	return text + "."
}

// notes are facts about the whole plan, each one sentence.
func (s *Summary) notes() (notes []string) {
	if sweep := s.Plan.Sweep; sweep.Description != "" {
		notes = append(notes, fmt.Sprintf("Sweep %s: %s.", sweep.Name, strings.TrimSuffix(sweep.Description, ".")))
	}
	return append(notes, s.leftOut()...)
}

// leftOut says what of the sweep could not be run here, and why.
func (s *Summary) leftOut() (notes []string) {
	for _, line := range s.Plan.WhyLeftOut() {
		notes = append(notes, line+".")
	}
	return notes
}

// tables are the rank orders and the tables of the layouts, as far as there are numbers for them.
func (s *Summary) tables(wide bool) (blocks []Block) {
	if s.Tables == nil {
		if ranks := rankBlocks(s.ranks, s.file("")); len(ranks) > 0 {
			heading := Heading("Rank orders (the paper's Table 1)")
			if s.own {
				heading = "Rank orders"
			}
			blocks = append(append(blocks, heading), ranks...)
		}
	}
	layouts := s.layouts()
	for i := range layouts {
		l := &layouts[i]
		if l.Wide && !wide {
			continue
		}
		if t := l.table(s.Numbers); t != nil {
			if l.Title != "" {
				blocks = append(blocks, Heading(l.Title))
			}
			blocks = append(blocks, t)
		}
	}
	return blocks
}

func (s *Summary) progress() string {
	text := fmt.Sprintf("%s of %s cells have a record", spelling.Thousands(s.Records), spelling.Thousands(s.Plan.Count(s.Plan.Groups()...).Cells))
	if s.Failures > 0 {
		text += fmt.Sprintf(", %s of them a failure", spelling.Thousands(s.Failures))
	}
	if s.Unreadable > 0 {
		text += fmt.Sprintf("; %s of the records could not be read", s.unreadableLines())
	}
	if s.Outdated > 0 {
		text += fmt.Sprintf("; left out, as a data set or the files of a command have changed since: %s", spelling.Count(s.Outdated, "further record"))
	}
	return text + "."
}

// unreadableLines says how many lines of the records could not be read.
func (s *Summary) unreadableLines() string {
	text := spelling.Count(s.Unreadable, "line")
	if s.UnreadableMore {
		text = "at least " + text
	}
	return text
}

// verdictTable counts the verdicts over all numbers of Tables 8 to 11, or over what the tables show where they are others; nil where there
// are none.
func (s *Summary) verdictTable() *Table {
	judged := s.judged()
	if len(judged) == 0 {
		return nil
	}
	t := &Table{Name: "verdicts", Caption: s.ofNumbers(judged) + ":",
		Columns: []Column{{Head: "Verdict"}, {"Numbers", true}}}
	counts := countVerdicts(judged)
	for _, v := range allVerdicts() {
		if n := counts[v.Verdict]; n > 0 {
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: string(v.Verdict)}, count(n)}})
		}
	}
	return t
}

// verdictCounts says the same in a sentence, before another one.
func (s *Summary) verdictCounts() string {
	judged := s.judged()
	var parts []string
	counts := countVerdicts(judged)
	for _, v := range allVerdicts() {
		if n := counts[v.Verdict]; n > 0 {
			parts = append(parts, v.counted(n))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s. ", s.ofNumbers(judged), strings.Join(parts, ", "))
}

func (s *Summary) ofNumbers(judged []judgement) string {
	text := "Of " + spelling.Count(len(judged), "number")
	if s.leavesOutMSE() {
		text += " (MSE, " + notCounted + ")"
	}
	return text
}

const notCounted = "which says what RMSE says, is not counted"

// leavesOutMSE reports whether there are numbers of MSE that judged leaves out.
func (s *Summary) leavesOutMSE() bool {
	return !s.own && s.Tables == nil && slices.ContainsFunc(s.Numbers, func(n *Number) bool { return n.Metric == metric.MSE })
}

// deterministic says of which methods a number needs no seeds, if there are any.
func (s *Summary) deterministic() string {
	var titles []string
	for _, n := range s.Numbers {
		if m := n.Series.Method; m.Deterministic && !slices.Contains(titles, m.Title) {
			titles = append(titles, m.Title)
		}
	}
	if titles == nil {
		return ""
	}
	return fmt.Sprintf(" Of a method that draws nothing at random (%s) a number that is not reproduced differs under any seed.",
		strings.Join(titles, ", "))
}

func (s *Summary) howToRead() []string {
	lines := []string{
		fmt.Sprintf("Ours: the mean over folds of a test metric. In each fold, the setting with the best metric on the validation "+
			"rows (%s for regression, %s for classes) is chosen, the first of the sweep among equals, and only its test result is used.",
			s.selects(dataset.Regression).Title, s.selects(dataset.Binary).Title),
		"±: standard error of the mean over folds, sd/√n with ddof 1 (MSE: standard deviation over folds, as the paper prints " +
			"it). A single split has none. The paper's own ± is over ten folds, with ddof 0 for the baselines and ddof 1 for NPT.",
	}
	if !s.own { // which has no verdicts
		lines = append(lines, "Reproduced: our mean, rounded to the paper's digits, is the paper's number; \"± too\": so is the spread, with the "+
			"paper's ddof. Reproduced on a part of the test rows: at most two standard errors of those rows away.",
			"Not excluded by seeds: the paper's number is in the 95 % prediction interval of one more seed (of our means under three seeds or more, taken for normal; with three it "+
				"is ± 5 standard deviations; wider where ours is on a part of the test rows), which says little. Otherwise it differs."+
				s.deterministic()+" Not graded: fewer seeds.",
			"Not comparable: training rows other than the paper's, a smaller network, single values of a parameter, or settings chosen among fewer "+
				"or more than in the paper. Partial: not the folds of the paper, or not all; such a "+
				"mean is not compared.")
	}
	if slices.ContainsFunc(s.Groups, func(g *Group) bool { return len(g.Series.Method.Sizes) > 0 }) {
		lines = append(lines, "Behind a method's name stand its sizes, where they are smaller than in the paper or tell rows apart, ≤ before "+
			"the largest of several. e is the width of the embedding of an entry, the value that a row has in a column.")
	}
	lines = append(lines, "Tracing a number: cells.csv has it in full; folds.csv has the folds behind it, each with the chosen setting and the id "+
		"of its record.")
	if s.Tables == nil {
		lines = append(lines, "Published folds are made as the paper's code made them, and only they are compared with the paper. Corrected folds are "+
			"true cross-validation; a change is corrected minus published. Larger data sets have a single split, the same under both (but for the mask of missing entries on Kick).",
			"Ranks: 1 is best, by unrounded mean results; of the paper's methods among themselves a finished one without a complete result is "+
				"ranked last. In tables of all methods only those with complete results on all of the data sets named are ranked. What the paper claims of ranks is tested only by all of its methods and "+
				"data sets, and not clear as long as Nemenyi's critical difference leaves it open; over so few data sets no ranks can show that a place holds. \"Paper, all\" is its Table 1 as printed: nine methods "+
				"over all data sets of a task.")
	}
	if len(s.measured()) > 0 {
		lines = append(lines, "What is measured on the model of a single split has its ± over test rows, and n = 1 in "+s.file(".csv")+", which counts folds; rows = N: "+
			"N test rows, evenly spread; of an intervention the first N. Not clear: no row turned right or wrong, as in the paper; nor would one of a method that reads one row at a time.")
	}
	if slices.ContainsFunc(s.Tables, func(l Layout) bool { return l.Base.Field != "" }) {
		lines = append(lines, "Change: the mean over folds of the differences from the base on the same fold, ± its standard error; the paper's is "+
			"the difference of its means, ± the standard error that two independent means would have, since it prints no paired one. "+
			"Over folds ours is larger than that of independent differences would be, as folds share training rows (Nadeau and Bengio's "+
			"correction). That was made for test rows drawn at random, which overlap, as those of published folds do; for true cross-validation it is a rule of thumb. "+
			"p: of no change, two-sided, by that standard error (Nadeau and Bengio's t-test), not corrected for the number of changes: where nothing changes, one in twenty is below 0.05.",
			fmt.Sprintf("Same direction: our change has the sign of the paper's and is more than %d of its standard errors from 0; other direction: "+
				"the other sign; not clear: it is not that far from 0; clear, the paper's not: ours is, and the paper's is not, by its own standard error. A standard error over the test rows of a single split does not have in it what another seed would "+
				"change, and that of a change there is one of two independent results, though both are of the same rows. Sizes of "+
				"changes are not compared, since smaller networks have others, but for claims that name a size: clearly more than half of it is asked.", clearly))
	}
	if len(s.Claims) > 0 {
		lines = append(lines, fmt.Sprintf("A claim holds when all that was measured of it speaks for it; one number against it is enough for it not to (where there is no effect, about one number of 25 is so by chance, and of claims about nine data sets three in ten). A claim about a "+
			"direction is not clear within %d standard errors of no effect; one that a value is reached (or not exceeded) holds when the mean does so, and is not clear when the mean misses it by at most %d "+
			"standard errors; one about being near a value holds when the mean ± %d standard errors lies within the margin. Over folds these standard errors have Nadeau and Bengio's correction. At this size: by networks smaller than published.", clearly, clearly, clearly))
	}
	if text := s.worth(); text != "" {
		lines = append(lines, text)
	}
	return lines
}

func (s *Summary) sources() []string {
	lines := []string{fmt.Sprintf("Records: %s of this sweep's cells under its seed, %d, and %s of other cells.", spelling.Thousands(s.Records), s.Plan.Sweep.Seed, spelling.Thousands(s.OutOfPlan))}
	if s.OtherSeeds > 0 {
		lines = append(lines, fmt.Sprintf("Under other seeds: %s of this sweep's cells.", spelling.Count(s.OtherSeeds, "record")))
	}
	if s.Unreadable > 0 {
		lines = append(lines, fmt.Sprintf("Unreadable and left out: %s of the records; cells that have no other record count as not run.",
			s.unreadableLines()))
	}
	for _, err := range s.FirstUnreadable {
		lines = append(lines, "Unreadable: "+bothEnds(err.Error()))
	}
	if s.Conflict != nil {
		lines = append(lines, "Conflicts: "+printable(s.Conflict.Error())+".")
	}
	if s.Records == 0 {
		return lines
	}
	return append(lines, s.origins.lines()...)
}
