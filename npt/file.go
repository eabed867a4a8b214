package npt

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/renameio/v2"
)

// Files of weights: one line of magic, one line of JSON that describes the rest, the arrays one after the other as
// little-endian float64 or float32, and the SHA-256 of everything before it. They are replaced as a whole or not at all.

// writeFile writes a file of the given kind. wide says whether numbers take 8 bytes instead of 4.
func writeFile(path, kind string, header any, arrays []*tensors.Tensor, wide bool) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("npt: %s: %w", path, err)
		}
	}()
	pending, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer pending.Cleanup()
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(pending, sum), 1<<20)
	line, err := json.Marshal(header)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "nptbench %s 3\n%s\n", kind, line)
	for _, t := range arrays {
		a, err := floats(t)
		if err != nil {
			return err
		}
		if err := writeNumbers(w, a, wide); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := pending.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return pending.CloseAtomicallyReplace()
}

func writeNumbers(w io.Writer, a []float64, wide bool) error {
	buffer := make([]byte, 0, 8*4096)
	for len(a) > 0 {
		n := min(len(a), 4096)
		buffer = buffer[:0]
		for _, x := range a[:n] {
			if wide {
				buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(x))
			} else {
				buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(x)))
			}
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
		a = a[n:]
	}
	return nil
}

// A fileReader reads what writeFile wrote.
type fileReader struct {
	path string
	f    *os.File
	r    *bufio.Reader
	sum  hash.Hash
}

// openFile reads the header into the value that header points to.
func openFile(path, kind string, header any) (*fileReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	r := &fileReader{path: path, f: f, r: bufio.NewReaderSize(f, 1<<20), sum: sha256.New()}
	magic, err := r.line()
	if err == nil && string(magic) != fmt.Sprintf("nptbench %s 3\n", kind) {
		err = fmt.Errorf("not a %s of this version", kind)
	}
	var line []byte
	if err == nil {
		line, err = r.line()
	}
	if err == nil {
		err = json.Unmarshal(bytes.TrimSpace(line), header)
	}
	if err != nil {
		f.Close()
		return nil, r.fail(err)
	}
	return r, nil
}

func (r *fileReader) fail(err error) error { return fmt.Errorf("npt: %s: %w", r.path, err) }

func (r *fileReader) line() ([]byte, error) {
	line, err := r.r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("damaged: no header")
	}
	r.sum.Write(line)
	return line, nil
}

// numbers reads one array.
func (r *fileReader) numbers(n int, wide bool) ([]float64, error) {
	out := make([]float64, n)
	size := 4
	if wide {
		size = 8
	}
	buffer := make([]byte, 8*4096)
	for i := 0; i < n; {
		chunk := buffer[:min(n-i, 4096)*size]
		if _, err := io.ReadFull(r.r, chunk); err != nil {
			return nil, r.fail(fmt.Errorf("damaged: ends too early"))
		}
		r.sum.Write(chunk)
		for ; len(chunk) > 0; i++ {
			if wide {
				out[i] = math.Float64frombits(binary.LittleEndian.Uint64(chunk))
			} else {
				out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(chunk)))
			}
			chunk = chunk[size:]
		}
	}
	return out, nil
}

// close checks that the file is complete and sound.
func (r *fileReader) close() error {
	defer r.f.Close()
	want := r.sum.Sum(nil)
	got, err := io.ReadAll(io.LimitReader(r.r, int64(len(want))+1))
	if err != nil {
		return r.fail(err)
	}
	if !bytes.Equal(got, want) {
		return r.fail(fmt.Errorf("damaged: its checksum is wrong"))
	}
	return nil
}
