// Package vectors reads reference vectors, the numbers of other libraries that tests compare with.
package vectors

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

// Read decodes a file of compressed JSON. A test that cannot read its vectors fails.
func Read(t testing.TB, path string, into any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
