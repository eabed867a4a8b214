// Package results keeps what finished cells leave: one record each, as a line of JSON in append-only segment files. It
// also holds the paper's published numbers, and our own.
//
// Begin with record.go. A segment is a file of records (segment.go), which a Writer makes (writer.go), a Store reads
// (read.go, decode.go, inorder.go), which chooses among several of one cell (choose.go), and Merge joins (merge.go). A Clock tells how long
// cells took (clock.go), an Import which predictions were made elsewhere (imported.go). paper.go has the numbers of the paper's tables.
package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"nptbench/internal/method"
	"nptbench/internal/split"
)

// A Cell is the unit of work, of resume and of failure. Its fields, and nothing else, are its identity: the order of a
// sweep, the version of the code and the machine are not.
type Cell struct {
	Dataset    string         `json:"dataset"`
	DataDigest string         `json:"data_digest"` // of the table's content
	Protocol   split.Protocol `json:"protocol"`    // published where both make the same task of a fold (task.Shared)
	Fold       int            `json:"fold"`
	Method     string         `json:"method"`
	Config     Config         `json:"config"`
	Seed       uint64         `json:"seed"` // of the sweep; what a cell needs is derived from it and the other fields

	// Measure is what is measured on the model that the cell of the other fields trains, and With its parameters. Empty: this is
	// that cell, and its predictions are what counts.
	Measure string `json:"measure,omitempty"`
	With    Config `json:"with,omitempty"`
}

// Training is the cell whose model a measurement is of; of another cell, itself.
func (c Cell) Training() Cell {
	c.Measure, c.With = "", ""
	return c
}

// A Config is a configuration as method.Config.JSON writes it.
type Config string

func (c Config) MarshalJSON() ([]byte, error)  { return []byte(c), nil }
func (c *Config) UnmarshalJSON(b []byte) error { *c = Config(b); return nil }

// An ID is the identity of a cell: the beginning of a SHA-256 over its fields. As text it has 32 hex digits.
type ID [16]byte

func (id ID) String() string               { return hex.EncodeToString(id[:]) }
func (id ID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText refuses what has not 32 hex digits.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(id)) {
		return fmt.Errorf("the id %q has not %d hex digits", text, hex.EncodedLen(len(id)))
	}
	_, err := hex.Decode(id[:], text)
	return err
}

// ID is the cell's identity.
func (c *Cell) ID() ID {
	b := make([]byte, 0, 512)
	b = append(appendQuoted(b, c.Dataset), ' ')
	b = append(appendQuoted(b, c.DataDigest), ' ')
	b = append(appendQuoted(b, string(c.Protocol)), ' ')
	b = append(strconv.AppendInt(b, int64(c.Fold), 10), ' ')
	b = append(appendQuoted(b, c.Method), ' ')
	b = append(appendQuoted(b, string(c.Config)), ' ')
	b = strconv.AppendUint(b, c.Seed, 10)
	if c.Measure != "" {
		b = append(appendQuoted(append(b, ' '), c.Measure), ' ')
		b = appendQuoted(b, string(c.With))
	}
	sum := sha256.Sum256(b)
	return ID(sum[:16])
}

// appendQuoted is strconv.AppendQuote, faster for printable ASCII. To read an index takes a third less time by it.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '\\' {
			return strconv.AppendQuote(b, s)
		}
	}
	b = append(b, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return append(append(b, s...), '"')
		}
		b = append(append(b, s[:i]...), `\"`...)
		s = s[i+1:]
	}
}

// Status of a finished cell.
const (
	OK     = "ok"
	Failed = "failed"
)

// Metrics are by the names of metric.All, or of what was measured on a model. A metric that is not defined, such as the AUROC of rows
// of one class, is absent. "NAME_se" is the standard error of NAME over the rows of this one split.
type Metrics map[string]float64

// Put notes a metric if it is defined.
func (m Metrics) Put(name string, x float64) {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		m[name] = x
	}
}

