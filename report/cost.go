package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nptbench/internal/plan"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
	"nptbench/results"
)

// A cost is what a group's records took, in seconds of one core: their times by the clock times the threads that they had; of networks on
// a GPU times by the clock alone.
type cost struct {
	cells        int
	fit, predict float64 // a fit or prediction that served several cells counts once
	processor    float64 // user and system time, of the metered cells alone
	metered      int
	onGPU        int     // cells whose times are of a GPU
	untimed      int     // cells that failed, and whose records have no time
	compiling    float64 // of fit, about: below 0 it is chance
	peak         int64   // bytes of a fit's processes; 0: not measured

	left  float64 // what the cells without a record would take
	known bool    // left is known

	clock results.Clock
}

// add counts the record of one more cell. goesOn is for results.Clock.
func (c *cost) add(rec *results.Record, goesOn string) {
	c.cells++
	fit, predict := c.clock.Seconds(rec, goesOn)
	c.fit, c.predict = c.fit+fit, c.predict+predict
	if rec.Provenance.Accelerated() {
		c.onGPU++
	}
	if rec.Status != results.OK && rec.FitSeconds+rec.PredictSeconds == 0 {
		c.untimed++
	}
	if rec.ProcessorSeconds > 0 {
		c.processor += rec.ProcessorSeconds
		c.metered++
	}
	if seconds, ok := rec.Details["compile_seconds"].(float64); ok {
		c.compiling += rec.Provenance.Processors() * seconds / float64(max(1, rec.FitCells))
	}
	c.peak = max(c.peak, rec.PeakMemoryBytes)
}

// deviceNote is the footnote of a time that is of a GPU.
func (c *cost) deviceNote(t *Table) []int {
	if c.onGPU == 0 {
		return nil
	}
	return []int{t.Note(fmt.Sprintf("Of a GPU, for %s.", spelling.Count(c.onGPU, "cell")))}
}

// took is what the records took.
func (c *cost) took() float64 { return c.fit + c.predict }

// without says which cells a time lacks since they failed; empty: none.
func (c *cost) without() string {
	if c.untimed == 0 {
		return ""
	}
	return fmt.Sprintf("without the time of %s that failed", spelling.Count(c.untimed, "cell"))
}

// untimedNote is the footnote of a time that lacks some.
func (c *cost) untimedNote(t *Table) []int {
	if text := c.without(); text != "" {
		return []int{t.Note(sentence(text) + ".")}
	}
	return nil
}

// extrapolate takes what is left of a plan's group from the estimate. Protocols that the group has in common all get all of it.
func (c *cost) extrapolate(p *plan.Plan, e *plan.Estimate, g *plan.Group) {
	if e == nil {
		return
	}
	left, known := p.Left(e, g)
	c.left, c.known = left.Seconds(), known
}

// seconds are those of all cells; false where some have neither a record nor an estimate.
func (c *cost) seconds() (float64, bool) { return c.fit + c.predict + c.left, c.known }

// The parts of the paper's Tables 6 and 7: the search over all settings, on one core, beside the paper's on its cores. Core time is
// by the clock, times threads, however long others kept the cores; processor time is the fits' own, with their predictions.
var (
	CoreTime   = factPart("Core time", coreTimeFact, fact.coreTime)
	Processor  = factPart("Processor time", processorFact, fact.processorTime)
	Prediction = factPart("Prediction", predictionFact, fact.predictionTime)
	PeakMemory = factPart("Memory", memoryFact, fact.memory)
	PaperTime  = Part{"Paper", true, nil, func(_ *Table, c comparison) Cell { return c.any().paperTime() }, nil}
	PaperMem   = Part{"Paper's memory", true, nil, func(t *Table, c comparison) Cell { return c.any().paperMemory(t) }, nil}
)

func (f fact) coreTime(t *Table, _ comparison) Cell {
	if f.Verdict != Extrapolated {
		cell := number(clock(f.Mean), f.Mean)
		if f.cost.compiling >= 1 {
			cell.Notes = []int{t.Note("Of it " + clock(f.cost.compiling) + " for what first steps took longer, as they compile the network.")}
		}
		cell.Notes = slices.Concat(cell.Notes, f.cost.deviceNote(t), f.cost.untimedNote(t))
		return cell
	}
	note := fmt.Sprintf("Extrapolated by the estimates of -dry-run from %s, which took %s.", f.doneOf(), clock(f.cost.took()))
	return Cell{Text: "≈ " + roughly(f.Mean), Value: full(f.Mean), Tone: Fair, Notes: append([]int{t.Note(note)}, f.cost.untimedNote(t)...)}
}

// processorTime is that of the cells whose records have it.
func (f fact) processorTime(t *Table, _ comparison) Cell {
	cell := number(clock(f.Mean), f.Mean)
	if all := len(f.Folds) * f.Settings; f.N < all {
		cell.Notes = []int{t.Note(fmt.Sprintf("Of %s of %s cells: that of the others is not known.", spelling.Thousands(f.N), spelling.Thousands(all)))}
	}
	return cell
}

