package results

import (
	"cmp"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"nptbench/internal/metric"
)

// The paper's tables ("Self-Attention Between Datapoints", arXiv 2106.02584), each number as the text has it, and four tables derived from
// it and its code: variants.csv has the names that our sweeps give its variants of NPT, split_rows.csv are the row counts of its single
// splits, order.csv how the methods with equal printed results must be ordered for Table 1 to come out (exactly one way does),
// npt_sizes.csv the widths and steps of its commands.
//
//go:embed paper/*.csv
var paperFiles embed.FS

// A PaperMethod is a method by its name in records and its title in the paper.
type PaperMethod struct{ Name, Title string }

// PaperMethods are the methods of the paper in the order of its tables.
var PaperMethods = []PaperMethod{
	{"random-forest", "Random Forest"}, {"gradient-boosting", "Gradient Boosting"}, {"xgboost", "XGBoost"}, {"catboost", "CatBoost"},
	{"lightgbm", "LightGBM"}, {"mlp", "MLP"}, {"knn", "k-NN"}, {"tabnet", "TabNet"}, {"npt", "NPT"},
}

// PaperPlace is a method's place in PaperMethods, -1 when the paper does not have it.
func PaperPlace(name string) int {
	return slices.IndexFunc(PaperMethods, func(m PaperMethod) bool { return m.Name == name })
}

// onlyTable3 are the methods that the paper has in its Table 3 alone. A variant of a method stands behind a comma.
var onlyTable3 = []PaperMethod{{"dkl", "DKL"}, {"knn, 1 neighbour", "1-NN"}}

// methodNamed returns the name of the method that the paper calls so.
func methodNamed(title string) string {
	all := slices.Concat(PaperMethods, onlyTable3)
	return all[slices.IndexFunc(all, func(m PaperMethod) bool { return m.Title == title })].Name
}

// paperFolds is the number of cross-validation folds behind every spread that the paper prints.
const paperFolds = 10

// PaperNumber is one number of the paper's Tables 1 to 5 and 8 to 13.
type PaperNumber struct {
	Table          int
	Mean           float64
	Spread         float64 // over ten folds, of ranks over data sets; 0 when none is printed (single split)
	Printed        string  // the mean as the text has it
	PrintedSpread  string  // empty when none is printed
	Decimals       int     // digits after the point that the mean is known to
	SpreadDecimals int     // digits after the point that the spread is known to
	SpreadIsStdDev bool    // Table 12 prints standard deviations, the others standard errors
}

// StdErr is the spread as the standard error of the mean over ten folds, 0 for a single split.
func (p PaperNumber) StdErr() float64 {
	if p.SpreadIsStdDev {
		return p.Spread / math.Sqrt(paperFolds)
	}
	return p.Spread
}

// String is the number as the paper prints it, such as "4.27 ± 0.37".
func (p PaperNumber) String() string {
	if p.PrintedSpread == "" {
		return p.Printed
	}
	return p.Printed + " ± " + p.PrintedSpread
}

// Paper returns the paper's result, from its Tables 2, 3 and 8 to 12, by the names of data set, method and metric; 1-NN is the method
// "knn, 1 neighbour".
// It reports false when the paper gives no number.
func Paper(dataset, method, metricName string) (PaperNumber, bool) {
	p := paper().results[[3]string{dataset, method, metricName}]
	return p, p.Printed != ""
}

// PaperRank returns the paper's mean rank of a method over the data sets of a problem, "binary" say (metric.Ranking says by
// what), from its Table 1.
func PaperRank(problem, method string) (PaperNumber, bool) {
	r, ok := paper().ranks[[2]string{problem, method}]
	return r, ok
}

// PaperOrder returns the paper's methods for a data set, best first, as Table 1 ranks them by the metric: ties at the
// printed digits are resolved as Table 1 needs it, and a method without a result comes last. It is nil when the paper
// has no results.
func PaperOrder(dataset, metricName string) []string {
	value := map[string]float64{}
	order := make([]string, len(PaperMethods))
	for i, m := range PaperMethods {
		p, ok := Paper(dataset, m.Name, metricName)
		switch {
		case !ok || p.Table != metric.Named(metricName).Table: // Table 3 is not ranked
			p.Mean = math.Inf(1)
		case metric.Named(metricName).Larger:
			p.Mean = -p.Mean
		}
		order[i], value[m.Name] = m.Name, p.Mean
	}
	slices.SortStableFunc(order, func(a, b string) int { // stable: in the order of the paper's tables
		switch better := paper().better; {
		case value[a] != value[b]:
			return cmp.Compare(value[a], value[b])
		case better[[4]string{dataset, metricName, a, b}]:
			return -1
		case better[[4]string{dataset, metricName, b, a}]:
			return 1
		}
		return 0
	})
	if math.IsInf(value[order[0]], 1) {
		return nil
	}
	return order
}

