package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
	"nptbench/internal/stats"
)

var update = flag.Bool("update", false, "write the golden files anew")

func compareGolden(t *testing.T, golden string, args ...string) string {
	t.Helper()
	exit, stdout, stderr := programtest.Run(t, run, args...)
	if exit != program.ExitOK || stderr != "" {
		t.Fatalf("exit code %d, %s", exit, stderr)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(stdout), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if stdout != string(want) {
		t.Errorf("got\n%s\nwant\n%s", stdout, want)
	}
	return stdout
}

// Data sets with all folds, with a fold missing for one method, and with a single fold.
func TestWholeOutput(t *testing.T) {
	out := compareGolden(t, "testdata/results.txt", "-in", "testdata/results.csv")
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("colours, where nobody can see them")
	}
	compareGolden(t, "testdata/two.txt", "-in", "testdata/results.csv", "-methods", "tree,boosting")
}

// The numbers are SciPy's, of testdata/results.csv: ttest_rel, with its standard error times sqrt((1/5+1/4)/(1/5)), wilcoxon and
// friedmanchisquare of the means of wine, iris and seeds.
func TestNumbers(t *testing.T) {
	out := compareGolden(t, "testdata/results-quantities.csv", "-in", "testdata/results.csv", "-csv")
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	quantity := func(dataset, method, against, name string) float64 {
		for _, l := range lines {
			if l[2] == dataset && l[3] == method && l[4] == against && l[5] == name {
				x, err := strconv.ParseFloat(l[6], 64)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
		}
		t.Fatalf("there is no %s of %s on %s", name, method, dataset)
		return 0
	}
	for _, c := range []struct {
		dataset, method, against, name string
		want                           float64
	}{
		{"wine", "boosting", "tree", "difference", 2.4200000000000017},
		{"wine", "boosting", "tree", "nadeau_bengio_t", 1.6235944029027618},
		{"wine", "boosting", "tree", "nadeau_bengio_p", 0.17978482774569177},
		{"wine", "boosting", "tree", "win_rate", 0.8},
		{"wine", "boosting", "tree", "cliffs_delta", 0.6799999999999999},
		{"", "boosting", "", "mean_rank", 1.3333333333333333},
		{"", "boosting", "tree", "wilcoxon_p", 0.25},
		{"", "", "", "friedman_chi_square", 2},
		{"", "", "", "friedman_p", 0.36787944117144245},
	} {
		if got := quantity(c.dataset, c.method, c.against, c.name); !(math.Abs(got-c.want) <= 1e-12*math.Abs(c.want)) {
			t.Errorf("%s of %s on %s is %.17g, want %.17g", c.name, c.method, c.dataset, got, c.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	const head = "dataset,fold,method,metric,value\n"
	for _, c := range []struct{ content, want string }{
		{"dataset,fold,method,value\n", "in.csv:1: no column has the metric"},
		{"dataset,fold,fold,method,metric,value\n", "in.csv:1: two columns are called fold"},
		{"method,method,fold,fold,dataset,dataset,metric,metric,value\n", "in.csv:1: two columns are called dataset"}, // and not another time method
		{head, "has no results"},
		{head + "a,0,m,rmse\n", "in.csv:2: 4 fields, the header has 5"},
		{head + "a,0,\"m\nof\nmine\",rmse,1\n", `in.csv:2: method is "m\nof\nmine", want printable UTF-8 text in one line`},
		{head + "a,0,m,rmse,1\n\x1b[31ma,0,k,rmse,1\n", `in.csv:3: dataset is "\x1b[31ma", want printable UTF-8 text in one line`},
		{"dataset,fold,method,value,\"\x1b[31mnote\n(s)\"\na,0,m,1,x\n", `there are ["dataset" "fold" "method" "value" "\x1b[31mnote\n(s)"]`},
		{head + "a,0,Modell \xe4,rmse,1\n", `in.csv:2: method is "Modell \xe4", want printable UTF-8 text in one line`},
		{head + "a,0,m,rmse,\n", `in.csv:2: rmse is "", want a number; a fold without a result has no line`},
		{head + "a,0,m,rmse,1\na,0,n,rmse,NaN\n", `in.csv:3: rmse is "NaN"`},
		{head + "a,0,m,rmse,1\na,0,n,rmse,-1e200\n", `in.csv:3: rmse is -1e200, want at most 1e+100`},
		{head + "a,0,m,rmse,1\na,1,,rmse,1\n", "in.csv:3: there is no method"},
		{head + ",,,rmse,1\n", "in.csv:2: there is no data set"},
		{head + "a,0,m,rmse,1\na,0,m,rmse,2\n", "in.csv:3: rmse of m on a, fold 0, stands in line 2 already; if a column tells them apart, name it with -by"},
		{head + "a,0,m,rmse,1\n", "in.csv: one method has results, m: want two to compare\n"},
		{"dataset,fold,method,test_rmse,complete\na,0,m,1,true\na,0,n,,true\na,0,o,,false\n",
			"in.csv: one method has results, m: want two to compare; no results: n, o\n"},
		{head + "a,0,m,quality,1\na,0,n,quality,1\n", "in.csv: is a larger or a smaller quality better? say -larger quality or -smaller quality"},
		{"dataset;fold;method;metric;value\na;0;m;rmse;1,5\n", `in.csv:1: the only column is called "dataset;fold;method;metric;value": is there another separator than a comma?`},
		{"dataset,fold,method,metric,value,seed\na,0,m,rmse,1,42\na,0,m,rmse,2,42\n", "in.csv:3: rmse of m on a, fold 0, stands in line 2 already"},
		{"dataset,fold,method,metric,value,seed,split digest\na,0,m,rmse,1,42,x\na,0,m,rmse,2,43,y\n",
			"in.csv:3: fold 0 of m on a has other rows than in line 2: number the splits in a column repetition"},
		{"dataset,fold,method,metric,value,seed,train rows,test rows\na,0,m,rmse,1,42,90,10\na,0,m,rmse,2,43,80,20\n",
			"in.csv:3: fold 0 of m on a has other rows than in line 2: number the splits in a column repetition"},
		{"dataset,fold,method,metric,value,train rows,test rows\na,0,m,rmse,1,10,0\na,0,n,rmse,2,10,0\n", `in.csv:2: "10" training and "0" test rows: want numbers of rows`},
		{"dataset,fold,method,metric,value,split digest,data digest\na,0,m,rmse,1,x,old\nb,0,m,rmse,1,x,new\na,0,n,rmse,2,x,\na,1,n,rmse,2,x,new\n",
			"in.csv:5: a is another table here than in line 2, by its data digest: want results of one; run those of the old table again"},
		{"dataset,fold,method,test_rmse,seed,split_digest,data_digest\na,0,m,1,42,x,old\na,0,m,2,43,x,new\n", "in.csv:3: a is another table here than in line 2, by its data digest"},
		{"dataset,fold,method,test_rmse,failed\na,0,m,1,some\n", `in.csv:2: failed is "some", want a number of settings`},
		{"dataset,fold,method,metric,value,train rows,test rows\na,0,m,rmse,1,10,none\n", `in.csv:2: "10" training and "none" test rows: want numbers of rows`},
	} {
		t.Chdir(t.TempDir())
		os.WriteFile("in.csv", []byte(c.content), 0o644)
		exit, stdout, stderr := programtest.Run(t, run, "-in", "in.csv")
		if exit != program.ExitBadInput || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, %q, want %q", c.content, exit, stderr, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "in.csv")
	os.WriteFile(file, []byte(head+"a,0,m,rmse,1\na,0,n,rmse,2\n"), 0o644)
	odd := filepath.Join(t.TempDir(), "odd.csv")
	os.WriteFile(odd, []byte(head+"a,0,m,m,1\na,0,n,m,2\n"), 0o644)
	for want, args := range map[string][]string{
		`-methods: ` + file + ` has no "o"; known: m, n` + "\n":   {"-in", file, "-methods", "m,o"},
		"-protocol: " + file + " has no column with the protocol": {"-in", file, "-protocol", "published"},
		`(did you mean "rmse"?)`:                                  {"-in", file, "-metric", "rsme"},
		"-methods: m is named twice":                              {"-in", file, "-methods", "m,m"},
		"-alpha 2: want a number between":                         {"-in", file, "-alpha", "2"},
		"-by: no column is called variant":                        {"-in", file, "-by", "variant"},
		"open nowhere.csv: no such file":                          {"-in", "nowhere.csv"},
		"-methods m: want two to compare, or more":                {"-in", file, "-methods", "m"},
		"-larger m and -smaller m: want one of them":              {"-in", odd, "-larger", "m", "-smaller", "m"},
		"there is no " + defaultIn + ", which make reproduce-table1 writes: name another report's folds.csv": {},
	} {
		if exit, _, stderr := programtest.Run(t, run, args...); exit != program.ExitBadInput || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, exit, stderr, want)
		}
	}
}

// A method that was chosen among fewer settings on some folds, since others failed, says so; in a file of one's own the column means nothing.
func TestFailedSettings(t *testing.T) {
	stdout, stderr := compared(t, "dataset,fold,method,seed,test_rmse,complete,failed\n"+
		"d,0,m,1,1,true,0\nd,1,m,1,2,true,\nd,0,n,1,3,true,6\nd,0,n,2,3,true,1\nd,1,n,1,4,true,0\nd,0,o,1,3,true,1\nd,1,o,1,,true,2\n")
	for _, want := range []string{"7 cells failed, on 1 fold: validation chose among the other settings there.", " 1 cell failed, on 1 fold: "} {
		if strings.Count(stdout, want) != 1 || strings.Count(stdout, " failed, on ") != 2 {
			t.Errorf("want %q once in %s%s", want, stdout, stderr)
		}
	}
	stdout, stderr = compared(t, "dataset,fold,method,metric,value,failed\nd,0,m,rmse,1,no\nd,0,n,rmse,2,3\n")
	if stderr != "" || strings.Contains(stdout, "failed") {
		t.Error(stdout, stderr)
	}
}

// Single folds that are not the same give neither a difference nor a fold in common.
func TestNoFoldInCommon(t *testing.T) {
	for _, lines := range []string{
		"d,0,a,rmse,1\nd,1,b,rmse,2\n",
		"d,0,a,rmse,1\nd,1,b,rmse,2\nd,2,b,rmse,3\n", // one fold beside two others
		"d,0,a,rmse,1\nd,1,a,rmse,2\nd,2,b,rmse,3\n",
	} {
		stdout, stderr := compared(t, "dataset,fold,method,metric,value\n"+lines)
		if stderr != "" || !strings.Contains(stdout, "No fold in common: no test.") || strings.Contains(stdout, "One fold in common") {
			t.Errorf("%q: %s%s", lines, stdout, stderr)
		}
	}
}

// Headers may be spelt in many ways, and a further column may tell methods apart.
func TestLenientHeaders(t *testing.T) {
	for _, head := range []string{"\ufeff\"DATA-SET\",Split,Model,Measure,Score,Size", "task,fold,algorithm,metric,value,size"} {
		r, err := read(strings.NewReader(head+"\n a ,0,m,rmse,1e0,big\na,0,m,rmse,2,small\n"), "in", []string{"Size"})
		if err != nil || len(r.all) != 2 || r.all[0].dataset != "a" || r.all[1].method != "m, small" || r.all[1].value != 2 {
			t.Errorf("%s: %+v, %v", head, r, err)
		}
	}
}

// A metric is the same one in letters of another case, by the name that comes first.
func TestCaseOfMetrics(t *testing.T) {
	r, err := read(strings.NewReader("dataset,fold,method,metric,value\na,0,m,RMSE,1\na,1,m,rmse,2\n"), "in", nil)
	if err != nil || len(r.all) != 2 || r.all[0].metric != "RMSE" || r.all[1].metric != "RMSE" {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = read(strings.NewReader("dataset,fold,method,metric,value\na,0,m,R,1\na,0,m,R²,2\n"), "in", nil)
	if err != nil || r.all[1].metric != "R²" {
		t.Errorf("two metrics are one: %+v, %v", r, err)
	}
}

// In a file of one's own, a title may be that of anything.
func TestTitlesOfOthers(t *testing.T) {
	r, err := read(strings.NewReader("dataset,title,fold,method,metric,value\na,A,0,m,rmse,1\na,A,0,n,rmse,2\n"), "in", nil)
	if err != nil || r.all[0].method != "m" || r.all[1].method != "n" {
		t.Errorf("%+v, %v", r, err)
	}
}

// A report may have measurements, of other metrics, and columns may tell methods apart by values that are alike.
func TestColumnsOfReports(t *testing.T) {
	const text = "dataset,fold,method,measure,test_rmse,test_rmse_change,layers,heads\n" +
		"a,0,npt,,1,,4,4\na,0,npt,corruption,,-20,4,4\na,0,npt,,2,,4,\n"
	r, err := read(strings.NewReader(text), "in", []string{"layers", "heads"})
	if err != nil || len(r.all) != 2 || len(r.gaps) != 0 || r.all[0].method != "npt, 4, 4" || r.all[1].method != "npt, 4" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Which results are better is what -larger or -smaller says, else what is known of the metric, however it is spelt: b has the larger ones
// on both folds, and wins them or none.
func TestDirections(t *testing.T) {
	const lines = "dataset,fold,method,metric,value\nd,0,a,%[1]s,1\nd,1,a,%[1]s,2\nd,0,b,%[1]s,3\nd,1,b,%[1]s,5\n"
	for _, c := range []struct{ metric, flag, wins string }{
		{"quality", "-larger", "1"}, {"quality", "-smaller", "0"}, {"rmse", "-larger", "1"}, {"accuracy", "-smaller", "0"},
		{"MAE", "", "0"}, {"log-loss", "", "0"}, {"loss", "", "0"}, {"error", "", "0"}, {"Brier", "", "0"},
		{"AUC", "", "1"}, {"acc", "", "1"}, {"ROC AUC", "", "1"}, {"F1", "", "1"}, {"R2", "", "1"}, {"balanced_accuracy", "", "1"},
	} {
		args := []string{"-csv"}
		if c.flag != "" {
			args = append(args, c.flag, c.metric)
		}
		if stdout, stderr := compared(t, fmt.Sprintf(lines, c.metric), args...); !strings.Contains(stdout, ",d,b,a,win_rate,"+c.wins+",") {
			t.Errorf("%s %s: want a win rate of %s, got %s%s", c.metric, c.flag, c.wins, stdout, stderr)
		}
	}
}

// A report has several metrics in a line. Each data set is compared by that of the paper's ranks, or by those that were asked for, under
// each protocol by itself; what has no result that counts is listed last, where it was to have one.
func TestSeveralMetricsOfReports(t *testing.T) {
	const text = "protocol,dataset,fold,method,title,test_accuracy,test_nll,test_auroc,test_rmse,complete\n" +
		"published,kick,0,m,M,80,1,0.6,,true\npublished,kick,0,n,N,70,2,0.7,,true\npublished,kick,0,o,O,,,,,false\n" +
		"published,poker,0,m,M,50,1,,,true\npublished,poker,0,n,N,60,2,,,true\n" +
		"published,yacht,0,m,M,,,,1,true\npublished,yacht,0,n,N,,,,2,true\npublished,yacht,1,m,M,,,,1,true\npublished,yacht,1,n,N,,,,2,false\n" +
		"corrected,yacht,0,m,M,,,,1,true\ncorrected,yacht,0,n,N,,,,2,true\ncorrected,yacht,1,k,K,,,,2,false\n"
	for _, c := range []struct {
		metrics []string
		want    []string
	}{
		{nil, []string{"published accuracy [poker] [M N]", "published auroc [kick] [M N O]", "published rmse [yacht] [M N]", "corrected rmse [yacht] [M N K]"}},
		{[]string{"nll"}, []string{"published nll [kick poker] [M N O]"}},
	} {
		r, err := read(strings.NewReader(text), "in", nil)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := (&options{metrics: c.metrics}).choose(r)
		var got []string
		for _, table := range tables {
			got = append(got, fmt.Sprint(table.protocol, " ", table.metric.Name, " ", table.datasets, " ", table.methods))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("metrics %v: %q, %v, want %q", c.metrics, got, err, c.want)
		}
	}
	if r, err := read(strings.NewReader(strings.Replace(text, "0.7,,true", "x,,true", 1)), "in", nil); err == nil {
		t.Errorf("an AUROC of x: %+v", r.all)
	}
}

// A fold that is not finished is said to be left out of its data set and of no other, and does not make its method another one.
func TestGapsOfOneDataSet(t *testing.T) {
	r, err := read(strings.NewReader("dataset,fold,method,test_rmse,complete\n"+
		"a,0,m,1,true\na,1,m,2,true\na,0,n,1,true\na,1,n,,false\nb,0,m,1,true\nb,0,n,2,true\n"), "in", nil)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := (&options{}).choose(r)
	if err != nil || len(tables) != 1 || !slices.Equal(tables[0].methods, []string{"m", "n"}) {
		t.Fatalf("%+v, %v, want a table of m and n", tables, err)
	}
	c, err := tables[0].compare(0.05)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.on {
		for _, row := range d.rows {
			if left := strings.Contains(strings.Join(row.notes, " "), "left out"); left != (d.name == "a" && row.method == "n") {
				t.Errorf("%s on %s: %q", row.method, d.name, row.notes)
			}
		}
	}
}

// A network with another size on each data set, which its titles name, is one method.
func TestSeriesOfAReport(t *testing.T) {
	stdout, stderr := compared(t, "dataset,fold,method,title,series,test_rmse\na,0,npt,\"NPT, e = 8\",NPT,1\nb,0,npt,\"NPT, e = 16\",NPT,1\n"+
		"a,0,knn,k-NN,k-NN,2\nb,0,knn,k-NN,k-NN,2\n", "-methods", "npt,knn")
	if strings.Count(stdout, "difference from NPT.") != 1 || strings.Contains(stdout, "No results.") {
		t.Error(stdout, stderr)
	}
}

// A file's titles stand for its methods, also where one has two of them; both are asked for by its name.
func TestTitles(t *testing.T) {
	const text = "dataset,fold,method,test_rmse,layers,title,size,ending\na,0,npt,1,2,\"NPT, 2 layers\",2 layers,layers\na,0,npt,2,4,\"NPT, 4 layers\",4 layers,layers\na,0,npt,2,6,\"NPT, 6 layers, 24,000 steps\",6 layers,layers\na,0,knn,3,,k-NN,,\na,0,mlp,4,,MLP,,\n"
	for _, c := range []struct{ methods, by, want []string }{
		{nil, nil, []string{"NPT, 2 layers", "NPT, 4 layers", "NPT, 6 layers, 24,000 steps", "k-NN", "MLP"}},
		{[]string{"MLP", "npt"}, nil, []string{"MLP", "NPT, 2 layers", "NPT, 4 layers", "NPT, 6 layers, 24,000 steps"}},
		{[]string{"NPT", "6 layers", "24", "000 steps", "MLP"}, nil, []string{"NPT, 6 layers, 24,000 steps", "MLP"}},
		{[]string{"knn", "mlp"}, []string{"layers"}, []string{"k-NN", "MLP"}},
		{[]string{"MLP", "NPT", "4 layers", "k-NN"}, nil, []string{"MLP", "NPT, 4 layers", "k-NN"}}, // a list with commas, of titles with commas
		{[]string{"npt"}, []string{"size"}, []string{"NPT, 2 layers", "NPT, 4 layers", "NPT, 6 layers, 24,000 steps, 6 layers"}},
		{[]string{"npt"}, []string{"ending"}, []string{"NPT, 2 layers, layers", "NPT, 4 layers, layers", "NPT, 6 layers, 24,000 steps, layers"}},
	} {
		r, err := read(strings.NewReader(text), "in", c.by)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := (&options{methods: c.methods}).choose(r)
		if err != nil || !slices.Equal(tables[0].methods, c.want) {
			t.Errorf("%q: %v, want %q", c.methods, tables, c.want)
		}
	}
	r, err := read(strings.NewReader(text), "in", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `-methods: in has no "forest"; known: knn, mlp, npt` // names, which have no commas
	if _, err := (&options{methods: []string{"npt", "forest"}}).choose(r); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// compared is what is printed for a file, which may end with an error.
func compared(t *testing.T, content string, args ...string) (stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	_, stdout, stderr = programtest.Run(t, run, append([]string{"-in", file}, args...)...)
	return strings.Join(strings.Fields(stdout), " "), stderr
}

// Two methods with the same values on all folds share their ranks, however sums are rounded.
func TestEqualMethodsTie(t *testing.T) {
	lines := "dataset,fold,method,metric,value\n"
	for d := range 4 {
		for f := range 10 {
			x := 0.1*float64(f+1) + 0.37*float64(d) + 0.013*float64(f*f)
			lines += fmt.Sprintf("d%d,%d,a,rmse,%v\nd%d,%d,b,rmse,%v\nd%d,%d,c,rmse,%v\n", d, f, x, d, f, x, d, f, x+1)
		}
	}
	for range 20 { // maps have another order every time
		if stdout, _ := compared(t, lines); !strings.Contains(stdout, "a 1.50 ± 0.00 b 1.50 ± 0.00 1.000 2/4 c 3.00 ± 0.00") {
			t.Fatal(stdout)
		}
	}
}

// Means that differ by rounding alone are equal also where wins are counted: 0.1 + 0.2 is not 0.3.
func TestRoundedMeansAreNoWins(t *testing.T) {
	const lines = "dataset,fold,method,metric,value\nd,0,a,acc,0.1\nd,1,a,acc,0.2\nd,0,b,acc,0.3\nd,1,b,acc,0\ne,0,a,acc,0.5\ne,0,b,acc,0.4\n"
	if stdout, _ := compared(t, lines); !strings.Contains(stdout, "a 1.25 ± 0.25 b 1.75 ± 0.25 1.000 0.5/2") {
		t.Error(stdout)
	}
	if stdout, _ := compared(t, lines, "-csv"); !strings.Contains(stdout, ",acc,,b,a,win_rate,0.25,") {
		t.Error(stdout)
	}
}

// Of three methods, two that are equal on three of eight data sets have a test over the other five.
func TestEqualPairs(t *testing.T) {
	lines := "dataset,fold,method,metric,value\n"
	for d := range 8 {
		lines += fmt.Sprintf("d%d,0,a,rmse,1\nd%[1]d,0,b,rmse,%[2]d\nd%[1]d,0,c,rmse,%[3]d\n", d, max(d-1, 1), d+1)
	}
	for _, args := range [][]string{nil, {"-csv"}} {
		stdout, _ := compared(t, lines, args...)
		for _, want := range []string{"a and b is over the 5 of 8 data sets on which they differ: it gives no p below 0.0625.", "a and c is over the 7 of 8", "b and c is over the 7 of 8"} {
			if strings.Count(stdout, "The signed-rank test of "+want) != 1 || strings.Count(stdout, "on which they differ") != 3 {
				t.Errorf("%q: want %q once in %s", args, want, stdout)
			}
		}
	}
}

// Of three methods on three data sets all rank alike with a probability of 1/36, which may be too much.
func TestLeastPOfRanks(t *testing.T) {
	lines := "dataset,fold,method,metric,value\n"
	for d := range 3 {
		lines += fmt.Sprintf("d%d,0,a,rmse,1\nd%[1]d,0,b,rmse,2\nd%[1]d,0,c,rmse,3\n", d)
	}
	for alpha, warn := range map[string]bool{"0.05": false, "0.01": true} {
		stdout, _ := compared(t, lines, "-alpha", alpha)
		if strings.Contains(stdout, "With 3 methods on 3 data sets no ranks are less likely by chance than p = 0.0278.") != warn {
			t.Errorf("-alpha %s: %s", alpha, stdout)
		}
	}
}

// Over twelve data sets methods differ significantly by their mean ranks, and by the signed-rank test.
func TestConclusionOverDataSets(t *testing.T) {
	lines := func(b, c func(i int) int) string {
		text := "dataset,fold,method,metric,value\n"
		for i := range 12 {
			text += fmt.Sprintf("d%02d,0,a,rmse,1\nd%02[1]d,0,b,rmse,%d\nd%02[1]d,0,c,rmse,%[3]d\n", i, b(i), c(i))
		}
		return text
	}
	// b and c are second and third by turns: mean ranks are 1, 2.5 and 2.5. Nemenyi's critical difference is 1 (2.3437 * sqrt(3*4/(6*12)) =
	// 0.957 by the normal approximation). a is below both everywhere, with p = 2/2^12 = 0.00049, three times as much after Holm's
	// correction; that of b and c is 1.
	turns := lines(func(i int) int { return 2 + i%2 }, func(i int) int { return 3 - i%2 })
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"is 1.00: no significant difference between b and c. Signed-rank test with Holm's correction: no significant difference between b and c.", " 0.001* 0/12"}},
		{[]string{"-alpha", "0.001"}, []string{"at 0.001 is 1.50: no significant difference between b and c. Signed-rank test with Holm's correction: no two methods differ significantly.", " 0.001 0/12"}},
		{[]string{"-alpha", "0.001", "-csv"}, []string{",nemenyi_critical_difference,1.5,"}},
	} {
		stdout, stderr := compared(t, turns, c.args...)
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q: no %q in %s%s", c.args, want, stdout, stderr)
			}
		}
	}
	// In one order everywhere, mean ranks are 1, 2 and 3.
	stdout, stderr := compared(t, lines(func(int) int { return 2 }, func(int) int { return 3 }))
	if strings.Count(stdout, "all methods differ significantly") != 2 {
		t.Errorf("not all methods differ by both tests in %s%s", stdout, stderr)
	}
}

// Methods that do not differ are named together where all between them do not either, and else in pairs.
func TestGroups(t *testing.T) {
	o := &overall{methods: []string{"a", "b, e = 8", "c"}, friedman: &stats.FriedmanTest{Mean: []float64{1, 2, 3}}}
	for _, c := range []struct{ alike, want string }{
		{"ab ac bc", "no two methods differ significantly"}, {"", "all methods differ significantly"}, {"ab", "no significant difference between a and b, e = 8"}, {"ab bc", "no significant difference between a and b, e = 8; b, e = 8 and c"},
		{"ac", "no significant difference between a and c"}, {"ab ac", "no significant difference between a and b, e = 8; a and c"},
	} {
		differ := func(i, j int) bool {
			return !strings.Contains(c.alike, o.methods[min(i, j)][:1]+o.methods[max(i, j)][:1])
		}
		if got := o.groups(differ); got != c.want {
			t.Errorf("alike are %s: %q, want %q", c.alike, got, c.want)
		}
	}
}

// What has too few data sets is not ranked, and said so; two methods on two data sets are.
func TestRanksOfFewDataSets(t *testing.T) {
	text := "dataset,fold,method,metric,value\n"
	for d := range 2 {
		text += fmt.Sprintf("d%d,0,a,rmse,1\nd%[1]d,0,b,rmse,2\n", d)
	}
	if stdout, stderr := compared(t, text, "-csv"); !strings.Contains(stdout, ",b,,mean_rank,2,") {
		t.Errorf("on two data sets: %s%s", stdout, stderr)
	}
	stdout, stderr := compared(t, text+"d2,0,a,rmse,1\nd2,0,b,rmse,2\nd2,0,c,rmse,3\n")
	if want := "c is not ranked: it has all folds of 1 of 3 data sets."; !strings.Contains(stdout, want) {
		t.Errorf("no %q in %s%s", want, stdout, stderr)
	}
}

// Headings name the protocol of the folds.
func TestHeadingsOfProtocols(t *testing.T) {
	text := "protocol,dataset,fold,method,metric,value\n"
	for _, protocol := range []string{"published", "corrected"} {
		text += protocol + ",d,0,a,rmse,1\n" + protocol + ",d,0,b,rmse,2\n"
	}
	stdout, stderr := compared(t, text)
	for _, want := range []string{"RMSE, published folds (smaller is better)", "RMSE, corrected folds (smaller is better)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s%s", want, stdout, stderr)
		}
	}
}

