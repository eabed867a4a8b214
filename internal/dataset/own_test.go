package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const wineDeclaration = `title: Wine
file: wine.csv
separator: ";"
rows: 4
missing: ["", "?"]
columns:
  colour: [white, red]
  region: category
  acidity: number
  id: skip
  quality: number
target: quality
split: {folds: 2}
`

const wineText = `id;colour;region;acidity;quality
1;red;north;0.5;6
2;white;"wild; ""west""";1e1;5
3;white;?;-2;5.5
4;red;north;;7
`

// declare writes a data set of one's own and returns a library of it.
func declare(t *testing.T, name, declaration, text string) (l *Library, dir string) {
	t.Helper()
	root := t.TempDir()
	dir = filepath.Join(root, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{Declaration: declaration, "wine.csv": text} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Library{Dirs: []string{root}, CacheDir: t.TempDir(), Log: logger{t}}, dir
}

func TestOwn(t *testing.T) {
	l, _ := declare(t, "wine", wineDeclaration, wineText)
	infos := l.Infos()
	if len(infos) != len(catalogue)+1 {
		t.Fatalf("%d data sets", len(infos))
	}
	info := infos[len(infos)-1]
	if info.Name != "wine" || info.Title != "Wine" || info.Problem != Regression || info.Target != 3 || info.Columns != 4 ||
		info.Folds != 2 || info.RunFolds != 2 || info.TestAt > 0 || info.FlagsStay {
		t.Errorf("%+v", info)
	}
	table, err := l.Load(t.Context(), "wine")
	if err != nil {
		t.Fatal(err)
	}
	want := []Column{
		{Name: "colour", Type: Categorical, Categories: []string{"red", "white"}, Codes: []uint16{0, 1, 1, 0}},
		{Name: "region", Type: Categorical, Categories: []string{"north", `wild; "west"`}, Codes: []uint16{0, 1, 0, 0}, Missing: []bool{false, false, true, false}},
		{Name: "acidity", F32: []float32{0.5, 10, -2, 0}, Missing: []bool{false, false, false, true}},
		{Name: "quality", F32: []float32{6, 5, 5.5, 7}},
	}
	if !reflect.DeepEqual(table.Columns, want) || table.Check != SameRows {
		t.Errorf("columns\n%+v, want\n%+v", table.Columns, want)
	}
	// What is declared beside the values changes the digest, by which records know the table.
	full := strings.Replace(wineText, ";;", ";3;", 1)
	l, _ = declare(t, "wine", wineDeclaration, full)
	if table, err = l.Load(t.Context(), "wine"); err != nil {
		t.Fatal(err)
	}
	if table.Digest != "7e200d2aaaaa8f2b14f922c24e74c47b5a70882a27ecb6090d4670da16cb00b3" {
		t.Errorf("the digest is %s: records of earlier versions would not be found", table.Digest)
	}
	for change, digest := range map[string]string{
		"split: {folds: 2}/split: {folds: 3}": "1be125902b9f851833a1e3edcaeb3f017c613548efb601709f4866c40636342a",
		"split: {folds: 2}/split: {test: 1}":  "e7e461e679c00e8c0e2d063e858e238c1ee8ab5fb5fd74340ef7b2a63dcb6c49",
		"target: quality/target: acidity":     "f2a1d40ce69728f7e9a7b3fa4f07e8a84731be9b7c807a1fe493289d42038c61",
	} {
		old, new, _ := strings.Cut(change, "/")
		other, _ := declare(t, "wine", strings.Replace(wineDeclaration, old, new, 1), full)
		if again, err := other.Load(t.Context(), "wine"); err != nil || again.Digest != digest {
			t.Errorf("%s: %v, %v, want the digest %s, by which earlier versions have their records", change, again, err, digest)
		}
	}
	last, _ := declare(t, "wine", strings.Replace(wineDeclaration, "{folds: 2}", "{test: 1}", 1), wineText)
	if info, err := last.Lookup("wine"); err != nil || info.TestAt != 3 || info.Folds != 5 || info.RunFolds != 1 {
		t.Errorf("the last of four rows is for the test: %+v, %v", info, err)
	}
	for _, change := range []string{"Wine/Vino", "split: {folds: 2}/split: {folds: 2, run: 1}", "split: {folds: 2}/split: {folds: 2, run: 2}"} {
		old, new, _ := strings.Cut(change, "/")
		same, _ := declare(t, "wine", strings.Replace(wineDeclaration, old, new, 1), full)
		if again, err := same.Load(t.Context(), "wine"); err != nil || again.Digest != table.Digest {
			t.Errorf("%s: %v, %v", change, again, err)
		}
	}
}

// Rows of a group are known by a column that is no feature; every row has one, and they are part of the table's digest.
func TestOwnGroups(t *testing.T) {
	declaration := strings.Replace(wineDeclaration, "{folds: 2}", "{folds: 2, groups: id}", 1)
	load := func(ids ...string) (*Table, error) {
		text := wineText
		for i, id := range ids {
			text = strings.Replace(text, fmt.Sprintf("\n%d;", i+1), "\n"+id+";", 1)
		}
		l, _ := declare(t, "wine", declaration, text)
		return l.Load(t.Context(), "wine")
	}
	free, _ := declare(t, "wine", wineDeclaration, wineText)
	without, err := free.Load(t.Context(), "wine")
	if err != nil || without.Groups != nil {
		t.Fatal(without, err)
	}
	table, err := load("10", "b", "9", "10")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(table.Groups, []uint16{0, 2, 1, 0}) || table.Info.Groups != "id" || !reflect.DeepEqual(table.Columns, without.Columns) {
		t.Errorf("groups %v by %q, columns %v", table.Groups, table.Info.Groups, table.Columns)
	}
	if table.Digest != "0c3e9250518250d0e8b90a43d4910b4afeddb23d71848c8a5ef1dd07016e0270" {
		t.Errorf("the digest is %s: records of earlier versions would not be found", table.Digest)
	}
	declaration = strings.Replace(declaration, `"?"]`, `"?", 9]`, 1) // of other columns
	other, err := load("10", "b", "10", "9")
	if err != nil || other.Digest == table.Digest || table.Digest == without.Digest {
		t.Errorf("%v; digests %s, %s, %s", err, other.Digest, table.Digest, without.Digest)
	}
	for ids, want := range map[string]string{"1 01 2 1": `wine.csv: column id: the groups "1" and "01" are the same number: make them alike, or put a letter before them`,
		"a a a a": "wine.csv: column id has 1 group, want one at least for each of 2 folds"} {
		if _, err := load(strings.Fields(ids)...); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("groups %s: %v, want %s", ids, err, want)
		}
	}
	for _, id := range []string{"", "?", "NaN"} {
		const want = "wine.csv:3:1: column id: the row has no group; give it one of its own, or leave the row out"
		if _, err := load("a", id, "a", "a"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("group %q: %v, want %s", id, err, want)
		}
	}
}

