package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"nptbench/internal/spelling"
)

// Declaration is the name of the file that makes a folder of the library a data set of one's own: a CSV file described in
// YAML. The name of the data set is that of the folder, which lies in ./data or another folder that NewLibrary names.
//
//	title: Wine quality         # as tables print it; left out: the name
//	file: wine.csv              # in the same folder, plain or compressed (.gz), with a header line
//	separator: ";"              # left out: a comma
//	rows: 1599
//	missing: ["", "?"]          # fields that stand for no value; left out: none; a target has a value in every row
//	columns:                    # all that the header has
//	  colour: [red, white]      # a category, one of these
//	  region: category          # a category, any text
//	  acidity: number
//	  id: skip                  # no column of the table
//	  quality: number
//	target: quality             # a number: regression; a list of categories: classification
//	split: {folds: 10}          # or {folds: 5, run: 1}: the first of five folds; or {test: 300}: the last 300 rows are test rows
//	licence: CC BY 4.0          # left out: none stated
//	sha256: 24c8...             # of the content of the file; left out: any content
//
// Beside the test rows, with 10 folds 20 % of all rows are for validation, as in the paper's small data sets, with any other number of
// folds 10 %, as in its large ones, and with {test: N} 12.5 % of the rows before the test rows.
const Declaration = "dataset.yaml"

// maxDeclaration is how long a declaration can be.
const maxDeclaration = 1 << 18

// A declaration is the content of such a file.
type declaration struct {
	Title     string
	File      string
	Separator string
	Rows      int
	Missing   texts
	Columns   ast.Node
	Target    string
	Split     struct{ Folds, Run, Test int }
	Licence   string
	SHA256    string

	dir, name string
	at        map[string]*token.Position // of the top keys
}

// texts is a list of words as the file has them: -9.0 stays "-9.0", and NULL and 077 are what they look like.
type texts []string

func (t *texts) UnmarshalYAML(n ast.Node) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return &yaml.UnexpectedNodeTypeError{Token: n.GetToken()}
	}
	for _, item := range list.Values {
		if _, ok := item.(ast.ScalarNode); !ok {
			return &yaml.UnexpectedNodeTypeError{Token: item.GetToken()}
		}
		*t = append(*t, item.GetToken().Value)
	}
	return nil
}