// Of training rows without test rows, or the other way round, nothing is known, which is no error.
func TestHalfOfTheRowCounts(t *testing.T) {
	for _, c := range []struct{ head, cells string }{{"train rows", "90"}, {"test rows", "10"}, {"train rows,test rows", "90,"}, {"train rows,test rows", ",10"}} {
		r, err := read(strings.NewReader("dataset,fold,method,metric,value,"+c.head+"\nd,0,a,rmse,1,"+c.cells+"\n"), "in", nil)
		if err != nil || !math.IsNaN(r.all[0].testRatio) {
			t.Errorf("%s: %+v, %v", c.head, r, err)
		}
	}
}

// So many decimals as tiny numbers take are an exponent.
func TestTinyNumbers(t *testing.T) {
	if stdout, _ := compared(t, "dataset,fold,method,metric,value\na,0,m,rmse,1e-14\na,1,m,rmse,3e-14\na,0,n,rmse,2e-14\na,1,n,rmse,3e-14\n"); !strings.Contains(stdout, "2e-14 ±") {
		t.Error(stdout)
	}
}

// The paper's decimals are printed where they show the narrowest interval, else two of its digits.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		paper int
		half  []float64 // of the rows' intervals
		want  int
	}{
		{2, []float64{0.5, 0.012}, 2},
		{2, []float64{0.5, 0.008}, 4},
		{2, []float64{0.008, 0.5}, 4},
		{0, []float64{0.5}, 2},
		{0, []float64{2.5}, 1},
		{0, []float64{250}, 0},
		{1, []float64{1e-9}, 10},
		{2, []float64{0.5, 0}, 2}, // without variance
		{2, nil, 4},
		{5, nil, 6},
	} {
		d := &datasetComparison{rows: []*row{{}}}
		for _, half := range c.half {
			d.rows = append(d.rows, &row{mean: &stats.TTest{Mean: 3, Low: 3 - half, High: 3 + half}})
		}
		if got := d.digits(c.paper); got != c.want {
			t.Errorf("%d decimals of ± %v, where the paper has %d, want %d", got, c.half, c.paper, c.want)
		}
	}
	wide, narrow := &stats.TTest{Mean: 4.13, Low: 3.47, High: 4.79}, &stats.TTest{Mean: 0.003, Low: 0.002, High: 0.004}
	d := &datasetComparison{rows: []*row{{mean: wide}, {mean: wide, against: &difference{test: narrow}}, {mean: wide, against: &difference{}}}}
	if got := d.digits(2); got != 4 {
		t.Errorf("%d decimals of a difference of 0.003 ± 0.001, want 4", got)
	}
}

