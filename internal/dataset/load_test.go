package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	table, err := put(t, map[string]string{"toy.csv": toyText}).load(context.Background(), toy())
	if err != nil {
		t.Fatal(err)
	}
	want := []Column{
		{Name: "day", F32: []float32{1, 0, -1, 13938}},
		{Name: "colour", Type: Categorical, Categories: []string{"blue", "red"}, Codes: []uint16{1, 0, 0, 1},
			Missing: []bool{false, false, true, false}},
		{Name: "size", Type: Categorical, Categories: []string{"9", "10"}, Codes: []uint16{1, 0, 1, 0}},
		{Name: "weight", F64: []float64{0.5, 1.1, -2, 0}, Missing: []bool{false, false, false, true}},
		{Name: "bad", Type: Categorical, Categories: []string{"0", "1"}, Codes: []uint16{0, 1, 0, 0}},
	}
	if !reflect.DeepEqual(table.Columns, want) {
		t.Errorf("columns\n%+v, want\n%+v", table.Columns, want)
	}
	if table.Rows != 4 || table.Check != SameTable || table.Digest != toyDigest || table.Subset != "" || table.Info.TestAt != 0 {
		t.Errorf("table %+v", table)
	}
}

// The same values in another container are the same table.
func TestLoadSameTable(t *testing.T) {
	crlf := strings.ReplaceAll(toyText, "\n", "\r\n")
	for name, files := range map[string]map[string]string{
		"compressed":          {"toy.csv.gz": zipped(toyText)},
		"compressed in parts": {"toy.csv.gz": zipped(toyText[:50]) + zipped(toyText[50:])},
		"compressed unnamed":  {"toy.csv": zipped(toyText)},
		"carriage returns":    {"toy.csv": crlf},
		"byte order mark":     {"toy.csv": "\xef\xbb\xbf" + toyText},
		"blank lines":         {"toy.csv": strings.ReplaceAll(toyText, "\n", "\n\n \n")},
		"no last line end":    {"toy.csv": strings.TrimSpace(toyText)},
		"quoted header":       {"toy.csv": `"id","bad","day","colour","size","weight"` + toyText[strings.Index(toyText, "\n"):]},
		"other numerals":      {"toy.csv": strings.NewReplacer(",10,0.5", ",1e1,+5E-1", ",9,1.1", ",9.00,1.10", "1,0,1/2", "1,0.0,01/02").Replace(toyText)},
	} {
		table, err := put(t, files).load(context.Background(), toy())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if table.Digest != toyDigest {
			t.Errorf("%s: digest %s", name, table.Digest)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	replace := func(old, new string) string {
		if !strings.Contains(toyText, old) {
			t.Fatalf("no %q in the text", old)
		}
		return strings.Replace(toyText, old, new, 1)
	}
	gz := zipped(strings.Repeat(toyText, 50))
	damaged := []byte(zipped(toyText))
	damaged[len(damaged)-6] ^= 1 // the checksum
	for name, test := range map[string]struct{ content, want string }{
		"empty":               {"", "toy.csv: the file is empty"},
		"blank":               {"\n \n\n", "toy.csv: the file is empty"},
		"zero bytes":          {strings.Repeat("\x00", 100), "toy.csv: binary, not text"},
		"HTML":                {"\n<!DOCTYPE html><html>404</html>", "toy.csv:1: a web page (HTML or XML), not data"},
		"LFS pointer":         {"version https://git-lfs.github.com/spec/v1\noid", "toy.csv:1: a Git LFS pointer, not data: run git lfs pull"},
		"zip":                 {"PK\x03\x04zzz", "toy.csv: a zip archive: unpack it, or save the spreadsheet as CSV"},
		"UTF-16":              {"\xff\xfei\x00d\x00", "toy.csv: text in UTF-16: save it as UTF-8"},
		"less than":           {"<25,bad", "toy.csv:1: header of 2 fields, 6 expected"},
		"header only":         {toyText[:30], "toy.csv:1: the file ends after 0 rows, 4 expected"},
		"half a header":       {"id,bad", "toy.csv:1: header of 2 fields, 6 expected"},
		"no header":           {toyText[30:], "toy.csv:1: a row of numbers where the header line is expected"},
		"other header":        {replace("bad", "good"), `toy.csv:1: header field 2 is "good", "bad" expected`},
		"missing row":         {replace("4,0,2/29/2008,red,9,NULL\n", ""), "toy.csv:4: the file ends after 3 rows, 4 expected"},
		"missing first row":   {replace("1,0,1/2/1970,red,10,0.5\n", ""), "toy.csv:4: the file ends after 3 rows, 4 expected"},
		"cut in a row":        {toyText[:len(toyText)-8], "toy.csv:5: 4 fields, 6 expected"},
		"one row more":        {toyText + "5,0,1/1/1970,red,9,1\n", "toy.csv:6: more than the expected 4 rows"},
		"field missing":       {replace(",blue", ""), "toy.csv:3: 5 fields, 6 expected"},
		"field too many":      {replace(",blue", ",blue,green"), "toy.csv:3: 7 fields, 6 expected"},
		"wrong separator":     {strings.ReplaceAll(toyText, ",", ";"), "toy.csv:1: header of 1 field, 6 expected"},
		"not a number":        {replace("1.1", "1.l"), `toy.csv:3: field 6 (weight): "1.l" is not a number`},
		"not finite":          {replace("1.1", "NaN"), `toy.csv:3: field 6 (weight): "NaN" is not a number`},
		"too large":           {replace("1.1", "1e999"), `toy.csv:3: field 6 (weight): "1e999" is not a number (it is too large)`},
		"hexadecimal":         {replace("1.1", "0x1p3"), `toy.csv:3: field 6 (weight): "0x1p3" is not a number`},
		"decimal comma":       {replace("1.1", `"1`), `toy.csv:3: field 6 (weight): "\"1" is not a number`},
		"blank before number": {replace("1.1", " 1.1"), `toy.csv:3: field 6 (weight): " 1.1" is not a number (it has blanks around it)`},
		"no such date":        {replace("2/29/2008", "2/30/2008"), `toy.csv:5: field 3 (day): "2/30/2008" is not a date (month/day/year)`},
		"unknown class":       {replace("2,1,", "2,2,"), `toy.csv:3: field 2 (bad): "2" is not a declared category; known: 0, 1`},
		"word as class":       {replace("2,1,", "2,yes,"), `toy.csv:3: field 2 (bad): "yes" is not a declared category; known: 0, 1`},
		"control character":   {replace("blue", "bl\x01ue"), `toy.csv:3: field 4 (colour): "bl\x01ue" contains a control character`},
		"class counts":        {replace("2,1,", "2,0,"), "toy.csv: class \"0\" has 4 rows, 3 expected"},
		"altered number":      {replace("1.1", "1.2"), "toy.csv: the values are not the published ones (table digest "},
		"altered category":    {replace("blue", "bleu"), "toy.csv: the values are not the published ones (table digest "},
		"missing made zero":   {replace("NULL", "0"), "toy.csv: the values are not the published ones (table digest "},
		"rows swapped": {replace("1,0,1/2/1970,red,10,0.5\n2,1,1/1/1970,blue,9,1.1\n", "2,1,1/1/1970,blue,9,1.1\n1,0,1/2/1970,red,10,0.5\n"),
			"toy.csv: the values are not the published ones (table digest "},
		"long line":        {toyText[:30] + strings.Repeat("1", maxLine+1), "toy.csv:2: a line of more than 65536 bytes"},
		"gzip cut short":   {gz[:len(gz)-9], "toy.csv: the compressed data end here, the file is cut short; replace it by the toy shop"},
		"gzip header only": {gz[:5], "toy.csv: the compressed data end here, the file is cut short; replace it by the toy shop"},
		"gzip checksum":    {string(damaged), "toy.csv: the compressed data are damaged; replace it by the toy shop"},
		"gzip damaged":     {gz[:40] + "????" + gz[44:], "toy.csv: the compressed data are damaged; replace it by the toy shop"},
		"gzip tail":        {zipped(toyText) + "tail", "toy.csv: the compressed data end here, the file is cut short; replace it by the toy shop"},
	} {
		t.Run(name, func(t *testing.T) {
			l := put(t, map[string]string{"toy.csv": test.content})
			table, err := l.load(context.Background(), toy())
			if err == nil {
				t.Fatalf("loaded %v", table)
			}
			got := strings.ReplaceAll(err.Error(), l.Dirs[0]+string(filepath.Separator), "")
			want := "toy: " + filepath.Join("toy", test.want[:7]) + test.want[7:]
			if got != want && (!strings.HasSuffix(want, "digest ") || !strings.HasPrefix(got, want)) {
				t.Errorf("error\n%s, want\n%s", got, want)
			}
			if strings.Contains(got, "\n") {
				t.Error("more than one line")
			}
		})
	}
}

// Without a digest to compare with, a known checksum that differs refuses a file, and counts alone are said to be right.
func TestLoadChecks(t *testing.T) {
	l := put(t, map[string]string{"toy.csv": toyText})
	s := toy()
	s.variants[0].digest = ""
	table, err := l.load(context.Background(), s)
	if err != nil || table.Check != SameRows {
		t.Fatalf("%v, %v; want %v", table, err, SameRows)
	}
	s.variants[0].files[0].SHA256 = []string{strings.Repeat("0", 64)}
	if _, err = l.load(context.Background(), s); err == nil || !strings.Contains(err.Error(), "not the published ones") {
		t.Fatalf("error %v", err)
	}
	s.variants[0].files[0].SHA256 = []string{hexSHA256([]byte(toyText))}
	for name, content := range map[string]string{"toy.csv": toyText, "toy.csv.gz": zipped(toyText)} {
		l := put(t, map[string]string{name: content})
		if table, err := l.load(context.Background(), s); err != nil || table.Check != SameFile {
			t.Fatalf("%s: %v, %v; want %v", name, table, err, SameFile)
		}
	}
}

func TestLoadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := put(t, map[string]string{"toy.csv": toyText})
	if _, err := l.load(ctx, toy()); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

func TestLoadUnreadable(t *testing.T) {
	l := put(t, nil)
	path := filepath.Join(l.Dirs[0], "toy", "toy.csv")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := l.load(context.Background(), toy()); err == nil || err.Error() != "toy: "+path+" is not a file" {
		t.Fatalf("error %v", err)
	}
}

// A column stays float32 as long as that loses nothing, and beyond that where it is float32 by definition.
func TestPrecision(t *testing.T) {
	for _, test := range []struct {
		spec columnSpec
		text []string
		f32  []float32
		f64  []float64
	}{
		{columnSpec{}, []string{"1", "0.5", "-16777216"}, []float32{1, 0.5, -16777216}, nil},
		{columnSpec{}, []string{"1", "16777217"}, nil, []float64{1, 16777217}},
		{columnSpec{}, []string{"1", "0.1", "2"}, nil, []float64{1, 0.1, 2}},
		{columnSpec{single: true}, []string{"0.1", "-6.350818276405334473e-01"}, []float32{0.1, -0.63508183}, nil},
		{columnSpec{}, []string{"-6.350818276405334473e-01"}, []float32{-0.63508183}, nil},
	} {
		b := newBuilder(test.spec, len(test.text))
		for _, s := range test.text {
			if err := b.add([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		if c := b.column(); !reflect.DeepEqual(c.F32, test.f32) || !reflect.DeepEqual(c.F64, test.f64) {
			t.Errorf("%q: %v %v, want %v %v", test.text, c.F32, c.F64, test.f32, test.f64)
		}
	}
}

func TestTooManyCategories(t *testing.T) {
	b := newBuilder(columnSpec{kind: Categorical}, 1)
	var err error
	n := 0
	for ; err == nil && n < 1<<17; n++ {
		err = b.add([]byte{byte('A' + n>>12), byte('A' + n>>6&63), byte('A' + n&63)})
	}
	if n != maxCategories+1 || err == nil || err.Error() != "more than 65536 distinct values" {
		t.Fatalf("after %d values: %v", n, err)
	}
}

// Reading a row allocates nothing.
func TestNoAllocations(t *testing.T) {
	spec := []columnSpec{{name: "a"}, {name: "b", single: true}, {name: "c", kind: Categorical}}
	const rows = 10000
	columns := make([]*builder, len(spec))
	for i := range spec {
		columns[i] = newBuilder(spec[i], rows)
	}
	p := &rowParser{text: text{separator: ',', missing: []string{"", "NULL"}}, columns: columns}
	lines := [][]byte{[]byte("-1.250000000000000000e+00,8.692932128906250000e-01,one"), []byte("77,3,two")}
	for _, line := range lines {
		if err := p.parse(line); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(rows/2-10, func() { p.parse(lines[0]); p.parse(lines[1]) }); n > 0 {
		t.Errorf("%v allocations for two rows", n)
	}
}
