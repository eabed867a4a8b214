package document

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A value is what it is to YAML, and its word what the file has.
func TestValues(t *testing.T) {
	d, root := Parse("f.yaml", []byte(`a: NULL
b: ~
c:
d: 'it''s'
e: "\t"
f: |
  x
g: -9.0
h: 1e3
i: 077
j: 1_000
k: .inf
l: [yes, 5]
m: !!str 5
n: 2001-01-01
o: "5"
p: true
`), "")
	if root == nil {
		t.Fatal(d.Err())
	}
	var got []string
	for _, f := range root.Fields {
		word, ok := f.Value.Word()
		value, good := d.Value(f.Value)
		got = append(got, fmt.Sprintf("%s %s %q %t %#v %t", f.Key, f.Value.Is, word, ok, value, good))
	}
	want := []string{
		`a nothing "NULL" true <nil> false`,
		`b nothing "~" true <nil> false`,
		`c nothing "" false <nil> false`,
		`d text "it's" true "it's" true`,
		`e text "\t" true "\t" true`,
		`f text "x\n" true "x\n" true`,
		`g a number "-9.0" true -9 true`,
		`h a number "1e3" true 1000 true`,
		`i a number "077" true <nil> false`,
		`j a number "1_000" true <nil> false`,
		`k a number ".inf" true <nil> false`,
		`l a list "" false []interface {}{"yes", 5} true`,
		`m a tag (!) "" false <nil> false`,
		`n text "2001-01-01" true "2001-01-01" true`,
		`o text "5" true "5" true`,
		`p true or false "true" true true true`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	const mistakes = `f.yaml:1:4: nothing is not a value; want a number, true, false or text
f.yaml:2:4: nothing is not a value; want a number, true, false or text
f.yaml:3:3: nothing is not a value; want a number, true, false or text
f.yaml:10:4: 077: write whole numbers in plain decimal digits (is 63 meant?)
f.yaml:11:4: 1_000: write whole numbers in plain decimal digits (is 1000 meant?)
f.yaml:12:4: .inf: want a finite number
f.yaml:14:4: a tag (!) is not a value; want a number, true, false or text`
	if err := d.Err(); err == nil || err.Error() != mistakes {
		t.Errorf("got\n%v, want\n%s", err, mistakes)
	}
}

// Of each bound what is on its near side is read, and what is beyond it is one mistake at its place.
func TestBounds(t *testing.T) {
	long := func(n int) string { return "a: '" + strings.Repeat("x", n-5) + "'" }
	for _, test := range []struct{ content, want string }{
		{long(maxLine), ""},
		{"b: 1\n" + long(maxLine+1), "f.yaml:2:20001: a line has at most 20000 characters; break it"},
		{strings.Repeat("# 3456789\n", MaxBytes/10) + "a: bcd", ""},
		{strings.Repeat("# 3456789\n", MaxBytes/10) + "a: bcde", "f.yaml:1:1: 1048577 bytes; the file may have 1048576"},
		{"a: " + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), ""},
		{"a:\n  " + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), "f.yaml:2:1: brackets nested deeper than 50; no file needs that many"},
		{"a:\n" + strings.Repeat("- '[0, 1)'\n- \"{\\\"[\"\n", maxDepth), ""},
		{strings.Repeat("- ", maxLine/2-1) + "a", ""}, // a level each
	} {
		d, root := Parse("f.yaml", []byte(test.content), "")
		got := ""
		if err := d.Err(); err != nil {
			got = err.Error()
		}
		if got != test.want || (root == nil) != (test.want != "") {
			t.Errorf("%.40q: got %q, want %q", test.content, got, test.want)
		}
	}
}