// What the signed-rank test can give at the least, for all pairs of methods, is said where it is too much.
func TestLeastP(t *testing.T) {
	for datasets, want := range map[int]string{
		3: "On 3 data sets the signed-rank test gives no p below 0.25, and 1 after Holm's correction for 6 pairs.",
		6: "On 6 data sets the signed-rank test gives no p below 0.0312, and 0.188 after Holm's correction for 6 pairs.",
		8: "",
	} {
		lines := "dataset,fold,method,metric,value\n"
		for d := range datasets {
			for i, method := range []string{"a", "b", "c", "d"} {
				lines += fmt.Sprintf("d%d,0,%s,rmse,%v\n", d, method, 1+0.1*float64(d)+0.17*float64(i*(d+1)))
			}
		}
		stdout, stderr := compared(t, lines)
		if !strings.Contains(stdout, fmt.Sprintf("Over %d data sets", datasets)) || !strings.Contains(stdout, want) || (want == "") == strings.Contains(stdout, "gives no p below") {
			t.Errorf("want %q in %s%s", want, stdout, stderr)
		}
	}
}

// Of two methods there is no correction; data sets on which they are equal do not count, and what is too much depends on -alpha.
func TestLeastPOfTwoMethods(t *testing.T) {
	lines := "dataset,fold,method,metric,value\n"
	for d := range 7 {
		lines += fmt.Sprintf("d%d,0,a,rmse,1\nd%[1]d,0,b,rmse,%v\n", d, 1+0.1*float64(d)) // equal on the first
	}
	for alpha, want := range map[string]string{
		"0.05": "- Zero differences dropped: 1 of 7.",
		"0.01": "- Zero differences dropped: 1 of 7. - On 6 data sets the signed-rank test gives no p below 0.0312.",
	} {
		stdout, stderr := compared(t, lines, "-alpha", alpha)
		if !strings.Contains(stdout, want) || (alpha == "0.05") == strings.Contains(stdout, "gives no p below") {
			t.Errorf("-alpha %s: want %q in %s%s", alpha, want, stdout, stderr)
		}
	}
}

