package results

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/metric"
)

// Every line of the embedded tables must be reachable through the API, with its printed digits kept.
func TestPaperHasEveryLine(t *testing.T) {
	tables := []struct {
		file   string
		metric string
		lines  int // data sets x methods
		none   int // without a number: k-NN on Higgs
	}{
		{"table08_accuracy", "accuracy", 6 * 9, 1},
		{"table09_nll", "nll", 6 * 9, 1},
		{"table10_auroc", "auroc", 4 * 9, 1},
		{"table11_rmse", "rmse", 4 * 9, 0},
		{"table12_mse", "mse", 4 * 9, 0},
	}
	for _, table := range tables {
		rows := readCSV(t, table.file)
		if len(rows) != table.lines {
			t.Errorf("%s: %d lines, want %d", table.file, len(rows), table.lines)
		}
		none := 0
		for _, row := range rows {
			dataset, method, mean, spread := row[1], methodNamed(row[2]), row[4], row[5]
			p, ok := Paper(dataset, method, table.metric)
			if !ok {
				none++
				if mean != "" {
					t.Errorf("%s: %v: no number", table.file, row)
				}
				continue
			}
			if p.Printed != mean || p.PrintedSpread != spread || p.SpreadIsStdDev != (table.metric == "mse" && spread != "") {
				t.Errorf("%s: %v read as %+v", table.file, row, p)
			}
			m := metric.Named(table.metric)
			if fmt.Sprint(m.Table) != row[0] || p.Table != m.Table || p.SpreadIsStdDev != (m.StdDev && p.PrintedSpread != "") {
				t.Errorf("%s: %s is said to be in table %d, want %s, with standard deviations %v", table.file, m.Name, m.Table, row[0], m.StdDev)
			}
		}
		if none != table.none {
			t.Errorf("%s: %d without a number, want %d", table.file, none, table.none)
		}
	}
	if got := len(paper().results); got != 54+54+36+36+36+16+10 {
		t.Errorf("%d results in all, want 242, of Tables 8 to 12, 3 and 2", got)
	}
}

// No digit of the embedded tables changes unnoticed: this is how the SHA-256 of each file begins.
func TestPaperFiles(t *testing.T) {
	sums := map[string]string{
		"npt_sizes":                     "c93b44241a174238",
		"order":                         "da064510988ccb3c",
		"split_rows":                    "8242e3ab9b84df5a",
		"table01_rank_orders":           "9062fee9e8b5ab28",
		"table02_corruption":            "38387383649f64c0",
		"table03_lookup":                "d7ebaff2baf6a14d",
		"table04_ablation":              "dd45ea5cf9ced2c4",
		"table05_ablation":              "594c3a00df9f75b3",
		"table06_07_cost":               "87b1cc6eb8d9f517",
		"table08_accuracy":              "d6cf81847b7cf70c",
		"table09_nll":                   "ca535261e6f08749",
		"table10_auroc":                 "488ef8bf4443163f",
		"table11_rmse":                  "809c19ebe96ef3d8",
		"table12_mse":                   "dda990d633b7c91c",
		"table13_npt_small_rank_orders": "79a72e81fa28a906",
		"table14_15_dataset_stats":      "ab0e2b13a446567e",
		"table16_hyper_config_counts":   "a9901eacdc4e5642",
		"table17_25_search_spaces":      "e0f69474c904737f",
		"variants":                      "4a1e6b4e42978356",
	}
	files, err := fs.Glob(paperFiles, "paper/*")
	if err != nil || len(files) != len(sums) {
		t.Errorf("%d files, want %d: %v", len(files), len(sums), err)
	}
	for name, want := range sums {
		content, err := paperFiles.ReadFile("paper/" + name + ".csv")
		if got := fmt.Sprintf("%x", sha256.Sum256(content))[:16]; err != nil || got != want {
			t.Errorf("%s: SHA-256 %s, want %s: %v", name, got, want, err)
		}
	}
}

