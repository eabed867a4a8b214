package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestTicks(t *testing.T) {
	tests := []struct {
		ticks    func(from, to float64) []plot.Tick
		from, to float64
		want     string
	}{
		{linearTicks, 0.92, 1.03, "0.92 0.94 0.96 0.98 1.00 1.02"},
		{linearTicks, 3.38, 3.88, "3.4 3.5 3.6 3.7 3.8"},
		{linearTicks, 48, 104, "50 60 70 80 90 100"},
		{linearTicks, 2.7, 4.8, "3.0 3.5 4.0 4.5"},
		{linearTicks, 4.2699, 4.2761, "4.270 4.272 4.274 4.276"},
		{logTicks, 0.6, 15.1, "1 2 5 10"},
		{logTicks, 0.05, 0.9, "0.05 0.1 0.2 0.5"},
		{logTicks, 0.27, 0.48, "0.30 0.35 0.40 0.45"},
		{logTicks, 0.6, 1500, "1 10 100 1000"},
		{logTicks, 4, 3e6, "100 10000 1e+06"},
	}
	for _, tt := range tests {
		var labels []string
		for _, tick := range tt.ticks(tt.from, tt.to) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestFigureShowsWhatIsComplete(t *testing.T) {
	s := goldenSummary(t)
	var out bytes.Buffer
	panels := s.panels()
	if err := tiled(panels, legend(panels)).writeSVG(&out); err != nil {
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