// PaperSettings returns the number of hyperparameter settings that the paper searched (Table 16).
func PaperSettings(dataset, method string) (int, bool) {
	n, ok := paper().settings[[2]string{dataset, method}]
	return n, ok
}

// PaperSplitRows returns the numbers of training, validation and test rows of a data set that the paper uses with a
// single split.
func PaperSplitRows(dataset string) ([3]int, bool) {
	rows, ok := paper().splitRows[dataset]
	return rows, ok
}

// PaperVariant returns the paper's result for a variant of NPT, by the name that sweeps give it (paper/variants.csv has the
// printed one), from its Tables 4 and 5, and from 13: there the metric is "rank", by the loss on each of ten folds, from 0.
func PaperVariant(table int, dataset, variant, metricName string) (PaperNumber, bool) {
	p, ok := paper().variants[paperVariant{table, dataset, variant, metricName}]
	return p, ok
}

type paperVariant struct {
	table                    int
	dataset, variant, metric string
}

// PaperSize returns the size of the paper's NPT that it compares with other methods on a data set, by the name of the parameter: the width
// of an entry and the steps (appendix C; of several variants, as on small data sets, the least). A variant that has another size by its
// definition has its own: "Half the layers" has 4.
func PaperSize(dataset, variant, param string) (int, bool) {
	for _, of := range []paperSize{{variant: variant, param: param}, {dataset: dataset, param: param}} {
		if size, ok := paper().sizes[of]; ok {
			return size, true
		}
	}
	return 0, false
}

type paperSize struct{ dataset, variant, param string } // of a data set or of a variant

// Cost is a row of the paper's Tables 6 and 7: what the whole search of a baseline took, and of NPT training the chosen
// configuration.
type Cost struct {
	Printed   string  // the time as the text has it
	Seconds   float64 // on Cores
	Cores     int
	Memory    float64 // GB, at the peak
	GPUMemory float64 // GB; 0: none
}

// PaperCost returns what a method cost the paper on a data set.
func PaperCost(dataset, method string) (Cost, bool) {
	c, ok := paper().costs[[2]string{dataset, method}]
	return c, ok
}

// A Statistic is an entry of the paper's Tables 14 and 15.
type Statistic struct {
	Printed string
	Why     string // it differs from what the data have, where that is known; the words are ours
}

// PaperStatistic returns what Tables 14 and 15 say of a data set: n_instances, n_features, n_categorical_features,
// n_continuous_features, n_classes, split (shares of training, validation and test rows), fixed_test_set or minibatches.
func PaperStatistic(dataset, field string) (Statistic, bool) {
	s, ok := paper().statistics[[2]string{dataset, field}]
	return s, ok
}

// A Search is a line of the paper's Tables 17 to 25: what its grids have of a hyperparameter.
type Search struct {
	Table             int
	Methods, Datasets []string
	Param             string // its name in configurations
	Printed           string // its name in the paper
	Range             string // as printed: "[least, largest]", or all values
}

// PaperSearches returns Tables 17 to 25, line by line.
func PaperSearches() []Search { return paper().searches }

type paperTables struct {
	results   map[[3]string]PaperNumber
	ranks     map[[2]string]PaperNumber
	better    map[[4]string]bool // data set, metric, better and worse method of a tie
	settings  map[[2]string]int
	splitRows map[string][3]int
	variants  map[paperVariant]PaperNumber
	sizes     map[paperSize]int
	costs     map[[2]string]Cost // by data set and method

	statistics map[[2]string]Statistic // by data set and field
	searches   []Search
}

