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
	if err := unpack(&content, bytes.NewReader(higgsMember(5000))); err != nil {
		b.Fatal(err)
	}
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

// BenchmarkUnpack is the other half of the work, which goes on at the same time.
func BenchmarkUnpack(b *testing.B) {
	member := higgsMember(5000)
	var size countingWriter
	unpack(&size, bytes.NewReader(member))
	b.SetBytes(int64(size))
	for b.Loop() {
		if err := unpack(io.Discard, bytes.NewReader(member)); err != nil {
			b.Fatal(err)
		}
	}
}

type countingWriter int

func (w *countingWriter) Write(b []byte) (int, error) {
	*w += countingWriter(len(b))
	return len(b), nil
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
