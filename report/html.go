package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nptbench/internal/metric"
	"nptbench/results"
)

//go:embed html.tmpl
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"numbers": noteNumbers, "anchor": anchor, "whole": (*Group).whole,
}).Parse(pageSource))

// writeHTML writes a document as one page that needs no other file: figures are part of it, and every number leads to the
// records of its folds, which stand at the end.
func writeHTML(w io.Writer, d *Document, s *Summary) error {
	view := htmlPage{Title: d.Title}
	var shown []*Group
	for i, b := range d.Blocks {
		block := htmlBlock{ID: "s" + strconv.Itoa(i)}
		switch b := b.(type) {
		case Heading:
			block.Heading = string(b)
			view.Sections = append(view.Sections, block)
		case Paragraph:
			block.Paragraph = string(b)
		case List:
			block.List = b
		case Figure:
			picture, err := inline(b)
			if err != nil {
				return err
			}
			block.Figure, block.Caption = picture, b.Caption
		case *Table:
			block.Table = newHTMLTable(b)
			shown = append(shown, b.groups()...)
		}
		view.Blocks = append(view.Blocks, block)
	}
	for _, g := range s.Groups {
		if slices.Contains(shown, g) {
			view.Groups = append(view.Groups, newHTMLGroup(g))
		}
	}
	var out bytes.Buffer
	if err := page.Execute(&out, view); err != nil {
		return err
	}
	_, err := w.Write(bytes.Map(func(r rune) rune { // HTML has no control characters
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, out.Bytes()))
	return err
}

type htmlPage struct {
	Title    string
	Sections []htmlBlock // the headings among the blocks
	Blocks   []htmlBlock
	Groups   []htmlGroup
}

// An htmlBlock has one of its fields set, and the caption of a figure.
type htmlBlock struct {
	ID, Heading, Paragraph string
	List                   List
	Table                  *htmlTable
	Figure                 template.HTML
	Caption                string
}

// An htmlTable has its rows by groups, which are parts of the table.
type htmlTable struct {
	*Table
	Bodies []htmlBody
}

type htmlBody struct {
	Group string
	Rows  []Row
}

func newHTMLTable(t *Table) *htmlTable {
	out := &htmlTable{Table: t}
	for i, row := range t.Rows {
		if i == 0 || t.newGroup(i) {
			out.Bodies = append(out.Bodies, htmlBody{Group: row.Group})
		}
		last := &out.Bodies[len(out.Bodies)-1]
		last.Rows = append(last.Rows, row)
	}
	return out
}

// groups lists what the numbers of a table are of.
func (t *Table) groups() (groups []*Group) {
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			if c.Of != nil {
				groups = append(groups, c.Of)
			}
		}
	}
	return groups
}

// anchor is where on the page the records of a group are, a name of its own for every group.
func anchor(g *Group) string {
	var name strings.Builder
	for _, r := range "r " + g.Info.Name + " " + string(g.Protocol) + " " + g.whole() {
		switch {
		case r == ' ':
			name.WriteByte('-')
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			name.WriteRune(r)
		default:
			fmt.Fprintf(&name, "_%x_", r)
		}
	}
	return name.String()
}

// An htmlGroup has a line for every fold of a group: the chosen record, and what it says. Those under other seeds follow.
type htmlGroup struct {
	*Group
	Metrics []metric.Metric // of the test rows
	Lines   []htmlFold
}

type htmlFold struct {
	*Fold
	Validation string
	Test       []string
	Fit        string
	Machine    string
	Finished   string
}

func newHTMLGroup(g *Group) htmlGroup {
	out := htmlGroup{Group: g, Metrics: g.metrics()}
	folds, bySeed := slices.Clone(g.Folds), g.underOtherSeeds()
	for _, seed := range sortedKeys(bySeed) {
		folds = append(folds, bySeed[seed]...)
	}
	for _, f := range folds {
		line := htmlFold{Fold: f}
		if r := f.Chosen; r != nil {
			value := func(m results.Metrics, name string) string {
				x, ok := finite(m, name)
				return has(ok, full(x))
			}
			line.Validation = value(r.Val, g.Select.Name)
			for _, m := range out.Metrics {
				line.Test = append(line.Test, value(r.Test, m.Name))
			}
			line.Fit = fmt.Sprintf("%.3g s", r.FitSeconds)
			line.Machine = machineOf(&r.Provenance).text() + "; " + librariesText([2]string{r.Provenance.Go, string(r.Provenance.Libraries)})
			line.Finished = r.Provenance.Finished.UTC().Format(time.RFC3339)
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// inline is a figure as a part of a page: without what belongs to a file of its own, and with its caption for those who cannot see it.
func inline(f Figure) (template.HTML, error) {
	var picture bytes.Buffer
	if err := f.picture.WriteSVG(&picture); err != nil {
		return "", err
	}
	_, svg, _ := strings.Cut(picture.String(), "<svg")
	return template.HTML(fmt.Sprintf(`<svg role="img" aria-label="%s"%s`, template.HTMLEscapeString(f.Caption), svg)), nil
}
