package results

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Segments are files of records, one a line. Each has one writer, named by its start and process, and only grows. Records
// of other machines come in by copying their segments into the folder; ".jsonl.gz" segments are read too.
const (
	segmentSuffix    = ".jsonl"
	compressedSuffix = ".jsonl.gz"
	syncInterval     = time.Second
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
	b = b[:len(b)-1]
	return fmt.Appendf(b, `,"sum":"%08x"}`+"\n", crc32.Checksum(b, castagnoli)), nil
}

// verify returns what is wrong with a line, or "".
func verify(line []byte) string {
	if len(line) < sumLength {
		return "too short for a record"
	}
	body, tail := line[:len(line)-sumLength], line[len(line)-sumLength:]
	if !bytes.HasPrefix(tail, []byte(`,"sum":"`)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return "no checksum at the end"
	}
	if want := fmt.Appendf(nil, "%08x", crc32.Checksum(body, castagnoli)); !bytes.Equal(tail[8:16], want) {
		return "checksum does not match"
	}
	return ""
}

// A Writer appends records to a segment of its own. Its methods may be called from several goroutines.
type Writer struct {
	dir     string
	mu      sync.Mutex
	file    *os.File // nil until the first record
	size    int64    // of the whole lines
	dirty   bool     // written since the last sync
	err     error    // the first failure, which all later calls return
	stop    chan struct{}
	stopped chan struct{}
}

// NewWriter prepares a segment in dir, which is made when the first record comes.
func NewWriter(dir string) *Writer {
	w := &Writer{dir: dir, stop: make(chan struct{}), stopped: make(chan struct{})}
	go w.syncLoop()
	return w
}

// Append writes one record. When it returns the record outlives the process; within a second it outlives the machine.
// After an error, a full disk say, the segment still ends in a whole line.
func (w *Writer) Append(r *Record) error {
	line, err := r.line()
	if err != nil {
		return fmt.Errorf("record of %s %s fold %d: %w", r.Dataset, r.Method, r.Fold, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.file == nil {
		if w.file, w.err = createSegment(w.dir); w.err != nil {
			return w.err
		}
	}
	if _, err := w.file.Write(line); err != nil {
		w.err = fmt.Errorf("records cannot be written: %w", err)
		w.file.Truncate(w.size)
		return w.err
	}
	w.size += int64(len(line))
	w.dirty = true
	return nil
}

// createSegment makes a new, empty segment and makes sure that its name outlives a crash.
func createSegment(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of records cannot be made: %w", err)
	}
	host, _ := os.Hostname()
	name := fmt.Sprintf("%s-%s-%d%s", time.Now().UTC().Format("20060102T150405.000000000"), host, os.Getpid(), segmentSuffix)
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("no segment for records can be made: %w", err)
	}
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
	return f, nil
}

func (w *Writer) syncLoop() {
	defer close(w.stopped)
	tick := time.NewTicker(syncInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			w.sync()
		}
	}
}

func (w *Writer) sync() {
	w.mu.Lock()
	file, dirty := w.file, w.dirty
	w.dirty = false
	w.mu.Unlock()
	if !dirty {
		return
	}
	if err := file.Sync(); err != nil {
		w.mu.Lock()
		if w.err == nil {
			w.err = fmt.Errorf("records cannot be synced to disk: %w", err)
		}
		w.mu.Unlock()
	}
}

// Close syncs the segment and returns the first error that the writer met.
func (w *Writer) Close() error {
	close(w.stop)
	<-w.stopped
	w.sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		if err := w.file.Close(); err != nil && w.err == nil {
			w.err = err
		}
	}
	return w.err
}

// A Damage is a place in a segment that is not a whole record. It is skipped, so its cell is run again.
type Damage struct {
	File string
	Line int
	Why  string
	Torn bool // the last line, cut off by a crash: expected, and harmless
}

func (d *Damage) Error() string { return fmt.Sprintf("%s:%d: %s; skipped", d.File, d.Line, d.Why) }

// Read yields the records of all segments in the folders, in the order of folders, file names and lines; a *Damage as the
// error for what is not a whole record, and any other error for a segment that cannot be read. A folder that does not
// exist has none. The same cell may come more than once. Lines are decoded on all cores.
func Read(dirs ...string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		stop := make(chan struct{})
		defer close(stop)
		for chunk := range decoded(dirs, stop) {
			for _, d := range <-chunk {
				if !yield(d.record, d.err) {
					return
				}
			}
		}
	}
}

type decodedLine struct {
	record *Record
	err    error
}

// chunkLines is how many lines are decoded at a time.
const chunkLines = 256

