package dataset

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"nptbench/internal/document"
	"nptbench/internal/filesystem"
	"nptbench/internal/spelling"
)

// Declaration is the name of the file that makes a folder of the library a data set of one's own: a CSV file described in
// YAML. The name of the data set is that of the folder, which lies in ./data or another folder that NewLibrary names.
//
//	title: Wine quality         # as tables print it; left out: the name
//	file: wine.csv              # in the same folder, plain or compressed (.gz), with a header line
//	separator: ";"              # left out: a comma
//	rows: 1599
//	missing: ["", "?", -999]    # fields of features that stand for no value, numbers by their value (09 is 9); left out: none
//	columns:                    # all that the header has
//	  colour: [red, white]      # a category, one of these
//	  region: category          # a category, any text
//	  acidity: number
//	  id: skip                  # no column of the table
//	  quality: number
//	target: quality             # a number: regression; a list of categories: classification
//	split: {folds: 10}          # or {folds: 5, run: 2}: the first two of five folds; or {test: 300}: the last 300 rows are test rows;
//	                            # or {folds: 10, groups: id}: rows with the same id, which is declared skip, are kept together;
//	                            # or {column: part}: that column, which is declared skip, has train, val or test in every row
//	licence: CC BY 4.0          # left out: none stated
//	sha256: 24c8...             # of the content of the file; left out: any content
//
// A target has a value in every row, and so has the column of groups: a 0 that missing lists is a class there, if the target's list has it,
// or a group, and is refused where a number is to be predicted.
//
// Beside the test rows, with 10 folds 20 % of all rows are for validation, as in the paper's small data sets, with any other number of
// folds 10 %, as in its large ones, and with {test: N}, or a column without val, 12.5 % of the rows that are not for testing. With groups,
// at most 65,536, these are shares of the groups: those of scikit-learn's GroupKFold, shuffled, and GroupShuffleSplit.
const Declaration = "dataset.yaml"

// A declaration is such a file, being read.
type declaration struct {
	*document.Document
	dir, name string
	top       document.Position
	nodes     map[string]*document.Node // by key, of those that have a value
}