// Of how many folds a method has results does not change the ratio of test rows, and repetitions do not either.
func TestTestRatio(t *testing.T) {
	repeated, incomplete := "dataset,repetition,fold,method,metric,value\n", "dataset,fold,method,metric,value\n"
	for f := range 10 {
		incomplete += fmt.Sprintf("d,%d,a,rmse,%v\n", f, 1+0.1*float64(f*7%10))
		if f < 3 {
			incomplete += fmt.Sprintf("d,%d,b,rmse,%v\n", f, 1.05+0.1*float64(f*3%10))
		}
		for r := range 5 {
			repeated += fmt.Sprintf("d,%d,%d,a,rmse,%v\nd,%d,%d,b,rmse,%v\n", r, f, 1+0.1*float64((f*7+r*3)%10), r, f, 1.05+0.1*float64((f*3+r*5)%10))
		}
	}
	for name, content := range map[string]string{"repeated": repeated, "incomplete": incomplete} {
		stdout, _ := compared(t, content)
		if !strings.Contains(stdout, "taken for 10-fold cross-validation") || strings.Count(stdout, "-fold cross-validation") != strings.Count(stdout, "10-fold") {
			t.Errorf("%s: %s", name, stdout)
		}
	}
	// t is the mean difference over sqrt((1/50 + 1/9) of the variance of the differences), with 49 degrees of freedom.
	if stdout, _ := compared(t, repeated, "-csv"); !strings.Contains(stdout, ",d,b,a,nadeau_bengio_t,0.34174589132466") || !strings.Contains(stdout, ",d,b,a,nadeau_bengio_df,49") {
		t.Error(stdout)
	}
	if _, stderr := compared(t, "dataset,repetition,fold,method,metric,value\nd,0,0,a,rmse,1\nd,1,0,a,rmse,2\nd,0,0,b,rmse,1\nd,1,0,b,rmse,3\n"); !strings.Contains(stderr,
		"d: resamples or repetitions of a single fold: want columns with the train rows and the test rows") {
		t.Error(stderr)
	}
}

