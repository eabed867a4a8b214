package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nptbench/internal/dataset"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitBadInput    = 2
	exitInterrupted = 130
)

const usage = `usage: data [-data DIR] [-fetch] [-verify] [DATASET ...]

Lists the data sets, or those named: where each was found, rows, columns, classes, checksum, licence, and what is only a
subset. Files that are not known by their checksum are read and compared with the published table, up to 256 MiB.
With -fetch what is missing is downloaded first; a subset is replaced by the full table only when it is named.

`

// run is the program; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitBadInput
	}
	l := dataset.NewLibrary(o.data)
	l.Log = stderr
	if o.verify {
		l.CacheDir = "" // what is to be verified are the files
	}
	var rows []row
	for _, name := range o.names {
		r := look(ctx, l, name, o)
		if ctx.Err() != nil {
			fmt.Fprintln(stderr, "interrupted")
			return exitInterrupted
		}
		rows = append(rows, r)
	}
	if err := printAll(stdout, rows); err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.err != nil }) {
		return exitFailed
	}
	return exitOK
}

// options are what the command line says.
type options struct {
	data          string
	fetch, verify bool
	named         bool     // data sets were named
	names         []string // all, if none was
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("data", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.data, "data", "", "look in this `folder` only (default $NPT_DATA_DIR, else ./data and ../shared/data)")
	flags.BoolVar(&o.fetch, "fetch", false, "download what is missing")
	flags.BoolVar(&o.verify, "verify", false, "read every data set in full and compare all that is known of it")
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stderr, usage)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		return o, err
	}
	if err != nil {
		return o, fmt.Errorf("%w (-help lists all flags)", err)
	}
	if o.names, err = names(flags.Args()); err != nil {
		return o, err
	}
	o.named = flags.NArg() > 0
	return o, o.checkFolder()
}

// names returns the data sets that are named, or all.
func names(args []string) ([]string, error) {
	if len(args) == 0 {
		for _, info := range dataset.Infos() {
			args = append(args, info.Name)
		}
		return args, nil
	}
	var once []string
	for _, name := range args {
		if strings.HasPrefix(name, "-") {
			return nil, fmt.Errorf("flag %s after a data set: flags come first", name)
		}
		if _, err := dataset.Lookup(name); err != nil {
			return nil, err
		}
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once, nil
}

// checkFolder refuses a folder that was asked for and is none; a download may make one.
func (o *options) checkFolder() error {
	where, dir := "-data", o.data
	if dir == "" {
		where, dir = "$NPT_DATA_DIR", os.Getenv("NPT_DATA_DIR")
	}
	if dir == "" {
		return nil
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if o.fetch {
			return nil
		}
		return fmt.Errorf("%s: there is no folder %s", where, dir)
	case err != nil:
		return fmt.Errorf("%s: %w", where, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is not a folder", where, dir)
	}
	return nil
}

// readAnyway is the size up to which files that are not known by their checksum are read in full to be compared.
const readAnyway = 256 << 20

// A row is what is to be said of a data set.
type row struct {
	info   dataset.Info
	rows   int
	folder string // where its own folder was found
	bytes  int64
	check  string
	subset string
	took   time.Duration // to read it in full; 0: not done
	err    error
}

// look finds a data set, after fetching it and before reading it if asked to. It is also read when its checksum is unknown.
func look(ctx context.Context, l *dataset.Library, name string, o options) row {
	info, _ := dataset.Lookup(name)
	r := row{info: info, rows: info.Rows}
	loc, err := l.Find(name)
	missing := errors.As(err, new(*dataset.MissingError))
	if o.fetch && (missing || loc.Subset != "" && o.named) {
		if fetchErr := l.Fetch(ctx, name); fetchErr != nil && missing {
			return r.failed("missing", fetchErr)
		} else if fetchErr != nil {
			r.err = fetchErr // the subset is there all the same
		}
		loc, err = l.Find(name)
	}
	switch {
	case errors.As(err, new(*dataset.MissingError)):
		return r.failed("missing", err)
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
	if !o.verify && (loc.Check != dataset.Unchecked || r.bytes > readAnyway) {
		return r
	}
	began := time.Now()
	table, err := l.Load(ctx, name)
	if err != nil {
		return r.failed("wrong", err)
	}
	r.rows, r.check = table.Rows, table.Check.String()
	if o.verify {
		r.took = time.Since(began)
	}
	return r
}

func (r row) failed(check string, err error) row {
	r.check, r.err = check, err
	return r
}
