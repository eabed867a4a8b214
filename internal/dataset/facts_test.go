package dataset

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// facts are what the paper, its code and the descriptions of the sources say of each table. Means and deviations
// (population) of regression targets are those in the paper's code; cells are copied from the files by eye.
var facts = map[string]struct {
	distinct []int // distinct values of each categorical column
	mean, sd float64
	missing  int
	cells    []cell
}{
	"yacht": {
		distinct: []int{5, 10, 8, 17, 10, 14}, mean: 10.495357142857143, sd: 15.135858907655322,
		cells: []cell{{0, 0, "-2.3"}, {0, 5, "0.125"}, {1, 5, "0.15"}, {1, 6, "0.27"}, {307, 6, "46.66"}},
	},
	"boston-housing": {
		distinct: []int{2, 9}, mean: 22.532806324110677, sd: 9.188011545278203,
		cells: []cell{{0, 0, "0.00632"}, {0, 13, "24"}, {0, 8, "1"}, {1, 8, "2"}, {0, 3, "0"}},
	},
	"breast-cancer": {
		distinct: []int{2},
		cells:    []cell{{0, 0, "M"}, {0, 1, "17.99"}, {0, 30, "0.1189"}, {568, 0, "B"}},
	},
	"concrete": {mean: 35.817961165048544, sd: 16.697630409134263, cells: []cell{{0, 8, "79.99"}, {2, 7, "270"}}},
	"protein":  {mean: 7.748528427727969, sd: 6.118244779017878, cells: []cell{{0, 0, "17.284"}, {1, 9, "38.5468"}}},
	"kick": {
		missing:  149203,
		distinct: []int{3, 33, 1063, 134, 863, 16, 3, 4, 3, 4, 12, 4, 2, 2, 74, 153, 37, 2, 2},
		cells: []cell{
			{0, 0, "14585"}, {0, 4, "MAZDA"}, {0, 24, "?"}, {0, 26, "21973"}, {0, 31, "1113"}, {0, 32, "0"}, // 7 December 2009
			{1, 5, "1500 RAM PICKUP 2WD"},
		},
	},
	"income": {
		distinct: []int{9, 52, 47, 17, 3, 7, 24, 15, 5, 10, 2, 3, 6, 8, 6, 6, 51, 38, 8, 10, 9, 10, 3, 4, 7, 5, 43, 43, 43, 5, 3,
			3, 3, 53, 2, 2},
		cells: []cell{{0, 0, "73"}, {0, 24, "1700.09"}, {0, 25, "?"}, {0, 41, "- 50000."}, {199523, 32, "Mexico"}},
	},
	"poker-hand": {
		distinct: []int{4, 13, 4, 13, 4, 13, 4, 13, 4, 13, 10},
		cells:    []cell{{25010, 3, "13"}, {25011, 1, "12"}, {25011, 10, "1"}},
	},
	"forest-cover": {
		distinct: append(slices.Repeat([]int{2}, 44), 7),
		cells:    []cell{{0, 0, "2596"}, {0, 10, "1"}, {0, 11, "0"}, {0, 42, "1"}, {0, 54, "5"}},
	},
	"higgs": {
		distinct: []int{2},
		cells:    []cell{{0, 0, "1"}, {0, 1, "1.0925643"}, {1, 28, "0.9862983"}},
	},
	"mnist": {
		distinct: []int{10},
		cells:    []cell{{0, 0, "0"}, {0, 152, "3"}, {0, 784, "5"}, {60000, 784, "7"}},
	},
}

type cell struct {
	row, column int
	value       string
}

func TestFacts(t *testing.T) {
	for _, s := range catalogue {
		t.Run(s.Name, func(t *testing.T) {
			table := loadReal(t, s.Name)
			fact := facts[cmp.Or(s.folder, s.Name)]
			var distinct []int
			missing, categorical := 0, 0
			for i := range table.Columns {
				c := &table.Columns[i]
				checkColumn(t, c, table.Rows)
				if c.Type == Categorical {
					distinct = append(distinct, len(c.Categories))
					if i != table.Info.Target {
						categorical++
					}
				}
				for row := range c.Missing {
					if c.Missing[row] {
						missing++
					}
				}
			}
			if !slices.Equal(distinct, fact.distinct) {
				t.Errorf("distinct values %v, want %v", distinct, fact.distinct)
			}
			if categorical != table.Info.Categorical {
				t.Errorf("%d categorical features, the catalogue says %d", categorical, table.Info.Categorical)
			}
			if table.Info.FlagsStay != (missing > 0) {
				t.Errorf("%d missing entries, FlagsStay is %v", missing, table.Info.FlagsStay)
			}
			if missing != fact.missing {
				t.Errorf("%d missing entries, want %d", missing, fact.missing)
			}
			for _, cell := range fact.cells {
				if got := show(&table.Columns[cell.column], cell.row); got != cell.value {
					t.Errorf("row %d column %d is %s, want %s", cell.row, cell.column, got, cell.value)
				}
			}
			if s.Name == "income" {
				checkIncomeKinds(t, table)
			}
			checkTarget(t, table, fact.mean, fact.sd)
			if (table.Subset == "") != (table.Rows == table.Info.Rows) {
				t.Errorf("%d rows, subset %q", table.Rows, table.Subset)
			}
		})
	}
}

