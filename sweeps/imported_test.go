package sweeps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/method"
)

func TestImport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("name: s\ndatasets: [yacht, concrete]\nmethods: [{method: knn}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Load(file, Catalogue{Methods: []*method.Method{{Name: "knn"}}, Datasets: dataset.Infos()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Import(method.Imported("mine", "Mine", "imported"), []string{"concrete", "higgs"}); err != nil {
		t.Fatal(err)
	}
	got := s.Settings("concrete")
	if len(got) != 2 || got[1].Method.Title != "Mine" || got[1].JSON != `{"imported":"Mine"}` || len(s.Settings("yacht")) != 1 || len(s.Settings("higgs")) != 0 {
		t.Errorf("%+v", got)
	}
	if err := s.Import(method.Imported("knn", "KNN", "imported"), []string{"yacht"}); err == nil || !strings.Contains(err.Error(), "method knn is also an imported one") {
		t.Errorf("%v", err)
	}
}
