package split

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nptbench/internal/dataset"
)

// rules are the tables of split_fixtures.csv, which scikit-learn 1.2.1 made.
var rules = map[string]Rule{
	"boston-housing":       {Rows: 506, Folds: 10},
	"concrete":             {Rows: 1030, Folds: 10},
	"yacht":                {Rows: 308, Folds: 10},
	"protein":              {Rows: 45730, Folds: 5},
	"synthetic-stratified": {Rows: 569, Folds: 10, Labels: syntheticLabels()},
}

func syntheticLabels() []uint16 {
	labels := make([]uint16, 569)
	for i := range labels {
		if 7919*i%569 < 212 {
			labels[i] = 1
		}
	}
	return labels
}

func joined(rows []int32) string {
	words := make([]string, len(rows))
	for i, r := range rows {
		words[i] = strconv.Itoa(int(r))
	}
	return strings.Join(words, ",")
}

func shortSHA(rows []int32) string {
	sum := sha256.Sum256([]byte(joined(rows)))
	return hex.EncodeToString(sum[:8])
}

func TestEqualsScikitLearn(t *testing.T) {
	f, err := os.Open("testdata/split_fixtures.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	protocols := map[string]Protocol{"clean": Corrected, "as_coded": Published}
	if len(lines) != 271 {
		t.Fatalf("%d lines of fixtures, want 271", len(lines))
	}
	for _, line := range lines[1:] {
		name, rule, fold, part := line[0], line[2], line[3], line[4]
		number, _ := strconv.Atoi(fold)
		s, err := Make(rules[name], protocols[rule], number)
		if err != nil {
			t.Fatalf("%s %s fold %s: %v", name, rule, fold, err)
		}
		rows := map[string][]int32{"train": s.Train, "val": s.Val, "test": s.Test}[part]
		sum := 0
		for _, r := range rows {
			sum += int(r)
		}
		first := strings.ReplaceAll(joined(rows[:8]), ",", " ")
		got := []string{strconv.Itoa(len(rows)), first, strconv.Itoa(sum), shortSHA(rows)}
		if strings.Join(got, "|") != strings.Join(line[5:9], "|") {
			t.Errorf("%s %s fold %s %s: got %v, scikit-learn gives %v", name, rule, fold, part, got, line[5:9])
		}
	}
}

// Several classes, tied remainders and class counts that the folds do not divide; made by StratifiedKFold and
// train_test_split of scikit-learn 1.2.1.
func TestManyClassesEqualScikitLearn(t *testing.T) {
	raw, err := os.ReadFile("testdata/stratified.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Rows, Classes, Folds, Fold int
		Train, Val, Test           string
		Counts                     [3]int
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		labels := make([]uint16, c.Rows)
		for i := range labels {
			labels[i] = uint16((i*i*31 + 7*i) % c.Classes)
		}
		s, err := Make(Rule{Rows: c.Rows, Labels: labels, Folds: c.Folds}, Corrected, c.Fold)
		if err != nil {
			t.Fatal(err)
		}
		if counts := [3]int{len(s.Train), len(s.Val), len(s.Test)}; counts != c.Counts {
			t.Errorf("%+v: got %v rows", c, counts)
		}
		if shortSHA(s.Train) != c.Train || shortSHA(s.Val) != c.Val || shortSHA(s.Test) != c.Test {
			t.Errorf("%d rows of %d classes, fold %d of %d: rows differ from scikit-learn's", c.Rows, c.Classes, c.Fold, c.Folds)
		}
	}
}

// Rows of a group are kept together as by GroupKFold and GroupShuffleSplit of scikit-learn 1.7.2 (testdata/groups.py); published folds
// after the first would part them.
func TestGroupsEqualScikitLearn(t *testing.T) {
	raw, err := os.ReadFile("testdata/groups.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Rows, Groups, Folds, Fold int
		Train, Val, Test          string
		Counts                    [3]int
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		present := make([]bool, c.Groups)
		groups := make([]uint16, c.Rows)
		for i := range groups {
			groups[i] = uint16(i * i * i / 7 % c.Groups)
			present[groups[i]] = true
		}
		number, n := make([]uint16, c.Groups), uint16(0) // without gaps
		for g, there := range present {
			if number[g] = n; there {
				n++
			}
		}
		for i, g := range groups {
			groups[i] = number[g]
		}
		rule := Rule{Rows: c.Rows, Groups: groups, Labels: groups, Folds: c.Folds}
		s, err := Make(rule, Corrected, c.Fold)
		if err != nil {
			t.Fatal(err)
		}
		if counts := [3]int{len(s.Train), len(s.Val), len(s.Test)}; counts != c.Counts {
			t.Errorf("%+v: got %v rows", c, counts)
		}
		if shortSHA(s.Train) != c.Train || shortSHA(s.Val) != c.Val || shortSHA(s.Test) != c.Test {
			t.Errorf("%d rows of %d groups, fold %d of %d: rows differ from scikit-learn's", c.Rows, n, c.Fold, c.Folds)
		}
		if p, err := Make(rule, Published, c.Fold); c.Fold == 0 && p.Digest() != s.Digest() || c.Fold > 0 && err == nil {
			t.Errorf("published fold %d: %v, %v", c.Fold, p.Digest(), err)
		}
	}
	few := []uint16{0, 0, 0, 0, 1, 1, 1, 1}
	for folds, want := range map[int]string{2: "2 groups of rows leave 1 for test, 1 for validation and none for training", 3: "2 groups of rows cannot be cut into 3 folds"} {
		if _, err := Make(Rule{Rows: 8, Groups: few, Folds: folds}, Corrected, 0); err == nil || err.Error() != want {
			t.Errorf("two groups: %v, want %s", err, want)
		}
	}
}

func TestFixedTestRows(t *testing.T) {
	rule := Rule{Rows: 125010, Folds: 5, TestAt: 25010}
	if train, val, test := rule.Sizes(0); train != 21883 || val != 3127 || test != 100000 {
		t.Errorf("sizes %d, %d, %d", train, val, test)
	}
	s, err := Make(rule, Published, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Train) != 21883 || len(s.Val) != 3127 || len(s.Test) != 100000 || s.Test[0] != 25010 {
		t.Errorf("got %d, %d, %d rows, test from %d", len(s.Train), len(s.Val), len(s.Test), s.Test[0])
	}
}

// A split that is given is made as it is, in the order of the table. Without validation rows these are drawn as where the test rows are
// the last.
func TestGivenParts(t *testing.T) {
	const test, train, val = dataset.TestPart, dataset.TrainPart, dataset.ValPart
	table := &dataset.Table{Rows: 6, Info: dataset.Info{Folds: 1}, Columns: []dataset.Column{{F64: make([]float64, 6)}},
		Parts: []uint16{val, test, train, train, val, train}}
	for _, p := range Protocols {
		s, err := Make(RuleOf(table), p, 0)
		if err != nil || !slices.Equal(s.Train, []int32{2, 3, 5}) || !slices.Equal(s.Val, []int32{0, 4}) || !slices.Equal(s.Test, []int32{1}) {
			t.Errorf("%s: %+v, %v", p, s, err)
		}
		if _, err := Make(RuleOf(table), p, 1); !errors.Is(err, ErrNoFold) {
			t.Errorf("%s: fold 1: %v", p, err)
		}
		last := Rule{Rows: 100, Folds: 5, TestAt: 80}
		given := Rule{Rows: 100, Folds: 1, Parts: append(slices.Repeat([]uint16{train}, 80), slices.Repeat([]uint16{test}, 20)...)}
		for _, labels := range [][]uint16{nil, syntheticLabels()[:100]} {
			last.Labels, given.Labels = labels, labels
			want, _ := Make(last, p, 0)
			if s, err := Make(given, p, 0); err != nil || s.Digest() != want.Digest() || len(s.Val) != 10 {
				t.Errorf("%s: %+v, %v, want %+v", p, s, err, want)
			}
		}
	}
}

// Two published folds share a tenth of their test rows on average, as random ones would; those of true cross-validation share none.
func TestFoldsShareRows(t *testing.T) {
	for _, name := range []string{"yacht", "boston-housing", "concrete"} {
		rule := rules[name]
		var tests []map[int32]bool
		rows := 0
		for fold := range rule.Folds {
			s, err := Make(rule, Published, fold)
			if err != nil {
				t.Fatal(err)
			}
			test := map[int32]bool{}
			for _, row := range s.Test {
				test[row] = true
			}
			tests, rows = append(tests, test), rows+len(test)
		}
		shared, pairs := 0, 0
		for i, a := range tests {
			for _, b := range tests[:i] {
				pairs++
				for row := range a {
					if b[row] {
						shared++
					}
				}
			}
		}
		share := float64(shared) / float64(pairs) / (float64(rows) / float64(len(tests)))
		t.Logf("%s: two folds share %.1f %% of their test rows on average", name, 100*share)
		if !(share > 0.08 && share < 0.12) {
			t.Errorf("%s: two published folds share %.3f of their test rows", name, share)
		}
	}
}

func TestEveryFoldIsAPartition(t *testing.T) {
	for name, rule := range rules {
		for _, p := range Protocols {
			tested := map[int32]int{}
			for fold := range rule.Folds {
				s, err := Make(rule, p, fold)
				if err != nil {
					t.Fatal(err)
				}
				seen := make([]bool, rule.Rows)
				for _, row := range s.Rows() {
					if seen[row] {
						t.Fatalf("%s %s fold %d: row %d twice", name, p, fold, row)
					}
					seen[row] = true
				}
				if train, val, test := rule.Sizes(fold); train != len(s.Train) || val != len(s.Val) || test != len(s.Test) {
					t.Errorf("%s %s fold %d: sizes %d, %d, %d", name, p, fold, train, val, test)
				}
				if len(s.Rows()) != rule.Rows {
					t.Fatalf("%s %s fold %d: %d of %d rows", name, p, fold, len(s.Rows()), rule.Rows)
				}
				for _, row := range s.Test {
					tested[row]++
				}
			}
			if p == Corrected && len(tested) != rule.Rows {
				t.Errorf("%s: true cross-validation tests %d of %d rows", name, len(tested), rule.Rows)
			}
			// The paper's folds compound: protocol.md counts 330 of 506, 674 of 1030 and 199 of 308 rows ever tested.
			if want, ok := map[string]int{"boston-housing": 330, "concrete": 674, "yacht": 199}[name]; ok && p == Published && len(tested) != want {
				t.Errorf("%s: as published %d rows are ever tested, want %d", name, len(tested), want)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		fold int
	}{
		{Rule{Rows: 506, Folds: 10}, 10},
		{Rule{Rows: 506, Folds: 10}, -1},
		{Rule{Rows: 5, Folds: 10}, 0},
		{Rule{Rows: 1, Folds: 1}, 0},
		{Rule{Rows: 100, Folds: 5, TestAt: 50}, 1},
		{Rule{Rows: 2, Folds: 1, Parts: []uint16{dataset.TrainPart, dataset.TestPart}}, 0},
	} {
		if s, err := Make(c.rule, Published, c.fold); err == nil {
			t.Errorf("%+v fold %d: got %d rows, want an error", c.rule, c.fold, len(s.Rows()))
		}
	}
}

func TestDigestDependsOnParts(t *testing.T) {
	a := Split{Train: []int32{1, 2}, Val: []int32{3}, Test: []int32{4}}
	b := Split{Train: []int32{1}, Val: []int32{2, 3}, Test: []int32{4}}
	if a.Digest() == b.Digest() {
		t.Error("two splits of the same order have the same digest")
	}
}

func BenchmarkPublishedLastFold(b *testing.B) {
	for b.Loop() {
		Make(rules["concrete"], Published, 9)
	}
}

// Stratification follows the target: a class is stratified by, a number is not, and fixed test rows are kept.
func TestRuleOf(t *testing.T) {
	classes := &dataset.Table{Rows: 3, Info: dataset.Info{Problem: dataset.Binary, Folds: 5, TestAt: 2, Target: 0},
		Columns: []dataset.Column{{Type: dataset.Categorical, Codes: []uint16{0, 1, 1}}}}
	if r := RuleOf(classes); r.Rows != 3 || r.Folds != 5 || r.TestAt != 2 || len(r.Labels) != 3 {
		t.Errorf("got %+v", r)
	}
	numbers := &dataset.Table{Rows: 2, Info: dataset.Info{Folds: 10}, Columns: []dataset.Column{{F64: []float64{1, 2}}}}
	if r := RuleOf(numbers); r.Labels != nil || r.Folds != 10 {
		t.Errorf("got %+v", r)
	}
}

// The shares of validation rows are those that EXTENDING.md names.
func TestValidationShares(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		val  int
	}{{Rule{Rows: 400, Folds: 10}, 80}, {Rule{Rows: 400, Folds: 5}, 40}, {Rule{Rows: 400, Folds: 20}, 40}, {Rule{Rows: 500, Folds: 5, TestAt: 400}, 50}} {
		if _, val, _ := c.rule.Sizes(0); val != c.val {
			t.Errorf("%+v: %d validation rows, want %d", c.rule, val, c.val)
		}
	}
}

// Tables of 65,537 rows and more need random numbers of more than 16 bits; numpy.random.RandomState(42) gives these.
func TestLargeTables(t *testing.T) {
	for fold, want := range map[int][3]string{
		0: {"6d1b4411b09f340c", "ee11e7e11e2f25bd", "fe022d0438a66e17"}, 4: {"9370a008a513e84c", "cf34dddaa3ac13b0", "4d2af73646a0cd68"},
	} {
		s, err := Make(Rule{Rows: 70000, Folds: 5}, Corrected, fold)
		if got := [3]string{shortSHA(s.Train), shortSHA(s.Val), shortSHA(s.Test)}; err != nil || got != want {
			t.Errorf("fold %d: %v, %v, want %v", fold, got, err, want)
		}
	}
}

// Classes whose shares tie, or are whole numbers but for rounding, are divided as scikit-learn divides them.
func TestHoldOutOfTies(t *testing.T) {
	for _, c := range []struct {
		rows, classes, val int
		train, valid       string
	}{{27, 5, 9, "2b1dc8d647afb4b9", "4eadd0974297bec3"}, {135, 7, 45, "0a32576bce579ff4", "d3ebf0240f6aa31d"}} {
		labels := make([]uint16, c.rows)
		for i := range labels {
			labels[i] = uint16((i*i*31 + 7*i) % c.classes)
		}
		if train, val := stratifiedHoldOut(labels, c.val); shortSHA(train) != c.train || shortSHA(val) != c.valid {
			t.Errorf("%+v: %s, %s", c, shortSHA(train), shortSHA(val))
		}
	}
}

// A class of a single row has its place among training or validation rows: of 21 rows each is somewhere, once.
func TestHoldOutOfASingleRow(t *testing.T) {
	labels := make([]uint16, 21) // ten rows of a class, ten of another, one of a third
	for i := range labels {
		labels[i] = uint16(i / 10)
	}
	train, val := stratifiedHoldOut(labels, 5)
	seen := map[int32]bool{}
	for _, row := range append(slices.Clone(train), val...) {
		seen[row] = true
	}
	if len(train) != 16 || len(val) != 5 || len(seen) != 21 {
		t.Errorf("%d training and %d validation rows, %d different, want 16, 5 and 21", len(train), len(val), len(seen))
	}
}

func TestSmallestTables(t *testing.T) {
	if s, err := Make(Rule{Rows: 10, Folds: 10}, Corrected, 0); err != nil || len(s.Rows()) != 10 {
		t.Errorf("ten rows: %v, %v", s, err)
	}
	// Of ten rows in two folds a tenth of all, two tenths of the other half, validates.
	if s, err := Make(Rule{Rows: 10, Folds: 2}, Corrected, 1); err != nil || len(s.Train) != 4 || len(s.Val) != 1 || len(s.Test) != 5 {
		t.Errorf("two folds: %v, %v", s, err)
	}
	if s, err := Make(Rule{Rows: 2, Folds: 2}, Corrected, 0); err == nil {
		t.Errorf("no training rows: %v", s)
	}
}