// loadReal loads a real table and checks that Find said the same of it.
func loadReal(t *testing.T, name string) *Table {
	l := realData(t, name)
	loc, err := l.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	table, err := l.Load(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	if loc.Rows != table.Rows || loc.Info.TestAt != table.Info.TestAt || loc.Subset != table.Subset || loc.Check == SameFile && loc.Digest != table.Digest {
		t.Errorf("found %+v, loaded %v with test rows from %d, digest %s", loc, table, table.Info.TestAt, table.Digest)
	}
	if table.Check < SameTable {
		t.Errorf("check: %v", table.Check)
	}
	return table
}

// checkTarget checks the target of a regression; rows of classes are counted when a table is read.
func checkTarget(t *testing.T, table *Table, mean, sd float64) {
	if table.Info.Problem.Classification() {
		return
	}
	target := table.Target()
	var sum, squares float64
	for row := range table.Rows {
		sum += target.Float(row)
	}
	gotMean := sum / float64(table.Rows)
	for row := range table.Rows {
		squares += math.Pow(target.Float(row)-gotMean, 2)
	}
	if gotSD := math.Sqrt(squares / float64(table.Rows)); !(math.Abs(gotMean/mean-1) <= 1e-13) || !(math.Abs(gotSD/sd-1) <= 1e-13) {
		t.Errorf("target %.17g +- %.17g, want %.17g +- %.17g", gotMean, gotSD, mean, sd)
	}
}

// show returns an entry as its file has it, "?" for a missing one.
func show(c *Column, row int) string {
	switch {
	case c.IsMissing(row):
		return "?"
	case c.Type == Categorical:
		return c.Categories[c.Codes[row]]
	case c.F32 != nil:
		return strconv.FormatFloat(float64(c.F32[row]), 'f', -1, 32)
	}
	return strconv.FormatFloat(c.F64[row], 'f', -1, 64)
}

// checkIncomeKinds: the paper's code calls a column continuous that has more than 55 distinct values.
func checkIncomeKinds(t *testing.T, table *Table) {
	for i := range table.Columns {
		c := &table.Columns[i]
		distinct := map[float64]bool{}
		for row := 0; row < table.Rows && len(distinct) <= 55; row++ {
			if c.Type == Continuous {
				distinct[c.Float(row)] = true
			} else {
				distinct[float64(c.Codes[row])] = true
			}
		}
		if (len(distinct) > 55) != (c.Type == Continuous) {
			t.Errorf("%s: %d distinct values, %v", c.Name, len(distinct), c.Type)
		}
	}
}

// Both other forms in which a source offers a table give the same table.
func TestOtherForms(t *testing.T) {
	for _, test := range []struct {
		dataset, from, to string
		convert           func(string) string
	}{
		{"boston-housing", "housing.data", "boston", toStatLib},
		{"concrete", "Concrete_Data.csv", "Concrete_Data.arff", toARFF},
	} {
		real := realData(t, test.dataset)
		content, err := os.ReadFile(must1(real.file(builtIn(test.dataset), test.from)))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		path := filepath.Join(dir, test.dataset, test.to)
		os.Mkdir(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(test.convert(string(content))), 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := (&Library{Dirs: []string{dir}}).Load(context.Background(), test.dataset)
		if err != nil || table.Check != SameTable {
			t.Errorf("%s: %v, %v", test.to, table, err)
		}
	}
}

// toStatLib writes two lines a row, as StatLib does, under its 22 lines of explanation.
func toStatLib(s string) string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" some words\n", 5) + "\n" + strings.Repeat(" CRIM  a rate\n", 15) + "\n")
	for line := range strings.Lines(s) {
		fields := strings.Fields(line)
		b.WriteString(" " + strings.Join(fields[:11], "  ") + "\n  " + strings.Join(fields[11:], "   ") + "\n")
	}
	return b.String()
}

func toARFF(s string) string {
	header, rows, _ := strings.Cut(s, "\n")
	var b strings.Builder
	b.WriteString("@RELATION Concrete_Data\n\n")
	for _, name := range strings.Split(header, ",") {
		b.WriteString("@ATTRIBUTE '" + name + "' REAL\n")
	}
	return b.String() + "\n@DATA\n" + rows
}

func must1(path string, _ int64, err error) string {
	if err != nil {
		panic(err)
	}
	return path
}