// A split that is given is a column of the file that is no feature, and part of the table's digest.
func TestOwnParts(t *testing.T) {
	declaration := strings.NewReplacer("{folds: 2}", "{column: id}", `"?"]`, `"?", val]`).Replace(wineDeclaration) // val is missing in features
	load := func(parts ...string) (*Table, error) {
		text := wineText
		for i, part := range parts {
			text = strings.Replace(text, fmt.Sprintf("\n%d;", i+1), "\n"+part+";", 1)
		}
		l, _ := declare(t, "wine", declaration, text)
		return l.Load(t.Context(), "wine")
	}
	free, _ := declare(t, "wine", wineDeclaration, wineText)
	without, err := free.Load(t.Context(), "wine")
	if err != nil || without.Parts != nil {
		t.Fatal(without, err)
	}
	digests := []string{without.Digest}
	for parts, want := range map[string][]uint16{
		"train val test train": {TrainPart, ValPart, TestPart, TrainPart}, "train test val train": {TrainPart, TestPart, ValPart, TrainPart},
		"test train train train": {TestPart, TrainPart, TrainPart, TrainPart},
	} {
		table, err := load(strings.Fields(parts)...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.Parts, want) || table.Info.Folds != 1 || table.Info.RunFolds != 1 || !reflect.DeepEqual(table.Columns, without.Columns) {
			t.Errorf("%s: parts %v, columns %v of %+v", parts, table.Parts, table.Columns, table.Info)
		}
		if parts == "train val test train" && table.Digest != "c88c68b71deef6968f60e5a85a5ec45a838acd4ee247ee80f2f148bfe91d9fd8" {
			t.Errorf("the digest is %s: records of earlier versions would not be found", table.Digest)
		}
		if slices.Contains(digests, table.Digest) {
			t.Errorf("%s: another split has the digest %s, too", parts, table.Digest)
		}
		digests = append(digests, table.Digest)
	}
	for parts, want := range map[string]string{
		"train/tset/val/test":   `wine.csv:3:1: column id: "tset" is no part; want train, val or test`,
		"train/test/?/val":      `wine.csv:4:1: column id: "?" is no part; want train, val or test`,
		"Train/test/val/val":    `wine.csv:2:1: column id: "Train" is no part; want train, val or test`,
		"train/test/val/":       `wine.csv:5:1: column id: an empty field is no part; want train, val or test`,
		"train/val/train/train": "wine.csv: column id has no row with test, want one at least with train and one with test",
		"test/val/test/val":     "wine.csv: column id has no row with train, want one at least with train and one with test",
	} {
		if _, err := load(strings.Split(parts, "/")...); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", parts, err, want)
		}
	}
}

