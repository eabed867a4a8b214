package dataset

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"nptbench/internal/filesystem"
)

// A cache file is a line that says which form this is, a line of JSON, and the binary form of the columns (encode.go).
const cacheMagic = "nptbench columns 1\n"

// A cacheHead says what a cache file was made from and what must come of it.
type cacheHead struct {
	Dataset  string `json:"dataset"`
	Identity string `json:"identity"` // of the source files
	Digest   string `json:"digest"`   // of the table, which has no rule, and so the SHA-256 of all bytes after this line
	Check    Check  `json:"check"`
}

// cachePath returns where the columns of a location are kept, or "" when they are not.
func (l *Library) cachePath(loc *Location) string {
	if l.CacheDir == "" || !loc.source.cached {
		return ""
	}
	return filepath.Join(l.CacheDir, fmt.Sprintf("%s-%.16s.columns", loc.source.Name, loc.identity()))
}

// readCacheHead reads the beginning of a cache file only.
func readCacheHead(path string) (cacheHead, error) {
	file, err := os.Open(path)
	if err != nil {
		return cacheHead{}, err
	}
	defer file.Close()
	return parseCacheHead(bufio.NewReader(file))
}

func parseCacheHead(r *bufio.Reader) (head cacheHead, err error) {
	magic := make([]byte, len(cacheMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != cacheMagic {
		return head, errDamaged
	}
	line, err := r.ReadSlice('\n')
	if err != nil || json.Unmarshal(line, &head) != nil || head.Check > SameFile {
		return head, errDamaged
	}
	return head, nil
}

// fromCache returns the table of a location if a sound copy is in the cache, else nil.
func (l *Library) fromCache(ctx context.Context, loc *Location) *Table {
	path := l.cachePath(loc)
	if path == "" {
		return nil
	}
	t, err := readCache(ctx, path, loc)
	switch {
	case errors.Is(err, fs.ErrNotExist), ctx.Err() != nil:
		return nil
	case err != nil:
		l.logf("warning: %s: cache file %s passed over: %v", loc.source.Name, path, err)
		return nil
	}
	return t
}

func readCache(ctx context.Context, path string, loc *Location) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return parseCache(bufio.NewReaderSize(contextReader{ctx, file}, chunk), loc)
}

func parseCache(r *bufio.Reader, loc *Location) (*Table, error) {
	head, err := parseCacheHead(r)
	if err != nil {
		return nil, err
	}
	if head.Dataset != loc.source.Name || head.Identity != loc.identity() {
		return nil, errors.New("made from other files")
	}
	columns, digest, err := decode(r, loc.source.columns, loc.Rows)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("cut short")
	case err != nil:
		return nil, err
	case digest != head.Digest:
		return nil, errDamaged
	}
	if known := loc.variant.digest; known != "" && known != digest {
		return nil, errors.New("not the published table")
	}
	return &Table{
		Info: loc.Info, Columns: columns, Rows: loc.Rows, Digest: digest, Check: head.Check, Subset: loc.Subset,
	}, nil
}

// toCache keeps a table. That it cannot is a warning: the table is there all the same.
func (l *Library) toCache(ctx context.Context, loc *Location, t *Table) {
	path := l.cachePath(loc)
	if path == "" {
		return
	}
	head := cacheHead{Dataset: t.Info.Name, Identity: loc.identity(), Digest: t.Digest, Check: t.Check}
	if err := writeCache(ctx, path, head, t); err != nil && ctx.Err() == nil {
		l.logf("warning: %s: no cache file: %v", t.Info.Name, err)
	}
}

func writeCache(ctx context.Context, path string, head cacheHead, t *Table) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return filesystem.WriteFile(path, func(w io.Writer) error {
		line, err := json.Marshal(head)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s\n", cacheMagic, line); err != nil {
			return err
		}
		return encode(contextWriter{ctx, w}, t.Columns, t.Rows)
	})
}

// A contextReader and a contextWriter stop when their context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
