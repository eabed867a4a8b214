package results

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Segments are files of records, one a line. Each has one writer, named by its start and process, and only grows. Records
// of other machines come in by copying their segments into the folder; ".jsonl.gz" segments are read too.
const (
	segmentSuffix    = ".jsonl"
	compressedSuffix = ".jsonl.gz"
)

// Every line ends in `,"sum":"xxxxxxxx"}`, the CRC-32C of all before it.
const sumLength = len(`,"sum":"xxxxxxxx"}`)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// line returns the record as it stands in a segment, newline included.
func (r *Record) line() ([]byte, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if len(b)+sumLength >= maxLine { // else it could not be read
		return nil, fmt.Errorf("%w: %d bytes, want less than %d", ErrTooLong, len(b), maxLine)
	}
	b = b[:len(b)-1]
	return fmt.Appendf(b, `,"sum":"%08x"}`+"\n", crc32.Checksum(b, castagnoli)), nil
}

// verify returns what is wrong with the checksum of a line, or "".
func verify(line []byte) string {
	if len(line) < sumLength {
		return "too short for a record"
	}
	body, tail := line[:len(line)-sumLength], line[len(line)-sumLength:]
	if !bytes.HasPrefix(tail, []byte(`,"sum":"`)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return "no checksum at the end"
	}
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum(body, castagnoli))
	if want := hex.AppendEncode(make([]byte, 0, 8), sum[:]); !bytes.Equal(tail[8:16], want) {
		return "checksum does not match"
	}
	return ""
}

// A Damage is a place in a segment that is not a whole record. A Store skips it, so its cell is run again.
type Damage struct {
	File  string
	Line  int // the first one
	Lines int // how many lines it stands for; 0 where that cannot be known: the rest of a compressed segment
	Why   string
	Torn  bool // the last line, cut off by a crash: expected, and harmless
}

func (d *Damage) Error() string { return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Why) }

// shownDamages is how many damaged lines of a segment have a Damage of their own.
const shownDamages = 3

// A segmentLine is a line of a segment.
type segmentLine struct {
	file string
	line int
	text []byte // without the newline
}

func (l segmentLine) checksum() uint32 { return crc32.Checksum(l.text, castagnoli) }

func (l segmentLine) damage(why string) *Damage {
	return &Damage{File: l.file, Line: l.line, Lines: 1, Why: why}
}

// Segments lists the segments in folders, in the order of folders and file names. A path that is a file stands for itself,
// one that does not exist for nothing, and a folder without any, such as a run's, for its folder of the name records.
func Segments(paths ...string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("the folder of records cannot be read: %w", err)
		}
		before := len(files)
		for _, e := range entries {
			if name := e.Name(); strings.HasSuffix(name, segmentSuffix) || strings.HasSuffix(name, compressedSuffix) {
				files = append(files, filepath.Join(path, name))
			}
		}
		if len(files) == before {
			of, err := Segments(filepath.Join(path, "records"))
			if err != nil {
				return nil, err
			}
			files = append(files, of...)
		}
	}
	return files, nil
}

// segmentLines yields the lines of one segment, unchecked.
func segmentLines(path string) iter.Seq2[segmentLine, error] {
	return func(yield func(segmentLine, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(segmentLine{}, err)
			return
		}
		defer f.Close()
		var source io.Reader = f
		compressed := strings.HasSuffix(path, ".gz")
		if compressed {
			if source, err = gzip.NewReader(f); err != nil {
				yield(segmentLine{}, &Damage{File: path, Line: 1, Why: "not a gzip file, all of it is lost: " + err.Error()})
				return
			}
		}
		n, cutOff := 1, false
		lines := bufio.NewScanner(source)
		lines.Buffer(nil, maxLine)
		lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if end := bytes.IndexByte(data, '\n'); end >= 0 {
				return end + 1, data[:end], nil
			}
			cutOff = atEOF && len(data) > 0
			return 0, nil, nil
		})
		for ; lines.Scan(); n++ {
			if !yield(segmentLine{path, n, bytes.Clone(lines.Bytes())}, nil) {
				return
			}
		}
		damage := Damage{File: path, Line: n}
		switch err := lines.Err(); {
		case err == nil && !cutOff:
			return
		case err == nil:
			damage.Lines, damage.Torn, damage.Why = 1, true, "the last line is cut off, as by a crash"
		case err == bufio.ErrTooLong:
			damage.Why = "a line is longer than any record, all records from here on are lost"
		case compressed && errors.Is(err, io.ErrUnexpectedEOF):
			damage.Why = "the compressed file is cut off, all records from here on are lost"
		default:
			damage.Why = "all records from here on are lost: " + err.Error()
		}
		yield(segmentLine{}, &damage)
	}
}

// ErrTooLong is wrapped by what Append says of a record that could not be read.
var ErrTooLong = errors.New("the record is too long")

// maxLine is above any record: a few kilobytes, and what a measurement adds, such as 100 MB of predictions for a million rows of ten classes.
var maxLine = 1 << 30 // for tests
