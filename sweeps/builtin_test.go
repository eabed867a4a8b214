package sweeps_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/methods"
	"nptbench/results"
	"nptbench/sweeps"
)

// catalogue is the real one: what a sweep may name.
var catalogue = sweeps.Catalogue{Methods: methods.All(), Datasets: dataset.Infos(), Measurements: measure.All()}

func TestBuiltIn(t *testing.T) {
	names := sweeps.Names()
	for _, want := range []string{"table1-paper", "table1-quick"} {
		if !slices.Contains(names, want) {
			t.Errorf("no built-in sweep %s among %v", want, names)
		}
	}
	for _, name := range names {
		s, err := sweeps.Load(name, catalogue)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
			continue
		}
		if s.Name != name {
			t.Errorf("%s calls itself %s", s.File, s.Name)
		}
		onDisk, err := sweeps.Load(name+".yaml", catalogue)
		if err != nil || len(onDisk.Settings(s.Datasets[0])) != len(s.Settings(s.Datasets[0])) {
			t.Errorf("%s.yaml: %v", name, err)
		}
	}
}

// Attention cannot be measured on a network in which rows do not attend to each other: that is said before anything runs.
func TestAttentionOfRowsAlone(t *testing.T) {
	for params, want := range map[string]string{
		"aba: false":      "",
		"abd: false":      "f.yaml:2:76: attention of npt on yacht: abd: false, want true: there are no layers in which rows attend to each other",
		"self_only: true": "f.yaml:2:81: attention of npt on yacht: self_only: true, want false: rows attend to themselves alone",
	} {
		text := "datasets: [yacht]\nmethods: [{method: npt, variants: {it: {" + params + "}}, measure: {attention: {}}}]\n"
		_, err := sweeps.Parse("f.yaml", []byte(text), catalogue)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
}

// count returns the number of settings, and of those whose predictions can differ, by data set and method.
func count(s *sweeps.Sweep) (settings, distinct map[[2]string]int) {
	settings, distinct = map[[2]string]int{}, map[[2]string]int{}
	kinds := map[string]dataset.Problem{}
	for _, info := range catalogue.Datasets {
		kinds[info.Name] = info.Problem
	}
	for _, name := range s.Datasets {
		seen := map[string]bool{}
		for _, setting := range s.Settings(name) {
			key, canonical := [2]string{name, setting.Method.Name}, setting.Config
			settings[key]++
			if setting.Method.Canonical != nil {
				canonical = setting.Method.Canonical(setting.Config, kinds[name])
			}
			if id := setting.Method.Name + canonical.JSON(); !seen[id] {
				seen[id] = true
				distinct[key]++
			}
		}
	}
	return settings, distinct
}

var smallTables = []string{"yacht", "boston-housing", "breast-cancer", "concrete"}

// TestPaperCounts holds the paper-scale file against Table 16 of the paper, and the distinct settings against the counts
// that follow from parameters without effect.
func TestPaperCounts(t *testing.T) {
	s, err := sweeps.Load("table1-paper", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	settings, distinct := count(s)
	for _, name := range s.Datasets {
		for _, m := range catalogue.Methods {
			if m.Extra {
				continue
			}
			want, _ := results.PaperSettings(name, m.Name)
			if got := settings[[2]string{name, m.Name}]; got != want {
				t.Errorf("%s on %s: %d settings, Table 16 has %d", m.Name, name, got, want)
			}
		}
	}
	for _, info := range catalogue.Datasets {
		if !slices.Contains(s.Datasets, info.Name) {
			continue
		}
		small, higgs, forests, mlps, neighbours := slices.Contains(smallTables, info.Name), info.Name == "higgs", 24, 90, 40
		if info.Problem.Classification() {
			forests = 16 // auto is sqrt
		}
		switch {
		case small:
			// With scikit-learn's ties the leaf sizes of two trees differ, and brute force is a ninth way: 40 times 9.
			mlps, neighbours = 3780, 360
		case higgs:
			mlps, neighbours = 6, 0
		}
		tabnets, _ := results.PaperSettings(info.Name, "tabnet") // none without effect
		npts := 1
		if small {
			npts = 8
		}
		for name, want := range map[string]int{
			"npt": npts, "tabnet": tabnets, "random-forest": forests, "mlp": mlps, "knn": neighbours,
			"gradient-boosting": 48, "xgboost": 48, "catboost": 48, "lightgbm": 48,
		} {
			if got := distinct[[2]string{info.Name, name}]; got != want {
				t.Errorf("%s on %s: %d different settings, want %d", name, info.Name, got, want)
			}
		}
	}
}

// TestQuickCounts keeps the quick sweep to what its comment says.
func TestQuickCounts(t *testing.T) {
	s, err := sweeps.Load("table1-quick", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(slices.Values(s.Datasets)), slices.Sorted(slices.Values(smallTables)); !slices.Equal(got, want) {
		t.Errorf("data sets %v, want %v", got, want)
	}
	settings, _ := count(s)
	for _, name := range s.Datasets {
		if got := settings[[2]string{name, "knn"}]; got != 480 {
			t.Errorf("%d settings of knn on %s, want the paper's 480", got, name)
		}
		for _, m := range catalogue.Methods {
			if settings[[2]string{name, m.Name}] == 0 && !m.Extra {
				t.Errorf("%s is not run on %s: a method of the paper belongs in table1-quick.yaml, any other has Extra set", m.Name, name)
			}
		}
	}
}

// TestPublishedNPT holds the file's NPT settings against the commands that NPT's authors published.
func TestPublishedNPT(t *testing.T) {
	s, err := sweeps.Load("table1-paper", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[[2]string]method.Config{}
	for _, name := range s.Datasets {
		for _, setting := range s.Settings(name) {
			if setting.Method.Name == "npt" {
				settings[[2]string{name, setting.Variant}] = setting.Config
			}
		}
	}
	f, err := os.Open("testdata/npt_settings.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		want := map[string]string{}
		for i, column := range rows[0] {
			want[column] = row[i]
		}
		key := [2]string{want["dataset"], want["variant"]}
		if !slices.Contains(smallTables, key[0]) {
			key[1] = "" // one setting, which needs no name
		}
		c := settings[key]
		if c == nil {
			t.Errorf("%v is missing", key)
			continue
		}
		delete(settings, key)
		if want["batch_size"] == "-1" {
			want["batch_size"] = "0" // all rows
		}
		want["scheduler"] = strings.ReplaceAll(want["scheduler"], "_", "-")
		want["tradeoff_annealing"] = strconv.FormatBool(want["tradeoff_annealing"] == "cosine")
		share := "flat_share"
		if want["scheduler"] != "flat-and-anneal" {
			share = "warmup"
		}
		for column, param := range map[string]string{
			"p_feature_train": "p_feature", "p_target_train": "p_target", "num_total_steps": "steps", "lr": "lr",
			"scheduler": "schedule", "optimizer_warmup_proportion": share, "batch_size": "batch_size",
			"dim_hidden": "dim_hidden", "stacking_depth": "layers", "num_heads": "heads", "tradeoff": "tradeoff",
			"tradeoff_annealing": "tradeoff_annealing", "batch_class_balancing": "class_balancing",
			"is_semi_supervised": "semi_supervised", "eval_every_n": "eval_every",
		} {
			if got := fmt.Sprint(c[param]); !same(got, want[column]) {
				t.Errorf("%v: %s is %s, published is %s", key, param, got, want[column])
			}
		}
	}
	for key := range settings {
		t.Errorf("%v was not published", key)
	}
}

// The base configurations by themselves are cells of the paper's sweep.
func TestBaseNPT(t *testing.T) {
	base, err := sweeps.Load("npt-base", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := sweeps.Load("table1-paper", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range base.Datasets {
		settings := base.Settings(name)
		if len(settings) != 1 || !slices.ContainsFunc(paper.Settings(name), func(s sweeps.Setting) bool {
			return s.Method.Name == "npt" && s.Variant == "base" && s.JSON == settings[0].JSON
		}) {
			t.Errorf("%s: %d settings, or none of the paper's", name, len(settings))
		}
	}
}

// The paper's sizes of NPT on a data set, against which reports call a network smaller, are the least of its sweep.
func TestPaperSizes(t *testing.T) {
	s, err := sweeps.Load("table1-paper", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range s.Datasets {
		least := map[string]int{}
		for _, setting := range s.Settings(name) {
			for _, size := range setting.Method.Sizes {
				if v := setting.Config.Int(size.Param); least[size.Param] == 0 || v < least[size.Param] {
					least[size.Param] = v
				}
			}
		}
		for _, param := range []string{"dim_hidden", "steps"} {
			if size, ok := results.PaperSize(name, "base", param); !ok || size != least[param] {
				t.Errorf("%s: %s is %d, the sweep has %d", name, param, size, least[param])
			}
		}
	}
}

// The variants of Table 13 and the ablations of Table 5 as published are cells of the paper's sweep, as far as that has them.
func TestPaperVariants(t *testing.T) {
	load := func(name string) *sweeps.Sweep {
		s, err := sweeps.Load(name, catalogue)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	paper := load("table1-paper")
	has := func(dataset, config string) bool {
		return slices.ContainsFunc(paper.Settings(dataset), func(s sweeps.Setting) bool { return s.Method.Name == "npt" && s.JSON == config })
	}
	for _, name := range []string{"variants-paper", "npt-variants", "ablation-paper"} {
		s := load(name)
		for _, d := range s.Datasets {
			if name != "ablation-paper" && len(s.Settings(d)) != 8 {
				t.Errorf("%s: %d variants on %s, want 8", name, len(s.Settings(d)), d)
			}
			for _, setting := range s.Settings(d) {
				published := name != "ablation-paper" || setting.Variant == "Base" && d != "boston-housing"
				if published && !has(d, setting.JSON) {
					t.Errorf("%s: %s on %s is not in table1-paper: %s", name, setting.Variant, d, setting.JSON)
				}
			}
		}
	}
	for _, d := range smallTables {
		for table, sweep := range map[int]string{13: "variants-quick", 4: "ablation-quick"} {
			for _, setting := range load(sweep).Settings(d) {
				metric := map[int]string{13: "rank", 4: "rmse"}[table]
				_, known := results.PaperVariant(table, d, setting.Variant, metric)
				if table == 4 {
					_, inTable5 := results.PaperVariant(5, d, setting.Variant, metric)
					known = known || inTable5 || setting.Variant == "Self only" // a control of ours
				}
				if !known {
					t.Errorf("%s: the paper has no variant %q on %s", sweep, setting.Variant, d)
				}
			}
		}
	}
}

// TestSmallNPT holds the small networks to the rule of all other methods: the same settings for all data sets, of which validation
// chooses in every fold. The sweep with one setting has one of these.
func TestSmallNPT(t *testing.T) {
	settings := func(sweep, dataset string) (configs []string) {
		s, err := sweeps.Load(sweep, catalogue)
		if err != nil {
			t.Fatal(err)
		}
		for _, setting := range s.Settings(dataset) {
			if setting.Method.Name == "npt" {
				configs = append(configs, setting.JSON)
			}
		}
		return configs
	}
	want := settings("table1-quick", smallTables[0])
	if len(want) < 2 {
		t.Errorf("%d settings, want a choice", len(want))
	}
	for _, name := range smallTables {
		for _, sweep := range []string{"table1-quick", "table1-cpu"} {
			if got := settings(sweep, name); !slices.Equal(got, want) {
				t.Errorf("%s has for %s %s, want %s", sweep, name, got, want)
			}
		}
		one := settings("npt-one-setting", name)
		if len(one) != 1 || !slices.Contains(want, one[0]) || one[0] != settings("npt-one-setting", smallTables[0])[0] {
			t.Errorf("npt-one-setting has for %s %s, want one of %s", name, one, want)
		}
	}
}

// same compares as numbers where both are, else as words in any case.
func same(a, b string) bool {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && x == y || strings.EqualFold(a, b)
}

// BenchmarkPaper reads and expands the paper-scale file: half a million cells.
func BenchmarkPaper(b *testing.B) {
	for b.Loop() {
		s, err := sweeps.Load("table1-paper", catalogue)
		if err != nil {
			b.Fatal(err)
		}
		cells := 0
		for _, info := range catalogue.Datasets {
			cells += len(s.Settings(info.Name)) * len(s.Folds(info)) * len(s.Protocols)
		}
		b.ReportMetric(float64(cells), "cells")
	}
}

// Rows of a data set may differ in the column that is their target: what cannot take it is refused before anything is run.
func TestAnyColumnIsRefused(t *testing.T) {
	const npt = "- {method: npt, params: {semi_supervised: false, p_feature: 0}"
	for entry, want := range map[string]string{
		npt + "}": "",
		npt + ", measure: {attention: {}, intervention: {}}}": "",
		"- method: knn":                                     "f.yaml:3:3: knn on lookup-random-column: rows differ there in the column that is their target, and knn predicts one column; give the entry other datasets",
		"- {method: mine, command: [/bin/true]}":            "and mine predicts one column",
		npt + ", measure: {corruption: {}}}":                "corruption of npt on lookup-random-column: rows differ there in the column that is their target",
		npt + ", measure: {deletion: {}}}":                  ": a row is seen there with its copy alone",
		"- {method: npt, params: {p_feature: 0}}":           ": semi_supervised: true, want false",
		"- {method: npt, params: {semi_supervised: false}}": "npt on lookup-random-column: p_feature: 0.15, want 0",
		npt + "}\n- {method: knn, datasets: [lookup]}":      "",
		npt + "}\n- {method: dkl, params: {patience: 3}}":   "f.yaml:4:3: dkl on lookup-random-column: rows differ",
	} {
		for _, datasets := range []string{"[lookup-random-column, lookup]", "[lookup, lookup-random-column]"} {
			_, err := sweeps.Parse("f.yaml", []byte("datasets: "+datasets+"\nmethods:\n"+entry+"\n"), catalogue)
			switch {
			case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("%s, %s: %v, want %s", datasets, entry, err, want)
			}
		}
	}
}

// Where entries of copies are missing and yet in sight, no permutation of rows is one of what they say.
func TestCorruptionOfFlaggedCopiesIsRefused(t *testing.T) {
	const sweep = "datasets: [lookup-random-flagged]\nmethods:\n- {method: npt, params: {semi_supervised: false}, measure: {corruption: {}}}\n"
	if _, err := sweeps.Parse("f.yaml", []byte(sweep), catalogue); err == nil ||
		!strings.Contains(err.Error(), "corruption of npt on lookup-random-flagged: entries of copies are flagged") {
		t.Error(err)
	}
}