var (
	ownName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ownNames lists the data sets of one's own by name, those too whose declaration is wrong.
func (l *Library) ownNames() (names []string) {
	for _, dir := range l.Dirs {
		for _, file := range filesystem.Glob(dir, "*/"+Declaration) {
			names = append(names, filepath.Base(filepath.Dir(file)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// own returns a data set of one's own, from the first folder that declares it; nil where none does.
func (l *Library) own(name string) (*source, error) {
	if filepath.Base(name) != name {
		return nil, nil
	}
	for _, dir := range l.Dirs {
		s, err := readDeclaration(filepath.Join(dir, name, Declaration), name)
		if !absent(err) {
			return s, err
		}
	}
	return nil, nil
}

// Unknown says, for a message behind a name that is not among the known ones, what is wrong with the declaration of a data set of one's
// own, or else in which folders there is none, where one could be, and the nearest known name.
func Unknown(name string, dirs, known []string) string {
	if _, err := (&Library{Dirs: dirs}).own(name); err != nil {
		return ": " + err.Error()
	}
	where := ""
	if ownName.MatchString(name) && len(dirs) > 0 {
		where = fmt.Sprintf(": no %s in %s", filepath.Join(name, Declaration), strings.Join(dirs, ", "))
	}
	return where + spelling.Hint(name, known)
}

// readDeclaration reads a declaration. Its error is a line with the mistakes that were found, each with its place.
func readDeclaration(file, name string) (*source, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc, root := document.Parse(file, content, "its keys would be "+strings.Join(declarationKeys, ", "))
	d := &declaration{Document: doc, dir: filepath.Dir(file), name: name}
	var s *source
	if root != nil {
		s = d.source(root)
	}
	if mistakes := (document.Errors)(nil); errors.As(d.Err(), &mistakes) {
		text := mistakes[0].Error()
		for _, m := range mistakes[1:] {
			text += fmt.Sprintf("; %s: %s", m.At, m.Text)
		}
		return nil, errors.New(text)
	}
	return s, nil
}

var declarationKeys = []string{"title", "file", "separator", "rows", "missing", "columns", "target", "split", "licence", "sha256"}

// at is where a key has its value, or else the top of the file.
func (d *declaration) at(key string) document.Position {
	if n := d.nodes[key]; n != nil {
		return n.At
	}
	return d.top
}

// fail notes what is wrong with the value of a key.
func (d *declaration) fail(key, format string, args ...any) {
	d.Errorf(d.at(key), key+": "+format, args...)
}

// text returns a value as the file has it, "" where there is none.
func (d *declaration) text(key string) string {
	n := d.nodes[key]
	if n == nil {
		return ""
	}
	word, ok := n.Word()
	if !ok {
		d.fail(key, "want text")
	}
	return word
}

// words reads a list of words as the file has them.
func (d *declaration) words(n *document.Node, what string) (list []string) {
	d.Expect(n, what, document.List)
	for _, item := range n.Items {
		word, ok := item.Word()
		if !ok {
			d.Errorf(item.At, "%s: %s is not a word; want text", what, item.Is)
		}
		list = append(list, word)
	}
	return list
}

// source reads a declaration and returns what the catalogue would hold of it.
func (d *declaration) source(root *document.Node) *source {
	if root.Is != document.Mapping {
		d.Errorf(root.At, "want lines of KEY: VALUE; the keys are %s", strings.Join(declarationKeys, ", "))
		return nil
	}
	d.top = root.At
	d.nodes, _ = d.Object(root, "the declaration", declarationKeys...)
	maps.DeleteFunc(d.nodes, func(_ string, n *document.Node) bool { return n.Is == document.Nothing })
	switch {
	case !ownName.MatchString(d.name):
		d.Errorf(root.At, "the name of a data set, %q, has small letters, digits and hyphens only: rename the folder", d.name)
	case builtIn(d.name) != nil:
		d.Errorf(root.At, "%s is the name of a built-in data set: rename the folder", d.name)
	}
	if len(d.Errors) > 0 {
		return nil // a key that is misspelt would be missed below
	}
	file, title, target, licence, digest := d.text("file"), d.text("title"), d.text("target"), d.text("licence"), d.text("sha256")
	if file == "" || filepath.Base(file) != file {
		d.fail("file", "want the name of a CSV file in the same folder")
	}
	for _, key := range []string{"title", "licence"} {
		if value := d.text(key); strings.ContainsFunc(value, unicode.IsControl) {
			d.fail(key, "%q has a line break or another control character in it", value)
		}
	}
	if d.nodes["target"] == nil {
		d.fail("target", "want the name of the column to predict")
	}
	if digest != "" && !checksum.MatchString(digest) {
		d.fail("sha256", "want 64 hexadecimal digits in small letters")
	}
	separator := d.separator()
	rows := d.rows(file, separator)
	var missing []string
	if n := d.nodes["missing"]; n != nil {
		missing = d.words(n, "missing")
	}
	columns, skipped := d.columns()
	if len(d.Errors) > 0 {
		return nil // what follows would only repeat them
	}
	s := &source{Info: Info{
		Name: d.name, Title: cmp.Or(title, d.name), Rows: rows, Columns: len(columns), Licence: cmp.Or(licence, "none stated"),
	}, columns: columns, dir: d.dir}
	if slices.Contains(skipped, target) {
		d.fail("target", "%q is declared skip; want a type for it among the columns", target)
	} else {
		d.target(s, target)
	}
	f := File{Name: file, Rows: rows, Manual: "your own copy of the file that " + filepath.Join(d.dir, Declaration) + " declares" + d.nearest(file)}
	v := d.split(s, skipped)
	form := csvForm{separator: separator, target: target, groups: s.Groups, parts: s.Parts, missing: missing, skipped: skipped}
	for _, field := range missing {
		if x, err := strconv.ParseFloat(field, 64); err == nil {
			form.missingNumbers = append(form.missingNumbers, x)
		}
	}
	f.parse = form.parse
	if digest != "" {
		f.SHA256 = []string{digest}
	}
	v.rule = target + v.rule
	v.files = []File{f}
	s.variants = []variant{v}
	return s
}

// nearest is a hint at a file of a name like that, where none has it.
func (d *declaration) nearest(name string) string {
	entries, _ := os.ReadDir(d.dir)
	var names []string
	for _, e := range entries {
		if e.Name() != Declaration {
			names = append(names, strings.TrimSuffix(e.Name(), ".gz"))
		}
	}
	if other := spelling.Nearest(name, names); other != "" && !slices.Contains(names, name) {
		return "; did you mean " + other + "?"
	}
	return ""
}

func (d *declaration) separator() rune {
	given := d.text("separator")
	if given == "" {
		return ','
	}
	separator, size := utf8.DecodeRuneInString(given)
	if size != len(given) {
		d.fail("separator", `%q has more than one character; a tab is "\t", in double quotes`, given)
	} else if strings.ContainsRune("\"\r\n\x00\ufffd", separator) {
		d.fail("separator", "%q cannot stand between fields; most files have \",\", \";\" or \"\\t\"", given)
	}
	return separator
}

// whole reads a whole number, 0 where there is none.
func (d *declaration) whole(n *document.Node, wanted string) int {
	if n == nil || n.Is == document.Nothing {
		return 0
	}
	word, _ := n.Word()
	i, err := strconv.Atoi(word)
	if err != nil || strconv.Itoa(i) != word { // 010 is 8 to some readers of YAML and 10 to others
		d.Errorf(n.At, "%s", wanted)
	}
	return i
}

func (d *declaration) rows(file string, separator rune) int {
	rows := d.whole(d.nodes["rows"], "rows: want a whole number in plain decimal digits")
	switch {
	case rows < 1:
		hint := ""
		if n, err := countRows(filepath.Join(d.dir, file), separator); err == nil {
			hint = fmt.Sprintf("; %s has %d", file, n)
		}
		d.fail("rows", "want the number of rows, without the header%s", hint)
	case rows < 3:
		d.fail("rows", "%s, want at least 3: one each for training, validation and test", spelling.Count(rows, "row"))
	case rows > math.MaxInt32:
		d.fail("rows", "a table has at most %d rows", math.MaxInt32)
	}
	return rows
}

// columns reads the types of the columns.
func (d *declaration) columns() (columns []columnSpec, skipped []string) {
	n := d.nodes["columns"]
	if n == nil || n.Is != document.Mapping {
		d.fail("columns", "want NAME: TYPE for every column")
		return nil, nil
	}
	for _, f := range n.Fields {
		spec := columnSpec{name: f.Key}
		word, _ := f.Value.Word()
		switch {
		case strings.ContainsFunc(f.Key, unicode.IsControl):
			d.Errorf(f.Value.At, "columns: the name %q has a line break or another control character in it: change it here and in the file", f.Key)
		case f.Key == "" && word != "skip":
			d.Errorf(f.Value.At, "columns: a column without a name can only be skipped: give it one here and in the file")
		case f.Value.Is == document.List:
			spec.kind, spec.levels = Categorical, d.words(f.Value, "columns: "+f.Key)
			if err := spec.sortLevels(); err != nil {
				d.Errorf(f.Value.At, "columns: %s: %v", f.Key, err)
			}
		case word == "category":
			spec.kind = Categorical
		case word == "number":
		case word == "skip":
			skipped = append(skipped, f.Key)
			continue
		default:
			hint, types := "", []string{"number", "category", "skip"}
			if spelling.Nearest(word, types) != "" {
				hint = spelling.Hint(word, types)
			}
			d.Errorf(f.Value.At, "columns: %s: %q is no type, want number, category, a list of categories, or skip%s", f.Key, word, hint)
		}
		columns = append(columns, spec)
	}
	if len(columns) < 2 {
		d.fail("columns", "a table needs a target and at least one feature")
	}
	return columns, skipped
}

// target finds the target among the columns, and says what kind of problem it makes.
func (d *declaration) target(s *source, name string) {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	if s.Target = slices.Index(names, name); s.Target < 0 {
		d.fail("target", "%q is not one of the columns%s", name, spelling.Hint(name, names))
		return
	}
	target := s.columns[s.Target]
	s.Classes = len(target.levels)
	switch {
	case target.kind == Categorical && s.Classes < 2:
		d.fail("target", "list the classes of a target that is a category, two or more, as in %s: [no, yes]", name)
	case s.Classes == 2:
		s.Problem = Binary
	case s.Classes > 2:
		s.Problem = MultiClass
	}
}

const wantedSplit = "split: want {folds: N}, N from 2 to 255, also with groups: COLUMN, or {test: N}, the number of test rows at the end, or {column: COLUMN}, which has train, val or test in every row"

// split reads how test rows are cut. The rule is part of the table's digest; how many folds are run is not.
func (d *declaration) split(s *source, skipped []string) variant {
	n := d.nodes["split"]
	if n == nil || n.Is != document.Mapping {
		d.Errorf(d.at("split"), wantedSplit)
		return variant{}
	}
	before := len(d.Errors)
	parts, _ := d.Object(n, "split", "folds", "run", "test", "groups", "column")
	maps.DeleteFunc(parts, func(_ string, n *document.Node) bool { return n.Is == document.Nothing })
	folds, run, test := d.whole(parts["folds"], wantedSplit), d.whole(parts["run"], wantedSplit), d.whole(parts["test"], wantedSplit)
	if len(d.Errors) > before {
		return variant{}
	}
	v := variant{rule: fmt.Sprintf("{%d 0 %d}", folds, test)}
	switch {
	case parts["column"] != nil && len(parts) > 1:
		d.fail("split", "want {column: COLUMN}, alone")
	case parts["column"] != nil:
		s.Folds, s.RunFolds, s.Parts = 1, 1, d.splitColumn(parts["column"], "column", skipped)
		v.rule += " column " + s.Parts
	case test < 0 || test > s.Rows-2 || parts["test"] != nil && len(parts) > 1:
		d.fail("split", "want {test: N}, alone, with N from 1 to %d: of the %d rows one is for training and one for validation at least", s.Rows-2, s.Rows)
	case test > 0:
		s.Folds, s.RunFolds, v.testAt = 5, 1, s.Rows-test
	case folds < 2 || folds > 255:
		d.Errorf(n.At, wantedSplit)
	case folds > s.Rows:
		d.fail("split", "folds: %d of %d rows, want a row in each", folds, s.Rows)
	case run < 0 || run == 0 && parts["run"] != nil || run > folds:
		d.fail("split", "run: want 1 to %d, the number of folds", folds)
	default:
		s.Folds, s.RunFolds = folds, cmp.Or(run, folds)
	}
	if parts["groups"] != nil {
		s.Groups = d.splitColumn(parts["groups"], "groups", skipped)
		v.rule += " groups " + s.Groups
	}
	return v
}

// splitColumn reads the name of a column that is no feature, and by which rows are split.
func (d *declaration) splitColumn(n *document.Node, key string, skipped []string) string {
	name, _ := n.Word()
	if name == "" || !slices.Contains(skipped, name) {
		d.Errorf(n.At, "split: %s: want the name of a column that is declared skip, as %q is not%s", key, name, spelling.Hint(name, skipped))
	}
	return name
}

// sortLevels brings declared categories into the order that a column keeps them in.
func (c *columnSpec) sortLevels() error {
	compare := strings.Compare
	if plain := plainNumbers(c.levels); plain != nil {
		c.levels, compare = plain, compareNumbers
	}
	slices.SortFunc(c.levels, compare)
	for i := 1; i < len(c.levels); i++ {
		if c.levels[i] == c.levels[i-1] {
			return fmt.Errorf("category %s comes twice", c.levels[i])
		}
	}
	if len(c.levels) == 0 || len(c.levels) > maxCategories {
		return fmt.Errorf("%d categories, want 1 to %d", len(c.levels), maxCategories)
	}
	return nil
}

// countRows counts the rows below the header, of a file of at most 64 MiB unpacked.
func countRows(path string, separator rune) (n int, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
		info, err = os.Stat(path)
	}
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	content, err := unpacked(file)
	if err != nil {
		return 0, err
	}
	few := &io.LimitedReader{R: content, N: 1 << 26} // it is for a hint
	s := &scanner{r: bufio.NewReaderSize(few, maxLine)}
	if err := s.refuseForeign(); err != nil {
		return 0, err
	}
	lines := csv.NewReader(s.r)
	lines.Comma, lines.ReuseRecord, lines.FieldsPerRecord = separator, true, -1
	for n = -1; err == nil; n++ {
		_, err = lines.Read()
	}
	switch {
	case few.N == 0:
		return 0, errors.New("too large to be counted at once")
	case err == io.EOF:
		err = nil
	}
	return max(n-1, 0), err
}

// ruleDigest is the digest of a table of which more than the values may change: one of somebody's own, or of the lookup task.
func ruleDigest(table, rule string) string {
	h := sha256.New()
	fmt.Fprintln(h, table, rule)
	return hexSum(h)
}
