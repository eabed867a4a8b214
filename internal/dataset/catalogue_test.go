package dataset

import (
	"slices"
	"strings"
	"testing"
)

// What is said of a data set in several places must agree.
func TestCatalogue(t *testing.T) {
	var names []string
	for _, s := range catalogue {
		names = append(names, s.Name)
		if len(s.columns) != s.Columns {
			t.Errorf("%s: %d columns described, %d stated", s.Name, len(s.columns), s.Columns)
		}
		target := s.columns[s.Target]
		if (target.kind == Categorical) != s.Problem.Classification() || len(target.levels) != s.Classes {
			t.Errorf("%s: target %+v", s.Name, target)
		}
		if (s.Classes == 2) != (s.Problem == Binary) || s.Licence == "" || s.Title == "" {
			t.Errorf("%s: %+v", s.Name, s.Info)
		}
		if s.variants[0].subset != "" {
			t.Errorf("%s: the first variant is a subset", s.Name)
		}
		for i := range s.variants {
			checkVariant(t, s, &s.variants[i])
		}
	}
	// Those of the paper in its order, then others.
	want := "yacht boston-housing breast-cancer concrete protein kick income poker-hand forest-cover higgs mnist"
	if got := strings.Join(names, " "); !strings.HasPrefix(got+" ", want+" ") {
		t.Errorf("data sets %s, want first %s", got, want)
	}
}

func checkVariant(t *testing.T, s *source, v *variant) {
	rows, classRows := s.rowsOf(v), 0
	for _, n := range v.classRows {
		classRows += n
	}
	if s.Problem.Classification() && (classRows != rows || len(v.classRows) != s.Classes) {
		t.Errorf("%s: %d rows, classes %v", s.Name, rows, v.classRows)
	}
	if (v.subset == "") != (rows == s.Rows) || v.testAt >= rows {
		t.Errorf("%s: %d of %d rows, subset %q, test rows at %d", s.Name, rows, s.Rows, v.subset, v.testAt)
	}
	fileRows := 0
	for _, f := range v.files {
		fileRows += f.Rows
		if f.origin() == "" || f.parse == nil || f.MaxBytes == 0 {
			t.Errorf("%s: %+v", s.Name, f)
		}
		for _, sum := range append(slices.Clone(f.SHA256), f.Gzip...) {
			if len(sum) != 64 {
				t.Errorf("%s: checksum %s", f.Name, sum)
			}
		}
		for _, address := range f.URLs {
			base := strings.TrimSuffix(address[strings.LastIndexByte(address, '/')+1:], ".gz")
			if base != f.Name {
				t.Errorf("%s: address %s", f.Name, address)
			}
		}
		if len(v.files) > 1 && f.Manual == "" && len(f.SHA256) == 0 {
			t.Errorf("%s: fetched without anything to check it by", f.Name)
		}
	}
	if s.Name == "mnist" {
		fileRows /= 2 // an image and a label for every row
	}
	if fileRows != rows {
		t.Errorf("%s: files of %d rows, table of %d", s.Name, fileRows, rows)
	}
}

func TestInfos(t *testing.T) {
	for _, info := range Infos() {
		again, err := (&Library{}).Lookup(info.Name)
		if err != nil || again.Rows != info.Rows {
			t.Errorf("%+v, %v", again, err)
		}
		if info.RunFolds < 1 || info.RunFolds > info.Folds {
			t.Errorf("%s: %d folds of %d", info.Name, info.RunFolds, info.Folds)
		}
	}
	for i, info := range Infos()[:11] { // of the paper
		fixed := slices.Contains([]string{"income", "poker-hand", "higgs", "mnist"}, info.Name)
		if (info.TestAt > 0) != fixed {
			t.Errorf("%s: test rows from %d", info.Name, info.TestAt)
		}
		if want := map[bool][2]int{true: {10, 10}, false: {5, 1}}[i < 4]; info.Folds != want[0] || info.RunFolds != want[1] {
			t.Errorf("%s: %d folds of %d", info.Name, info.RunFolds, info.Folds)
		}
	}
}

// What the tasks of a semi-synthetic data set depend on is in the ids of records: those of published ones stay as they are.
func TestCopiesRules(t *testing.T) {
	for name, want := range map[string]string{
		"lookup":                "copies {RandomFeatures:0 Add:0}",
		"lookup-random":         "copies {RandomFeatures:3 Add:0}",
		"lookup-add-one":        "copies {RandomFeatures:0 Add:1}",
		"lookup-random-add-one": "copies {RandomFeatures:3 Add:1}",
		"lookup-random-flagged": "copies {RandomFeatures:7 Add:0}, of copies, flagged",
		"lookup-random-column":  "copies {RandomFeatures:0 Add:0}, any column",
	} {
		if got := builtIn(name).variants[0].rule; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	var digests []string
	for _, s := range catalogue {
		if digest := s.variants[0].digest; slices.Contains(digests, digest) {
			t.Errorf("%s has the digest of another data set", s.Name)
		} else if digest != "" {
			digests = append(digests, digest)
		}
		if s.AnyColumn() && slices.ContainsFunc(s.columns, func(c columnSpec) bool { return c.kind != Continuous }) {
			t.Errorf("%s: any column can be the target, and not all are numbers", s.Name)
		}
	}
}

func TestLookupUnknown(t *testing.T) {
	l := &Library{Dirs: []string{"data", "more"}}
	for name, want := range map[string]string{
		"boston":           `unknown data set "boston": no boston/dataset.yaml in data, more (did you mean "boston-housing"?)`,
		"bostn-housing":    `unknown data set "bostn-housing": no bostn-housing/dataset.yaml in data, more (did you mean "boston-housing"?)`,
		"Yatch":            `unknown data set "Yatch" (did you mean "yacht"?)`,
		"covid-cases-2020": `unknown data set "covid-cases-2020": no covid-cases-2020/dataset.yaml in data, more; known: yacht, boston-housing, `,
		"":                 `unknown data set ""`,
		"../income":        `unknown data set "../income" (did you mean "income"?)`,
	} {
		if _, err := l.Lookup(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
		if _, err := l.Find(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}