// A Record is what a finished cell leaves.
type Record struct {
	ID     ID     `json:"id"`
	Status string `json:"status"`
	Cell
	Variant string `json:"variant,omitempty"` // the name that the sweep gave the configuration

	Failure *Failure `json:"failure,omitempty"`
	Val     Metrics  `json:"val,omitempty"`
	Test    Metrics  `json:"test,omitempty"`

	Rows        [3]int `json:"rows"`             // train, val, test
	SplitDigest string `json:"split_digest"`     // of the row numbers of the three parts
	Subset      string `json:"subset,omitempty"` // which part of the published table this is, if not all
	// FitSeconds is of the fit that served this cell; of a training that goes on with others, from its beginning up to this one. Of a
	// training that was interrupted and resumed it has all parts, while Provenance.Threads is the last one's: where parts had other numbers
	// of threads, core hours made from both are wrong.
	FitSeconds     float64 `json:"fit_seconds"`
	FitCells       int     `json:"fit_cells"`       // how many cells that fit served
	PredictSeconds float64 `json:"predict_seconds"` // val and test rows, a part of it that served other cells too included; of a measurement, all that it took
	// ProcessorSeconds is user and system time of the worker and of all it started, libraries included, since the record before of
	// the same job, or since the job had its data. Where a fit serves several cells the first record has nearly all of it: it is
	// the sum over records that says what all took. That of processes which are still there is known to 10 ms. 0: not measured, as
	// when the fit was interrupted and went on in another process or, in records of earlier versions, other fits were in it.
	ProcessorSeconds float64        `json:"processor_seconds,omitempty"`
	PeakMemoryBytes  int64          `json:"peak_memory_bytes"` // of the worker, and of what worked for it as far as seen ten times a second; 0: not measured
	Details          map[string]any `json:"details,omitempty"` // what the method adds, such as the step of the best checkpoint
	Table            *Table         `json:"table,omitempty"`   // of a measurement: what its metrics are made from

	Sweep      string     `json:"sweep"`
	Provenance Provenance `json:"provenance"`
}

// Fail makes a failure of the record, without what else it has.
func (r *Record) Fail(f *Failure) {
	r.Status, r.Failure = Failed, f
	r.Val, r.Test, r.Details, r.Table = nil, nil, nil, nil
}

// A Table has the numbers that a measurement's metrics are made from, so that others can be made from them. Lines are all as long
// as Columns. A column row counts the fold's test rows from 0.
type Table struct {
	Columns []string    `json:"columns"`
	Lines   [][]float64 `json:"lines"`
	Grid    [][]float64 `json:"grid,omitempty"` // of a picture, its top row first
}

// Column returns the numbers of a column; nil when there is none of that name.
func (t *Table) Column(name string) (numbers []float64) {
	at := slices.Index(t.Columns, name)
	if at < 0 {
		return nil
	}
	for _, line := range t.Lines {
		numbers = append(numbers, line[at])
	}
	return numbers
}

// A Failure says why a cell has no result.
type Failure struct {
	Kind    string `json:"kind"` // "error", "timeout", "memory", "crash", "diverged"
	Message string `json:"message"`
}

// Provenance says by what and on what a record was made. It is not part of a cell's identity.
type Provenance struct {
	Code      string    `json:"code"` // version control revision, with "+changes" when the tree was not clean
	Go        string    `json:"go"`
	Libraries Libraries `json:"libraries,omitempty"`
	OS        string    `json:"os"`
	CPU       string    `json:"cpu"`
	Cores     int       `json:"cores"`
	Threads   int       `json:"threads"`            // that this fit could use
	Networks  int       `json:"networks,omitempty"` // how many could train at a time on the device that this one had, in processes of their own, where more than one: the times are then of a shared device
	GPU       string    `json:"gpu,omitempty"`
	Backend   string    `json:"backend,omitempty"` // of networks
	Finished  time.Time `json:"finished"`
}

// Accelerated reports whether the record is of a network that had a device of its own, a GPU.
func (p Provenance) Accelerated() bool {
	return method.Accelerated(p.Backend)
}

// Processors is how many a fit had: the GPU of a network, or else threads.
func (p Provenance) Processors() float64 {
	if p.Accelerated() {
		return 1
	}
	return float64(max(1, p.Threads))
}

// Libraries are versions by name as a JSON object, which most records have in common: it need not be taken apart to be compared.
type Libraries string

// LibrariesOf makes the object.
func LibrariesOf(versions map[string]string) Libraries {
	if len(versions) == 0 {
		return ""
	}
	b, err := json.Marshal(versions)
	if err != nil {
		panic(err) // a map of strings has a JSON form
	}
	return Libraries(b)
}

// Versions takes the object apart. What is not one has none.
func (l Libraries) Versions() (versions map[string]string) {
	if json.Unmarshal([]byte(l), &versions) != nil {
		return nil
	}
	return versions
}

func (l Libraries) MarshalJSON() ([]byte, error)  { return []byte(l), nil }
func (l *Libraries) UnmarshalJSON(b []byte) error { *l = Libraries(b); return nil }