// Words of a declaration are what the file has, whatever they are to YAML.
func TestOwnWords(t *testing.T) {
	const declaration = "file: wine.csv\nrows: 4\nmissing: [%s]\ncolumns:\n  c: %s\n  y: number\ntarget: y\nsplit: {folds: 2}\n"
	for _, test := range []struct {
		missing, column, values string
		gaps                    string
		categories              []string
	}{
		{"NULL", "category", "a NULL b NULL", "0101", []string{"a", "b"}},
		{"-9.0", "number", "1 -9.0 -9 2", "0110", nil}, // one number, which programs write in either way
		{"-9", "category", "a -9.0 -9 b", "0110", []string{"a", "b"}},
		{"9", "category", "09 a 9 b", "1010", []string{"a", "b"}},
		{"NA", "category", "9007199254740993 9007199254740992 NA 7", "0010", []string{"7", "9007199254740992", "9007199254740993"}},
		{"077", "number", "1 077 63 2", "0100", nil},
		{"NA, ~", "[010, 020]", "010 NA 020 ~", "0101", []string{"10", "20"}},
		{"NA", "[null, true]", "null NA true null", "0100", []string{"null", "true"}},
	} {
		v := strings.Fields(test.values)
		l, _ := declare(t, "wine", fmt.Sprintf(declaration, test.missing, test.column), fmt.Sprintf("c,y\n%s,1\n%s,2\n%s,3\n%s,4\n", v[0], v[1], v[2], v[3]))
		table, err := l.Load(t.Context(), "wine")
		if err != nil {
			t.Error(err)
			continue
		}
		gaps := ""
		for row := range 4 {
			gaps += map[bool]string{true: "1", false: "0"}[table.Columns[0].IsMissing(row)]
		}
		if gaps != test.gaps || !slices.Equal(table.Columns[0].Categories, test.categories) {
			t.Errorf("%+v: missing %s, categories %q", test, gaps, table.Columns[0].Categories)
		}
	}
	l, _ := declare(t, "wine", fmt.Sprintf(declaration, "NA", "category"), "c,y\n01,1\n2,2\n1.0,3\n3,4\n")
	if _, err := l.Load(t.Context(), "wine"); err == nil || !strings.Contains(err.Error(), `column c: the categories "01" and "1.0" are the same number: declare it number, make them alike, or put a letter before them where they are names`) {
		t.Error(err)
	}
}

func TestOwnClasses(t *testing.T) {
	for _, test := range []struct {
		levels string
		text   string
		want   Problem
		codes  []uint16
	}{
		{"[1, 0]", "0\n1\n1.0\n0\n", Binary, []uint16{0, 1, 1, 0}},
		{"[10, 9, 8]", "8\n10\n9\n10\n", MultiClass, []uint16{0, 2, 1, 2}},
		{"[b, 2, a]", "b\n2\na\n2\n", MultiClass, []uint16{2, 0, 1, 0}},
	} {
		declaration := "file: wine.csv\nrows: 4\ncolumns: {x: number, y: " + test.levels + "}\ntarget: y\nsplit: {folds: 2, run: 1}\n"
		text := "x,y\n"
		for line := range strings.Lines(test.text) {
			text += "1," + line
		}
		l, _ := declare(t, "wine", declaration, text)
		table, err := l.Load(t.Context(), "wine")
		if err != nil || table.Info.Problem != test.want || table.Info.RunFolds != 1 || !reflect.DeepEqual(table.Labels(), test.codes) {
			t.Errorf("%s: %v, %v", test.levels, table, err)
		}
	}
}

// Keys without a value are left out, names of columns can be numbers, and intervals are words.
func TestOwnForms(t *testing.T) {
	var ends []string
	for i := range 60 {
		ends = append(ends, fmt.Sprintf("'[%d, %d)'", i, i+1))
	}
	l, _ := declare(t, "wine", "title: ~\nlicence:\nseparator: null\nsha256:\nmissing:\nfile: wine.csv\nrows: 3\n"+
		"columns: {0: ["+strings.Join(ends, ", ")+"], 2019: number}\ntarget: 2019\nsplit: {folds: 2, run: }\n", "0,2019\n\"[3, 4)\",1\n\"[0, 1)\",2\n\"[0, 1)\",3\n")
	table, err := l.Load(t.Context(), "wine")
	if err != nil {
		t.Fatal(err)
	}
	if c := table.Columns[0]; c.Name != "0" || len(c.Categories) != 60 || c.Categories[c.Codes[0]] != "[3, 4)" || table.Info.Title != "wine" {
		t.Errorf("%+v, %+v", c, table.Info)
	}
}

