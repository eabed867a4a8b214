package report

import (
	"fmt"
	"math"
	"strings"

	"nptbench/internal/picture"
	"nptbench/internal/spelling"
	"nptbench/internal/stats"
)

// diagramKey says what all rank diagrams show.
var diagramKey = fmt.Sprintf("In the diagrams of mean ranks a thick bar joins methods that do not differ significantly at %v: by Nemenyi's test of "+
	"mean ranks, and, if it can find any difference on so few data sets, by the signed-rank test with Holm's correction. CD is Nemenyi's critical "+
	"difference.", rankLevel)

// figure is the critical-difference diagram of a rank table.
func (t *rankTable) figure(name string) Figure {
	caption := fmt.Sprintf("Mean ranks of %s by %s over %s (%s folds).", t.whose(), t.Metric.Title,
		spelling.Count(len(t.Datasets), problemTitle(t.Problem)+" data set"), t.Protocol)
	diagrams, hidden := t.diagrams()
	if hidden != nil {
		caption += fmt.Sprintf(" Nor do these differ significantly by the signed-rank test, which no bar can join: %s.", strings.Join(hidden, "; "))
	}
	return Figure{name + "-" + t.name() + ".svg", caption, picture.RankDiagrams(diagrams)}
}

// diagrams are two, one below the other: by Nemenyi's test, and by the signed-rank test where its p can be small enough, with the pairs that do
// not differ by this one and that no bar can join. (Nemenyi's has none: it goes by the distance of mean ranks.)
func (t *rankTable) diagrams() (diagrams []picture.RankDiagram, hidden []string) {
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Series.Title)
	}
	ranks, s := t.means(ownRanks), t.Significance
	nemenyi, _ := stats.Cliques(ranks, func(i, j int) bool { return stats.Reaches(ranks[i]-ranks[j], s.Difference) })
	difference := s.Difference
	if math.IsInf(difference, 1) {
		difference = 0
	}
	diagrams = []picture.RankDiagram{{Title: "Nemenyi's test", Names: names, Ranks: ranks, Difference: difference, Bars: nemenyi}}
	if s.signedRanksCan() {
		wilcoxon, pairs := stats.Cliques(ranks, func(i, j int) bool { return s.Wilcoxon[i][j] <= rankLevel })
		diagrams = append(diagrams, picture.RankDiagram{Title: "Signed-rank test, Holm's correction", Names: names, Ranks: ranks, Bars: wilcoxon})
		for _, p := range pairs {
			hidden = append(hidden, names[p[0]]+" and "+names[p[1]])
		}
	}
	return diagrams, hidden
}
