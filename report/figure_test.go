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
