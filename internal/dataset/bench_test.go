package dataset

import (
	"bytes"
	"context"
	"io"
	"testing"
)

// BenchmarkParse reads rows of Higgs that are already unpacked.
func BenchmarkParse(b *testing.B) {
	var content bytes.Buffer
	unpack(b, &content, higgsMember(5000))
	b.SetBytes(int64(content.Len()))
	for b.Loop() {
		columns := make([]*builder, len(higgs.columns))
		for i, spec := range higgs.columns {
			columns[i] = newBuilder(spec, higgsBlock)
		}
		if err := (text{separator: ','}).parse(bytes.NewReader(content.Bytes()), higgsBlock, columns); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(higgsBlock*29), "ns/field")
}

// BenchmarkUnpack is the other part of the work.
func BenchmarkUnpack(b *testing.B) {
	member := higgsMember(5000)
	var size bytes.Buffer
	unpack(b, &size, member)
	b.SetBytes(int64(size.Len()))
	for b.Loop() {
		unpack(b, io.Discard, member)
	}
}

func unpack(b *testing.B, w io.Writer, file []byte) {
	rows, err := unpacked(bytes.NewReader(file))
	if err == nil {
		_, err = io.Copy(w, rows)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoad loads every data set that is here, from its files and from the cache.
func BenchmarkLoad(b *testing.B) {
	for _, s := range catalogue {
		l := realData(b, s.Name)
		load := func(b *testing.B) {
			for b.Loop() {
				if _, err := l.Load(context.Background(), s.Name); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(s.Name+"/files", load)
		if s.cached {
			l.CacheDir = b.TempDir()
			b.Run(s.Name+"/cache", load)
		}
	}
}