// Declared categories keep their order and codes when the file has only some of them.
func TestOwnLevels(t *testing.T) {
	l, _ := declare(t, "wine", "file: wine.csv\nrows: 3\ncolumns: {a: [10, x, 9], b: [10, 1.5, 9], y: number}\ntarget: y\nsplit: {folds: 2}\n",
		"a,b,y\n9,1.50,1\n10,10,2\n10,9,3\n")
	table, err := l.Load(t.Context(), "wine")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Column{
		{Name: "a", Type: Categorical, Categories: []string{"10", "9", "x"}, Codes: []uint16{1, 0, 0}},
		{Name: "b", Type: Categorical, Categories: []string{"1.5", "9", "10"}, Codes: []uint16{0, 2, 1}},
	} {
		if got := table.Columns[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// Whatever is wrong with a declaration or its file is one line that names the place.
func TestOwnRefuses(t *testing.T) {
	for change, want := range map[string]string{
		"title/titel":                           `dataset.yaml:1:1: unknown key "titel" in the declaration (did you mean "title"?)`,
		"title/from":                            `dataset.yaml:1:1: unknown key "from" in the declaration; known: title, file, separator, rows, missing, columns, target, split, licence, sha256`,
		"split: {folds/split: {fold":            `dataset.yaml:13:9: unknown key "fold" in split (did you mean "folds"?)`,
		"split: {folds/split: {title":           `dataset.yaml:13:9: unknown key "title" in split; known: folds, run, test, groups`,
		"title: Wine/title: [a":                 `dataset.yaml:`,
		"rows: 4/rows: 4.5":                     `dataset.yaml:4:7: rows: want a whole number`,
		"{folds: 2}/{folds: 2.5}":               `dataset.yaml:13:16: split: want {folds: N}, N from 2 to 255, also with groups: COLUMN, or {test: N}, the number of test rows at the end`,
		wineDeclaration + "/# nothing\n":        `dataset.yaml:1:1: the file is empty; its keys would be title, file, separator, rows, `,
		"rows: 4/rows:":                         `dataset.yaml:1:1: rows: want the number of rows, without the header; wine.csv has 4`,
		"rows: 4/rows: 0x4":                     `dataset.yaml:4:7: rows: want a whole number in plain decimal digits`,
		"{folds: 2}/{folds: 010}":               `dataset.yaml:13:16: split: want {folds: N}`,
		"{folds: 2}/{folds: 2, run: 0}":         `dataset.yaml:13:8: split: run: want 1 to 2, the number of folds`,
		"{folds: 2}/{folds: 2, test: 0}":        `dataset.yaml:13:8: split: want {test: N}, alone, with N from 1 to 2`,
		"split: {folds: 2}/":                    `dataset.yaml:1:1: split: want {folds: N}`,
		"rows: 4/rows: many":                    `dataset.yaml:4:7: rows: want a whole number`,
		"rows: 4\n/":                            `dataset.yaml:1:1: rows: want the number of rows, without the header; wine.csv has 4`,
		"rows: 4/rows: 3":                       `wine.csv:5: more than the declared 3 rows`,
		"rows: 4/rows: 5":                       `wine.csv: 4 rows, 5 declared`,
		"rows: 4/rows: 6000000000000000000":     `dataset.yaml:4:7: rows: a table has at most 2147483647 rows`,
		"acidity: number/acidity: nmber":        `dataset.yaml:9:12: columns: acidity: "nmber" is no type, want number, category, a list of categories, or skip (did you mean "number"?)`,
		"acidity: number/colour: number":        `dataset.yaml:9:3: colour is given twice (first at 7:3); keep one`,
		"{folds: 2}/{folds: 2, groups: id}":     `wine.csv: column id has another group for each of the 4 rows: leave groups out`,
		"{folds: 2}/{folds: 2, groups: colour}": `dataset.yaml:13:27: split: groups: want the name of a column that is declared skip, as "colour" is not; known: id`,
		"{folds: 2}/{folds: 2, groups: [id]}":   `dataset.yaml:13:27: split: groups: want the name of a column that is declared skip, as "" is not; known: id`,
		"  id: skip\n  quality: number\ntarget: quality\nsplit: {folds: 2}/  \"\": skip\n  quality: number\ntarget: quality\nsplit: {folds: 2, groups: [id]}": `dataset.yaml:13:27: split: groups: want the name of a column that is declared skip, as "" is not`,
		"{folds: 2}/{column: colour}":                      `dataset.yaml:13:17: split: column: want the name of a column that is declared skip, as "colour" is not; known: id`,
		"{folds: 2}/{column: id, folds: 2}":                `dataset.yaml:13:8: split: want {column: COLUMN}, alone`,
		"{folds: 2}/{column: id, test: 0}":                 `dataset.yaml:13:8: split: want {column: COLUMN}, alone`,
		"{folds: 2}/{column: }":                            `dataset.yaml:13:8: split: want {folds: N}`,
		"acidity: number/\"\": number":                     `dataset.yaml:9:7: columns: a column without a name can only be skipped: give it one here and in the file`,
		"{folds: 2}/{test: 1, groups: id}":                 `dataset.yaml:13:8: split: want {test: N}, alone, with N from 1 to 2`,
		"  acidity: number\n/":                             `wine.csv:1:18: header field 4, "acidity", is not declared; known: colour, region, quality`,
		"  acidity: number/  acidity: number\n  x: number": `wine.csv:1: no column "x" in the header, though it is declared`,
		"[white, red]/[white, white]":                      `dataset.yaml:7:11: columns: colour: category white comes twice`,
		"[white, red]/[white, rose]":                       `wine.csv:2:3: column colour: "red" is not a declared category; known: rose, white`,
		"[white, red]/[]":                                  `dataset.yaml:7:11: columns: colour: 0 categories, want 1 to 65536`,
		`["", "?"]/["?"]`:                                  `wine.csv:5:13: column acidity: an empty field is not a number; if it stands for a missing value, list it under missing`,
		`["", "?"]/x`:                                      `dataset.yaml:5:10: missing is text; want a list, as in [a, b]`,
		`["", "?"]/{a: b}`:                                 `dataset.yaml:5:10: missing is a mapping; want a list, as in [a, b]`,
		`["", "?"]/[[a]]`:                                  `dataset.yaml:5:11: missing: a list is not a word; want text`,
		"rows: 4/rows: 60000000000000000000":               `dataset.yaml:4:7: rows: want a whole number`,
		"title: Wine/title: [a]":                           `dataset.yaml:1:8: title: want text`,
		wineDeclaration + "/[a]":                           `dataset.yaml:1:1: want lines of KEY: VALUE; the keys are title, file, separator, rows, `,
		"region: category/region: number":                  `wine.csv:2:7: column region: "north" is not a number`,
		"target: quality\n/":                               `dataset.yaml:1:1: target: want the name of the column to predict`,
		`title: Wine/title: "Wi\nne"`:                      `dataset.yaml:1:8: title: "Wi\nne" has a line break or another control character in it`,
		`  region: category/  "re\ngion": category`:        `dataset.yaml:8:15: columns: the name "re\ngion" has a line break or another control character in it`,
		"data ;6/;NA":                                      `wine.csv:2:17: column quality: the target has no value; leave the row out`,
		"target: quality/target: qualty":                   `dataset.yaml:12:9: target: "qualty" is not one of the columns (did you mean "quality"?)`,
		"quality: number/quality: skip":                    `dataset.yaml:12:9: target: "quality" is declared skip; want a type for it among the columns`,
		"target: quality/target: region":                   `dataset.yaml:12:9: target: list the classes of a target that is a category, two or more, as in region: [no, yes]`,
		"{folds: 2}/{folds: 5}":                            `dataset.yaml:13:8: split: folds: 5 of 4 rows, want a row in each`,
		"rows: 4/rows: 2":                                  `dataset.yaml:4:7: rows: 2 rows, want at least 3: one each for training, validation and test`,
		"{folds: 2}/{folds: 1}":                            `dataset.yaml:13:8: split: want {folds: N}, N from 2 to 255, also with groups: COLUMN, or {test: N}, the number of test rows at the end`,
		"{folds: 2}/{folds: 256}":                          `dataset.yaml:13:8: split: want {folds: N}, N from 2 to 255`,
		"{folds: 2}/{folds: 2, run: 3}":                    `dataset.yaml:13:8: split: run: want 1 to 2, the number of folds`,
		"{folds: 2}/{folds: 2, test: 1}":                   `dataset.yaml:13:8: split: want {test: N}, alone, with N from 1 to 2: of the 4 rows one is for training and one for validation at least`,
		"{folds: 2}/{test: 3}":                             `dataset.yaml:13:8: split: want {test: N}, alone, with N from 1 to 2`,
		"rows: 4/ro: 4\nrws: 4":                            `dataset.yaml:4:1: unknown key "ro" in the declaration (did you mean "rows"?)`,
		"{folds: 2}/3":                                     `dataset.yaml:13:8: split: want {folds: N}, N from 2 to 255, also with groups: COLUMN, or {test: N}, the number of test rows at the end`,
		"{folds: 2}/{folds: [2]}":                          `dataset.yaml:13:16: split: want {folds: N}, N from 2 to 255, also with groups: COLUMN, or {test: N}, the number of test rows at the end`,
		"file: wine.csv/file: ../wine.csv":                 `dataset.yaml:2:7: file: want the name of a CSV file in the same folder`,
		`separator: ";"/separator: ";;"`:                   `dataset.yaml:3:12: separator: ";;" has more than one character; a tab is "\t", in double quotes`,
		`separator: ";"/separator: '"'`:                    `dataset.yaml:3:12: separator: "\"" cannot stand between fields; most files have ",", ";" or "\t"`,
		`separator: ";"/separator: "\n"`:                   `dataset.yaml:3:12: separator: "\n" cannot stand between fields; most files have ",", ";" or "\t"`,
		`separator: ";"/separator: "\r"`:                   `dataset.yaml:3:12: separator: "\r" cannot stand between fields; most files have ",", ";" or "\t"`,
		"separator: \";\"/separator: \xff":                 `dataset.yaml:3:12: not UTF-8 text; save the file as UTF-8`,
		"  region: category\n  acidity: number\n/":         `wine.csv:1:11: header field 3, "region", is not declared; known: colour, quality; also undeclared: "acidity"`,
		"data id;colour/;colour":                           `wine.csv:1:1: header field 1, has no name and is not declared: a column that is no feature is "": skip`,
		"data id;colour;region/;colour;place":              `wine.csv:1:1: header field 1, has no name and is not declared: a column that is no feature is "": skip; also undeclared: "place"`,
		"data id;colour;region;acidity;quality/ID;Colour;Region;Acidity;Quality": `wine.csv:1:1: header field 1, "ID", is not declared; known: colour, region, acidity, quality; also undeclared: "Colour", "Region", "Acidity", "Quality"`,
		"data id;colour;region;acidity;quality/7;0;0;5;9":                        `wine.csv:1:1: header field 1, "7", is not declared, nor is any other: is the header line missing?`,
		"data id;/a;b;c;d;e;f;g;h;i;j;k;l;id;":                                   `wine.csv:1:1: header field 1, "a", is not declared; known: colour, region, acidity, quality; also undeclared: "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", and 1 more`,
		"data 4;red;north/4;red;NA":                                              `wine.csv:5:7: column region: "NA" may be a category, or stand for no value: list all categories of the column, or this under missing`,
		"data 5.5/5,5":                                                           `wine.csv:4:14: column quality: "5,5" is not a number (numbers have a point, and no commas)`,
		"data 5.5/2026-11-29":                                                    `wine.csv:4:14: column quality: "2026-11-29" is not a number (write dates as numbers, such as days, or declare the column skip)`,
		`separator: ";"/separator: ","`:                                          `wine.csv:1:1: header field 1, "id;colour;region;acidity;quality", is not declared: is there another separator than ','?`,
		"title: Wine/sha256: 24":                                                 `dataset.yaml:1:9: sha256: want 64 hexadecimal digits in small letters`,
		"title: Wine/sha256: " + strings.Repeat("24", 32):                        `wine.csv: the content does not have the SHA-256 that `,
		"columns:/columns: 3\nother:":                                            `dataset.yaml:`,
		"data 3;white/3;blue":                                                    `wine.csv:4:3: column colour: "blue" is not a declared category; known: red, white`,
		"data -2/NaN":                                                            `wine.csv:4:11: column acidity: "NaN" is not a number; if it stands for a missing value, list it under missing`,
		"data 4;red;north/4;red; north":                                          `wine.csv:5:7: column region: " north" is not a category: it is empty, or has blanks around it`,
		"data 5.5/5.5;1":                                                         `wine.csv:4: 6 fields, the header has 5`,
		`data 3;white/3;"white`:                                                  `wine.csv:4: in the row that begins here: extraneous or missing " in quoted-field`,
		`data "wild/x"wild`:                                                      `wine.csv:3:10: bare " in non-quoted-field`,
		"data ;6/;":                                                              `wine.csv:2:17: column quality: the target has no value; leave the row out`,
		`data id;colour/id,"colour"`:                                             `wine.csv:1:4: bare " in non-quoted-field; is there another separator than ';'?`,
		"  acidity: number/  a: b: number":                                       `dataset.yaml:9:6: not YAML: mapping value is not allowed in this context (text with ": " in it needs quotes)`,
		"data quality/acidity":                                                   `wine.csv:1:26: header field 5, "acidity", comes twice: rename one of them in the file`,
		"data 1;red;north/1;red;\xffnorth":                                       `wine.csv:2:7: column region: "\xffnorth" is not UTF-8`,
	} {
		declaration, text := wineDeclaration, wineText
		edit, changed := &declaration, change
		if rest, ok := strings.CutPrefix(change, "data "); ok {
			edit, changed = &text, rest
		}
		old, new, _ := strings.Cut(changed, "/")
		if strings.HasPrefix(changed, "file: ") {
			old, new = "file: wine.csv", "file: ../wine.csv"
		}
		if !strings.Contains(*edit, old) {
			t.Fatalf("no %q", old)
		}
		*edit = strings.Replace(*edit, old, new, 1)
		l, dir := declare(t, "wine", declaration, text)
		table, err := l.Load(t.Context(), "wine")
		if err == nil {
			t.Errorf("%s: loaded %v", change, table)
			continue
		}
		got := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "wine: "), dir+string(filepath.Separator), "")
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: got\n%s, want\n%s", change, got, want)
		}
	}
}

