package dataset

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how a download goes: a bar on a terminal, else a line now and then.
type progress struct {
	log      io.Writer
	name     string
	bar      *progressbar.ProgressBar
	total    int64 // -1: not known
	lastLine time.Time
}

// lineEvery is the time between two lines of progress.
const lineEvery = 10 * time.Second

func newProgress(log io.Writer, name string) *progress {
	return &progress{log: log, name: name, lastLine: time.Now()}
}

// start tells how much there is already and how much is to come (-1: not known).
func (p *progress) start(offset, rest int64) {
	p.total = -1
	if rest >= 0 {
		p.total = offset + rest
	}
	if file, ok := p.log.(*os.File); ok && p.bar == nil && term.IsTerminal(int(file.Fd())) {
		p.bar = progressbar.NewOptions64(p.total, progressbar.OptionSetWriter(file), progressbar.OptionSetDescription(p.name),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	}
	if p.bar != nil {
		p.bar.ChangeMax64(p.total)
	}
	p.at(offset)
}

// at tells how much is there now.
func (p *progress) at(bytes int64) {
	if p.bar != nil {
		p.bar.Set64(bytes)
		return
	}
	if p.log == nil || time.Since(p.lastLine) < lineEvery {
		return
	}
	p.lastLine = time.Now()
	if p.total > 0 {
		fmt.Fprintf(p.log, "%s: %s of %s (%d %%)\n", p.name, FormatBytes(bytes), FormatBytes(p.total), 100*bytes/p.total)
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
