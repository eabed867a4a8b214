package document

import (
	"fmt"
	"reflect"
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
