package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"nptbench/results"
)

// Provenance says by what, on what and from which data the records of a report were made.
type Provenance struct {
	Sweeps    []Count
	Code      []Count // revisions
	Machines  []Count
	Libraries []Count // with the Go version
	Data      []Count // data set and digest of its table

	First, Last time.Time // when the first and the last record was finished
	FitTime     time.Duration
	PeakMemory  int64 // bytes; 0: not measured
}

// A Count is a fact and the number of records that it holds for.
type Count struct {
	Text    string
	Records int
}

// origins counts the distinct origins of records.
type origins struct {
	sweeps, code, machines, libraries, data map[string]int

	first, last time.Time
	fitSeconds  float64
	peak        int64
}

func newOrigins() *origins {
	return &origins{
		sweeps: map[string]int{}, code: map[string]int{}, machines: map[string]int{},
		libraries: map[string]int{}, data: map[string]int{},
	}
}

func (o *origins) add(rec *results.Record) {
	p := &rec.Provenance
	o.sweeps[rec.Sweep]++
	o.code[p.Code]++
	o.machines[machine(p)]++
	o.libraries[libraries(p)]++
	o.data[rec.Dataset+" "+rec.DataDigest]++
	if o.first.IsZero() || p.Finished.Before(o.first) {
		o.first = p.Finished
	}
	if p.Finished.After(o.last) {
		o.last = p.Finished
	}
	o.fitSeconds += rec.FitSeconds / float64(max(1, rec.FitCells)) // a fit that served many cells is counted once
	o.peak = max(o.peak, rec.PeakMemoryBytes)
}

func machine(p *results.Provenance) string {
	parts := []string{p.OS, p.CPU, plural(p.Cores, "core", "cores"), plural(p.Threads, "thread", "threads") + " per fit"}
	if p.GPU != "" {
		parts = append(parts, p.GPU)
	}
	if p.Backend != "" {
		parts = append(parts, "backend "+p.Backend)
	}
	if p.Networks > 1 {
		parts = append(parts, strconv.Itoa(p.Networks)+" networks at a time")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func libraries(p *results.Provenance) string {
	parts := []string{p.Go}
	for _, name := range slices.Sorted(maps.Keys(p.Libraries)) {
		parts = append(parts, name+" "+p.Libraries[name])
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func (o *origins) provenance() Provenance {
	return Provenance{
		Sweeps: counts(o.sweeps), Code: counts(o.code), Machines: counts(o.machines),
		Libraries: counts(o.libraries), Data: counts(o.data),
		First: o.first, Last: o.last,
		FitTime:    time.Duration(o.fitSeconds * float64(time.Second)),
		PeakMemory: o.peak,
	}
}

// counts lists what was counted, the most frequent first.
func counts(m map[string]int) []Count {
	var out []Count
	for text, n := range m {
		out = append(out, Count{cmp.Or(text, "unknown"), n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Text, b.Text))
	})
	return out
}
