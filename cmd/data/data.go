// Data lists the data sets: where each was found, how large it is, whether its checksum is right, its licence, and what is
// only a subset. It can fetch them and read them in full.
//
//	go run ./cmd/data [-data DIR] [-fetch] [-verify] [DATASET ...]
//	go run ./cmd/data -export-splits DIR [DATASET ...]
//
// The second form writes encoded tables and the rows of all folds for programs in other languages (export.go).
//
// The exit code is 1 when a data set named (or any, if none is) is missing or wrong, 2 when there is none of that name, or its declaration is
// wrong.
package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/dataset"
	"nptbench/internal/program"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

const about = `Lists the data sets, or those named: where each was found, rows, columns, classes, checksum, licence, and what is only a
subset. Files that are not known by their checksum are read and compared with the published table, and those of your own with their declaration,
up to 256 MiB. Of a table that is read the rows that are copies of others are counted.
With -fetch what is missing is downloaded first; a subset is replaced by the full table only when it is named. A download
that was cut off goes on where it stopped.`

func main() { program.Main(run) }

func run(ctx context.Context, e program.Env) (exit int, err error) {
	o, err := parse(e)
	if err != nil {
		return program.ExitBadInput, err
	}
	l := dataset.NewLibrary(o.data)
	l.Log, l.Terminal = e.Stderr, e.Terminal
	if err := o.choose(l); err != nil {
		return program.ExitBadInput, err
	}
	if o.export != "" {
		return export(ctx, e, l, o)
	}
	if o.verify {
		l.CacheDir = "" // what is to be verified are the files
	}
	var rows []row
	for _, name := range o.names {
		rows = append(rows, look(ctx, l, name, o))
		if ctx.Err() != nil {
			return program.ExitInterrupted, ctx.Err()
		}
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.err != nil }) {
		exit = program.ExitFailed
	}
	return exit, printAll(e.Stdout, rows, e.Width)
}

// options are what the command line says.
type options struct {
	data          string
	fetch, verify bool
	export        string   // folder; empty: list data sets
	named         bool     // data sets were named
	names         []string // all, if none was
}

func parse(e program.Env) (o options, err error) {
	f := program.NewFlags("data", about, "[-data DIR] [-fetch] [-verify] [DATASET ...]", "-export-splits DIR [DATASET ...]")
	f.Arguments = true
	data := f.Data()
	f.BoolVar(&o.fetch, "fetch", false, "download what is missing")
	f.BoolVar(&o.verify, "verify", false, "read every data set in full and compare all that is known of it")
	f.StringVar(&o.export, "export-splits", "", "write tables and folds into this `folder` instead: of the data sets named, else of all with several folds")
	if err := f.Parse(e); err != nil {
		return o, err
	}
	switch {
	case f.Given("export-splits") && o.export == "":
		return o, f.Errorf("-export-splits: want the name of a folder")
	case o.export != "" && (o.fetch || o.verify):
		return o, f.Errorf("-fetch and -verify have no meaning with -export-splits")
	}
	o.names, o.named, o.data = f.Args(), f.NArg() > 0, *data
	return o, nil
}

// choose checks the names of data sets; without any it takes all that the library knows.
func (o *options) choose(l *dataset.Library) error {
	given := o.names
	o.names = nil
	if !o.named {
		o.names = l.Names()
		return nil
	}
	for _, name := range given {
		if _, err := l.Lookup(name); err != nil {
			return err
		}
		if !slices.Contains(o.names, name) {
			o.names = append(o.names, name)
		}
	}
	return nil
}

// A row is what is to be said of a data set.
type row struct {
	info   dataset.Info
	rows   int
	folder string // where its own folder was found
	bytes  int64
	check  string
	subset string
	copies int           // rows that are equal to earlier ones, where it was read in full
	took   time.Duration // to read it in full; 0: not done

	missing *dataset.MissingError
	err     error
}

// look finds a data set, after fetching it and before reading it if asked to. It is also read when its checksum is unknown, or
// it is one's own.
func look(ctx context.Context, l *dataset.Library, name string, o options) row {
	info, err := l.Lookup(name)
	r := row{info: info, rows: info.Rows}
	if err != nil {
		r.info.Name = name
		return r.failed("unreadable", err)
	}
	loc, err := l.Find(name)
	missing := errors.As(err, new(*dataset.MissingError))
	if o.fetch && (missing || loc.Subset != "" && o.named) {
		r.err = l.Fetch(ctx, name) // a subset is there all the same
		loc, err = l.Find(name)
	}
	switch {
	case errors.As(err, &r.missing):
		return r.failed("missing", cmp.Or(r.err, err))
	case err != nil:
		return r.failed("unreadable", err)
	}
	r.rows, r.check, r.subset = loc.Rows, loc.Check.String(), loc.Subset
	var folders []string
	for _, f := range loc.Files {
		r.bytes += f.Bytes
		folders = append(folders, filepath.Dir(filepath.Dir(f.Path)))
	}
	slices.Sort(folders)
	r.folder = strings.Join(slices.Compact(folders), ", ")
	known := loc.Check != dataset.Unchecked && loc.Digest != "" // no file of one's own is: that it has its checksum does not say that it is right
	if !o.verify && (known || r.bytes > dataset.ReadWhole) {
		return r
	}
	began := time.Now()
	table, err := l.Load(ctx, name)
	if err != nil {
		return r.failed("invalid", err)
	}
	r.rows, r.check = table.Rows, table.Check.String()
	if !known && (r.bytes <= dataset.ReadWhole || !dataset.BuiltIn(name)) { // numbers may be there that no method can use
		if _, _, err := task.FromTable(table, split.Corrected, 0, task.AllRows); err != nil {
			return r.failed("invalid", err)
		}
	}
	if o.verify {
		r.took = time.Since(began)
	}
	if info.Copies == nil { // else its rows are copied on purpose
		if r.copies, err = copies(ctx, table); err != nil {
			return r.failed("invalid", err)
		}
	}
	return r
}

// copies counts the rows that are equal to an earlier one in all columns, the target included, and that folds need not keep together.
func copies(ctx context.Context, t *dataset.Table) (n int, err error) {
	groups := map[uint64]uint16{} // of the first of equal rows, by their hash, of which 11 million hardly ever collide
	seed, entries := maphash.MakeSeed(), []byte(nil)
	for row := range t.Rows {
		if row%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		entries = entries[:0]
		for i := range t.Columns {
			var value uint64
			switch c := &t.Columns[i]; {
			case c.IsMissing(row):
				value = math.Float64bits(math.NaN()) // which no number is, and no code
			case c.Type == dataset.Categorical:
				value = uint64(c.Codes[row])
			default:
				value = math.Float64bits(c.Float(row) + 0) // -0 is 0
			}
			entries = binary.LittleEndian.AppendUint64(entries, value)
		}
		group := uint16(0)
		if t.Groups != nil {
			group = t.Groups[row]
		}
		key := maphash.Bytes(seed, entries)
		if first, again := groups[key]; !again {
			groups[key] = group
		} else if t.Groups == nil || group != first {
			n++
		}
	}
	return n, nil
}

func (r row) failed(check string, err error) row {
	r.check, r.err = check, err
	return r
}