// decoded hands out chunks of decoded lines in order, until stop is closed. As many are being decoded as there are cores.
func decoded(dirs []string, stop <-chan struct{}) <-chan chan []decodedLine {
	chunks := make(chan chan []decodedLine, runtime.GOMAXPROCS(0))
	go func() {
		defer close(chunks)
		var pending []pendingLine
		start := func() (goOn bool) {
			chunk, lines := make(chan []decodedLine, 1), pending
			pending = nil
			select {
			case chunks <- chunk:
				go func() { chunk <- decode(lines) }()
				return true
			case <-stop:
				return false
			}
		}
		for line, err := range lines(dirs) {
			line.text = bytes.Clone(line.text)
			pending = append(pending, pendingLine{line, err})
			if len(pending) == chunkLines && !start() {
				return
			}
		}
		start()
	}()
	return chunks
}

type pendingLine struct {
	numberedLine
	err error
}

func decode(lines []pendingLine) []decodedLine {
	out := make([]decodedLine, len(lines))
	for i, l := range lines {
		if l.err != nil {
			out[i].err = l.err
			continue
		}
		r := new(Record)
		if err := json.Unmarshal(l.text, r); err != nil {
			out[i].err = &Damage{File: l.file, Line: l.number, Why: "not a record: " + err.Error()}
			continue
		}
		out[i].record = r
	}
	return out
}

// An Index knows the status, OK or Failed, of every cell that has a record. A cell that ever succeeded is OK.
type Index map[string]string

// ReadIndex scans the segments in the folders. It returns what is damaged, in words, beside the index of all that is not.
func ReadIndex(dirs ...string) (Index, []*Damage, error) {
	index := Index{}
	var damages []*Damage
	for line, err := range lines(dirs) {
		if d := (*Damage)(nil); errors.As(err, &d) {
			damages = append(damages, d)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		id, status, ok := identity(line.text)
		if !ok {
			damages = append(damages, &Damage{File: line.file, Line: line.number, Why: "not a record"})
			continue
		}
		if index[id] != OK {
			index[id] = status
		}
	}
	return index, damages, nil
}

// identity reads the two fields that every record begins with.
func identity(line []byte) (id, status string, ok bool) {
	rest, ok1 := bytes.CutPrefix(line, []byte(`{"id":"`))
	rawID, rest, ok2 := bytes.Cut(rest, []byte(`","status":"`))
	rawStatus, _, ok3 := bytes.Cut(rest, []byte(`"`))
	switch string(rawStatus) {
	case OK:
		status = OK
	case Failed:
		status = Failed
	default:
		return "", "", false
	}
	return string(rawID), status, ok1 && ok2 && ok3
}

type numberedLine struct {
	file   string
	number int
	text   []byte // valid until the next line
}

// lines yields the lines of all segments whose checksums are right, and what is wrong with the others.
func lines(dirs []string) iter.Seq2[numberedLine, error] {
	return func(yield func(numberedLine, error) bool) {
		for _, dir := range dirs {
			entries, err := os.ReadDir(dir)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				yield(numberedLine{}, fmt.Errorf("the folder of records cannot be read: %w", err))
				return
			}
			for _, e := range entries {
				name := e.Name()
				if !strings.HasSuffix(name, segmentSuffix) && !strings.HasSuffix(name, compressedSuffix) {
					continue
				}
				if !segmentLines(filepath.Join(dir, name), yield) {
					return
				}
			}
		}
	}
}

func segmentLines(path string, yield func(numberedLine, error) bool) (goOn bool) {
	f, err := os.Open(path)
	if err != nil {
		return yield(numberedLine{}, err)
	}
	defer f.Close()
	var source io.Reader = f
	if strings.HasSuffix(path, compressedSuffix) {
		z, err := gzip.NewReader(f)
		if err != nil {
			return yield(numberedLine{}, &Damage{File: path, Line: 1, Why: "not a gzip file: " + err.Error()})
		}
		source = z
	}
	r := bufio.NewReaderSize(source, 1<<20)
	var long []byte // a line that does not fit the reader's buffer
	for number := 1; ; number++ {
		text, err := r.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, text...)
			text, err = r.ReadSlice('\n')
			if !errors.Is(err, bufio.ErrBufferFull) {
				text = append(long, text...)
				long = long[:0]
			}
		}
		switch {
		case err == io.EOF && len(text) == 0:
			return true
		case err == io.EOF:
			return yield(numberedLine{}, &Damage{File: path, Line: number, Torn: true, Why: "the last line is cut off, as by a crash"})
		case err != nil:
			return yield(numberedLine{}, &Damage{File: path, Line: number, Why: err.Error()})
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		if why := verify(text); why != "" {
			if !yield(numberedLine{}, &Damage{File: path, Line: number, Why: why}) {
				return false
			}
			continue
		}
		if !yield(numberedLine{path, number, text}, nil) {
			return false
		}
	}
}
