package report

import (
	"cmp"
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

// origins counts the distinct origins of records. Its keys become texts at the end, since there are few of them and many records.
type origins struct {
	sweeps, code    map[string]int
	machines        map[machine]int
	libraries, data map[[2]string]int // of Go and its libraries, of a data set and its digest

	first, last time.Time
	fitSeconds  float64
	peak        int64
}

func newOrigins() *origins {
	return &origins{
		sweeps: map[string]int{}, code: map[string]int{}, machines: map[machine]int{},
		libraries: map[[2]string]int{}, data: map[[2]string]int{},
	}
}

func (o *origins) add(rec *results.Record) {
	p := &rec.Provenance
	o.sweeps[rec.Sweep]++
	o.code[p.Code]++
	o.machines[machineOf(p)]++
	o.libraries[[2]string{p.Go, string(p.Libraries)}]++
	o.data[[2]string{rec.Dataset, rec.DataDigest}]++
	if o.first.IsZero() || p.Finished.Before(o.first) {
		o.first = p.Finished
	}
	if p.Finished.After(o.last) {
		o.last = p.Finished
	}
	o.fitSeconds += rec.FitSeconds / float64(max(1, rec.FitCells)) // a fit that served many cells is counted once
	o.peak = max(o.peak, rec.PeakMemoryBytes)
}

// A machine is what a record says of where it was made.
type machine struct {
	os, cpu, gpu, backend    string
	cores, threads, networks int
}

func machineOf(p *results.Provenance) machine {
	return machine{p.OS, p.CPU, p.GPU, p.Backend, p.Cores, p.Threads, p.Networks}
}

func (m machine) text() string {
	parts := []string{m.os, m.cpu, plural(m.cores, "core", "cores"), plural(m.threads, "thread", "threads") + " per fit", m.gpu}
	if m.backend != "" {
		parts = append(parts, "backend "+m.backend)
	}
	if m.networks > 1 {
		parts = append(parts, strconv.Itoa(m.networks)+" networks at a time")
	}
	return joined(parts)
}

// librariesText writes the versions of Go and its libraries.
func librariesText(versions [2]string) string {
	parts := []string{versions[0]}
	known := results.Libraries(versions[1]).Versions()
	for _, name := range sortedKeys(known) {
		parts = append(parts, name+" "+known[name])
	}
	return joined(parts)
}

// joined joins what is not empty.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func (o *origins) provenance() Provenance {
	asItIs := func(text string) string { return text }
	return Provenance{
		Sweeps: counts(o.sweeps, asItIs), Code: counts(o.code, asItIs), Machines: counts(o.machines, machine.text),
		Libraries: counts(o.libraries, librariesText),
		Data:      counts(o.data, func(data [2]string) string { return data[0] + " " + data[1] }),
		First:     o.first, Last: o.last,
		FitTime:    time.Duration(o.fitSeconds * float64(time.Second)),
		PeakMemory: o.peak,
	}
}

// counts lists what was counted, the most frequent first.
func counts[K comparable](m map[K]int, text func(K) string) []Count {
	byText := map[string]int{}
	for key, n := range m {
		byText[cmp.Or(text(key), "unknown")] += n
	}
	var out []Count
	for text, n := range byText {
		out = append(out, Count{text, n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Text, b.Text))
	})
	return out
}
