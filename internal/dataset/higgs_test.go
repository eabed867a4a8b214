package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// higgsBlock is the number of rows that the file repeats.
const higgsBlock = 10000

// writeHiggs writes 11,000,000 rows in UCI's form with its class counts: a gzip member over and over, and a last one that
// makes the counts come out.
func writeHiggs(t *testing.T, path string) (size int64) {
	t.Helper()
	const blocks = 11000000 / higgsBlock
	const background = 5170877
	each := background / blocks
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	member := higgsMember(each)
	for i := range blocks {
		if i == blocks-1 {
			member = higgsMember(background - each*(blocks-1))
		}
		n, err := file.Write(member)
		if err != nil {
			t.Fatal(err)
		}
		size += int64(n)
	}
	return size
}

// higgsMember returns compressed rows, the first so many of them background.
func higgsMember(background int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for row := range higgsBlock {
		label := 1.0
		if row < background {
			label = 0
		}
		line := fmt.Appendf(nil, "%.18e", label)
		for range 28 {
			line = strconv.AppendFloat(append(line, ','), float64(float32(r.NormFloat64())), 'e', 18, 64)
		}
		w.Write(append(line, '\n'))
	}
	w.Close()
	return b.Bytes()
}
