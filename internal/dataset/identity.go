package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
)

// ReadWhole is the size up to which a file is read in full to know whether it is still the same.
const ReadWhole = 256 << 20

// identify sets the identity of a file: the SHA-256 of its bytes or, where it is very large, of its size, time of change,
// beginning and end. A known checksum makes it a checked file.
func (f *Found) identify() error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	if f.Bytes > ReadWhole {
		err = hashEnds(h, file)
		f.identity = "ends:" + hexSum(h)
		return err
	}
	if _, err := io.Copy(h, file); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	sum := hexSum(h)
	f.identity = "sha256:" + sum
	if slices.Contains(f.File.Gzip, sum) || slices.Contains(f.File.SHA256, sum) {
		f.Check = SameFile
	}
	return nil
}

func hashEnds(h hash.Hash, file *os.File) error {
	const end = 1 << 20
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
	for _, at := range []int64{0, info.Size() - end} {
		if _, err := io.Copy(h, io.NewSectionReader(file, at, end)); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return nil
}

// identity is that of all files together.
func (loc *Location) identity() string {
	h := sha256.New()
	for _, f := range loc.Files {
		fmt.Fprintln(h, f.File.Name, f.identity)
	}
	return hexSum(h)
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
