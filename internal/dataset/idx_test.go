package dataset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// idx returns the bytes of an IDX file.
func idx(content string, head ...uint32) string {
	var b bytes.Buffer
	binary.Write(&b, binary.BigEndian, head)
	return b.String() + content
}

// idxColumns returns columns for images of 2 x 2 pixels with labels.
func idxColumns(rows int) []*builder {
	var b []*builder
	for _, spec := range append(continuous("1", "2", "3", "4"), levels("digit", "0", "1", "2")) {
		b = append(b, newBuilder(spec, rows))
	}
	return b
}

func TestIDX(t *testing.T) {
	const rows = 300 // more than a block
	columns := idxColumns(rows)
	var images strings.Builder
	for i := range rows {
		images.Write([]byte{byte(i), 1, 2, 255})
	}
	if err := parseIDXImages(strings.NewReader(idx(images.String(), 2051, rows, 2, 2)), rows, columns); err != nil {
		t.Fatal(err)
	}
	if err := parseIDXLabels(strings.NewReader(idx(strings.Repeat("\x02\x00\x01", rows/3), 2049, rows)), rows, columns); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{299 % 256, 1, 2, 255} {
		if c := columns[i].column(); len(c.F32) != rows || c.F32[rows-1] != want {
			t.Errorf("pixel %d of %d images: %v, want %v", i, len(c.F32), c.F32[rows-1], want)
		}
	}
	if c := columns[4].column(); c.Codes[0] != 2 || c.Codes[1] != 0 || len(c.Codes) != rows {
		t.Errorf("labels %v", c.Codes)
	}
}

func TestIDXRefuses(t *testing.T) {
	for _, test := range []struct {
		parse         parser
		content, want string
	}{
		{parseIDXImages, "", "the file ends before its 2 entries do"},
		{parseIDXImages, idx("", 2051, 2), "the file ends before its 2 entries do"},
		{parseIDXImages, idx("1234567", 2051, 2, 2, 2), "the file ends before its 2 entries do"},
		{parseIDXImages, idx("123456789", 2051, 2, 2, 2), "the file goes on after its 2 entries"},
		{parseIDXImages, idx("12345678", 2049, 2, 2, 2), "not an IDX file of the expected kind: it begins with 2049, 2051 expected"},
		{parseIDXImages, idx("12345678", 2051, 3, 2, 2), "IDX dimension 1 is 3, 2 expected"},
		{parseIDXImages, idx("12345678", 2051, 2, 2, 4), "IDX dimension 3 is 4, 2 expected"},
		{parseIDXImages, "<html>a page that is long enough</html>", "not an IDX file of the expected kind: it begins with 1013478509, 2051 expected"},
		{parseIDXLabels, idx("\x00", 2049, 2), "the file ends before its 2 entries do"},
		{parseIDXLabels, idx("\x00\x00\x00", 2049, 2), "the file goes on after its 2 entries"},
		{parseIDXLabels, idx("\x00\x03", 2049, 2), `label 1: "3" is not a declared category; known: 0, 1, 2`},
	} {
		if err := test.parse(strings.NewReader(test.content), 2, idxColumns(2)); err == nil || err.Error() != test.want {
			t.Errorf("%q: error %v, want %s", test.content, err, test.want)
		}
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(idx("12345678", 2051, 2, 2, 2))
	f.Add(idx("\x00\x01", 2049, 2))
	f.Fuzz(func(t *testing.T, s string) {
		columns := idxColumns(2)
		if parseIDXImages(strings.NewReader(s), 2, columns) == nil && columns[0].n != 2 {
			t.Error("images accepted that are not there")
		}
		if parseIDXLabels(strings.NewReader(s), 2, columns) == nil && columns[4].n != 2 {
			t.Error("labels accepted that are not there")
		}
	})
}