// Results of a method on the same rows, by their digest or under several seeds, are no further folds: their mean counts, as if it were all.
// A repetition that cuts the data set anew is further folds.
func TestSameFolds(t *testing.T) {
	const head = "protocol,dataset,method,metric,fold,repetition,seed,split digest,value\n"
	lines := func(seeds []int, at func(fold, seed int) string) string {
		text := head
		for _, seed := range seeds {
			for f := range 10 {
				text += fmt.Sprintf("published,d,knn,rmse,%s,%v\n", at(f, seed), 0.1*float64(f*7%10))
				if seed > 0 || f != 4 { // a fold that one method first has under another seed
					text += fmt.Sprintf("published,d,npt,rmse,%s,%v\n", at(f, seed), 0.1*float64(f*3%10)+0.013*float64(seed*f))
				}
			}
		}
		return text
	}
	one := func(f, _ int) string { return fmt.Sprintf("%d,,,", f) }
	want, _ := compared(t, lines([]int{1}, one), "-csv")
	knn := regexp.MustCompile(`,d,knn,,mean.*?,-?[\d.e-]+,`).FindAllString(want, -1)
	if len(knn) != 3 {
		t.Fatalf("no mean with an interval: %s", want)
	}
	for name, at := range map[string]func(f, seed int) string{
		"seed":             func(f, seed int) string { return fmt.Sprintf("%d,,%d,", f, seed) },
		"seed and digest":  func(f, seed int) string { return fmt.Sprintf("%d,,%d,x%d", f, seed, f) },
		"digest":           func(f, seed int) string { return fmt.Sprintf("%d,%d,,x%d", f, seed, f) },
		"number of a fold": func(f, seed int) string { return fmt.Sprintf("%d,,,x%d", 10*seed+f, f) },
	} {
		stdout, stderr := compared(t, lines([]int{0, 1, 2}, at), "-csv")
		sure := map[bool]string{true: ", taken to be on the same rows. If each seed cuts the data anew, call the column repetition.", false: " on the same rows."}[name == "seed"]
		for _, want := range append(knn, ",d,knn,,folds,10,", ",d,npt,,folds,10,", ",d,npt,,mean,0.5111", ",d,npt,knn,nadeau_bengio_df,9,",
			"taken for 10-fold cross-validation", "A fold counts once, by the mean of its 3 results"+sure, "A fold counts once, by the mean of its 2 to 3 results"+sure) {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in %s%s", name, want, stdout, stderr)
			}
		}
	}
	for name, at := range map[string]func(f, seed int) string{
		"repetition":            func(f, seed int) string { return fmt.Sprintf("%d,%d,,", f, seed) },
		"repetition and digest": func(f, seed int) string { return fmt.Sprintf("%d,%d,,x%d-%[2]d", f, seed, f) },
	} {
		if stdout, stderr := compared(t, lines([]int{1, 2, 3}, at), "-csv"); !strings.Contains(stdout, ",d,npt,knn,nadeau_bengio_df,29,") || strings.Contains(stdout, "counts once") {
			t.Errorf("%s: %s%s", name, stdout, stderr)
		}
	}
	// One method numbers its folds, the same rows, from 1, and has half of them.
	text := head
	for f := range 10 {
		text += fmt.Sprintf("published,d,knn,rmse,%d,,,x%[1]d,%v\n", f, 0.1*float64(f*7%10))
		if f < 5 {
			text += fmt.Sprintf("published,d,npt,rmse,%d,,,x%d,%v\n", f+1, f, 0.1*float64(f*3%10))
		}
	}
	if stdout, stderr := compared(t, text, "-csv"); !strings.Contains(stdout, "taken for 10-fold cross-validation") || strings.Contains(stdout, "taken for 9-fold") {
		t.Errorf("%s%s", stdout, stderr)
	}
	// What is not finished under any seed is one fold, and no result is lacking where another seed has one.
	stdout, stderr := compared(t, "dataset,method,fold,seed,test_rmse,complete\nd,m,0,1,1,true\nd,m,0,2,2,true\nd,m,1,1,2,true\nd,m,1,2,2,true\n"+
		"d,n,0,1,3,true\nd,n,0,,,false\nd,n,1,,,false\nd,n,1,,,true\n")
	if !strings.Contains(stdout, "1 fold not finished is left out. Over 1 of 2 folds: no RMSE on 1.") {
		t.Errorf("%s%s", stdout, stderr)
	}
	// The same rows are those of one data set and protocol.
	stdout, stderr = compared(t, head+"a,d,m,rmse,0,,,x,1\na,d,n,rmse,0,,,x,2\nb,d,m,rmse,1,,,x,1\nb,d,n,rmse,1,,,x,2\na,e,m,rmse,2,,,x,1\na,e,n,rmse,2,,,x,2\n")
	if strings.Contains(stdout, "counts once") || strings.Count(stdout, "1 fold") < 3 {
		t.Errorf("%s%s", stdout, stderr)
	}
}

