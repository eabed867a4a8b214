package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"nptbench/internal/filesystem"
)

// Fetch downloads the files of a complete data set that are in none of the folders into the first folder. Downloads are
// resumed where they stopped, compared with the known checksums or, where they have another one and the values of the table are known,
// with these, and only then get their names. It does nothing when the complete data set is there. What no program may download is a
// *MissingError.
func (l *Library) Fetch(ctx context.Context, name string) error {
	s, err := l.source(name)
	if err != nil {
		return err
	}
	return l.fetch(ctx, s)
}

func (l *Library) fetch(ctx context.Context, s *source) error {
	if len(l.Dirs) == 0 {
		return errNoFolder
	}
	if there, err := l.complete(s); there || err != nil {
		return err
	}
	ways := s.downloadable()
	if len(ways) == 0 {
		return l.missing(s)
	}
	f := &fetcher{Library: l, web: cmp.Or(l.web, defaultDownloader), source: s, dir: l.dirs(s)[0]}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	unlock, err := l.lock(ctx, f.dir)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	defer unlock()
	if err := firstOf(ctx, ways, func(v *variant) error { return f.variant(ctx, v) }); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("%s: %w", s.Name, err))
	}
	return nil
}

// firstOf tries ways until one succeeds, the context ends, or a fault is found that another way would not help, such as a full disk.
// Else the error has those of all.
func firstOf[T any](ctx context.Context, ways []T, try func(T) error) error {
	var failures []string
	for _, way := range ways {
		err := try(way)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		failures = append(failures, err.Error())
		if errors.As(err, new(*os.PathError)) {
			break
		}
	}
	return errors.New(strings.Join(failures, "; "))
}

// A fetcher downloads files of a data set into a folder.
type fetcher struct {
	*Library
	web    downloader
	source *source
	dir    string
}

// variant downloads the files of a variant that are in none of the folders.
func (f *fetcher) variant(ctx context.Context, v *variant) error {
	for i := range v.files {
		file := &v.files[i]
		there, _, err := f.file(f.source, file.Name)
		if err != nil {
			return err
		}
		if there != "" { // another process may have fetched it meanwhile
			continue
		}
		addresses := file.URLs
		if file.OpenML > 0 {
			address, err := f.web.resolveOpenML(ctx, file.OpenML)
			if err != nil {
				return err
			}
			addresses = []string{address}
		}
		err = firstOf(ctx, addresses, func(address string) error {
			if err := f.from(ctx, address, v, file); err != nil {
				return fmt.Errorf("%s: %w", address, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// complete reports whether all files of the complete table are there.
func (l *Library) complete(s *source) (bool, error) {
	for i := range s.variants {
		v := &s.variants[i]
		found, err := l.files(s, v)
		if err != nil {
			return false, fmt.Errorf("%s: %w", s.Name, err)
		}
		if v.subset == "" && len(found) == len(v.files) {
			return true, nil
		}
	}
	return false, nil
}

// downloadable returns the complete variants whose files all have an address.
func (s *source) downloadable() []*variant {
	var ways []*variant
	for i := range s.variants {
		v := &s.variants[i]
		manual := slices.ContainsFunc(v.files, func(f File) bool { return len(f.URLs) == 0 && f.OpenML == 0 })
		if v.subset == "" && !manual {
			ways = append(ways, v)
		}
	}
	return ways
}

// tryLock is replaced by a test, as of a file system without locks.
var tryLock = (*flock.Flock).TryLock

// lock keeps other processes from fetching into the same folder. A file system without locks is said.
func (l *Library) lock(ctx context.Context, dir string) (unlock func(), err error) {
	lock := flock.New(filepath.Join(dir, ".lock"))
	free, err := tryLock(lock)
	switch {
	case filesystem.HasNoLocks(err):
		l.logf("%s cannot be locked (%v): let no other process fetch into it", dir, err)
	case err != nil:
		return nil, err
	case !free:
		l.logf("%s: another process is fetching; waiting", dir)
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			return nil, err
		}
	}
	return func() { lock.Unlock() }, nil
}

// from downloads a file of a variant from one address, checks it and gives it its name. Content that is found wrong is thrown
// away; if part of it was left from an earlier attempt, the download is tried once more from the start.
func (f *fetcher) from(ctx context.Context, address string, v *variant, file *File) error {
	name := file.Name
	if path.Ext(strings.TrimSuffix(address, "/")) == ".gz" {
		name += ".gz"
	}
	final, part := filepath.Join(f.dir, name), filepath.Join(f.dir, "."+name+".part")
	for {
		_, missing := os.Stat(part)
		if err := f.web.download(ctx, address, part, file.limit(), f.progress(f.source.Name+": "+name)); err != nil {
			removeEmpty(part)
			return err
		}
		err := f.check(ctx, part, v, file)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		os.Remove(part)
		if missing != nil {
			return err
		}
	}
	if err := os.Rename(part, final); err != nil {
		return err
	}
	f.logf("%s: fetched %s", f.source.Name, final)
	return nil
}

// limit is how many bytes a file may have, compressed or not.
func (f *File) limit() int64 { return f.MaxBytes + 1<<16 }

// removeEmpty leaves nothing behind where nothing has come.
func removeEmpty(part string) {
	if info, err := os.Stat(part); err == nil && info.Size() == 0 {
		os.Remove(part)
	}
}

// check accepts a download whose checksum is known, and otherwise one that is a whole data set with the right values, or with the right
// counts where neither checksum nor values are known.
func (f *fetcher) check(ctx context.Context, part string, v *variant, file *File) error {
	stored, content, err := checksums(ctx, part, file.limit())
	if err != nil || file.known(stored, content) {
		return err
	}
	switch {
	case len(v.files) > 1:
		return fmt.Errorf("not the published file: the SHA-256 of its content begins with %.16s, not with %.16s", content, file.SHA256[0])
	case v.digest == "" && len(file.Gzip) > 0:
		return fmt.Errorf("not the published file: its SHA-256 begins with %.16s, not with %.16s", stored, file.Gzip[0])
	}
	loc := Location{Info: f.source.info(v), Files: []Found{{File: *file, Path: part}}, Rows: f.source.rowsOf(v), source: f.source, variant: v}
	_, err = read(ctx, &loc)
	return err
}

// checksums returns the SHA-256 of a file as stored and of its content, which may have limit bytes, and makes sure that the
// file is on the disk.
func checksums(ctx context.Context, name string, limit int64) (stored, content string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	outer, inner := sha256.New(), sha256.New()
	rows, err := unpacked(io.TeeReader(contextReader{ctx, file}, outer))
	n := int64(0)
	if err == nil {
		n, err = io.Copy(inner, io.LimitReader(rows, limit+1))
	}
	switch {
	case n > limit:
		return "", "", fmt.Errorf("unpacked it has more than the %s that this file has at most", FormatBytes(limit))
	case isDamage(err):
		return "", "", errors.New("the compressed data are damaged or cut short")
	case err != nil:
		return "", "", err
	}
	return hexSum(outer), hexSum(inner), file.Sync()
}
