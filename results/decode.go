package results

import (
	"encoding/json"
	"hash/crc32"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"nptbench/internal/split"
)

// decode reads a record. Lines as Record.line writes them it takes apart by itself: the report of a million records takes 9.0 s by
// it instead of the 10.6 that segmentio's encoding takes, on two processors. All others, so whatever is wrong with a line, it leaves
// to encoding/json. Strings of the record point into the line.
func decode(line segmentLine) (*Record, error) {
	r := new(Record)
	if s := newScanner(line); s.record(r) {
		return r, nil
	}
	return decodeJSON(line)
}

func decodeJSON(line segmentLine) (*Record, error) {
	r := new(Record)
	if json.Unmarshal(line.text, r) != nil {
		return nil, line.damage("not a record")
	}
	return r, nil
}

// decodeCell reads a record but for its metrics and details, which it checks, and returns a checksum of the metrics.
func decodeCell(line segmentLine) (r Record, metrics uint32, err error) {
	s := newScanner(line)
	s.checks = true
	if s.record(&r) {
		return r, s.metricsSum, nil
	}
	whole, err := decodeJSON(line)
	if err != nil {
		return Record{}, 0, err
	}
	for _, m := range []Metrics{whole.Val, whole.Test} {
		if m != nil {
			text, err := json.Marshal(m)
			if err != nil {
				return Record{}, 0, err
			}
			metrics = crc32.Update(metrics, castagnoli, text)
		}
	}
	return *whole, metrics, nil
}

// A scanner reads JSON without blanks, escapes and nulls, one value after the other. At anything else it is lost, and what it
// returns from there on says nothing. Only control characters in strings it lets pass, which JSON does not.
type scanner struct {
	text  string
	at    int
	depth int // of objects and lists
	lost  bool

	checks     bool // metrics and details are only checked
	metricsSum uint32
}

func newScanner(line segmentLine) scanner {
	return scanner{text: unsafe.String(unsafe.SliceData(line.text), len(line.text))}
}

// deepest is how far values lie in one another at most.
const deepest = 10

// record reads the whole text as a record, if it can.
func (s *scanner) record(r *Record) bool {
	s.lost = strings.IndexByte(s.text, '\\') >= 0 || !utf8.ValidString(s.text)
	s.object(func(name string) {
		switch name {
		case "id":
			s.keep(r.ID.UnmarshalText([]byte(s.string())))
		case "status":
			r.Status = s.string()
		case "dataset":
			r.Dataset = s.string()
		case "data_digest":
			r.DataDigest = s.string()
		case "protocol":
			r.Protocol = split.Protocol(s.string())
		case "fold":
			r.Fold = int(s.int())
		case "method":
			r.Method = s.string()
		case "config":
			r.Config = Config(s.raw())
		case "seed":
			var err error
			r.Seed, err = strconv.ParseUint(s.number(), 10, 64)
			s.keep(err)
		case "measure":
			r.Measure = s.string()
		case "with":
			r.With = Config(s.raw())
		case "variant":
			r.Variant = s.string()
		case "failure":
			r.Failure = new(Failure)
			s.keep(json.Unmarshal([]byte(s.raw()), r.Failure))
		case "val":
			s.metrics(&r.Val)
		case "test":
			s.metrics(&r.Test)
		case "rows":
			i := 0
			s.list(func() {
				if n := s.int(); i < len(r.Rows) {
					r.Rows[i] = int(n)
				}
				i++
			})
			s.lost = s.lost || i != len(r.Rows)
		case "split_digest":
			r.SplitDigest = s.string()
		case "subset":
			r.Subset = s.string()
		case "fit_seconds":
			r.FitSeconds = s.float()
		case "fit_cells":
			r.FitCells = int(s.int())
		case "predict_seconds":
			r.PredictSeconds = s.float()
		case "processor_seconds":
			r.ProcessorSeconds = s.float()
		case "peak_memory_bytes":
			r.PeakMemoryBytes = s.int()
		case "details":
			s.details(&r.Details)
		case "table":
			r.Table = new(Table)
			s.keep(json.Unmarshal([]byte(s.raw()), r.Table))
		case "sweep":
			r.Sweep = s.string()
		case "provenance":
			s.provenance(&r.Provenance)
		case "sum":
			s.string()
		default:
			s.lost = true
		}
	})
	return !s.lost && s.at == len(s.text)
}

// lastProvenance is what was read last but for the time, and its text: most records have the same as the one before, which is half
// of what decode gains.
var lastProvenance atomic.Pointer[struct {
	Provenance
	text string
}]

