package dataset

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows how a download goes: a bar on a terminal, else a line now and then.
type progress struct {
	log      io.Writer // nil: nowhere
	name     string
	bar      *progressbar.ProgressBar // nil: not on a terminal
	lastLine time.Time
}

// lineEvery is the time between two lines of progress.
const lineEvery = 10 * time.Second

func (l *Library) progress(name string) *progress {
	p := &progress{log: l.Log, name: name, lastLine: time.Now()}
	if l.Log != nil && l.Terminal {
		p.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(l.Log), progressbar.OptionSetDescription(name),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	}
	return p
}

// at tells how many bytes are there now, of how many in all (-1: not known).
func (p *progress) at(bytes, total int64) {
	if p.bar != nil {
		p.bar.ChangeMax64(total)
		p.bar.Set64(bytes)
		return
	}
	if p.log == nil || time.Since(p.lastLine) < lineEvery {
		return
	}
	p.lastLine = time.Now()
	if total > 0 {
		fmt.Fprintf(p.log, "%s: %s of %s (%d %%)\n", p.name, FormatBytes(bytes), FormatBytes(total), 100*bytes/total)
		return
	}
	fmt.Fprintf(p.log, "%s: %s\n", p.name, FormatBytes(bytes))
}

// done takes the bar away.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

// FormatBytes returns a size as people write it: "2.6 GiB".
func FormatBytes(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, prefix := float64(n)/unit, 0
	for size >= unit && prefix < 3 {
		size /= unit
		prefix++
	}
	return fmt.Sprintf("%.1f %ciB", size, "KMGT"[prefix])
}