func (f fact) predictionTime(t *Table, _ comparison) Cell {
	cell := number(fmt.Sprintf("%.3g s", f.Mean), f.Mean)
	cell.Notes = f.cost.deviceNote(t)
	if f.missing() > 0 {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("Chosen among %s.", f.doneOf())))
	}
	settings := 1
	for _, rec := range f.chosen() {
		settings = max(settings, rec.FitCells)
	}
	if settings > 1 && !f.Series.Method.GoesOn {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("Of %d settings, which one fit serves and which are predicted together.", settings)))
	}
	return cell
}

func (f fact) memory(t *Table, _ comparison) Cell {
	cell := number(fmt.Sprintf("%.2f GB", f.Mean), f.Mean)
	if f.missing() > 0 {
		cell.Notes = []int{t.Note(fmt.Sprintf("Of %s.", f.doneOf()))}
	}
	return cell
}

// doneOf says how many of the cells have a record.
func (f fact) doneOf() string {
	return fmt.Sprintf("%s of %s cells", spelling.Thousands(f.cost.cells), spelling.Thousands(len(f.Folds)*f.Settings))
}

func (n *Number) paperTime() Cell {
	c, ok := results.PaperCost(n.Info.Name, n.Series.Method.Name)
	if !ok {
		return blank
	}
	return number(fmt.Sprintf("%s × %d", c.Printed, c.Cores), c.Seconds*float64(c.Cores))
}

func (n *Number) paperMemory(t *Table) Cell {
	c, ok := results.PaperCost(n.Info.Name, n.Series.Method.Name)
	if !ok {
		return blank
	}
	cell := number(fmt.Sprintf("%.2f GB", c.Memory), c.Memory)
	if c.GPUMemory > 0 {
		cell.Notes = []int{t.Note(fmt.Sprintf("On a GPU, with %.2f GB of its memory.", c.GPUMemory))}
	}
	return cell
}

// coreSeconds is what a fact about time has as its metric.
const coreSeconds = "core_seconds"

func coreTimeFact(c comparison) (fact, bool) {
	n := c.any()
	seconds, known := n.cost.seconds()
	f := n.costFact(coreSeconds, seconds, n.cost.cells, func(c results.Cost) float64 { return c.Seconds * float64(c.Cores) })
	if n.cost.left > 0 {
		f.Verdict = Extrapolated
	}
	return f, known && n.cost.took() > 0 // what failed or was imported has no time
}

func processorFact(c comparison) (fact, bool) {
	n := c.any()
	return n.costFact("processor_seconds", n.cost.processor, n.cost.metered, nil), n.cost.metered > 0
}

// predictionFact is the time of the chosen settings on validation and test rows, on average over folds.
func predictionFact(c comparison) (fact, bool) {
	seconds, folds := 0.0, 0
	for _, rec := range c.any().chosen() {
		seconds += rec.PredictSeconds * rec.Provenance.Processors()
		folds++
	}
	return c.any().costFact("predict_core_seconds", seconds/float64(max(1, folds)), folds, nil), seconds > 0
}

func memoryFact(c comparison) (fact, bool) {
	n := c.any()
	return n.costFact("peak_memory_gb", float64(n.cost.peak)/1e9, n.cost.cells, func(c results.Cost) float64 { return c.Memory }), n.cost.peak > 0
}

// costFact is of so many cells or folds.
func (n *Number) costFact(name string, value float64, of int, paper func(results.Cost) float64) fact {
	f := n.derived(name, value, math.NaN(), of)
	f.Verdict = NoPaper
	if c, ok := results.PaperCost(n.Info.Name, n.Series.Method.Name); ok && paper != nil {
		f.Verdict, f.HasPaper, f.Paper = NotComparable, true, results.PaperNumber{Mean: paper(c)}
	}
	return f
}

// Took tells what a method's search took on a data set, which says nothing for or against what it took on other machines.
func Took(dataset, method string) Test {
	return func(s *Summary) (all []Evidence) {
		for _, g := range s.Groups {
			if g.Protocol != split.Published || g.Info.Name != dataset || g.Series.Method.Name != method {
				continue
			}
			if seconds, known := g.cost.seconds(); known && g.cost.took() > 0 {
				text := clock(seconds)
				if g.cost.left > 0 {
					text = "about " + roughly(seconds) + ", extrapolated,"
				}
				device := "one core"
				if g.cost.onGPU > 0 {
					device = "a GPU"
				}
				text = fmt.Sprintf("%s of %s on %s", text, device, g.Info.Title)
				if without := g.cost.without(); without != "" {
					text += ", " + without
				}
				all = append(all, Evidence{dataset, g.title(), "", text, NoBearing, false})
			}
		}
		return all
	}
}

var clockUnits = []struct {
	name    string
	seconds float64
}{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}

// clock writes a time as the paper's tables do: 13h 33m 58s.
func clock(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.2gs", seconds)
	}
	left := math.Round(seconds)
	var parts []string
	for _, u := range clockUnits {
		if n := math.Floor(left / u.seconds); n > 0 {
			parts = append(parts, fmt.Sprintf("%.0f%s", n, u.name))
			left -= n * u.seconds
		}
	}
	return strings.Join(parts, " ")
}

// roughly writes a time in its largest unit.
func roughly(seconds float64) string {
	for _, u := range clockUnits {
		if seconds >= 2*u.seconds {
			return fmt.Sprintf("%s%s", spelling.Thousands(int(math.Round(seconds/u.seconds))), u.name)
		}
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}