func TestPaperNumbers(t *testing.T) {
	tests := []struct {
		dataset, method, metric string
		want                    string
		decimals                int
		stdErr                  float64
	}{
		{"boston-housing", "knn", "rmse", "4.27 ± 0.37", 2, 0.37},
		{"concrete", "gradient-boosting", "rmse", "4.7 ± 0.18", 2, 0.18}, // trailing zero dropped in the source
		{"yacht", "lightgbm", "rmse", "13.6 ± 0.73", 1, 0.73},
		{"yacht", "knn", "rmse", "12.02 ± 0.65", 2, 0.65},
		{"yacht", "npt", "rmse", "1.27 ± 0.15", 2, 0.15},
		{"yacht", "random-forest", "rmse", "0.91 ± 0.13", 2, 0.13},
		{"protein", "npt", "rmse", "3.41", 2, 0},
		{"yacht", "npt", "rmse_change", "-52", 0, 0},
		{"poker-hand", "npt", "accuracy_change", "-1.1", 1, 0},
		{"yacht", "lightgbm", "mse", "190 ± 65.1", 0, 65.1 / math.Sqrt(10)},
		{"boston-housing", "catboost", "mse", "13 ± 9.8", 1, 9.8 / math.Sqrt(10)},
		{"yacht", "npt", "mse", "1.8 ± 1.49", 2, 1.49 / math.Sqrt(10)},
		{"yacht", "random-forest", "mse", "0.986 ± 0.818", 3, 0.818 / math.Sqrt(10)},
		{"breast-cancer", "knn", "accuracy", "95.26 ± 0.79", 2, 0.79},
		{"poker-hand", "knn", "accuracy", "50.4", 1, 0},
		{"breast-cancer", "knn", "auroc", "0.980 ± 0.005", 3, 0.005},
		{"kick", "knn", "nll", "0.333", 3, 0},
	}
	for _, tt := range tests {
		p, ok := Paper(tt.dataset, tt.method, tt.metric)
		if !ok || p.String() != tt.want || p.Decimals != tt.decimals || !(math.Abs(p.StdErr()-tt.stdErr) <= 1e-12) {
			t.Errorf("%s %s %s: %v %+v, want %s with %d decimals", tt.dataset, tt.method, tt.metric, ok, p, tt.want, tt.decimals)
		}
	}
	for method, printed := range map[string]string{"knn": "0.3", "mlp": "0.2"} { // 0.30 and 0.20, beside two decimals everywhere else
		if p, _ := Paper("concrete", method, "rmse"); p.PrintedSpread != printed || p.SpreadDecimals != 2 {
			t.Errorf("the spread of %s on Concrete is %s with %d decimals, want %s with 2", method, p.PrintedSpread, p.SpreadDecimals, printed)
		}
	}
	if _, ok := Paper("boston-housing", "knn", "auroc"); ok {
		t.Error("the paper has no AUROC on Boston Housing")
	}
}

// Section "consistency" of the protocol: Table 12 follows from Table 11. The mean of squares is the square of the mean
// plus the variance of the RMSE over folds, which its standard error gives: the population variance is 10 se² for the
// baselines, and 10 se² * 9/10 for NPT, whose spread has ddof 1.
func TestPaperMSEFollowsFromRMSE(t *testing.T) {
	for _, dataset := range []string{"protein", "concrete", "boston-housing", "yacht"} {
		for _, m := range PaperMethods {
			method := m.Name
			rmse, _ := Paper(dataset, method, "rmse")
			mse, _ := Paper(dataset, method, "mse")
			variance := 10 * rmse.Spread * rmse.Spread
			if method == "npt" {
				variance *= 0.9
			}
			got := rmse.Mean*rmse.Mean + variance
			// What rounding of the two RMSE numbers and of the MSE itself can explain.
			slack := 2*rmse.Mean*0.5*math.Pow10(-rmse.Decimals) + 20*rmse.Spread*0.005 + 0.5*math.Pow10(-mse.Decimals)
			if !(math.Abs(got-mse.Mean) <= slack+1e-9) {
				t.Errorf("%s %s: RMSE %v gives MSE %.4g, table 12 has %v", dataset, method, rmse, got, mse)
			}
		}
	}
}

func TestPaperRanksCounts(t *testing.T) {
	rows := readCSV(t, "table01_rank_orders")
	if len(rows) != 27 || len(paper().ranks) != 27 {
		t.Fatalf("%d lines and %d ranks, want 27", len(rows), len(paper().ranks))
	}
	for _, row := range rows {
		r, ok := PaperRank(row[1], methodNamed(row[3]))
		if !ok || r.Printed != row[5] || r.PrintedSpread != row[6] {
			t.Errorf("%v read as %+v", row, r)
		}
	}
	for task, sets := range map[string]float64{"binary": 4, "multiclass": 2, "regression": 4} {
		sum := 0.0
		for _, m := range PaperMethods {
			r, _ := PaperRank(task, m.Name)
			sum += r.Mean
		}
		if sum != 45 { // 1 + ... + 9, whatever the number of data sets
			t.Errorf("%s: mean ranks over %v data sets sum to %v, want 45", task, sets, sum)
		}
	}
}

