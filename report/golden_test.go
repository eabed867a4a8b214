package report

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nptbench/internal/split"
	"nptbench/results"
)

// pictures are those of a page, which have golden files of their own.
var pictures = regexp.MustCompile(`(?s)<svg.*?</svg>`)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// spread gives ten values with a mean and a population standard deviation: half of them below, half above.
func spread(mean, sd float64) []float64 {
	out := make([]float64, 10)
	for i := range out {
		out[i] = mean + sd*float64(1-2*(i%2))
	}
	return out
}

// goldenSummary has every kind of line that a report can show.
func goldenSummary(t *testing.T) *Summary {
	t.Helper()
	f := newFixture()
	f.Title = "Table 1, a test"
	f.description = "of Higgs, 35,298 of 11,000,000 rows are used"
	f.params["npt"] = "layers: 2"
	regression := func(protocol split.Protocol, dataset, method string, folds int, mean, sd float64) {
		for fold, x := range spread(mean, sd)[:folds] {
			f.ok(dataset, protocol, method, fold, 0, results.Metrics{"mse_standardised": 0.2}, results.Metrics{"rmse": x, "mse": x * x})
			f.ok(dataset, protocol, method, fold, 1, results.Metrics{"mse_standardised": 0.1}, results.Metrics{"rmse": x, "mse": x * x})
		}
	}
	for _, protocol := range split.Protocols {
		for _, method := range []string{"random-forest", "knn", "golearn-knn", "npt"} {
			f.expect("boston-housing", protocol, method, 2)
			f.expect("yacht", protocol, method, 2)
		}
	}
	regression(published, "boston-housing", "knn", 10, 4.2746, 1.17)
	regression(published, "boston-housing", "random-forest", 10, 3.60, 1.0)
	regression(published, "boston-housing", "golearn-knn", 10, 5, 1)
	regression(published, "boston-housing", "npt", 3, 2.9, 0.4)
	regression(corrected, "boston-housing", "knn", 10, 3.7741, 0.78)
	regression(corrected, "boston-housing", "random-forest", 10, 3.3, 0.5)
	regression(published, "yacht", "knn", 10, 11.83, 1.9)
	regression(published, "yacht", "random-forest", 9, 0.5, 0.1)
	for setting := range 2 {
		f.failed("yacht", published, "random-forest", 9, setting, "timeout", "no result after 10s_of\n 10s & 100 % of <it>")
	}

	f.expect("poker-hand", published, "knn", 1)
	f.ok("poker-hand", published, "knn", 0, 0, results.Metrics{"nll": 1}, results.Metrics{
		"accuracy": 50.38, "accuracy_se": 0.158, "nll": 0.9776, "nll_se": 0.0016}).Rows = [3]int{21883, 3127, 100000}
	f.records[len(f.records)-1].Subset = "the first 100,000 of 1,000,000 test rows"
	f.expect("higgs", published, "npt", 1)
	f.ok("higgs", published, "npt", 0, 0, results.Metrics{"nll": 1}, results.Metrics{
		"accuracy": 70, "accuracy_se": 0.3, "nll": 0.6, "nll_se": 0.01, "auroc": 0.8, "auroc_se": 0.01}).Subset = "35,298 of 11,000,000 rows"
	f.expect("higgs", published, "knn", 1)
	f.searchAsPaper("boston-housing", "knn", "random-forest")
	f.searchAsPaper("yacht", "knn")
	f.searchAsPaper("poker-hand", "knn")
	return collect(t, f)
}

func TestGolden(t *testing.T) {
	s := goldenSummary(t)
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	var terminal, coloured bytes.Buffer
	if err := s.Print(&terminal, 80, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Print(&coloured, 80, true); err != nil {
		t.Fatal(err)
	}
	written := map[string][]byte{"terminal.txt": terminal.Bytes(), "terminal-colour.txt": coloured.Bytes()}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, ".pdf") { // of those see TestPDF
			return err
		}
		written[name], err = os.ReadFile(filepath.Join(dir, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	written["table1.html"] = pictures.ReplaceAll(written["table1.html"], []byte("<svg></svg>"))
	for name, got := range written {
		golden := filepath.Join("testdata", name)
		if *update {
			os.MkdirAll(filepath.Dir(golden), 0o755)
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has changed; see what with: go test ./report -update && git diff report/testdata", name)
		}
	}
}
