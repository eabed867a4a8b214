package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Library finds and loads data sets. Several goroutines may use one, as far as Log allows it.
type Library struct {
	Dirs     []string  // searched in this order, each with a folder per data set; downloads go to the first
	CacheDir string    // columns of large tables are kept here; empty: nowhere
	Download bool      // whether Load may fetch what is in none of the folders
	Log      io.Writer // progress of downloads and warnings; nil: nowhere
	Terminal bool      // Log is a terminal on which a line can be redrawn

	web downloader // zero: defaultDownloader
}

// NewLibrary returns a library of the given folder, or else of $NPT_DATA_DIR, and of ./data, where one's own data sets may be. Without
// both it is of ./data and ../shared/data. The cache is $NPT_CACHE_DIR, or else below the user's cache folder.
func NewLibrary(dir string) *Library {
	const here = "data"
	l := &Library{CacheDir: os.Getenv("NPT_CACHE_DIR")}
	switch dir = cmp.Or(dir, os.Getenv("NPT_DATA_DIR")); dir {
	case "":
		l.Dirs = []string{here, filepath.Join("..", "shared", "data")}
	case here:
		l.Dirs = []string{here}
	default:
		l.Dirs = []string{dir, here}
	}
	if l.CacheDir == "" {
		if user, err := os.UserCacheDir(); err == nil {
			l.CacheDir = filepath.Join(user, "nptbench", "cache")
		}
	}
	return l
}

// A Location says where a data set is found and what will come of it.
type Location struct {
	Info   Info // of the table that Load will return, but with the Rows of the complete one
	Files  []Found
	Rows   int
	Subset string // empty, or which part of the published table the files hold
	Check  Check  // the least of its files'
	Digest string // of the table, when it is known without parsing: from the files' checksums or from the cache

	source  *source
	variant *variant
}

// A Found file is one that is there.
type Found struct {
	File  File
	Path  string
	Bytes int64 // as stored, compressed or not
	Check Check

	identity string
}

// A Check says how far the values of a file or table have been compared with the published ones.
type Check uint8

const (
	Unchecked Check = iota // not a file that is known by its checksum; Load compares the values wherever it can
	SameRows               // row, column and class counts are right; there is nothing to compare the values with
	SameTable              // the checksum is not known, the values are the published ones
	SameFile               // the checksum is right
)

func (c Check) String() string {
	return [...]string{"unchecked", "counts right", "values right", "checksum right"}[c]
}

var errNoFolder = errors.New("no folder to look for data sets in")

// A MissingError says that files of a data set are in none of the folders.
type MissingError struct {
	Dataset   string
	Files     []Missing
	Fetchable bool // by Library.Fetch
}

// A Missing file: where it is to be put and where it comes from.
type Missing struct {
	Path string // with ".gz" after it, a gzip file serves as well
	From string // an address, or words
	Most int64  // bytes that it has, without compression, or a bound on them; 0: not known
}

func (e *MissingError) Error() string {
	var files []string
	for _, f := range e.Files {
		files = append(files, fmt.Sprintf("%s[.gz] (%s)", f.Path, f.From))
	}
	noun, hint := "file", ""
	if len(files) > 1 {
		noun = "files"
	}
	if e.Fetchable {
		hint = "; or run: go run ./cmd/data -fetch " + e.Dataset
	}
	return fmt.Sprintf("%s: data %s missing; put there: %s%s", e.Dataset, noun, strings.Join(files, ", "), hint)
}

// Find says where a data set is, without reading all of it. Files of up to 256 MiB are compared with the checksums that
// are known; larger ones are checked when they are loaded. The error is a *MissingError when files are missing.
func (l *Library) Find(name string) (Location, error) {
	s, err := l.source(name)
	if err != nil {
		return Location{}, err
	}
	return l.find(s)
}

