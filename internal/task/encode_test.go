package task

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/dataset/datasettest"
	"nptbench/internal/machine"
	"nptbench/internal/split"
)

// reference is testdata/encode.json, made by testdata/encode.py with scikit-learn 1.2.1.
type reference struct {
	Number           []*float64
	Constant, Target []float64
	Letter           []*string
	Split            struct{ Train, Val, Test []int32 }

	Published, Corrected [][]float64
	CorrectedTrain       [][]float64 `json:"corrected_train"`
	Y                    []float64
	Mean, Std            float64
}

func load(t *testing.T) (*reference, *dataset.Table, split.Split) {
	t.Helper()
	raw, err := os.ReadFile("testdata/encode.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{}
	if err := json.Unmarshal(raw, r); err != nil {
		t.Fatal(err)
	}
	number := dataset.Column{Name: "number", Type: dataset.Continuous}
	letter := dataset.Column{Name: "letter", Type: dataset.Categorical, Categories: []string{"a", "b", "c"}}
	for i := range r.Number {
		v, code := 0.0, uint16(0)
		if r.Number[i] != nil {
			v = *r.Number[i]
		}
		if r.Letter[i] != nil {
			code = uint16((*r.Letter[i])[0] - 'a')
		}
		number.F64 = append(number.F64, v)
		number.Missing = append(number.Missing, r.Number[i] == nil)
		letter.Codes = append(letter.Codes, code)
		letter.Missing = append(letter.Missing, r.Letter[i] == nil)
	}
	table := &dataset.Table{
		Info: dataset.Info{Name: "gaps", Target: 2, Columns: 4, FlagsStay: true},
		Rows: len(r.Number), Subset: "a part",
		Columns: []dataset.Column{
			number,
			{Name: "constant", Type: dataset.Continuous, F64: r.Constant},
			{Name: "target", Type: dataset.Continuous, F64: r.Target},
			letter,
		},
	}
	return r, table, split.Split{Train: r.Split.Train, Val: r.Split.Val, Test: r.Split.Test}
}

func TestEncodeEqualsScikitLearn(t *testing.T) {
	r, table, s := load(t)
	for _, c := range []struct {
		name     string
		protocol split.Protocol
		stats    Statistics
		want     [][]float64
	}{
		{"published", split.Published, AllRows, r.Published},
		{"corrected", split.Corrected, AllRows, r.Corrected},
		{"corrected, statistics of training rows", split.Corrected, TrainRows, r.CorrectedTrain},
	} {
		task, truth, err := Encode(table, s, c.protocol, 0, c.stats)
		if err != nil {
			t.Fatal(err)
		}
		if task.Width != len(c.want[0]) {
			t.Fatalf("%s: %d columns, scikit-learn makes %d", c.name, task.Width, len(c.want[0]))
		}
		for row, want := range c.want {
			for j := range want {
				if got := float64(task.Row(row)[j]); !(math.Abs(got-want[j]) <= 1e-6) {
					t.Errorf("%s: row %d column %d: got %v, scikit-learn gives %v", c.name, row, j, got, want[j])
				}
			}
		}
		y := append(append([]float64(nil), task.Y...), truth.Y...)
		for i := range r.Y {
			if !(math.Abs(y[i]-r.Y[i]) <= 1e-12) {
				t.Errorf("%s: target %d: got %v, scikit-learn gives %v", c.name, i, y[i], r.Y[i])
			}
		}
		if !(math.Abs(task.TargetMean-r.Mean) <= 1e-12) || !(math.Abs(task.TargetStd-r.Std) <= 1e-12) {
			t.Errorf("%s: target scale %v %v, want %v %v", c.name, task.TargetMean, task.TargetStd, r.Mean, r.Std)
		}
		if task.Subset != table.Subset {
			t.Errorf("%s: subset %q, want %q", c.name, task.Subset, table.Subset)
		}
	}
}

// The protocols differ in which entries count as missing where the flags of the published one stay in file order, and nowhere else.
func TestMissingFlags(t *testing.T) {
	r, table, s := load(t)
	published, _, _ := Encode(table, s, split.Published, 0, AllRows)
	corrected, _, _ := Encode(table, s, split.Corrected, 0, AllRows)
	for position, row := range s.Rows() {
		at := position * len(published.Features)
		if published.Missing[at] != (r.Number[position] == nil) {
			t.Errorf("published: flag at position %d is not that of row %d", position, position)
		}
		if corrected.Missing[at] != (r.Number[row] == nil) {
			t.Errorf("corrected: flag at position %d is not that of row %d", position, row)
		}
	}
	table.Info.FlagsStay = false
	own, _, _ := Encode(table, s, split.Published, 0, AllRows)
	if !slices.Equal(own.X, corrected.X) || !slices.Equal(own.Missing, corrected.Missing) {
		t.Error("flags that move with their rows are not those of the corrected protocol")
	}
}

// A missing entry that is not flagged is the mean of its column over all rows, also where statistics are of training rows only.
func TestGapMean(t *testing.T) {
	_, table, s := load(t)
	number := &table.Columns[0]
	task, _, err := Encode(table, s, split.Published, 0, TrainRows)
	if err != nil {
		t.Fatal(err)
	}
	var gaps, values, encoded []float64 // of entries that are not flagged: encoded gaps, values and their encoding
	sum, count := 0.0, 0.0
	for position, row := range s.Rows() {
		present := !number.IsMissing(int(row))
		if present {
			sum, count = sum+number.Float(int(row)), count+1
		}
		if x := float64(task.Row(position)[0]); number.IsMissing(position) {
			continue
		} else if present {
			values, encoded = append(values, number.Float(int(row))), append(encoded, x)
		} else {
			gaps = append(gaps, x)
		}
	}
	if len(gaps) == 0 {
		t.Fatal("no gap without a flag")
	}
	std := (values[1] - values[0]) / (encoded[1] - encoded[0])
	for _, x := range gaps {
		if got := values[0] + (x-encoded[0])*std; !(math.Abs(got-sum/count) <= 1e-5) {
			t.Errorf("a gap is %v, want %v", got, sum/count)
		}
	}
}

// Nothing of the test targets may be reachable from a task: not its values, not through a slice's capacity, and the
// task must not change when they do.
func TestTaskHoldsNoTestTargets(t *testing.T) {
	for _, problem := range []dataset.Problem{dataset.Regression, dataset.Binary} {
		_, table, s := load(t)
		target := &table.Columns[2]
		if table.Info.Problem = problem; problem.Classification() {
			table.Info.Classes = 2
			*target = dataset.Column{Name: "target", Type: dataset.Categorical, Categories: []string{"no", "yes"}, Codes: make([]uint16, table.Rows)}
		}
		before, _, _ := Encode(table, s, split.Corrected, 0, AllRows)
		known := before.Train + before.Val
		if len(before.Y)+len(before.Labels) != known || cap(before.Y)+cap(before.Labels) != known {
			t.Errorf("%v: %d targets with room for %d, want %d", problem, len(before.Y)+len(before.Labels), cap(before.Y)+cap(before.Labels), known)
		}
		for _, row := range s.Test {
			if problem.Classification() {
				target.Codes[row] = 1
			} else {
				target.F64[row] += 1000
			}
		}
		after, _, _ := Encode(table, s, split.Corrected, 0, AllRows)
		a, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(after); err != nil || string(a) != string(b) {
			t.Errorf("%v: the task depends on test targets (error %v)", problem, err)
		}
	}
}

// Numbers whose squares are beyond float64, and differences beyond float32, are named instead of given to methods as 0, NaN or infinity, and
// so are those whose squares are nothing, which would be taken for constant.
func TestNumbersTooLarge(t *testing.T) {
	table := func(number, target float64) *dataset.Table {
		return &dataset.Table{Info: dataset.Info{Name: "huge", Target: 1, Columns: 2, Problem: dataset.Regression}, Rows: 4, Columns: []dataset.Column{
			{Name: "number", F64: []float64{0, 0, 0, number}}, {Name: "target", F64: []float64{1, target, 3, 4}}}}
	}
	rows := split.Split{Train: []int32{0, 1}, Val: []int32{2}, Test: []int32{3}}
	for _, c := range []struct {
		number, target float64
		stats          Statistics
		want           string // the column; empty: none
	}{
		{1e150, 1e150, AllRows, ""}, {1e200, 2, AllRows, "number"}, {math.MaxFloat64, 2, AllRows, "number"}, {1e39, 2, AllRows, ""},
		{1e39, 2, TrainRows, "number"}, {1, 1e200, AllRows, "target"}, {1, -math.MaxFloat64, AllRows, "target"},
		{1e-140, 2, AllRows, ""}, {1e-170, 2, AllRows, "number"}, {0, 2, AllRows, ""},
	} {
		_, _, err := Encode(table(c.number, c.target), rows, split.Corrected, 0, c.stats)
		if want := "huge: column " + c.want + " has numbers too large or too small to be standardised"; (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, %v: error %v, want %q", c.number, c.target, err, want)
		}
	}
	far := table(1, 2)
	far.Columns[1].F64[3] = math.MaxFloat64 // of the test row
	if _, _, err := Encode(far, rows, split.Corrected, 0, AllRows); err == nil || !strings.HasPrefix(err.Error(), "huge: column target has numbers too large") {
		t.Errorf("error %v", err)
	}
}

// Where no entry of any feature has a value there is nothing to predict from.
func TestNothingToPredictFrom(t *testing.T) {
	table := &dataset.Table{Info: dataset.Info{Name: "empty", Target: 1, Columns: 2}, Rows: 3, Columns: []dataset.Column{
		{Name: "letter", Type: dataset.Categorical, Categories: []string{}, Codes: []uint16{0, 0, 0}, Missing: []bool{true, true, true}},
		{Name: "target", F64: []float64{1, 2, 3}}}}
	_, _, err := Encode(table, split.Split{Train: []int32{0}, Val: []int32{1}, Test: []int32{2}}, split.Corrected, 0, AllRows)
	if want := "empty: 1 training rows and 0 encoded features, want at least one of each"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// More features than memory has room for are an error that names the column which has most.
func TestTooWide(t *testing.T) {
	const rows, categories = 1 << 21, 1 << 16 // half a terabyte
	if free := machine.FreeMemory(); free == 0 || free > 4*rows*categories {
		t.Skip("it is not known how much memory is free, or that is half a terabyte")
	}
	table := &dataset.Table{Info: dataset.Info{Name: "wide", Target: 1, Columns: 2}, Rows: rows, Columns: []dataset.Column{
		{Name: "street", Type: dataset.Categorical, Categories: make([]string, categories), Codes: make([]uint16, rows)},
		{Name: "target", F64: make([]float64, rows)}}}
	s := split.Split{Train: make([]int32, rows)}
	for row := range rows {
		table.Columns[0].Codes[row], s.Train[row] = uint16(row), int32(row)
	}
	_, _, err := Encode(table, s, split.Corrected, 0, AllRows)
	if want := "wide: 2097152 rows of 65536 encoded features take 549.8 GB, more than are free; column street alone has 65536 categories: declare it skip, or number"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestSplitOfAnotherTable(t *testing.T) {
	_, table, s := load(t)
	s.Test = s.Test[1:]
	if _, _, err := Encode(table, s, split.Corrected, 0, AllRows); err == nil {
		t.Error("a split with a row too few was accepted")
	}
}

func TestTrainClasses(t *testing.T) {
	tk := &Task{Info: dataset.Info{Classes: 6}, Train: 5, Labels: []uint16{4, 1, 4, 5, 1, 0}}
	if numbers, classes := tk.TrainClasses(); !slices.Equal(numbers, []uint16{1, 0, 1, 2, 0}) || !slices.Equal(classes, []int{1, 4, 5}) || tk.Labels[0] != 4 {
		t.Errorf("%v, %v", numbers, classes)
	}
}

// Shared must be right for every data set that is here.
func TestShared(t *testing.T) {
	generated := datasettest.Library(t)
	for _, name := range append([]string{"yacht", "breast-cancer", "protein", "kick"}, datasettest.Names...) {
		t.Run(name, func(t *testing.T) {
			library := generated
			if !slices.Contains(datasettest.Names, name) {
				library = datasettest.Real(t, name)
			}
			table, err := library.Load(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			for fold := range min(2, table.Info.RunFolds) {
				var tasks [2]*Task
				var truths [2]*Truth
				for i, p := range split.Protocols {
					if tasks[i], truths[i], err = FromTable(table, p, fold, AllRows); err != nil {
						t.Fatal(err)
					}
					tasks[i].Protocol = ""
				}
				if same := reflect.DeepEqual(tasks[0], tasks[1]) && reflect.DeepEqual(truths[0], truths[1]); same != Shared(table.Info, fold) {
					t.Errorf("fold %d: the same task under both protocols: %v, Shared says %v", fold, same, !same)
				}
			}
		})
	}
}

// A loader returns what Load does, reads a table once, and knows every part of a task's name.
func TestLoader(t *testing.T) {
	library := datasettest.Library(t)
	var l Loader
	specs := []Spec{
		{"gaps", split.Published, 0, AllRows}, {"gaps", split.Corrected, 0, AllRows}, {"gaps", split.Corrected, 0, TrainRows},
		{"waves", split.Corrected, 0, TrainRows}, {"waves", split.Corrected, 1, TrainRows},
	}
	var before *Task
	for _, s := range specs {
		want, wantTruth, err := new(Loader).Load(t.Context(), library, s)
		if err != nil {
			t.Fatal(err)
		}
		got, truth, err := l.Load(t.Context(), library, s)
		if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(truth, wantTruth) {
			t.Errorf("%v: another task than alone, error %v", s, err)
		}
		if again, _, err := l.Load(t.Context(), library, s); err != nil || again != got {
			t.Errorf("%v: made again, error %v", s, err)
		}
		if before != nil && reflect.DeepEqual(before, got) {
			t.Errorf("%v is the task before it", s)
		}
		before = got
	}
	if err := os.RemoveAll(filepath.Join(library.Dirs[0], "waves")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Load(t.Context(), library, Spec{"waves", split.Published, 2, AllRows}); err != nil {
		t.Errorf("the table was not kept: %v", err)
	}
	for want, s := range map[string]Spec{
		"circles: fold 10 does not exist: the folds are 0 to 9": {"circles", split.Published, 10, AllRows},
		`unknown data set "wave"`:                               {"wave", split.Published, 0, AllRows},
	} {
		if task, _, err := l.Load(t.Context(), library, s); err == nil || !strings.HasPrefix(err.Error(), want) || task != nil {
			t.Errorf("%v: %v, want %s", s, err, want)
		}
	}
}

// A column that is constant but for rounding is constant; one that is nearly so has the deviation that scikit-learn's StandardScaler gives,
// where the mean is rounded, too.
func TestAlmostConstant(t *testing.T) {
	a, b := 0.1, 0.2
	v := []float64{0.3, a + b, 0.3}
	if _, std := MeanStd(3, func(i int) float64 { return v[i] }, func(int) bool { return true }); std != 1 {
		t.Errorf("deviation %v", std)
	}
	v = []float64{1e15, 1e15, 1e15 + 2}
	if mean, std := MeanStd(3, func(i int) float64 { return v[i] }, func(int) bool { return true }); mean != 1000000000000000.6 || std != 0.9428090415820634 {
		t.Errorf("mean %v, deviation %v", mean, std)
	}
	for _, x := range []float64{1e-170, -3.3e-300, 5e-324} {
		if mean, std := MeanStd(3, func(int) float64 { return x }, func(int) bool { return true }); std != 1 || !(math.Abs(mean/x-1) <= 1e-12) {
			t.Errorf("constant %v: mean %v, deviation %v", x, mean, std)
		}
	}
}

// A column without any entry in training rows, by which it would be scaled, has nothing in others either.
func TestNoTrainingEntry(t *testing.T) {
	table := &dataset.Table{Info: dataset.Info{Name: "gaps", Target: 2, Columns: 3}, Rows: 4, Columns: []dataset.Column{
		{Name: "x", F64: []float64{0, 0, 5, 6}, Missing: []bool{true, true, false, false}},
		{Name: "z", F64: []float64{1, 2, 3, 4}},
		{Name: "y", F64: []float64{1, 2, 3, 4}}}}
	got, _, err := Encode(table, split.Split{Train: []int32{0, 1}, Val: []int32{2}, Test: []int32{3}}, split.Corrected, 0, TrainRows)
	if err != nil || got.X[4] != 0 || got.X[6] != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// No two columns of a file have the same name.
func TestColumnNames(t *testing.T) {
	x := &Task{Features: []Feature{{Name: "row", Width: 1}, {Name: "c_0_", Width: 1}, {Name: "c", Type: dataset.Categorical, Width: 2}, {Name: "c_0", Width: 1}}}
	if got, want := x.ColumnNames("row", "y"), []string{"row_", "c_0_", "c_0", "c_1", "c_0__"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A category that is declared and does not occur has no feature, whether other entries are missing or not.
func TestCategoriesThatOccur(t *testing.T) {
	for _, missing := range [][]bool{nil, {false, false, false, true}} {
		table := &dataset.Table{Info: dataset.Info{Name: "wines", Target: 1, Columns: 2}, Rows: 4, Columns: []dataset.Column{
			{Name: "colour", Type: dataset.Categorical, Categories: []string{"red", "rose", "white"}, Codes: []uint16{0, 2, 0, 2}, Missing: missing},
			{Name: "target", F64: []float64{1, 2, 3, 4}}}}
		tk, _, err := Encode(table, split.Split{Train: []int32{0, 3}, Val: []int32{1}, Test: []int32{2}}, split.Corrected, 0, AllRows)
		if err != nil || tk.Features[0].Width != 2 {
			t.Errorf("missing %v: %+v, %v", missing, tk.Features, err)
		}
	}
}
