package plan

import (
	"fmt"
	"slices"
)

// tooLarge has a line for each group with cells to do whose fits take more memory than they may have, by what their methods say of
// theirs. Of tables of which only a part is here it says nothing.
func (p *Plan) tooLarge(limit int64) (lines []string) {
	for _, g := range p.Groups() {
		info := g.Dataset.Info
		bytes := float64(info.Rows) * float64(info.Columns) * g.Method.EntryBytes
		if g.selected && g.Dataset.Subset == "" && slices.ContainsFunc(g.status, p.isToDo) && bytes > float64(limit) {
			lines = append(lines, fmt.Sprintf("memory: %s takes at least %.1f GiB on %s, and a fit may have %.1f GiB",
				g.Method.Name, bytes/(1<<30), info.Name, float64(limit)/(1<<30)))
		}
	}
	return lines
}