func (l *Library) find(s *source) (Location, error) {
	if len(l.Dirs) == 0 {
		return Location{}, errNoFolder
	}
	for i := range s.variants {
		found, err := l.files(s, &s.variants[i])
		if err != nil {
			return Location{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		if len(found) == len(s.variants[i].files) {
			return l.locate(s, &s.variants[i], found)
		}
	}
	return Location{}, l.missing(s)
}

// Known lists the tables that files of a data set are known to give: locations without files, with digests. Who only reads
// records of cells needs no more. There are none for a data set of one's own.
func (l *Library) Known(name string) ([]Location, error) {
	s, err := l.source(name)
	if err != nil {
		return nil, err
	}
	var out []Location
	for i := range s.variants {
		v := &s.variants[i]
		same := func(l Location) bool { return l.Digest == v.digest }
		if v.digest != "" && !slices.ContainsFunc(out, same) {
			out = append(out, Location{Info: s.info(v), Rows: s.rowsOf(v), Subset: v.subset, Digest: v.digest})
		}
	}
	return out, nil
}

// files returns those files of a variant that exist.
func (l *Library) files(s *source, v *variant) ([]Found, error) {
	var found []Found
	for _, f := range v.files {
		path, size, err := l.file(s, f.Name)
		if err != nil {
			return nil, err
		}
		if path != "" {
			found = append(found, Found{File: f, Path: path, Bytes: size})
		}
	}
	return found, nil
}

// dirs are the folders in which a data set's files may lie.
func (l *Library) dirs(s *source) []string {
	if s.dir != "" {
		return []string{s.dir}
	}
	dirs := make([]string, len(l.Dirs))
	for i, dir := range l.Dirs {
		dirs[i] = filepath.Join(dir, cmp.Or(s.folder, s.Name))
	}
	return dirs
}

// absent reports that there is no file, be it that one of its folders is a file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// file returns the path of a file, plain or compressed, in the first folder that has it, or "".
func (l *Library) file(s *source, name string) (path string, size int64, err error) {
	for _, dir := range l.dirs(s) {
		for _, suffix := range []string{"", ".gz"} {
			path := filepath.Join(dir, name+suffix)
			info, err := os.Stat(path)
			switch {
			case absent(err):
			case err != nil:
				return "", 0, err
			case !info.Mode().IsRegular():
				return "", 0, fmt.Errorf("%s is not a file", path)
			default:
				return path, info.Size(), nil
			}
		}
	}
	return "", 0, nil
}

func (l *Library) locate(s *source, v *variant, found []Found) (Location, error) {
	loc := Location{
		Info: s.info(v), Files: found, Rows: s.rowsOf(v), Subset: v.subset, Check: SameFile,
		source: s, variant: v,
	}
	for i := range found {
		if err := found[i].identify(); err != nil {
			return Location{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		loc.Check = min(loc.Check, found[i].Check)
	}
	if loc.Check == SameFile {
		loc.Digest = v.digest
	}
	if loc.Digest == "" && s.cached {
		if head, err := readCacheHead(l.cachePath(&loc)); err == nil && head.Identity == loc.identity() {
			loc.Digest, loc.Check = head.Digest, head.Check
		}
	}
	return loc, nil
}

// missing lists what has to be put where: the files of the first variant that are not there.
func (l *Library) missing(s *source) error {
	e := &MissingError{Dataset: s.Name, Fetchable: len(s.downloadable()) > 0}
	for _, f := range s.variants[0].files {
		if path, _, _ := l.file(s, f.Name); path == "" {
			e.Files = append(e.Files, Missing{filepath.Join(l.dirs(s)[0], f.Name), f.origin(), f.MaxBytes})
		}
	}
	return e
}

// origin says where a file comes from.
func (f *File) origin() string {
	switch {
	case len(f.URLs) > 0:
		return f.URLs[0]
	case f.OpenML > 0:
		return fmt.Sprintf("the ARFF file of https://www.openml.org/d/%d", f.OpenML)
	}
	return f.Manual
}

func (l *Library) logf(format string, args ...any) {
	if l.Log != nil {
		fmt.Fprintf(l.Log, format+"\n", args...)
	}
}