var paper = sync.OnceValue(func() *paperTables {
	t := &paperTables{
		results:   map[[3]string]PaperNumber{},
		ranks:     map[[2]string]PaperNumber{},
		better:    map[[4]string]bool{},
		settings:  map[[2]string]int{},
		splitRows: map[string][3]int{},
		variants:  map[paperVariant]PaperNumber{},
		sizes:     map[paperSize]int{},
		costs:     map[[2]string]Cost{},

		statistics: map[[2]string]Statistic{},
	}
	for _, file := range []string{"table02_corruption", "table03_lookup", "table08_accuracy", "table09_nll", "table10_auroc", "table11_rmse", "table12_mse"} {
		for _, row := range paperRows(file) {
			t.results[[3]string{row["dataset"], methodNamed(row["method"]), metricOf(row)}] = paperNumber(row)
		}
	}
	for _, row := range paperRows("table01_rank_orders") {
		t.ranks[[2]string{row["task"], methodNamed(row["method"])}] = paperNumber(row)
	}
	names := map[[2]string]string{}
	for _, row := range paperRows("variants") {
		names[[2]string{row["table"], row["printed"]}] = row["name"]
		if layers := row["layers"]; layers != "" {
			t.sizes[paperSize{variant: row["name"], param: "layers"}] = int(number(layers))
		}
	}
	for _, row := range paperRows("npt_sizes") {
		for _, param := range []string{"dim_hidden", "steps"} {
			t.sizes[paperSize{dataset: row["dataset"], param: param}] = int(number(row[param]))
		}
	}
	for _, file := range []string{"table04_ablation", "table05_ablation", "table13_npt_small_rank_orders"} {
		for _, row := range paperRows(file) {
			of := paperVariant{int(number(row["table"])), row["dataset"], names[[2]string{row["table"], row["method"] + row["variant"]}], metricOf(row)}
			t.variants[of] = paperNumber(row)
		}
	}
	for _, row := range paperRows("table06_07_cost") {
		c := Cost{Printed: row["execution_time"], Seconds: number(row["execution_seconds"]), Cores: int(number(row["n_cpus"])),
			Memory: number(row["peak_main_memory_gb"])}
		if gpu := row["peak_gpu_memory_gb"]; gpu != "" {
			c.GPUMemory = number(gpu)
		}
		t.costs[[2]string{row["dataset"], methodNamed(row["method"])}] = c
	}
	for _, row := range paperRows("table16_hyper_config_counts") {
		if row["value"] != "" {
			t.settings[[2]string{row["dataset"], methodNamed(row["method"])}] = int(number(row["value"]))
		}
	}
	for _, row := range paperRows("table14_15_dataset_stats") {
		t.statistics[[2]string{row["dataset"], row["field"]}] = Statistic{row["value"], row["why"]}
	}
	for _, row := range paperRows("table17_25_search_spaces") {
		t.searches = append(t.searches, Search{int(number(row["table"])), strings.Fields(row["methods"]), strings.Fields(row["datasets"]),
			row["parameter"], row["printed"], row["range"]})
	}
	for _, row := range paperRows("order") {
		t.better[[4]string{row["dataset"], row["metric"], methodNamed(row["better"]), methodNamed(row["worse"])}] = true
	}
	for _, row := range paperRows("split_rows") {
		t.splitRows[row["dataset"]] = [3]int{int(number(row["train"])), int(number(row["val"])), int(number(row["test"]))}
	}
	return t
})

// metricOf is the name of a row's metric.
func metricOf(row map[string]string) string {
	switch name := strings.TrimPrefix(strings.TrimSuffix(row["metric"], "_percent"), "test_"); name {
	case "rank_by_nll_counted_from_0":
		return "rank"
	default:
		return name
	}
}

func paperNumber(row map[string]string) PaperNumber {
	p := PaperNumber{
		Table:          int(number(row["table"])),
		Printed:        row["mean"] + row["mean_rank"], // a table has one of the two
		PrintedSpread:  row["stderr"] + row["stddev"],  // a table has one of the two
		SpreadIsStdDev: row["stddev"] != "",
	}
	if p.PrintedSpread != "" {
		p.Spread, p.SpreadDecimals = number(p.PrintedSpread), decimals(p.PrintedSpread)
	}
	if p.Printed != "" {
		p.Mean = number(p.Printed)
		p.Decimals = decimals(p.Printed)
		threeFigures := 2
		if p.Mean > 0 {
			threeFigures -= int(math.Floor(math.Log10(p.Mean)))
		}
		switch metricOf(row) { // the source of these two tables drops trailing zeros of means, and of the spreads of RMSE
		case metric.RMSE.Name: // 4.7 stands for 4.70, beside 4.68; 13.6 for itself
			p.Decimals = max(p.Decimals, min(2, threeFigures))
			p.SpreadDecimals = max(p.SpreadDecimals, 2) // 0.3 stands for 0.30, beside 0.37
		case metric.MSE.Name: // 13 stands for 13.0, beside 12.3; 190 for itself. Spreads have two figures on some tables, 9.5 and 11
			p.Decimals = max(p.Decimals, threeFigures)
		}
	}
	return p
}

// decimals counts the digits after the point.
func decimals(printed string) int {
	_, frac, _ := strings.Cut(printed, ".")
	return len(frac)
}

// paperRows reads an embedded table as one map of column names to values per row.
func paperRows(name string) []map[string]string {
	f, err := paperFiles.Open("paper/" + name + ".csv")
	if err != nil {
		panic(err) // the files are part of the program
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err) // the tables are part of the program
	}
	return x
}