// Folds on which a metric is not defined are listed, and count for how many folds cut the data set.
func TestUndefinedMetric(t *testing.T) {
	text, report := "dataset,fold,method,metric,value\n", "dataset,fold,method,test_accuracy,test_auroc,complete\n"
	for f := range 12 {
		for i, m := range []string{"a", "b"} {
			x, auroc := float64(f*(i+3)%7), ""
			text += fmt.Sprintf("d,%d,%s,accuracy,%v\ne,%[1]d,%s,accuracy,%v\ne,%[1]d,%[2]s,auroc,%[3]v\n", f, m, x)
			if f != 5 && f != 10 {
				text += fmt.Sprintf("d,%d,%s,auroc,%v\n", f, m, x)
				auroc = fmt.Sprint(x)
			}
			report += fmt.Sprintf("d,%d,%s,%v,%s,true\n", f, m, x, auroc)
		}
	}
	for name, content := range map[string]string{"own": text, "report": report} {
		stdout, stderr := compared(t, content, "-metric", "auroc", "-datasets", "d")
		for _, want := range []string{"d, 10 folds", "Over 10 of 12 folds: no AUROC on 5, 10.", "taken for 12-fold cross-validation"} {
			if !strings.Contains(stdout, want) || strings.Contains(stdout, "10-fold") {
				t.Errorf("%s: want %q in %s%s", name, want, stdout, stderr)
			}
		}
	}
	if stdout, _ := compared(t, text, "-metric", "auroc"); !strings.Contains(stdout, "No two methods have all folds") {
		t.Error(stdout)
	}
	if stdout, _ := compared(t, text, "-metric", "accuracy"); strings.Contains(stdout, "Over 10") || !strings.Contains(stdout, "Over 2 data sets: d, e.") {
		t.Error(stdout)
	}
	few := regexp.MustCompile(`(?m)^d,\d+,b,auroc.*\n`).ReplaceAllString(text, "") + "d,0,b,auroc,1\n"
	if stdout, _ := compared(t, few, "-metric", "auroc"); !strings.Contains(stdout, "Over 1 of 12 folds: no AUROC on 1, 2, 3, 4, 5, 6, 7, 8, 9, and 2 others.") {
		t.Error(stdout)
	}
}

// Intervals have the level 1 - alpha: half of one is SciPy's t.ppf(0.95, 2) = 2.919986 standard errors of sqrt(1/3 + 1/5), n minus m being 1, 2
// and 3 as m is; of o, which has other folds, t.ppf(0.95, 4) = 2.131847 of sqrt(2*(1/3 + 1/5)).
func TestIntervalsOfAlpha(t *testing.T) {
	const lines = "dataset,fold,method,metric,value\nd,0,m,rmse,1\nd,1,m,rmse,2\nd,2,m,rmse,3\nd,0,n,rmse,2\nd,1,n,rmse,4\nd,2,n,rmse,6\n" +
		"d,3,o,rmse,7\nd,4,o,rmse,8\nd,5,o,rmse,9\n"
	stdout, stderr := compared(t, lines, "-alpha", "0.1", "-csv")
	for _, want := range []string{",m,,mean_high,4.132455", ",n,m,difference_high,4.132455", ",o,m,difference_high,8.201761", ",n,m,nadeau_bengio_p,0.11147", ",o,m,welch_p,0.00436"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s%s", want, stdout, stderr)
		}
	}
	if stdout, stderr := compared(t, lines, "-alpha", "0.2"); !strings.Contains(stdout, " 0.111* 0/3 ") {
		t.Errorf("want a star at 0.111 in %s%s", stdout, stderr)
	}
}

