package document

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// Fields come with the line that they begin in, and names of columns, which may have semicolons, without a byte order mark.
func TestCSV(t *testing.T) {
	c, err := NewCSV(strings.NewReader("\ufeffa;x,b\n1,\"2\n3\"\n\n4,\n"), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		line int
		a, b string
	}
	var got []row
	for {
		fields, line, err := c.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		got = append(got, row{line, fields[0], fields[1]})
	}
	if want := []row{{2, "1", "2\n3"}, {5, "4", ""}}; !reflect.DeepEqual(got, want) || !reflect.DeepEqual(c.Header, []string{"a;x", "b"}) {
		t.Errorf("columns %q: %+v, want %+v", c.Header, got, want)
	}
}

// What is wrong with a file is said with its line, and so is that it seems to have another separator than a comma.
func TestCSVErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "f.csv is empty, want a line with the names of columns",
		"a;b\n1;2,5\n":       `f.csv:1: the only column is called "a;b": is there another separator than a comma?`,
		"a\tb\n":             `f.csv:1: the only column is called "a\tb": is there another separator than a comma?`,
		"\"a\";\"b\"\n":      `f.csv:1: extraneous or missing " in quoted-field; is there another separator than a comma?`,
		"a;\"b\"\n":          `f.csv:1: bare " in non-quoted-field; is there another separator than a comma?`,
		"a,b\n1,2\n1\n":      "f.csv:3: 1 field, the header has 2",
		"a,b\n1,2\n1,2,3\n":  "f.csv:3: 3 fields, the header has 2",
		"a,b\n1,2\n1,\"2\n3": `f.csv:4: extraneous or missing " in quoted-field`,
	} {
		c, err := NewCSV(strings.NewReader(text), "f.csv")
		for err == nil {
			_, _, err = c.Next()
		}
		if err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := NewCSV(iotest.ErrReader(errors.New("the disk is gone")), "f.csv"); err == nil || err.Error() != "f.csv: the disk is gone" {
		t.Error(err)
	}
}
