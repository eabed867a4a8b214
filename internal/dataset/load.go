package dataset

import (
	"bufio"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"nptbench/internal/spelling"
)

// Load returns a data set. What is in none of the folders is fetched first if Download is set. Counts are compared with
// the published ones in any case, and values wherever they are known by checksum or digest; every error is one line that
// names the file, the line where there is one, and what would be right.
func (l *Library) Load(ctx context.Context, name string) (*Table, error) {
	s, err := l.source(name)
	if err != nil {
		return nil, err
	}
	return l.load(ctx, s)
}

func (l *Library) load(ctx context.Context, s *source) (*Table, error) {
	loc, err := l.find(s)
	if missing := (*MissingError)(nil); l.Download && errors.As(err, &missing) {
		if err := l.fetch(ctx, s); err != nil {
			return nil, err
		}
		loc, err = l.find(s)
	}
	if err != nil {
		return nil, err
	}
	if t := l.fromCache(ctx, &loc); t != nil {
		return t, nil
	}
	t, err := read(ctx, &loc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	if t.Check == SameRows && s.dir == "" {
		l.logf("warning: %s: %s has the right counts, and its values cannot be compared: it has no known checksum", s.Name, loc.Files[0].Path)
	}
	l.toCache(ctx, &loc, t)
	return t, nil
}

// read parses the files of a data set and checks what comes of it.
func read(ctx context.Context, loc *Location) (*Table, error) {
	room := loc.Rows
	if loc.source.dir != "" {
		room = min(room, 1<<16) // a declaration may say more rows than there are
	}
	specs := loc.source.columns
	switch { // until its digest is known, a table has what splits it as its last column
	case loc.Info.Groups != "":
		specs = append(slices.Clone(specs), columnSpec{name: loc.Info.Groups, kind: Categorical})
	case loc.Info.Parts != "":
		specs = append(slices.Clone(specs), levels(loc.Info.Parts, partNames...))
	}
	columns := make([]*builder, len(specs))
	for i, spec := range specs {
		columns[i] = newBuilder(spec, room)
	}
	for i := range loc.Files {
		if err := readFile(ctx, &loc.Files[i], columns); err != nil {
			return nil, err
		}
	}
	t := &Table{Info: loc.Info, Rows: loc.Rows, Subset: loc.Subset, Columns: make([]Column, len(columns))}
	for i, b := range columns {
		if b.n != loc.Rows {
			return nil, fmt.Errorf("column %d (%s) has %s, %d expected", i, b.name, spelling.Count(b.n, "row"), loc.Rows)
		}
		t.Columns[i] = b.column()
	}
	if t.Digest = tableDigest(t.Columns, t.Rows); loc.variant.rule != "" {
		t.Digest = ruleDigest(t.Digest, loc.variant.rule)
	}
	last := t.Columns[len(t.Columns)-1]
	t.Columns = t.Columns[:len(loc.source.columns)]
	switch {
	case loc.Info.Groups != "":
		if n := len(last.Categories); n < t.Info.Folds {
			return nil, fmt.Errorf("%s: column %s has %s, want one at least for each of %d folds",
				loc.Files[0].Path, last.Name, spelling.Count(n, "group"), t.Info.Folds)
		}
		t.Groups = last.Codes
	case loc.Info.Parts != "":
		for _, part := range []uint16{TrainPart, TestPart} {
			if !slices.Contains(last.Codes, part) {
				return nil, fmt.Errorf("%s: column %s has no row with %s, want one at least with train and one with test",
					loc.Files[0].Path, last.Name, partNames[part])
			}
		}
		t.Parts = last.Codes
	}
	return t, verify(t, loc)
}

// verify checks the target, and the values where they are known.
func verify(t *Table, loc *Location) error {
	if err := verifyTarget(t, loc.variant.classRows); err != nil {
		return fmt.Errorf("%s: %w", loc.Files[len(loc.Files)-1].Path, err)
	}
	t.Check = SameFile
	for _, f := range loc.Files {
		t.Check = min(t.Check, f.Check)
	}
	known := loc.variant.digest
	switch {
	case known == "" && t.Check == SameFile, known == t.Digest && t.Check == SameFile:
		return nil
	case known == t.Digest:
		t.Check = SameTable
		return nil
	}
	for _, f := range loc.Files {
		if f.Check != SameFile && loc.source.dir != "" && len(f.File.SHA256) > 0 {
			return fmt.Errorf("%s: the content does not have the SHA-256 that %s declares", f.Path, filepath.Join(loc.source.dir, Declaration))
		}
		if f.Check != SameFile && (known != "" || len(f.File.SHA256) > 0) {
			return fmt.Errorf("%s: the values are not the published ones (table digest %.12s%s); replace it by %s",
				f.Path, t.Digest, expected(known), f.File.origin())
		}
	}
	if known != "" {
		return fmt.Errorf("table digest %s, %s expected, though the files are right: a fault of this program", t.Digest, known)
	}
	t.Check = SameRows
	return nil
}

func expected(digest string) string {
	if digest == "" {
		return ""
	}
	return fmt.Sprintf(", %.12s expected", digest)
}

// verifyTarget refuses a regression with nothing to predict, a class without a row, and other counts of classes than those that are known.
func verifyTarget(t *Table, want []int) error {
	if !t.Info.Problem.Classification() {
		for row := range t.Rows {
			if t.Target().Float(row) != t.Target().Float(0) {
				return nil
			}
		}
		return fmt.Errorf("the target, column %s, has the same value in all %s", t.Target().Name, spelling.Count(t.Rows, "row"))
	}
	got := make([]int, t.Info.Classes)
	for _, class := range t.Labels() {
		got[class]++
	}
	for class, n := range got {
		if n == 0 {
			return fmt.Errorf("class %q has no row", t.Target().Categories[class])
		}
		if want != nil && n != want[class] {
			return fmt.Errorf("class %q has %s, %d expected", t.Target().Categories[class], spelling.Count(n, "row"), want[class])
		}
	}
	return nil
}

// readFile appends the rows of one file to the columns and, unless that has been done, compares its checksum.
func readFile(ctx context.Context, f *Found, columns []*builder) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	stored, content := sha256.New(), sha256.New()
	var raw io.Reader = contextReader{ctx, file}
	known := f.Check == SameFile
	if !known {
		raw = io.TeeReader(raw, stored)
	}
	rows, err := unpacked(raw)
	if err == nil {
		if !known {
			rows = io.TeeReader(rows, content)
		}
		err = f.File.parse(rows, f.File.Rows, columns)
		// On to the end, for the checksums, and because it may turn out there that the compressed data are damaged.
		if _, tailErr := io.Copy(io.Discard, rows); err == nil || isDamage(tailErr) {
			err = cmp.Or(tailErr, err)
		}
	}
	if err != nil {
		return f.describe(err)
	}
	if !known && f.File.known(hexSum(stored), hexSum(content)) {
		f.Check = SameFile
	}
	return nil
}

