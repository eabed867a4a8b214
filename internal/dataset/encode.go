package dataset

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The binary form of a table, little-endian. Its SHA-256 is the table's digest, and it is what the cache keeps.
//
//	rows, columns                    uint64
//	for every column:
//	  name                           string: uint64 length, bytes
//	  kind, storage, missing         one byte each
//	  categories                     uint64 count, strings (categorical columns only, else count 0)
//	  values                         float32, float64 or uint16, as many as rows
//	  missing entries                one byte 0 or 1 each, when missing is 1
const (
	storeF32 byte = iota
	storeF64
	storeCodes
)

// chunk is how many bytes of values are converted at a time.
const chunk = 1 << 18

// tableDigest returns the SHA-256 of a table's binary form in hex.
func tableDigest(columns []Column, rows int) string {
	h := sha256.New()
	encode(h, columns, rows) // a hash does not fail
	return hexSum(h)
}

// encode writes the binary form.
func encode(w io.Writer, columns []Column, rows int) error {
	e := encoder{w: bufio.NewWriterSize(w, chunk)}
	e.number(rows)
	e.number(len(columns))
	for i := range columns {
		e.column(&columns[i])
	}
	if e.err != nil {
		return e.err
	}
	return e.w.Flush()
}

type encoder struct {
	w   *bufio.Writer
	err error
	buf []byte
}

func (e *encoder) write(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

func (e *encoder) number(n int) { e.write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func (e *encoder) text(s string) {
	e.number(len(s))
	e.write([]byte(s))
}

func (e *encoder) column(c *Column) {
	e.text(c.Name)
	storage, missing := storeCodes, byte(0)
	switch {
	case c.F32 != nil:
		storage = storeF32
	case c.F64 != nil:
		storage = storeF64
	}
	if c.Missing != nil {
		missing = 1
	}
	e.write([]byte{byte(c.Type), storage, missing})
	e.number(len(c.Categories))
	for _, s := range c.Categories {
		e.text(s)
	}
	switch storage {
	case storeF32:
		encodeValues(e, c.F32, 4)
	case storeF64:
		encodeValues(e, c.F64, 8)
	default:
		encodeValues(e, c.Codes, 2)
	}
	if c.Missing != nil {
		encodeValues(e, c.Missing, 1)
	}
}

func encodeValues[T float32 | float64 | uint16 | bool](e *encoder, values []T, size int) {
	for some := range slices.Chunk(values, chunk/size) {
		if e.err == nil {
			e.buf, e.err = binary.Append(e.buf[:0], binary.LittleEndian, some)
			e.write(e.buf)
		}
	}
}

// errDamaged says that bytes are not the binary form of the expected table.
var errDamaged = errors.New("damaged")

// decode reads a binary form of the given size, whose counts, names and kinds must be those of the specification, and
// returns the columns and the digest. Nothing is allocated before it is known to fit.
func decode(r io.Reader, specs []columnSpec, rows int) ([]Column, string, error) {
	h := sha256.New()
	d := decoder{r: io.TeeReader(r, h), buf: make([]byte, chunk)}
	if d.number() != rows || d.number() != len(specs) {
		return nil, "", cmp.Or(d.err, errDamaged)
	}
	columns := make([]Column, len(specs))
	for i := range columns {
		columns[i] = d.column(specs[i], rows)
		if d.err != nil {
			return nil, "", fmt.Errorf("column %d: %w", i, d.err)
		}
	}
	return columns, hexSum(h), nil
}

type decoder struct {
	r   io.Reader
	err error
	buf []byte
}

func (d *decoder) read(n int) []byte {
	if d.err == nil {
		_, d.err = io.ReadFull(d.r, d.buf[:n])
	}
	if d.err != nil {
		clear(d.buf[:n])
	}
	return d.buf[:n]
}

func (d *decoder) number() int { return int(binary.LittleEndian.Uint64(d.read(8))) }

func (d *decoder) text() string {
	n := d.number()
	if d.err == nil && (n < 0 || n > len(d.buf)) {
		d.err = errDamaged
	}
	if d.err != nil {
		return ""
	}
	return string(d.read(n))
}

func (d *decoder) column(spec columnSpec, rows int) Column {
	c := Column{Name: d.text(), Type: spec.kind}
	head := d.read(3)
	kind, storage, missing := ColumnType(head[0]), head[1], head[2]
	categories := d.number()
	if d.err == nil && (c.Name != spec.name || kind != spec.kind || (kind == Categorical) != (storage == storeCodes) ||
		storage > storeCodes || missing > 1 || categories < 0 || categories > maxCategories) {
		d.err = errDamaged
	}
	for range categories {
		c.Categories = append(c.Categories, d.text())
		if d.err != nil {
			return c
		}
	}
	switch {
	case d.err != nil:
	case storage == storeF32:
		c.F32 = decodeValues[float32](d, rows, 4)
	case storage == storeF64:
		c.F64 = decodeValues[float64](d, rows, 8)
	default:
		c.Codes = decodeValues[uint16](d, rows, 2)
	}
	if missing == 1 && d.err == nil {
		c.Missing = decodeValues[bool](d, rows, 1)
	}
	return c
}

func decodeValues[T float32 | float64 | uint16 | bool](d *decoder, rows, size int) []T {
	values := make([]T, rows)
	for some := range slices.Chunk(values, chunk/size) {
		if b := d.read(len(some) * size); d.err == nil {
			_, d.err = binary.Decode(b, binary.LittleEndian, some)
		}
	}
	return values
}
