package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/metric"
)

// A page is XML, too: every element ends, and text is escaped.
func readPage(t *testing.T, s *Summary) (elements []xml.StartElement, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := writeHTML(&out, s.Document(), s); err != nil {
		t.Fatal(err)
	}
	body, script, ok := strings.Cut(out.String(), "<script>")
	_, end, closed := strings.Cut(script, "</script>")
	if !ok || !closed {
		t.Fatal("no script")
	}
	d := xml.NewDecoder(strings.NewReader(body + end))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, text
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements = append(elements, token.Copy())
		case xml.CharData:
			text += string(token)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestHTML(t *testing.T) {
	for _, s := range []*Summary{goldenSummary(t), nastySummary(t)} {
		elements, text := readPage(t, s)
		var ids, links, labels, captions []string
		count := map[string]int{}
		for _, e := range elements {
			count[e.Name.Local]++
			if e.Name.Local == "svg" {
				if attribute(e, "role") != "img" {
					t.Error("a picture has no role")
				}
				labels = append(labels, attribute(e, "aria-label"))
			}
			if id := attribute(e, "id"); id != "" {
				if slices.Contains(ids, id) {
					t.Errorf("two elements have the id %q", id)
				}
				ids = append(ids, id)
			}
			if e.Name.Local == "a" {
				links = append(links, attribute(e, "href"))
			}
			for _, name := range []string{"src", "href"} {
				if at := attribute(e, name); at != "" && at[0] != '#' {
					t.Errorf("<%s> needs %q, which is not on the page", e.Name.Local, at)
				}
			}
		}
		for _, link := range links {
			if !slices.Contains(ids, strings.TrimPrefix(link, "#")) {
				t.Errorf("%q leads nowhere", link)
			}
		}
		if count["b"]+count["it"] > 0 {
			t.Error("a title or a message became markup")
		}
		for _, b := range s.Document().Blocks {
			if f, ok := b.(Figure); ok {
				captions = append(captions, f.Caption)
			}
		}
		if !slices.Equal(labels, captions) {
			t.Errorf("pictures are called %q, want %q", labels, captions)
		}
		for _, g := range s.Groups {
			if !slices.Contains(ids, anchor(g)) {
				continue // without a result
			}
			for _, f := range g.Folds {
				if f.Chosen == nil {
					continue
				}
				if !strings.Contains(text, f.Chosen.ID.String()) {
					t.Errorf("%s: the record of fold %d is missing", anchor(g), f.Number)
				}
				for _, m := range metric.Of(g.Info.Problem) {
					if x, ok := finite(f.Chosen.Test, m.Name); ok && !strings.Contains(text, full(x)) {
						t.Errorf("%s: %s of fold %d is missing", anchor(g), m.Name, f.Number)
					}
				}
			}
		}
	}
}

// Every mean of a table leads to the records of its folds.
func TestNumbersLeadToRecords(t *testing.T) {
	s := goldenSummary(t)
	d := s.Document()
	for _, l := range table1 {
		for _, b := range d.Blocks {
			table, ok := b.(*Table)
			if !ok || table.Name != l.Name {
				continue
			}
			for _, row := range table.Rows {
				for i, c := range row.Cells[len(l.Rows):] {
					head := table.Columns[len(l.Rows)+i].Head
					isOurs := len(l.Columns) > 0 || head == Ours.Head || head == Corrected.Head
					if has := c.Of != nil; has != (isOurs && c.Text != none) {
						t.Errorf("table %s, %s, column %q: %q has records: %v", l.Name, row.Cells[0].Text, head, c.Text, has)
					}
					if c.Of != nil && head == Corrected.Head && c.Of.Protocol != corrected {
						t.Errorf("table %s: corrected folds lead to %s", l.Name, c.Of.Protocol)
					}
				}
			}
		}
	}
}

// Ranks lead to the records of the results that were ranked, in the table's own order of data sets.
func TestRanksLeadToRecords(t *testing.T) {
	for _, r := range goldenSummary(t).ranks {
		for i, row := range r.Rows {
			cells := r.table().Rows[i].Cells
			for j, d := range r.Datasets {
				of := cells[1+j].Of
				if of == nil || of.Info.Name != d.Name || of.Series != row.Series || of.Protocol != r.Protocol {
					t.Errorf("%s: the rank of %s on %s leads to %+v", r.name(), row.Series.Title, d.Title, of)
				}
			}
		}
	}
}

// The records of a number under further seeds, of which its footnote speaks, are on the page, too.
func TestRecordsOfFurtherSeeds(t *testing.T) {
	f := newFixture()
	f.expect("protein", published, "knn", 1)
	for seed := range uint64(3) {
		f.ok("protein", published, "knn", 0, 0, mse(1), rmse(4+float64(seed))).Seed = 42 + seed
	}
	f.ok("protein", published, "knn", 1, 0, mse(1), rmse(1)).Seed = 43 // of no fold
	g := newHTMLGroup(collect(t, f).Groups[0])
	var got []string
	for _, line := range g.Lines {
		got = append(got, fmt.Sprintf("%d %s", line.Chosen.Seed, line.Test[0]))
	}
	if want := []string{"42 4", "43 5", "44 6"}; !slices.Equal(got, want) {
		t.Errorf("seeds and results %q, want %q", got, want)
	}
}

// What is measured on one model has records of its own on the page, with the metrics that were measured.
func TestMeasuredGroups(t *testing.T) {
	info := dataset.Info{Name: "boston-housing", Problem: dataset.Regression}
	anchors := map[string]bool{}
	for _, m := range measure.All() {
		for rows := range 2 {
			g := &Group{Info: info, Protocol: published, Series: &Series{Title: "NPT", Measure: m, With: method.Config{m.Params[0].Name: rows + 7}}}
			anchors[anchor(g)] = true
			if got, want := newHTMLGroup(g).Metrics, m.Metrics(info); !slices.Equal(got, want) {
				t.Errorf("%s: columns for %v, want %v", m.Name, metric.Names(got), metric.Names(want))
			}
		}
	}
	if want := 2 * len(measure.All()); len(anchors) != want {
		t.Errorf("%d places for %d groups: %v", len(anchors), want, anchors)
	}
}

// Groups whose titles differ in signs alone have places of their own on the page.
func TestAnchorsDiffer(t *testing.T) {
	named := map[string]string{}
	for _, title := range []string{"Mine", "mine", "mine+", "mine-", "mine ", "mine, x = -1", "mine; x = -1", "mine_2d_", "mine\u02d1", "mine é"} {
		name := anchor(&Group{Info: dataset.Info{Name: "yacht"}, Protocol: published, Series: &Series{Title: title}})
		if other, has := named[name]; has {
			t.Errorf("%q and %q are both at %s", other, title, name)
		}
		named[name] = title
	}
}

// A page sorts by the numbers themselves: what it shows may be a time, have separators, or end in the numbers of footnotes.
func TestHTMLHasValues(t *testing.T) {
	table := &Table{Name: "t", Columns: []Column{{Head: "Method"}, {"Time", true}, {"Number", true}}}
	noted := count(11340)
	noted.Notes = []int{table.Note("It has a footnote.")}
	for _, row := range [][]Cell{
		{{Text: "k-NN"}, number(clock(112), 112), noted},
		{{Text: "NPT"}, {Text: "≈ " + roughly(13.2*86400), Value: full(13.2 * 86400)}, number("4.27 ± 0.39", 4.2746)},
		{{Text: "3 layers"}, number(clock(14400), 14400), blank},
	} {
		table.Rows = append(table.Rows, Row{Cells: row})
	}
	var out bytes.Buffer
	if err := writeHTML(&out, &Document{Blocks: []Block{table}}, &Summary{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`<td[^>]*?(?: data-value="(.*?)")?>(.*?)</td>`).FindAllStringSubmatch(out.String(), -1) {
		got = append(got, m[2]+": "+m[1])
	}
	if want := []string{"k-NN: ", "1m 52s: 112", "11,340<sup>1</sup>: 11340", "NPT: ", "≈ 13d: 1.14048e&#43;06", "4.27 ± 0.39: 4.2746",
		"3 layers: ", "4h: 14400", "–: "}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// In every table of a report a cell of a number has it, and to its printed digits it is the one that is shown.
func TestValuesAreWhatIsShown(t *testing.T) {
	checked := 0
	for _, s := range []*Summary{goldenSummary(t), costed(t)} {
		for _, b := range s.Document().Blocks {
			table, ok := b.(*Table)
			if !ok {
				continue
			}
			for _, row := range table.Rows {
				for i, c := range row.Cells {
					of := slices.Contains([]string{"Largest gap", "Critical diff."}, row.Cells[0].Text)
					if !table.Columns[i].Right || of || !latexNumbers.MatchString(c.Text) {
						if !table.Columns[i].Right && c.Value != "" {
							t.Errorf("table %s: %q in a column of texts has the value %s", table.Name, c.Text, c.Value)
						}
						continue
					}
					x, err := strconv.ParseFloat(c.Value, 64)
					shown := strings.ReplaceAll(latexNumber.FindString(c.Text), ",", "")
					_, decimals, _ := strings.Cut(shown, ".")
					if printed := Decimal(x, len(decimals)); err != nil || strings.Trim(printed, "+-") != strings.Trim(shown, "+-") {
						t.Errorf("table %s, %s: %q has the value %q", table.Name, row.Cells[0].Text, c.Text, c.Value)
					}
					checked++
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d numbers", checked)
	}
}