func TestPaperOrder(t *testing.T) {
	tests := []struct{ dataset, metric, want string }{
		{"higgs", "auroc", "npt mlp tabnet xgboost catboost gradient-boosting random-forest lightgbm knn"},
		{"income", "auroc", "catboost lightgbm gradient-boosting npt mlp tabnet random-forest xgboost knn"},
		{"breast-cancer", "auroc", "npt catboost lightgbm random-forest xgboost gradient-boosting mlp knn tabnet"},
		{"forest-cover", "accuracy", "xgboost gradient-boosting npt catboost mlp random-forest tabnet knn lightgbm"},
		{"boston-housing", "rmse", "npt mlp xgboost catboost gradient-boosting random-forest lightgbm tabnet knn"},
		{"yacht", "rmse", "gradient-boosting xgboost random-forest mlp catboost npt tabnet knn lightgbm"},
		{"mnist", "accuracy", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(PaperOrder(tt.dataset, tt.metric), " "); got != tt.want {
			t.Errorf("%s by %s: %s, want %s", tt.dataset, tt.metric, got, tt.want)
		}
	}
}

func TestPaperSettings(t *testing.T) {
	distinct := map[int]bool{}
	none := 0
	for _, row := range readCSV(t, "table16_hyper_config_counts") {
		n, ok := PaperSettings(row[1], methodNamed(row[2]))
		if ok != (row[4] != "") || ok && fmt.Sprint(n) != row[4] {
			t.Errorf("%v read as %d, %v", row, n, ok)
		}
		if ok {
			distinct[n] = true
		} else {
			none++
		}
	}
	if got := slices.Sorted(maps.Keys(distinct)); !slices.Equal(got, []int{1, 6, 7, 8, 24, 40, 48, 270, 480, 11340}) {
		t.Errorf("counts %v", got)
	}
	if len(paper().settings) != 89 || none != 1 {
		t.Errorf("%d counts and %d without, want 89 and 1", len(paper().settings), none)
	}
}

// Every line of Tables 4, 5 and 13 is there under the name that sweeps give the variant.
func TestPaperVariants(t *testing.T) {
	lines := map[int]int{}
	ranks := map[string]float64{}
	for of, p := range paper().variants {
		if of.variant == "" || p.Printed == "" || p.Table != of.table {
			t.Errorf("%+v is %+v", of, p)
		}
		lines[of.table]++
		if of.metric == "rank" {
			ranks[of.dataset] += p.Mean
		}
	}
	if !maps.Equal(lines, map[int]int{4: 24, 5: 30, 13: 32}) {
		t.Errorf("lines by table: %v", lines)
	}
	if len(ranks) != 4 {
		t.Errorf("ranks on %d data sets, want 4", len(ranks))
	}
	for dataset, got := range ranks {
		if !(math.Abs(got-28) <= 1e-9) { // 0 + 1 + ... + 7
			t.Errorf("%s: mean ranks sum to %v, want 28", dataset, got)
		}
	}
	for want, of := range map[string]paperVariant{
		"3.38 ± 0.46": {4, "boston-housing", "No semi-supervision", "rmse"}, "57.4": {5, "poker-hand", "No ABA", "accuracy"},
		"0.997 ± 0.001": {5, "breast-cancer", "Base", "auroc"}, "2.60 ± 0.65": {13, "boston-housing", "Twice both", "rank"},
	} {
		if p, ok := PaperVariant(of.table, of.dataset, of.variant, of.metric); !ok || p.String() != want {
			t.Errorf("%+v is %s, want %s", of, p, want)
		}
	}
}

func TestPaperCosts(t *testing.T) {
	c, ok := PaperCost("protein", "npt")
	if want := (Cost{Printed: "11h 51m 25s", Seconds: 42685, Cores: 4, Memory: 4.42, GPUMemory: 6.17}); !ok || c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if len(paper().costs) != 2*len(PaperMethods) {
		t.Errorf("%d costs, want those of %d methods on two data sets", len(paper().costs), len(PaperMethods))
	}
}

// Tables 14, 15 and 17 to 25 have as many entries as the paper's.
func TestPaperSetup(t *testing.T) {
	if got := len(paper().statistics); got != 6*8+4*7 {
		t.Errorf("%d statistics", got)
	}
	if s, ok := PaperStatistic("yacht", "n_categorical_features"); !ok || s.Printed != "5" || s.Why == "" {
		t.Errorf("%+v", s)
	}
	lines := map[int]int{}
	for _, s := range PaperSearches() {
		lines[s.Table]++
		for _, name := range s.Methods {
			if PaperPlace(name) < 0 {
				t.Errorf("Table %d has no method %q", s.Table, name)
			}
		}
		for _, name := range s.Datasets {
			if _, ok := PaperStatistic(name, "n_instances"); !ok {
				t.Errorf("Table %d has no data set %q", s.Table, name)
			}
		}
	}
	if want := (map[int]int{17: 3, 18: 3, 19: 3, 20: 5, 21: 5, 22: 5, 23: 5, 24: 5, 25: 5}); !maps.Equal(lines, want) {
		t.Errorf("lines by table: %v", lines)
	}
}

func TestPaperSplitRows(t *testing.T) {
	rows, ok := PaperSplitRows("poker-hand")
	if !ok || rows != [3]int{21883, 3127, 1000000} || len(paper().splitRows) != 7 {
		t.Errorf("poker-hand %v, %d data sets", rows, len(paper().splitRows))
	}
	if _, ok := PaperSplitRows("boston-housing"); ok {
		t.Error("boston-housing has ten splits, not one")
	}
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := paperFiles.Open("paper/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}