// A row without a target is refused, whatever the target is and if none has one.
func TestOwnMissingTarget(t *testing.T) {
	for _, test := range []struct{ target, rows, want string }{
		{"number", "1,NA\n1,2\n1,3\n", "wine.csv:2:3"}, {"number", "1,NA\n1,NA\n1,NA\n", "wine.csv:2:3"}, {"[no, yes]", "1,no\n1,NA\n1,yes\n", "wine.csv:3:3"},
		{"[NA, yes]", "1,yes\n1,NA\n1,yes\n", "wine.csv:3:3"},
	} {
		l, _ := declare(t, "wine", "file: wine.csv\nrows: 3\nmissing: [NA]\ncolumns: {x: number, y: "+test.target+"}\ntarget: y\nsplit: {folds: 2}\n",
			"x,y\n"+test.rows)
		want := test.want + ": column y: the target has no value; leave the row out"
		if table, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%+v: %v, error %v, want %s", test, table, err, want)
		}
	}
}

// What is listed as missing is a class where the target's list has it, and nothing that a regression learns.
func TestOwnTargetOfMissing(t *testing.T) {
	const declaration = "file: wine.csv\nrows: 4\nmissing: ['', 0, -999]\ncolumns: {x: number, y: %s}\ntarget: y\nsplit: {folds: 2}\n"
	l, _ := declare(t, "wine", fmt.Sprintf(declaration, "[0, 1]"), "x,y\n0,0\n1,1\n2,0.0\n3,1\n")
	table, err := l.Load(t.Context(), "wine")
	if err != nil || !slices.Equal(table.Labels(), []uint16{0, 1, 0, 1}) || !slices.Equal(table.Columns[0].Missing, []bool{true, false, false, false}) {
		t.Errorf("%+v, %v", table, err)
	}
	l, _ = declare(t, "wine", fmt.Sprintf(declaration, "number"), "x,y\n0,5\n1,-999.0\n2,7\n3,1\n")
	want := `wine.csv:3:3: column y: the target is "-999.0", which missing lists: leave the row out, or take another sign for gaps in the file`
	if _, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The rows of a file are counted behind a byte order mark, too.
func TestOwnCountsRows(t *testing.T) {
	l, _ := declare(t, "wine", strings.Replace(wineDeclaration, "rows: 4", "rows:", 1), "\ufeff\""+strings.Replace(wineText, ";", "\";", 1))
	if _, err := l.Lookup("wine"); err == nil || !strings.HasSuffix(err.Error(), "want the number of rows, without the header; wine.csv has 4") {
		t.Error(err)
	}
}

// A column without any value is refused, whatever its type.
func TestOwnEmptyColumn(t *testing.T) {
	for _, kind := range []string{"number", "category", "[a, b]"} {
		l, _ := declare(t, "wine", "file: wine.csv\nrows: 3\nmissing: [NA]\ncolumns: {x: "+kind+", z: number, y: number}\ntarget: y\nsplit: {folds: 2}\n",
			"x,z,y\nNA,NA,1\nNA,1,2\nNA,3,4\n")
		if table, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), "wine.csv: column x has no value in any row: declare it skip") {
			t.Errorf("%s: %v, error %v", kind, table, err)
		}
	}
}