func (s *scanner) provenance(p *Provenance) {
	if last := lastProvenance.Load(); last != nil && strings.HasPrefix(s.text[s.at:], last.text) {
		s.at += len(last.text)
		*p = last.Provenance
		s.keep(p.Finished.UnmarshalText([]byte(s.string())))
		s.lost = s.lost || !s.take('}')
		return
	}
	o := scanner{text: strings.Clone(s.raw())}
	o.object(func(name string) {
		switch name {
		case "code":
			p.Code = o.string()
		case "go":
			p.Go = o.string()
		case "libraries":
			p.Libraries = Libraries(o.raw())
		case "os":
			p.OS = o.string()
		case "cpu":
			p.CPU = o.string()
		case "cores":
			p.Cores = int(o.int())
		case "threads":
			p.Threads = int(o.int())
		case "networks":
			p.Networks = int(o.int())
		case "gpu":
			p.GPU = o.string()
		case "backend":
			p.Backend = o.string()
		case "finished":
			before := o.at
			o.keep(p.Finished.UnmarshalText([]byte(o.string())))
			if !o.lost && o.next() == '}' {
				lastProvenance.Store(&struct {
					Provenance
					text string
				}{*p, o.text[:before]})
			}
		default:
			o.lost = true
		}
	})
	s.lost = s.lost || o.lost
}

func (s *scanner) metrics(m *Metrics) {
	if s.checks {
		start := s.at
		s.object(func(string) { s.number() })
		s.metricsSum = crc32.Update(s.metricsSum, castagnoli, unsafe.Slice(unsafe.StringData(s.text), len(s.text))[start:s.at])
		return
	}
	if *m == nil {
		*m = make(Metrics, 8)
	}
	s.object(func(name string) { (*m)[name] = s.float() })
}

func (s *scanner) details(d *map[string]any) {
	if s.checks {
		s.object(func(string) { s.skip() })
		return
	}
	if *d == nil {
		*d = map[string]any{}
	}
	s.object(func(name string) {
		switch s.next() {
		case '"':
			(*d)[name] = s.string()
		case '{', '[', 't', 'f':
			var value any
			s.keep(json.Unmarshal([]byte(s.raw()), &value))
			(*d)[name] = value
		default:
			(*d)[name] = s.float()
		}
	})
}

func (s *scanner) keep(err error) { s.lost = s.lost || err != nil }

// next is the next byte, 0 at the end.
func (s *scanner) next() byte {
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// object reads an object. The function, which gets the name of each member, reads its value.
func (s *scanner) object(value func(name string)) {
	s.items('{', '}', func() {
		name := s.string()
		s.lost = s.lost || !s.take(':')
		if !s.lost {
			value(name)
		}
	})
}

// list reads a list. The function reads each of its values.
func (s *scanner) list(value func()) { s.items('[', ']', value) }

func (s *scanner) items(first, last byte, item func()) {
	if s.depth++; s.depth > deepest || !s.take(first) {
		s.lost = true
	}
	for more := !s.lost && !s.take(last); more; {
		item()
		more = !s.lost && s.take(',')
		s.lost = s.lost || !more && !s.take(last)
	}
	s.depth--
}

// string reads a string.
func (s *scanner) string() string {
	if s.take('"') {
		if n := strings.IndexByte(s.text[s.at:], '"'); n >= 0 {
			text := s.text[s.at : s.at+n]
			s.at += n + 1
			return text
		}
	}
	s.lost = true
	return ""
}

// number reads a number of the range of a float64, and returns it as it stands there.
func (s *scanner) number() string {
	start := s.at
	s.take('-')
	if !s.take('0') {
		s.digits()
	}
	if s.take('.') {
		s.digits()
	}
	small := s.at-start < 300
	if s.take('e') || s.take('E') {
		small = false
		_ = s.take('+') || s.take('-')
		s.digits()
	}
	number := s.text[start:s.at]
	if !small {
		_, err := strconv.ParseFloat(number, 64)
		s.keep(err)
	}
	return number
}

// digits reads one digit or more.
func (s *scanner) digits() {
	at := s.at
	for at < len(s.text) && s.text[at]-'0' <= 9 {
		at++
	}
	s.lost = s.lost || at == s.at
	s.at = at
}

func (s *scanner) float() float64 {
	x, err := strconv.ParseFloat(s.number(), 64)
	s.keep(err)
	return x
}

func (s *scanner) int() int64 {
	n, err := strconv.ParseInt(s.number(), 10, 64)
	s.keep(err)
	return n
}

// raw reads any value but null, and returns it as it stands there.
func (s *scanner) raw() string {
	start := s.at
	s.skip()
	return s.text[start:s.at]
}

func (s *scanner) skip() {
	switch s.next() {
	case '{':
		s.object(func(string) { s.skip() })
	case '[':
		s.list(s.skip)
	case '"':
		s.string()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	default:
		s.number()
	}
}

func (s *scanner) word(w string) {
	for i := range len(w) {
		s.lost = s.lost || !s.take(w[i])
	}
}