var (
	ownName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ownNames lists the data sets of one's own by name, those too whose declaration is wrong.
func (l *Library) ownNames() ([]string, error) {
	var names []string
	for _, dir := range l.Dirs {
		files, err := fs.Glob(os.DirFS(dir), "*/"+Declaration) // the folder's name is no pattern
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			names = append(names, filepath.Base(filepath.Dir(file)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// own returns a data set of one's own, from the first folder that declares it; nil where none does.
func (l *Library) own(name string) (*source, error) {
	if filepath.Base(name) != name {
		return nil, nil
	}
	for _, dir := range l.Dirs {
		s, err := readDeclaration(filepath.Join(dir, name, Declaration), name)
		if !errors.Is(err, fs.ErrNotExist) {
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

// readDeclaration reads a declaration. Errors have one line and name the place.
func readDeclaration(file, name string) (*source, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := &declaration{dir: filepath.Dir(file), name: name}
	s, at, err := d.read(content)
	if err != nil && at != nil {
		return nil, fmt.Errorf("%s:%d:%d: %w", file, at.Line, at.Column, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

func (d *declaration) read(content []byte) (s *source, at *token.Position, err error) {
	defer func() {
		if p := recover(); p != nil { // the YAML package panics on some texts
			s, at, err = nil, nil, errors.New("not YAML")
		}
	}()
	if len(content) > maxDeclaration {
		return nil, nil, fmt.Errorf("%d bytes; a declaration has at most %d", len(content), maxDeclaration)
	}
	var body ast.Node
	err = yaml.UnmarshalWithOptions(content, &body)
	if err == nil && body == nil {
		return nil, nil, errors.New("the file is empty")
	}
	d.at = map[string]*token.Position{}
	if m, ok := body.(ast.MapNode); ok {
		for entry := m.MapRange(); entry.Next(); {
			key := entry.Key().GetToken()
			if names := keys(*d); !slices.Contains(names, key.Value) { // the YAML package says so of any of several
				return nil, key.Position, unknown(key, names)
			}
			d.at[key.Value] = key.Position
			if key.Value != "rows" && key.Value != "split" {
				continue
			}
			if parts := ast.Filter(ast.FloatType, entry.Value()); len(parts) > 0 { // whose decimals the YAML package would cut off
				at := parts[0].GetToken().Position
				return nil, at, d.wantedAt(at)
			}
		}
	}
	if err == nil {
		err = yaml.NodeToValue(body, d, yaml.Strict())
	}
	if field := (*yaml.UnknownFieldError)(nil); errors.As(err, &field) {
		return nil, field.Token.Position, unknown(field.Token, keys(d.Split))
	}
	if wrong := yaml.Error(nil); errors.As(err, &wrong) {
		at := (*token.Position)(nil)
		if t := wrong.GetToken(); t != nil {
			at = t.Position
		}
		switch wrong.(type) {
		case *yaml.TypeError, *yaml.OverflowError, *yaml.UnexpectedNodeTypeError:
			return nil, at, d.wantedAt(at)
		}
		return nil, at, errors.New(strings.Join(strings.Fields(wrong.GetMessage()), " "))
	}
	if err != nil {
		return nil, nil, err
	}
	return d.source()
}

// unknown says that there is no such key, with the name that was meant.
func unknown(key *token.Token, known []string) error {
	return fmt.Errorf("unknown key %q%s", key.Value, spelling.Hint(key.Value, known))
}

const wantedSplit = "want {folds: N}, N from 2 to 255, or {test: N}, the number of test rows at the end"

// wantedAt says what a value at that place should be.
func (d *declaration) wantedAt(at *token.Position) error {
	compare := func(a, b *token.Position) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	}
	key := "" // the last one before it
	for name, position := range d.at {
		if compare(position, at) <= 0 && (key == "" || compare(position, d.at[key]) > 0) {
			key = name
		}
	}
	switch key {
	case "":
		return fmt.Errorf("want lines of KEY: VALUE; the keys are %s", strings.Join(keys(*d), ", "))
	case "rows":
		return errors.New("rows: want a whole number")
	case "missing":
		return errors.New("missing: want a list, as in [NA]")
	case "split":
		return errors.New("split: " + wantedSplit)
	}
	return fmt.Errorf("%s: want text", key)
}

// keys lists what a declaration, or a part of it, may have.
func keys(part any) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(part)) {
		if f.IsExported() {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
}

// source checks a declaration and returns what the catalogue would hold of it.
func (d *declaration) source() (*source, *token.Position, error) {
	fail := func(key, format string, args ...any) (*source, *token.Position, error) {
		return nil, d.at[key], fmt.Errorf(key+": "+format, args...)
	}
	separator, size := utf8.DecodeRuneInString(d.Separator)
	if d.Separator == "" {
		separator = ','
	}
	path := filepath.Join(d.dir, d.File)
	switch {
	case !ownName.MatchString(d.name):
		return nil, nil, fmt.Errorf("the name of a data set, %q, has small letters, digits and hyphens only: rename the folder", d.name)
	case builtIn(d.name) != nil:
		return nil, nil, fmt.Errorf("%s is the name of a built-in data set: rename the folder", d.name)
	case d.File == "" || filepath.Base(d.File) != d.File:
		return fail("file", "want the name of a CSV file in the same folder")
	case d.Separator != "" && size != len(d.Separator):
		return fail("separator", "%q has more than one character", d.Separator)
	case strings.ContainsRune("\"\r\n\x00\ufffd", separator):
		return fail("separator", "%q cannot stand between fields; most files have \",\", \";\" or \"\\t\"", d.Separator)
	case d.Rows < 1:
		hint := ""
		if n, err := countRows(path, separator); err == nil {
			hint = fmt.Sprintf("; %s has %d", d.File, n)
		}
		return fail("rows", "want the number of rows, without the header%s", hint)
	case d.Rows > math.MaxInt32:
		return fail("rows", "a table has at most %d rows", math.MaxInt32)
	case d.SHA256 != "" && !checksum.MatchString(d.SHA256):
		return fail("sha256", "want 64 hexadecimal digits in small letters")
	}
	columns, skipped, at, err := d.columns()
	if err != nil {
		return nil, at, err
	}
	s := &source{Info: Info{
		Name: d.name, Title: d.Title, Rows: d.Rows, Columns: len(columns), Missing: len(d.Missing) > 0, Licence: d.Licence,
	}, columns: columns, dir: d.dir}
	if s.Title == "" {
		s.Title = d.name
	}
	if s.Licence == "" {
		s.Licence = "none stated"
	}
	if s.Target = slices.IndexFunc(columns, func(c columnSpec) bool { return c.name == d.Target }); s.Target < 0 {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.name
		}
		return fail("target", "%q is not one of the columns%s", d.Target, spelling.Hint(d.Target, names))
	}
	target := columns[s.Target]
	s.Classes = len(target.levels)
	switch {
	case len(columns) < 2:
		return fail("columns", "a table needs a target and at least one feature")
	case target.kind == Categorical && s.Classes < 2:
		return fail("target", "list the classes of a target that is a category, as in %s: [no, yes]", d.Target)
	case s.Classes == 2:
		s.Problem = Binary
	case s.Classes > 2:
		s.Problem = MultiClass
	}
	rule := d.Split
	rule.Run = 0 // which folds are run changes none
	v := variant{rule: fmt.Sprint(d.Target, rule)}
	switch split := d.Split; {
	case split.Test < 0 || split.Test > 0 && (split.Test > d.Rows-2 || split.Folds != 0 || split.Run != 0):
		return fail("split", "want {test: N}, alone, with N from 1 to %d: of the %d rows one is for training and one for validation at least", d.Rows-2, d.Rows)
	case split.Test > 0:
		s.Folds, s.RunFolds, v.testAt = 5, 1, d.Rows-split.Test
	case split.Folds < 2 || split.Folds > d.Rows || split.Folds > 255:
		return fail("split", wantedSplit)
	case split.Run < 0 || split.Run > split.Folds:
		return fail("split", "run: want 1 to %d, the number of folds", split.Folds)
	default:
		s.Folds, s.RunFolds = split.Folds, split.Run
		if split.Run == 0 {
			s.RunFolds = split.Folds
		}
	}
	f := File{Name: d.File, Rows: d.Rows, Manual: "where you have it from, as " + filepath.Join(d.dir, Declaration) + " declares it"}
	f.parse = csvForm{separator: separator, target: d.Target, missing: d.Missing, skipped: skipped}.parse
	if d.SHA256 != "" {
		f.SHA256 = []string{d.SHA256}
	}
	v.files = []File{f}
	s.variants = []variant{v}
	return s, nil, nil
}

// columns reads the types of the columns.
func (d *declaration) columns() (columns []columnSpec, skipped []string, at *token.Position, err error) {
	m, ok := d.Columns.(ast.MapNode)
	if !ok {
		return nil, nil, d.at["columns"], errors.New("columns: want NAME: TYPE for every column")
	}
	for entry := m.MapRange(); entry.Next(); {
		at = entry.Value().GetToken().Position
		spec := columnSpec{name: entry.Key().GetToken().Value}
		var word string
		switch {
		case yaml.NodeToValue(entry.Value(), (*texts)(&spec.levels)) == nil:
			if err := spec.sortLevels(); err != nil {
				return nil, nil, at, fmt.Errorf("columns: %s: %w", spec.name, err)
			}
			spec.kind = Categorical
		case yaml.NodeToValue(entry.Value(), &word) == nil && word == "category":
			spec.kind = Categorical
		case word == "number":
		case word == "skip":
			skipped = append(skipped, spec.name)
			continue
		default:
			types := []string{"number", "category", "skip"}
			return nil, nil, at, fmt.Errorf("columns: %s: %q is no type, want number, category, a list of categories, or skip%s",
				spec.name, word, spelling.Hint(word, types))
		}
		columns = append(columns, spec)
	}
	return columns, skipped, nil, nil
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

// countRows counts the rows below the header.
func countRows(path string, separator rune) (n int, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.Open(path + ".gz")
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	content, err := unpacked(file)
	if err != nil {
		return 0, err
	}
	lines := csv.NewReader(content)
	lines.Comma, lines.ReuseRecord, lines.FieldsPerRecord = separator, true, -1
	for n = -1; err == nil; n++ {
		_, err = lines.Read()
	}
	if err == io.EOF {
		err = nil
	}
	return max(n-1, 0), err
}

// ruleDigest is the digest of a table of one's own: what a task is made of besides the values may change as well.
func ruleDigest(table, rule string) string {
	h := sha256.New()
	fmt.Fprintln(h, table, rule)
	return hexSum(h)
}