// known reports whether one of the SHA-256 sums, of a file as stored and of its content, is a known one.
func (f *File) known(stored, content string) bool {
	return slices.Contains(f.Gzip, stored) || slices.Contains(f.SHA256, content)
}

// unpacked reads the content of a file, compressed by gzip or not.
func unpacked(file io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(file, chunk)
	magic, err := buffered.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if string(magic) == "\x1f\x8b" {
		return gzip.NewReader(buffered)
	}
	return buffered, nil
}

// isDamage reports whether a gzip reader found its data damaged or cut short.
func isDamage(err error) bool {
	corrupt := flate.CorruptInputError(0)
	return errors.As(err, &corrupt) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// describe puts the place in front of an error and names what gzip cannot say clearly.
func (f *Found) describe(err error) error {
	at := f.Path
	if place := (*lineError)(nil); errors.As(err, &place) && place.line > 0 {
		at = fmt.Sprintf("%s:%d", f.Path, place.line)
		if place.column > 0 {
			at = fmt.Sprintf("%s:%d", at, place.column)
		}
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the compressed data end here, the file is cut short")
	case isDamage(err):
		err = errors.New("the compressed data are damaged")
	default:
		return fmt.Errorf("%s: %w", at, err)
	}
	return fmt.Errorf("%s: %w; replace it by %s", at, err, f.File.origin())
}
