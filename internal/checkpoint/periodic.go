package checkpoint

import (
	"cmp"
	"time"
)

// A Periodic writes a file from time to time. An error does not end what it is for.
type Periodic struct {
	Path  string        // empty: nothing is written
	Every time.Duration // 0: a minute, or more where that would take more than a twentieth of the time
	Err   error         // the first one
	Warn  func(error)   // is told it, unless nil

	due time.Time
}

// Start begins to wait for the first time.
func (p *Periodic) Start() { p.wait(0) }

func (p *Periodic) wait(took time.Duration) {
	p.due = time.Now().Add(cmp.Or(p.Every, max(time.Minute, 19*took)))
}

// Write has the file written if it is due.
func (p *Periodic) Write(write func(path string) error) {
	start := time.Now()
	if p.Path == "" || !start.After(p.due) {
		return
	}
	if err := write(p.Path); err != nil && p.Err == nil {
		if p.Err = err; p.Warn != nil {
			p.Warn(err)
		}
	}
	p.wait(time.Since(start))
}