// Resamples are no parts of a whole, and do not tell by their number how many rows each tests.
func TestResamples(t *testing.T) {
	for _, c := range []struct{ fold, head, rows, note string }{
		{"resample", "", "", "d: resamples or repetitions of a single fold: want columns with the train rows and the test rows"},
		{"Resample", ",train rows,test rows", ",70,30", ""}, {"split", "", "", "taken for 30-fold cross-validation"},
	} {
		lines := "dataset," + c.fold + ",method,metric,value" + c.head + "\n"
		for i := range 30 {
			lines += fmt.Sprintf("d,%d,a,rmse,1%s\nd,%[1]d,b,rmse,%[3]d%[2]s\n", i, c.rows, 1+i%2) // differences 0 and 1
		}
		stdout, stderr := compared(t, lines, "-csv")
		// The variance of the differences is 0.25*30/29.
		want := strconv.FormatFloat(0.5/math.Sqrt((1./30+3./7)*7.5/29), 'f', 8, 64)
		if strings.Contains(stdout, ",d,b,a,nadeau_bengio_t,"+want) != (c.rows != "") || !strings.Contains(stdout+stderr, c.note) {
			t.Errorf("%+v: want t %s in %s%s", c, want, stdout, stderr)
		}
	}
}

// A method whose folds are others than those of the rest lacks theirs.
func TestOtherFolds(t *testing.T) {
	stdout, _ := compared(t, "dataset,fold,method,metric,value\nd,0,a,rmse,1\nd,1,a,rmse,1.2\nd,2,b,rmse,2\nd,3,b,rmse,3\ne,0,a,rmse,1\ne,1,a,rmse,1.2\ne,2,b,rmse,2\ne,3,b,rmse,3\n")
	if !strings.Contains(stdout, "Over 2 of 4 folds: no RMSE on 2, 3.") || !strings.Contains(stdout, "No two methods have all folds of the same two data sets.") {
		t.Error(stdout)
	}
}

// What was asked for is there, with or without results, and the first method is what others are compared with.
func TestWhatWasAskedFor(t *testing.T) {
	const lines = "protocol,dataset,fold,method,metric,value\n" +
		"published,d,0,npt,rmse,1\npublished,d,1,npt,rmse,1.2\npublished,d,0,knn,rmse,2\npublished,d,1,knn,rmse,3\n" +
		"corrected,d,0,knn,rmse,2\ncorrected,d,1,knn,rmse,3\ncorrected,d,0,mlp,rmse,4\ncorrected,d,1,mlp,rmse,5\ncorrected,d,1,mlp,auroc,0.5\n"
	if stdout, _ := compared(t, lines, "-methods", "npt,knn,mlp"); strings.Count(stdout, "difference from npt.") != 2 || strings.Count(stdout, "No results.") != 2 {
		t.Error(stdout)
	}
	if _, stderr := compared(t, lines, "-metric", "rmse,auroc"); !strings.Contains(stderr, "has no two methods of these with the auroc on these data sets") {
		t.Error(stderr)
	}
	if _, stderr := compared(t, lines+"published,e,0,mlp,rmse,1\n", "-methods", "npt,knn", "-datasets", "d,e"); !strings.Contains(stderr, "has nothing to compare these methods by on e") {
		t.Error(stderr)
	}
	stdout, _ := compared(t, "dataset,fold,method,variant,metric,value\nd,0,npt,,rmse,1\nd,1,npt,,rmse,1.5\nd,0,npt,big,rmse,0.5\nd,1,npt,big,rmse,.6\nd,0,knn,,rmse,2\nd,1,knn,,rmse,3\n",
		"-by", "variant", "-methods", "npt,knn")
	if !strings.Contains(stdout, "difference from npt.") || !strings.Contains(stdout, "npt, big") {
		t.Error(stdout)
	}
}

// What validation chose among in a report's folds is not compared: each setting would have the folds on which it was best there.
func TestByWhatValidationChose(t *testing.T) {
	const head = "dataset,fold,method,title,variant,test_rmse,complete\n"
	_, stderr := compared(t, head+"d,0,knn,k-NN,uniform,1,true\nd,1,knn,k-NN,weighted,2,true\nd,0,mlp,MLP,,2,true\nd,1,mlp,MLP,,3,true\n", "-by", "variant")
	if !strings.Contains(stderr, "-by: a report has one line of k-NN for each fold of d") || !strings.Contains(stderr, ": k-NN, uniform and k-NN, weighted would have") {
		t.Error(stderr)
	}
	stdout, stderr := compared(t, head+"d,0,npt,NPT,a,1,true\nd,1,npt,NPT,a,2,true\nd,0,npt,NPT,b,2,true\nd,1,npt,NPT,b,3,true\n", "-by", "variant")
	if !strings.Contains(stdout, "difference from NPT, a.") {
		t.Error(stdout, stderr)
	}
	// Neither are the settings of several seeds; seeds are.
	seeds := "dataset,fold,method,title,variant,test_rmse,seed\n" +
		"d,0,knn,k-NN,a,1,42\nd,1,knn,k-NN,b,2,42\nd,0,knn,k-NN,b,1,43\nd,1,knn,k-NN,a,2,43\n"
	if _, stderr := compared(t, seeds, "-by", "variant"); !strings.Contains(stderr, "-by: a report has one line of k-NN for each fold of d") {
		t.Error(stderr)
	}
	if stdout, stderr := compared(t, seeds, "-by", "seed"); !strings.Contains(stdout, "difference from k-NN, 42.") {
		t.Error(stdout, stderr)
	}
	// The same setting on all folds cuts nothing up, and in a file of one's own validation chose nothing.
	for name, content := range map[string]string{
		"same": head + "d,0,knn,k-NN,uniform,1,true\nd,1,knn,k-NN,uniform,2,true\nd,0,mlp,MLP,,2,true\nd,1,mlp,MLP,,3,true\n",
		"own":  "dataset,fold,method,variant,metric,value\nd,0,knn,uniform,rmse,1\nd,1,knn,weighted,rmse,2\n",
	} {
		if stdout, stderr := compared(t, content, "-by", "variant"); stderr != "" || !strings.Contains(stdout, ", uniform") {
			t.Errorf("%s: %s%s", name, stdout, stderr)
		}
	}
}