// A file from an old Macintosh, or from a program that saves as for one.
func TestOwnCarriageReturns(t *testing.T) {
	l, _ := declare(t, "wine", wineDeclaration, strings.ReplaceAll(`"id"`+wineText[len("id"):], "\n", "\r"))
	if _, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), "wine.csv: its lines end with CR alone: save it with LF") {
		t.Error(err)
	}
}

// Memory is taken for the rows that are there, not for those that a declaration promises.
func TestOwnPromisesRows(t *testing.T) {
	l, _ := declare(t, "wine", strings.Replace(wineDeclaration, "rows: 4", "rows: 2000000000", 1), wineText)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := l.Load(t.Context(), "wine")
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 || err == nil || !strings.HasSuffix(err.Error(), "wine.csv: 4 rows, 2000000000 declared") {
		t.Errorf("%d bytes taken, error %v", taken, err)
	}
}

// Categories that name nearly all rows are no feature.
func TestOwnRefusesNames(t *testing.T) {
	const declaration = "file: wine.csv\nrows: 2002\ncolumns: {id: category, x: number}\ntarget: x\nsplit: {folds: 2}\n"
	table := func(distinct int) string {
		lines := []string{"id,x"}
		for i := range 2002 {
			lines = append(lines, fmt.Sprintf("n%d,%d", i%distinct, i))
		}
		return strings.Join(lines, "\n") + "\n"
	}
	l, _ := declare(t, "wine", declaration, table(1001))
	if _, err := l.Load(t.Context(), "wine"); err != nil {
		t.Error(err)
	}
	l, _ = declare(t, "wine", declaration, table(1002))
	if _, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), "wine.csv: column id has 1,002 categories in 2,002 rows: declare it skip, or number") {
		t.Error(err)
	}
	for rows, want := range map[int]string{20: "", 21: "wine.csv: column id has another category in each of the 21 rows: declare it skip, or number"} {
		lines := []string{"id,x"}
		for i := range rows {
			lines = append(lines, fmt.Sprintf("n%d,%d", i, i))
		}
		l, _ = declare(t, "wine", strings.Replace(declaration, "2002", strconv.Itoa(rows), 1), strings.Join(lines, "\n")+"\n")
		if _, err := l.Load(t.Context(), "wine"); (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d rows: %v, want %q", rows, err, want)
		}
	}
}

