package gbdt

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/task"
)

// twoTrees is 1 for x <= 2 and 3 otherwise, plus 10.
const twoTrees = `tree
version=v3
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=a b
feature_infos=none none
tree_sizes=1 1

Tree=0
num_leaves=2
num_cat=0
split_feature=1
threshold=2
decision_type=2
left_child=-1
right_child=-2
leaf_value=1 3
shrinkage=1


Tree=1
num_leaves=1
num_cat=0
leaf_value=10
shrinkage=1


end of trees
`

func TestModelByHand(t *testing.T) {
	m, err := parseModel([]byte(twoTrees))
	if err != nil {
		t.Fatal(err)
	}
	x := []float32{0, 1, 0, 2, 0, math.Nextafter32(2, 3)}
	got, err := m.Predict(context.Background(), x, []int{2, 1, 99}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{11, 11, 13}, {1, 1, 3}, {11, 11, 13}} {
		if !reflect.DeepEqual([]float64(got[i]), want) {
			t.Errorf("prediction %d is %v, want %v", i, got[i], want)
		}
	}
}

// A model of LightGBM 4, with categories and missing values, predicts what LightGBM 4 predicted.
func TestLightGBM4(t *testing.T) {
	m, err := LoadModel("testdata/lightgbm4.txt")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("testdata/lightgbm4.csv")
	if err != nil {
		t.Fatal(err)
	}
	var x []float32
	var want []float64
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		for i, field := range fields {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			if i < m.Features {
				x = append(x, float32(v))
			} else {
				want = append(want, v)
			}
		}
	}
	got, err := m.Predict(context.Background(), x, []int{m.Iterations()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "predictions", got[0], want, &lightgbm, m.Iterations(), linkRounding)
}

func TestModelRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"tree\n", "forest\n", "not a LightGBM text model"},
		{"version=v3", "version=v5", `LightGBM text of version "v5" is not supported`},
		{"version=v3", "version=v3\naverage_output", "average_output: random forests"},
		{"num_class=1", "num_class=one", `num_class is "one"`},
		{"num_tree_per_iteration=1", "num_tree_per_iteration=3", `num_tree_per_iteration is "3"`},
		{"max_feature_idx=1", "max_feature_idx=-1", "max_feature_idx is"},
		{"objective=regression", "objective=regression sqrt", `objective "regression sqrt"`},
		{"objective=regression", "objective=poisson", `objective "poisson"`},
		{"objective=regression", "objective=binary sigmoid:2", `objective "binary sigmoid:2"`},
		{"tree_sizes=1 1", "tree_sizes=1 1 1", "the text is incomplete: 2 trees, want 3"},
		{"end of trees", "", "the text is incomplete"},
		{"num_leaves=2", "num_leaves=3", "tree 0: 2 entries of leaf_value, want 3"},
		{"split_feature=1", "split_feature=2", "tree 0: split_feature is 2, want 0 to 1"},
		{"left_child=-1", "left_child=0", "tree 0: child 0 of node 0, want one behind it"},
		{"right_child=-2", "right_child=-1", "tree 0: child -1 belongs to two nodes"},
		{"right_child=-2", "right_child=-3", "tree 0: right_child is -3, want -2 to 0"},
		{"num_cat=0\nsplit", "num_cat=0\nis_linear=1\nsplit", "tree 0: linear trees"},
		{"leaf_value=1 3", "leaf_value=1 x", "tree 0: leaf_value is x, want a number"},
		{"threshold=2\n", "threshold=\n", "tree 0: 0 entries of threshold, want 1"},
		{"threshold=2\n", "threshold=nan\n", "tree 0: the threshold of node 0 is NaN"},
		{"decision_type=2\n", "decision_type=1\n", "tree 0: node 0 asks for set 2 of 0 sets"},
		{"decision_type=2\n", "", "tree 0: 0 entries of decision_type, want 1"},
		{"label_index=0", originKey + "={", originKey + ": "},
		{"label_index=0", originKey + `={"classes":[1,2]}`, originKey + ": 2 classes, but the model predicts 1"},
	} {
		text := strings.Replace(twoTrees, c.old, c.new, 1)
		_, err := parseModel([]byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %q: error %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// The classes that a model knows are numbers of classes, each once and in order: so they are the columns of its predictions.
func TestClassesOfAModel(t *testing.T) {
	for text, right := range map[string]bool{`{"classes":[0,1,2]}`: true, `{"classes":[0,2,5]}`: true, `{"classes":[2,1,0]}`: false, `{"classes":[2,2,2]}`: false} {
		if _, err := parseOrigin(text, 3); (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Nodes that are a ring are no tree, though each is one's child.
func TestRing(t *testing.T) {
	ring := tree{feature: []int32{0, 0, 0}, threshold: []float64{1, 1, 1}, decision: make([]uint8, 3), left: []int32{-1, 2, 1}, right: []int32{-2, -3, -4}, leaf: make([]float64, 4)}
	if err := ring.check(); err == nil {
		t.Error("a ring is a tree")
	}
}

// Text cut off anywhere is refused; text with a changed byte is refused or at least predicts without panic.
func TestDamagedModels(t *testing.T) {
	for n := range len(twoTrees) - len("end of trees\n") {
		if _, err := parseModel([]byte(twoTrees[:n])); err == nil {
			t.Errorf("the first %d bytes are taken for a model", n)
		}
	}
	for i := range twoTrees {
		for _, b := range []byte("0-9\n =x") {
			text := []byte(twoTrees)
			text[i] = b
			m, err := parseModel(text)
			if err == nil {
				m.Predict(context.Background(), make([]float32, 3*m.Features), []int{2}, 1)
			}
		}
	}
}

// Damaged models of the libraries give errors, not panics or endless loops.
func TestDamagedLibraryModels(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range parityCases(t) {
		if seen[c.Method] || c.Table != "missing" || c.Task != "multiclass" {
			continue
		}
		seen[c.Method] = true
		lib := libraryOf(t, c.Method)
		for name, content := range c.answer.arrays {
			for i := 0; i < len(content); i += 1 + len(content)/100 {
				for _, flip := range []byte{0x01, 0x80, 0xff} {
					content[i] ^= flip
					if m, err := lib.read(&c.answer, c.Width, c.link()); err == nil {
						parseModel(m.text())
						m.Predict(t.Context(), make([]float32, c.Width), []int{1}, 1)
					}
					content[i] ^= flip
				}
				c.answer.arrays[name] = content[:i]
				lib.read(&c.answer, c.Width, c.link())
			}
			c.answer.arrays[name] = content
		}
	}
	if len(seen) != 4 {
		t.Errorf("tried %v", seen)
	}
}

func TestLinkFarOut(t *testing.T) {
	p := make([]float64, 2)
	logistic.apply([]float64{-800}, p)
	if p[0] != 1 || p[1] != 0 {
		t.Errorf("logistic: %v", p)
	}
	p = make([]float64, 3)
	softmax.apply([]float64{1000, 1000, -1000}, p)
	if p[0] != 0.5 || p[1] != 0.5 || p[2] != 0 {
		t.Errorf("softmax: %v", p)
	}
}

func TestOriginTravels(t *testing.T) {
	o := Origin{Method: "xgboost", Library: "a=b", Dataset: "yacht", DataDigest: "1f", Protocol: "published", Fold: 3, LearningRate: 0.1, MaxDepth: 5, Iterations: 100, Seed: 45, Columns: []string{"a"}, TargetMean: 7, TargetStd: 2}
	m, err := parseModel(o.addTo([]byte(twoTrees)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.Origin, o) {
		t.Errorf("%+v, want %+v", m.Origin, o)
	}
	if got, want := o.fileName(), "yacht-published-fold3-xgboost-rate0.1-depth5-trees100-seed45.txt.gz"; got != want {
		t.Errorf("file name %s, want %s", got, want)
	}
}

func TestLoadModelErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(twoTrees))
	w.Close()
	for _, c := range []struct{ file, want string }{
		{filepath.Join(dir, "none.txt"), "no such file"},
		{write("plain.gz", []byte(twoTrees)), "plain.gz: gzip: invalid header"},
		{write("cut.gz", z.Bytes()[:z.Len()-9]), "cut.gz: unexpected EOF"},
		{write("empty.txt", nil), "empty.txt: not a LightGBM text model"},
	} {
		if _, err := LoadModel(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := LoadModel(write("good.txt.gz", z.Bytes())); err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	m, err := parseModel([]byte(twoTrees))
	if err != nil {
		t.Fatal(err)
	}
	regression := func(width int) *task.Task {
		return &task.Task{Info: dataset.Info{Name: "yacht"}, Width: width}
	}
	if err := m.Check(regression(2)); err != nil {
		t.Error(err)
	}
	if err := m.Check(regression(3)); err == nil || err.Error() != "the model wants 2 features, yacht has 3 encoded ones" {
		t.Error(err)
	}
	turned, err := parseModel([]byte(strings.Replace(twoTrees, "feature_names=a b", "feature_names=Column_1 Column_0", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := turned.Check(regression(2)); err == nil || err.Error() != "the model was fitted on columns in another order: Column_1 is its column 0" {
		t.Error(err)
	}
	classes := &task.Task{Info: dataset.Info{Name: "poker-hand", Problem: dataset.MultiClass, Classes: 10}, Width: 2}
	if err := m.Check(classes); err == nil || err.Error() != "the model predicts 1 number(s) for a row, poker-hand (multiclass) wants 10" {
		t.Error(err)
	}
}
