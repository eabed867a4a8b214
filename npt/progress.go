package npt

import (
	"fmt"
	"math"
	"time"
)

// A Progress describes where a training stands.
type Progress struct {
	Step, Steps   int     // Steps are all that there will be: the last pass is finished
	Pass          int     // passes over the data so far
	LearningRate  float64 // of the last step
	Tradeoff      float64 // lambda of the last step
	Target        float64 // label loss of the last step: squared error of standardised targets, or cross-entropy in nats; 0 where no target was masked
	Feature       float64 // feature loss of the last step; 0 where no feature was masked
	Validation    float64 // label loss of the last evaluation on the validation rows; NaN before the first, and where none has a label
	Best          float64 // lowest of these so far; +Inf before the first, NaN where no validation row has a label
	BestStep      int
	RowsPerSecond float64       // trained on in the last minute or two, the time for evaluations included; 0: not known yet
	Left          time.Duration // estimated from that; 0: not known yet
}

// String says it in a line, without the time left.
func (p Progress) String() string {
	line := fmt.Sprintf("step %d of %d, label loss %.4g, feature loss %.4g", p.Step, p.Steps, p.Target, p.Feature)
	if !math.IsNaN(p.Validation) {
		line += fmt.Sprintf(", validation %.4g (lowest %.4g at step %d)", p.Validation, p.Best, p.BestStep)
	}
	line += fmt.Sprintf(", learning rate %.3g, lambda %.3g", p.LearningRate, p.Tradeoff)
	if p.RowsPerSecond > 0 {
		line += fmt.Sprintf(", %.0f rows/s", p.RowsPerSecond)
	}
	return line
}

// report calls Progress.
func (tr *Trainer) report() {
	tr.reported = time.Now()
	if tr.Progress == nil {
		return
	}
	last := max(tr.state.step-1, 0)
	p := Progress{
		Step: tr.state.step, Steps: tr.steps(), Pass: tr.at.Pass,
		LearningRate: tr.config.learningRate(last), Tradeoff: tr.config.tradeoffAt(last),
		Target: tr.target, Feature: tr.feature,
		Validation: tr.valLoss, Best: tr.bestLoss, BestStep: tr.bestStep,
	}
	if took, steps, rows := tr.pace.since(milestone{tr.reported, p.Step, tr.trainedRows}); steps > 0 {
		p.RowsPerSecond = float64(rows) / took.Seconds()
		p.Left = took / time.Duration(steps) * time.Duration(max(p.Steps-p.Step, 0))
	}
	tr.Progress(p)
}

// steps is how many steps the training takes: the pass in which it has taken Config.Steps is finished.
func (tr *Trainer) steps() int {
	pass := float64(batchCount(tr.table, &tr.config, trainMode)) * float64(tr.config.Repeat)
	return int(math.Ceil(float64(tr.config.Steps)/pass) * pass)
}

// A callTimes is how long the calls of the device took since a trainer was made. The first, which compiles, says nothing of the rest.
type callTimes struct {
	first, rest           time.Duration
	firstSteps, restSteps int
	step                  time.Duration // in the last call; 0 before the first
}

func (c *callTimes) add(took time.Duration, steps int) {
	if c.step == 0 {
		c.first, c.firstSteps = took, steps
	} else {
		c.rest, c.restSteps = c.rest+took, c.restSteps+steps
	}
	c.step = took / time.Duration(steps)
}

// A pace is how fast a training gets on, by two milestones, the older of which was passed one to two minutes ago: what was
// before, such as the compilation of programs, says nothing about the rest.
type pace struct{ older, newer milestone }

type milestone struct {
	at         time.Time
	step, rows int
}

const paceInterval = time.Minute

// since returns what was done since the older milestone.
func (p *pace) since(now milestone) (took time.Duration, steps, rows int) {
	switch {
	case p.older.at.IsZero():
		p.older, p.newer = now, now
	case now.at.Sub(p.newer.at) > paceInterval:
		p.older, p.newer = p.newer, now
	}
	return now.at.Sub(p.older.at), now.step - p.older.step, now.rows - p.older.rows
}