// A class without a row, a target of one value, the name of a built-in data set, and a file that is not there.
func TestOwnRefusesMore(t *testing.T) {
	classes := "file: wine.csv\nrows: 4\ncolumns: {colour: [red, white, rose], id: skip, region: skip, acidity: skip, quality: number}\n" +
		"separator: ';'\ntarget: colour\nsplit: {folds: 2}\n"
	l, dir := declare(t, "wine", classes, wineText)
	if _, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), "wine.csv: class \"rose\" has no row") {
		t.Error(err)
	}
	flat, _ := declare(t, "wine", wineDeclaration, strings.NewReplacer("5.5", "5", ";6", ";5", ";7", ";5.0").Replace(wineText))
	want := "wine.csv: the target, column quality, has the same value in all 4 rows"
	if _, err := flat.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "wine.csv")); err != nil {
		t.Fatal(err)
	}
	want = "wine: data file missing; put there: " + filepath.Join(dir, "wine.csv") + "[.gz] (your own copy of the file that " +
		filepath.Join(dir, Declaration) + " declares)"
	if _, err := l.Load(t.Context(), "wine"); err == nil || err.Error() != want {
		t.Errorf("got\n%v, want\n%s", err, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "wines.csv.gz"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Load(t.Context(), "wine"); err == nil || !strings.HasSuffix(err.Error(), " declares; did you mean wines.csv?)") {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"yacht": "yacht is the name of a built-in data set: rename the folder",
		"Wine":  `the name of a data set, "Wine", has small letters, digits and hyphens only: rename the folder`,
	} {
		l, _ := declare(t, name, wineDeclaration, wineText)
		if _, err := l.Lookup(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A wrong declaration stands in the way of that data set alone.
func TestOwnWrong(t *testing.T) {
	l, dir := declare(t, "wine", wineDeclaration, wineText)
	wrong := filepath.Join(filepath.Dir(dir), "wrong")
	if err := os.Mkdir(wrong, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(wrong, Declaration), []byte("missing: NA\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Load(t.Context(), "wine"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"yacht", "wine"} {
		if _, err := l.Lookup(name); err != nil {
			t.Error(err)
		}
	}
	infos := l.Infos()
	if len(infos) != len(catalogue)+1 || infos[len(catalogue)].Name != "wine" {
		t.Errorf("%d data sets", len(infos))
	}
	names := l.Names()
	if !slices.Equal(names[len(catalogue):], []string{"wine", "wrong"}) {
		t.Errorf("%q", names)
	}
	said := filepath.Join(wrong, Declaration) + ":1:1: file: want the name of a CSV file in the same folder"
	others := "; 1:1: target: want the name of the column to predict; 1:1: rows: want the number of rows, without the header; 1:1: columns: want NAME: TYPE for every column; 1:10: missing is text; want a list, as in [a, b]"
	if _, err := l.Find("wrong"); err == nil || err.Error() != said+others {
		t.Errorf("error %v, want %s", err, said+others)
	}
	if got := Unknown("wrong", l.Dirs, names); got != ": "+said+others {
		t.Errorf("%s, want %s", got, said)
	}
}

func FuzzDeclaration(f *testing.F) {
	f.Add(wineDeclaration)
	f.Add("columns: &a [*a]\n")
	f.Fuzz(func(t *testing.T, s string) {
		file := filepath.Join(t.TempDir(), Declaration)
		if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readDeclaration(file, "wine"); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	})
}