// Folds of the same number with other rows are no pairs; those of other numbers neither.
func TestPairing(t *testing.T) {
	const text = "dataset,fold,method,test_rmse,split_digest,train_rows,test_rows,complete\n" +
		"a,0,m,1,x0,90,10,true\na,1,m,2,x1,90,10,true\na,0,n,3,x0,90,10,true\na,1,n,4,y1,90,10,true\na,0,o,3,z0,80,20,true\na,1,o,4.5,z1,80,20,true\n" +
		"a,0,p,5,x0,90,10,false\na,1,p,,,,,true\n"
	r, err := read(strings.NewReader(text), "in", nil)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := (&options{}).choose(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&options{methods: []string{"m", "p"}}).choose(r); err == nil || err.Error() != `-methods: in has no result of "p" that counts` {
		t.Error(err)
	}
	c, err := tables[0].compare(0.05)
	if err != nil {
		t.Fatal(err)
	}
	if x, _, notes := pairs([]result{{fold: "0", split: "x0"}}, []result{{fold: "0"}}); len(x) != 1 || notes != nil {
		t.Errorf("rows that are not known are taken for others: %v, %v", x, notes)
	}
	rows := c.on[0].rows
	if n := rows[1]; n.against.pairs != 1 || n.against.test != nil || !strings.Contains(strings.Join(n.notes, " "), "1 fold of the same number have other rows") {
		t.Errorf("half of the folds are the same: %+v, %v", n.against, n.notes)
	}
	if delta := rows[1].against.delta; delta != -1 {
		t.Errorf("all errors are larger: Cliff's delta is %v, want -1", delta)
	}
	if o := rows[2]; o.against.paired || o.against.test == nil || o.against.test.Mean != 2.25 || !math.IsNaN(o.against.wins) {
		t.Errorf("no fold is the same: %+v, %v", o.against, o.notes)
	} else if want := math.Sqrt((0.5+1./4)*1.125 + (0.5+1./9)*0.5); !(math.Abs(o.against.test.StdErr-want) <= 1e-12) { // test rows over training rows, and the variance, of either
		t.Errorf("folds that share training rows are taken for independent: a standard error of %v, want %v", o.against.test.StdErr, want)
	}
	if p := rows[3]; len(rows) != 4 || p.method != "p" || len(p.values) > 0 || !slices.Equal(p.notes, []string{"1 fold not finished is left out.", "1 fold without a result is left out."}) {
		t.Errorf("what has no result that counts is not listed last with the reason: %+v", p)
	}
}

// What differs by rounding alone ties.
func TestRounding(t *testing.T) {
	text := "dataset,fold,method,metric,value\n"
	for fold := range 5 {
		x := 1 + float64(fold)/7
		for method, value := range map[string]float64{"a": x, "b": x * (1 + 3e-16), "c": x * (1 + 1e-9)} {
			text += fmt.Sprintf("yacht,%d,%s,rmse,%.17g\n", fold, method, value)
		}
	}
	r, err := read(strings.NewReader(text), "in", nil)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := (&options{methods: []string{"a", "b", "c"}}).choose(r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tables[0].compare(0.05)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ wins, delta, p float64 }{1: {0.5, 0, 1}, 2: {0, -0.2, 0}} {
		if d := c.on[0].rows[i].against; i > 0 && (d.wins != want.wins || d.delta != want.delta || !(math.Abs(d.test.P-want.p) <= 0.01)) {
			t.Errorf("%s: %+v with p %v, want %+v", c.on[0].rows[i].method, d, d.test.P, want)
		}
	}
}

// The picture has a panel for each data set on which the first two methods have folds in common, and a point for each such fold.
func TestPlot(t *testing.T) {
	dir := t.TempDir()
	in, svg := filepath.Join(dir, "in.csv"), filepath.Join(dir, "folds.svg")
	lines := "data set,fold,method,metric,value\n"
	for fold, values := range [][2]string{{"1", "2"}, {"2", "1.5"}, {"3", "2.5"}} {
		lines += "yacht," + strconv.Itoa(fold) + ",a,rmse," + values[0] + "\nyacht," + strconv.Itoa(fold) + ",b,rmse," + values[1] + "\n"
	}
	lines += "yacht,3,a,rmse,4\nconcrete,0,a,rmse,1\nconcrete,0,b,rmse,1\nprotein,0,a,rmse,2\nprotein,1,c,rmse,2\n"
	if err := os.WriteFile(in, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	if exit, _, stderr := programtest.Run(t, run, "-in", in, "-plot", svg); exit != program.ExitOK {
		t.Fatal(exit, stderr)
	}
	picture, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">yacht<", ">concrete<", ">a: RMSE, smaller is better<", ">b: RMSE, smaller is better<"} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	if !regexp.MustCompile(`rotate\(90\)">\s*<text[^>]*>b: RMSE`).Match(picture) {
		t.Error("the second method's axis is not the vertical one")
	}
	var x, y []float64 // of the discs, which begin at their right end
	for _, at := range regexp.MustCompile(`"M([\d.]+),([\d.]+)A`).FindAllSubmatch(picture, -1) {
		for axis, text := range map[*[]float64][]byte{&x: at[1], &y: at[2]} {
			number, err := strconv.ParseFloat(string(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			*axis = append(*axis, number)
		}
	}
	if len(x) != 4 {
		t.Fatalf("%d points, want 3 of yacht and 1 of concrete", len(x))
	}
	if !(x[0] < x[1] && x[1] < x[2] && y[1] < y[0] && y[0] < y[2]) {
		t.Errorf("yacht's points are at %v, %v, want the first method's results across and the second's upwards", x[:3], y[:3])
	}
	if strings.Contains(string(picture), ">protein<") {
		t.Error("a panel of a data set that only one method has")
	}
	for _, bad := range []struct{ file, methods, want string }{{"x.png", "a,b", ".svg or .pdf"}, {"x.svg", "a,c", "no fold in common"}} {
		if exit, _, stderr := programtest.Run(t, run, "-in", in, "-plot", filepath.Join(dir, bad.file), "-methods", bad.methods); exit != program.ExitBadInput || !strings.Contains(stderr, bad.want) {
			t.Errorf("%s of %s: exit %d, %s", bad.file, bad.methods, exit, stderr)
		}
	}
	exit, _, stderr := programtest.Run(t, run, "-in", in, "-plot", "nowhere/x.svg", "-methods", "a,b")
	if want := "-plot: nowhere/x.svg: no such file or directory\n"; exit != program.ExitFailed || stderr != want {
		t.Errorf("exit %d, %q, want %q", exit, stderr, want)
	}
}

// What the program knows of a metric does not depend on how a file spells it.
func TestSpellingOfMetrics(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.csv")
	text := "dataset,fold,method,metric,value\na,0,m,RMSE,1\na,0,n,RMSE,2\na,0,m,Accuracy,90\na,0,n,Accuracy,80\n"
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := programtest.Run(t, run, "-in", in)
	if exit != program.ExitOK || !strings.Contains(stdout, "RMSE (smaller is better)") || !strings.Contains(stdout, "Accuracy (larger is better)") {
		t.Errorf("exit %d, %s%s", exit, stdout, stderr)
	}
	if exit, stdout, stderr := programtest.Run(t, run, "-in", in, "-metric", "Accuracy"); exit != program.ExitOK || strings.Contains(stdout, "RMSE") {
		t.Errorf("-metric: exit %d, %s%s", exit, stdout, stderr)
	}
}

// An interrupt ends the program also while it waits for standard input.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, out := io.Pipe()
	defer out.Close()
	if exit := program.Func(run).Run(ctx, program.Env{Args: []string{"-in", "-"}, Stdin: in, Stdout: io.Discard, Stderr: io.Discard}); exit != program.ExitInterrupted {
		t.Errorf("exit %d", exit)
	}
}
