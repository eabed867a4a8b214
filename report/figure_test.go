package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"nptbench/internal/picture"
)

func TestFigureShowsWhatIsComplete(t *testing.T) {
	s := goldenSummary(t)
	var out bytes.Buffer
	panels := s.panels()
	if err := picture.Panels(panels).WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	var texts []string
	decoder := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	all := strings.Join(texts, "|") + "|"
	for _, want := range []string{"paper|", "ours|", "ours, corrected folds|", "Boston Housing|", "k-NN|", "Random Forest|", "Yacht|", "Higgs|", "± standard error|",
		"RMSE, smaller is better|", "accuracy (%), larger is better|"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Error("NaN or Inf in the figure")
	}
	if panels := (&Summary{}).panels(); len(panels) != 0 {
		t.Errorf("%d panels without a result", len(panels))
	}
}

// A figure shows what the first part of its table does, also where the first row lacks that: here core times, which the random forest has not.
func TestFigureOfTheFirstPart(t *testing.T) {
	f := newFixture()
	for _, m := range []string{"random-forest", "knn"} {
		f.expect("protein", published, m, 2)
		rec := f.ok("protein", published, m, 0, 0, mse(1), rmse(2))
		rec.FitSeconds, rec.ProcessorSeconds = 100, 7
		if m == "knn" {
			f.ok("protein", published, m, 0, 1, mse(1), rmse(2)).FitSeconds = 100
		}
	}
	s := collect(t, f)
	l := Layout{Where: []Where{ranking}, Group: "dataset", Rows: []string{"series"}, Show: []Part{CoreTime, Processor}}
	panels := l.panels(s.Numbers)
	if len(panels) != 1 || panels[0].Axis != "seconds of one core" || len(panels[0].Lines) != 1 || panels[0].Lines[0].Title != "k-NN" {
		t.Errorf("%+v", panels)
	}
	s.Numbers = s.Numbers[:1] // without any core time
	if panels := l.panels(s.Numbers); panels != nil {
		t.Errorf("%+v", panels)
	}
}
