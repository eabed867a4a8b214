package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"nptbench/internal/spelling"
	"nptbench/results"
)

// origins counts the distinct origins of records: by what, on what and from which data they were made. Its keys become texts at the end,
// since there are few of them and many records.
type origins struct {
	sweeps, code    map[string]int
	machines        map[machine]int
	libraries, data map[[2]string]int // of Go and its libraries, of a data set and its digest

	first, last time.Time
	clock       results.Clock
	fitSeconds  float64 // of one core
	gpuSeconds  float64
	peak        int64
}

func newOrigins() *origins {
	return &origins{
		sweeps: map[string]int{}, code: map[string]int{}, machines: map[machine]int{},
		libraries: map[[2]string]int{}, data: map[[2]string]int{},
	}
}

// add counts a record. goesOn is for results.Clock.
func (o *origins) add(rec *results.Record, goesOn string) {
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
	fit, _ := o.clock.Seconds(rec, goesOn)
	if p.Accelerated() {
		o.gpuSeconds += fit
	} else {
		o.fitSeconds += fit
	}
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
	parts := []string{m.os, m.cpu, spelling.Count(m.cores, "core"), spelling.Count(m.threads, "thread") + " per fit", m.gpu}
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

// took is how long fits took.
func (o *origins) took() string {
	core, gpu := clock(o.fitSeconds)+" of one core", clock(o.gpuSeconds)+" of a GPU"
	switch {
	case o.gpuSeconds == 0:
		return core
	case o.fitSeconds == 0:
		return gpu
	}
	return core + " and " + gpu
}

// lines say by what, on what and from which data the records were made.
func (o *origins) lines() []string {
	asItIs := func(text string) string { return text }
	lines := []string{
		"Sweep: " + counted(o.sweeps, asItIs), "Code: " + counted(o.code, asItIs),
		"Machine: " + counted(o.machines, machine.text), "Libraries: " + counted(o.libraries, librariesText),
		fmt.Sprintf("Finished from %s to %s.", o.first.UTC().Format(time.RFC3339), o.last.UTC().Format(time.RFC3339)),
		fmt.Sprintf("Fits took %s in all.", o.took()),
	}
	if o.peak > 0 {
		lines = append(lines, "Most memory of the process while a fit ran: "+bytesText(o.peak)+".")
	}
	data, _ := byRecords(o.data, func(of [2]string) string { return fmt.Sprintf("Data: %s, digest %s.", of[0], of[1]) })
	return append(lines, data...)
}

// counted writes what the records agree on, or how many say what.
func counted[K comparable](m map[K]int, text func(K) string) string {
	all, records := byRecords(m, text)
	if len(all) == 1 {
		return all[0]
	}
	for i, text := range all {
		all[i] = fmt.Sprintf("%s (%s)", text, spelling.Count(records[text], "record"))
	}
	return strings.Join(all, "; ")
}

// byRecords lists what was counted as texts, that of the most records first, and the number of records of each.
func byRecords[K comparable](m map[K]int, text func(K) string) (all []string, records map[string]int) {
	records = map[string]int{}
	for key, n := range m {
		records[cmp.Or(text(key), "unknown")] += n
	}
	all = slices.SortedFunc(maps.Keys(records), func(a, b string) int {
		return cmp.Or(cmp.Compare(records[b], records[a]), cmp.Compare(a, b))
	})
	return all, records
}
