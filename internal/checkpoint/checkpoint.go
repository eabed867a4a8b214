// Package checkpoint reads and writes files of weights: one line that names the kind of file and the version, one line of JSON that
// describes the rest, the arrays one after the other as little-endian float64 or float32, and the SHA-256 of everything before it.
// A file is replaced as a whole or not at all.
package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
	"nptbench/internal/filesystem"
)

// magicFormat is the first line of a file of some kind and version.
const magicFormat = "nptbench %s %d\n"

// version 3: weights that moved along gradients derived by GoMLX.
const version = 3

// Write writes a file of the given kind, and makes its folder if it is not there. header becomes JSON; arrays are of float32 or float64.
func Write(path, kind string, header any, arrays []*tensors.Tensor) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return filesystem.WriteFile(path, func(file io.Writer) error {
		sum := sha256.New()
		w := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<20)
		line, err := json.Marshal(header)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, magicFormat+"%s\n", kind, version, line)
		for _, t := range arrays {
			var failed error
			if err := t.ConstFlatData(func(numbers any) { failed = binary.Write(w, binary.LittleEndian, numbers) }); err != nil {
				return backends.Error(err)
			}
			if failed != nil {
				return failed
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
		_, err = file.Write(sum.Sum(nil))
		return err
	})
}

// Read reads what Write wrote: the header into the value that header points to, then the arrays, whose shapes the caller tells once
// the header is read, or else why they cannot be his. A field that the file has and header lacks is an error: what a newer program says by
// it would not hold. So fields may be added to a header, but none may go while the version of files stays.
func Read(path, kind string, header any, layout func() ([]shapes.Shape, error)) (arrays []*tensors.Tensor, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &reader{bufio.NewReaderSize(f, 1<<20), sha256.New()}
	magic, err := r.line()
	if err != nil {
		return nil, err
	}
	if string(magic) != fmt.Sprintf(magicFormat, kind, version) {
		var other string
		var of int
		switch n, _ := fmt.Sscanf(string(magic), magicFormat, &other, &of); {
		case n < 2:
			return nil, errors.New("no file of nptbench")
		case other != kind:
			return nil, fmt.Errorf("a %s, want a %s", other, kind)
		}
		return nil, fmt.Errorf("a %s of version %d, want version %d", kind, of, version)
	}
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	if err := strict.Decode(header); err != nil {
		if json.Unmarshal(line, header) == nil { // but for the unknown field
			return nil, fmt.Errorf("of a newer version of this program, or damaged: its header: %w", err)
		}
		return nil, fmt.Errorf("damaged: its header: %w", err)
	}
	of, err := layout()
	if err != nil {
		return nil, err
	}
	left := info.Size()
	for _, shape := range of { // before memory is taken for arrays of which a damaged header says that they are there
		if left -= int64(shape.ByteSize()); left < 0 {
			return nil, errEndsEarly
		}
	}
	for _, shape := range of {
		t := tensors.FromShape(shape)
		var failed error
		err := t.MutableFlatData(func(numbers any) { failed = binary.Read(io.TeeReader(r.r, r.sum), binary.LittleEndian, numbers) })
		if err != nil || failed != nil {
			return nil, errEndsEarly
		}
		arrays = append(arrays, t)
	}
	return arrays, r.verify()
}

var errEndsEarly = errors.New("damaged: ends too early")

// A reader adds up the checksum of what it reads.
type reader struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (r *reader) line() ([]byte, error) {
	line, err := r.r.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty, damaged, or no file of nptbench: it has no header")
	}
	if err != nil {
		return nil, err
	}
	r.sum.Write(line)
	return line, nil
}

// verify checks that the checksum comes next, and nothing after it.
func (r *reader) verify() error {
	want := r.sum.Sum(nil)
	got, err := io.ReadAll(io.LimitReader(r.r, int64(len(want))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("damaged: its checksum is wrong")
	}
	return nil
}
