package dataset

import (
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
)

// Fetch downloads the files of a complete data set that are in none of the folders into the first folder. Downloads are
// resumed where they stopped, compared with the known checksums or, where none is known, parsed, and only then get their
// names. It does nothing when the complete data set is there. What no program may download is a *MissingError.
func (l *Library) Fetch(ctx context.Context, name string) error {
	s, err := l.source(name)
	if err != nil {
		return err
	}
	return l.fetch(ctx, s, defaultDownloader)
}

func (l *Library) fetch(ctx context.Context, s *source, d downloader) error {
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
	dir := l.dirs(s)[0]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	unlock, err := l.lock(ctx, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	defer unlock()
	var failures []string
	for _, v := range ways {
		err := l.fetchVariant(ctx, s, v, d)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failures = append(failures, err.Error())
	}
	return fmt.Errorf("%s: %s", s.Name, strings.Join(failures, "; "))
}

// fetchVariant downloads the files of a variant that are in none of the folders.
func (l *Library) fetchVariant(ctx context.Context, s *source, v *variant, d downloader) error {
	for i := range v.files {
		there, _, err := l.file(s, v.files[i].Name)
		if err == nil && there == "" { // another process may have fetched it meanwhile
			err = l.fetchFile(ctx, s, v, i, d)
		}
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

// lock keeps other processes from fetching into the same folder.
func (l *Library) lock(ctx context.Context, dir string) (unlock func(), err error) {
	lock := flock.New(filepath.Join(dir, ".lock"))
	if free, err := lock.TryLock(); err != nil {
		return nil, err
	} else if !free {
		l.logf("%s: another process is fetching; waiting", dir)
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			return nil, err
		}
	}
	return func() { lock.Unlock() }, nil
}

// fetchFile tries the addresses of a file one after the other.
func (l *Library) fetchFile(ctx context.Context, s *source, v *variant, i int, d downloader) error {
	f := &v.files[i]
	addresses := f.URLs
	if f.OpenML > 0 {
		address, err := d.resolveOpenML(ctx, f.OpenML)
		if err != nil {
			return err
		}
		addresses = []string{address}
	}
	var failures []string
	for _, address := range addresses {
		err := l.fetchFrom(ctx, address, s, v, i, d)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failures = append(failures, fmt.Sprintf("%s: %v", address, err))
		if localFault := (*os.PathError)(nil); errors.As(err, &localFault) {
			break // another address would not help a full disk
		}
	}
	return errors.New(strings.Join(failures, "; "))
}

// fetchFrom downloads a file from one address, checks it and gives it its name. Content that is found wrong is thrown
// away; if part of it was left from an earlier attempt, the download is tried once more from the start.
func (l *Library) fetchFrom(ctx context.Context, address string, s *source, v *variant, i int, d downloader) error {
	name := v.files[i].Name
	if path.Ext(strings.TrimSuffix(address, "/")) == ".gz" {
		name += ".gz"
	}
	final := filepath.Join(l.dirs(s)[0], name)
	part := filepath.Join(l.dirs(s)[0], "."+name+".part")
	for {
		_, missing := os.Stat(part)
		if err := d.download(ctx, address, part, v.files[i].limit(), l.progress(s.Name+": "+name)); err != nil {
			removeEmpty(part)
			return err
		}
		err := checkDownload(ctx, part, s, v, i)
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
	l.logf("%s: fetched %s", s.Name, final)
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

// checkDownload accepts a file whose checksum is known, and otherwise one that is a whole data set with the right values.
func checkDownload(ctx context.Context, part string, s *source, v *variant, i int) error {
	f := &v.files[i]
	stored, content, err := checksums(ctx, part, f.limit())
	if err != nil {
		return err
	}
	if f.known(stored, content) {
		return nil
	}
	if len(v.files) > 1 {
		return fmt.Errorf("not the published file: the SHA-256 of its content begins with %.16s, not with %.16s", content, f.SHA256[0])
	}
	loc := Location{Info: s.info(v), Files: []Found{{File: *f, Path: part}}, Rows: s.rowsOf(v), source: s, variant: v}
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
