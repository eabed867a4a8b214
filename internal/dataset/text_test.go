package dataset

import (
	"slices"
	"strings"
	"testing"
)

// parseAll parses text into columns of the given kinds.
func parseAll(form text, content string, rows int, specs ...columnSpec) ([]Column, error) {
	b := make([]*builder, len(specs))
	for i := range specs {
		b[i] = newBuilder(specs[i], rows)
	}
	if err := form.parse(strings.NewReader(content), rows, b); err != nil {
		return nil, err
	}
	columns := make([]Column, len(b))
	for i := range b {
		columns[i] = b[i].column()
	}
	return columns, nil
}

func TestForms(t *testing.T) {
	number, word := columnSpec{}, columnSpec{kind: Categorical}
	want := tableDigest(must(parseAll(text{separator: ','}, "1,x y\n2,z\n", 2, number, word)), 2)
	for name, test := range map[string]struct {
		form    text
		content string
	}{
		"trimmed":    {text{separator: ',', trim: true}, "1, x y\n2, z \n"},
		"preamble":   {text{separator: ',', skip: 3}, "Some words,\n\nmore words\n1,x y\n2,z\n"},
		"reordered":  {text{separator: ',', fields: []int{2, 0}}, "x y,dropped,1\nz,dropped,2\n"},
		"two lines":  {text{separator: ',', lines: 2}, "1\nx y\n2\nz"},
		"ARFF":       {text{separator: ',', arff: true}, "% c\n@relation r\n@ATTRIBUTE a NUMERIC\n@attribute 'b c' {x,z}\n\n@DATA\n% c\n1, 'x y'\n2,\"z\"\n"},
		"ARFF blank": {text{separator: ',', arff: true}, "@attribute a real\n@attribute b string\n@data \n1 , x y \n2, z\n"},
	} {
		columns, err := parseAll(test.form, test.content, 2, number, word)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := tableDigest(columns, 2); got != want {
			t.Errorf("%s: %+v", name, columns)
		}
	}
	blanks, err := parseAll(text{separator: ' '}, " 1\t  2 \n\t3 4\r\n", 2, number, number)
	if err != nil || !slices.Equal(blanks[0].F32, []float32{1, 3}) || !slices.Equal(blanks[1].F32, []float32{2, 4}) {
		t.Errorf("blanks: %+v, %v", blanks, err)
	}
}

func TestFormsRefuse(t *testing.T) {
	number := columnSpec{name: "n"}
	for _, test := range []struct {
		form          text
		content, want string
	}{
		{text{separator: ' '}, "1 2 3", "3 fields, 2 expected"},
		{text{separator: ' '}, "1", "1 field, 2 expected"},
		{text{separator: ',', skip: 3}, "a\nb\n", "the file ends before the first complete row"},
		{text{separator: ',', lines: 2}, "1\n", "the file ends before the first complete row"},
		{text{separator: ',', arff: true}, "@relation r\n", "the file ends before the first complete row"},
		{text{separator: ',', arff: true}, "@attribute a real\n@data\n1,2", "1 attribute declared, 2 expected"},
		{text{separator: ',', arff: true}, "@attribute a real\n@attribute b real\n@data\n'1,2", `field 1 (n): "'1" is not a number`},
	} {
		if _, err := parseAll(test.form, test.content, 1, number, number); err == nil || err.Error() != test.want {
			t.Errorf("%q: error %v, want %s", test.content, err, test.want)
		}
	}
}

func TestCategoryOrder(t *testing.T) {
	for _, test := range []struct{ values, want string }{
		{"10 9 -1 9.0 0.50 .5", "-1 0.5 9 10"},
		{"10 9 x", "10 9 x"},
		{"b B a A é", "A B a b é"},
		{"-0 0 1", "0 1"},
		{"1e3 1000 999", "999 1000"},
		{"1e3 inf", "1e3 inf"},
		{"- 50000. 50000+.", "- 50000. 50000+."}, // two fields of a line of their own below
	} {
		b := newBuilder(columnSpec{kind: Categorical}, 0)
		fields := strings.Fields(test.values)
		if strings.HasPrefix(test.values, "- ") {
			fields = []string{"50000+.", "- 50000."}
		}
		for _, f := range fields {
			if err := b.add([]byte(f)); err != nil {
				t.Fatal(err)
			}
		}
		c := b.column()
		if got := strings.Join(c.Categories, " "); got != test.want {
			t.Errorf("%s: categories %q, want %q", test.values, got, test.want)
		}
	}
}

// FuzzText checks that no input panics, and that what is accepted is a well-formed table of the expected size.
func FuzzText(f *testing.F) {
	for _, s := range []string{toyText, "", "\n", "id,bad,a,b,c,d\n1,0,1/1/1970,,,\n", "\xef\xbb\xbf" + toyText, toyText + "\x00"} {
		f.Add(s, 4, byte(','), 0, 1, false, false)
		f.Add(s, 1, byte(' '), 1, 2, true, true)
	}
	f.Fuzz(func(t *testing.T, s string, rows int, separator byte, skip, lines int, trim, arff bool) {
		if rows < 0 || rows > 1000 || skip < 0 || skip > 10 || lines < 0 || lines > 5 || separator == '\n' {
			t.Skip()
		}
		form := toyForm
		form.separator, form.skip, form.lines, form.trim, form.arff = separator, skip, lines, trim, arff
		columns, err := parseAll(form, s, rows, toy().columns...)
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		for _, c := range columns {
			checkColumn(t, &c, rows)
		}
	})
}

// checkColumn checks what the documentation of Column promises.
func checkColumn(t *testing.T, c *Column, rows int) {
	t.Helper()
	if c.Missing != nil && len(c.Missing) != rows {
		t.Fatalf("%s: %d missing flags", c.Name, len(c.Missing))
	}
	if c.Type == Continuous {
		if c.Codes != nil || (c.F32 == nil) == (c.F64 == nil) || len(c.F32)+len(c.F64) != rows {
			t.Fatalf("%s: %d and %d values", c.Name, len(c.F32), len(c.F64))
		}
		return
	}
	if len(c.Codes) != rows || c.F32 != nil || c.F64 != nil {
		t.Fatalf("%s: %d codes", c.Name, len(c.Codes))
	}
	for row, code := range c.Codes {
		if int(code) >= len(c.Categories) && !c.IsMissing(row) {
			t.Fatalf("%s: code %d of %d categories", c.Name, code, len(c.Categories))
		}
	}
	seen := map[string]bool{}
	for _, category := range c.Categories {
		if seen[category] {
			t.Fatalf("%s: category %q twice", c.Name, category)
		}
		seen[category] = true
	}
	if !slices.IsSorted(c.Categories) && plainNumbers(c.Categories) == nil {
		t.Fatalf("%s: categories %q", c.Name, c.Categories)
	}
}

func must(columns []Column, err error) []Column {
	if err != nil {
		panic(err)
	}
	return columns
}
