package gbdt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A ubjObject is an object of a Universal Binary JSON document (ubjson.org, draft 12). Values are ubjObject, []any,
// string, int64, float64, and for typed arrays []byte, []int32, []int64 and []float32.
type ubjObject map[string]any

// The accessors return a zero value where the key is missing or has another type.
func (o ubjObject) object(key string) ubjObject   { v, _ := o[key].(ubjObject); return v }
func (o ubjObject) list(key string) []any         { v, _ := o[key].([]any); return v }
func (o ubjObject) text(key string) string        { v, _ := o[key].(string); return v }
func (o ubjObject) bytes(key string) []byte       { v, _ := o[key].([]byte); return v }
func (o ubjObject) int32s(key string) []int32     { v, _ := o[key].([]int32); return v }
func (o ubjObject) float32s(key string) []float32 { v, _ := o[key].([]float32); return v }

// decodeUBJSON reads a document whose top is an object, as XGBoost writes it.
func decodeUBJSON(data []byte) (ubjObject, error) {
	d := ubjDecoder{rest: data}
	v := d.value(d.byte())
	if d.failed {
		return nil, errors.New("damaged UBJSON: it ends too early or has an unknown type")
	}
	o, ok := v.(ubjObject)
	if !ok {
		return nil, fmt.Errorf("UBJSON begins with a %T, want an object", v)
	}
	return o, nil
}

// A ubjDecoder stops at the first mistake: after that it reads zeros and failed is true.
type ubjDecoder struct {
	rest   []byte
	failed bool
}

var noBytes [8]byte

func (d *ubjDecoder) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.failed, d.rest = true, nil
		return noBytes[:min(max(n, 0), len(noBytes))]
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *ubjDecoder) byte() byte { return d.take(1)[0] }

// accept skips the next byte if it is c.
func (d *ubjDecoder) accept(c byte) bool {
	if len(d.rest) > 0 && d.rest[0] == c {
		d.rest = d.rest[1:]
		return true
	}
	return false
}

func (d *ubjDecoder) integer(marker byte) int64 {
	switch marker {
	case 'i':
		return int64(int8(d.byte()))
	case 'U':
		return int64(d.byte())
	case 'I':
		return int64(int16(binary.BigEndian.Uint16(d.take(2))))
	case 'l':
		return int64(int32(binary.BigEndian.Uint32(d.take(4))))
	case 'L':
		return int64(binary.BigEndian.Uint64(d.take(8)))
	}
	d.failed = true
	return 0
}

// length reads a count, which can never exceed the bytes left.
func (d *ubjDecoder) length() int {
	n := d.integer(d.byte())
	if n < 0 || n > int64(len(d.rest)) {
		d.failed = true
		return 0
	}
	return int(n)
}

func (d *ubjDecoder) string() string { return string(d.take(d.length())) }

func (d *ubjDecoder) value(marker byte) any {
	switch marker {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case 'S':
		return d.string()
	case 'd':
		return float64(math.Float32frombits(binary.BigEndian.Uint32(d.take(4))))
	case 'D':
		return math.Float64frombits(binary.BigEndian.Uint64(d.take(8)))
	case 'T':
		return true
	case 'F':
		return false
	case 'Z':
		return nil
	}
	return d.integer(marker)
}

func (d *ubjDecoder) object() ubjObject {
	o := ubjObject{}
	for !d.failed && !d.accept('}') {
		key := d.string()
		o[key] = d.value(d.byte())
	}
	return o
}

func (d *ubjDecoder) array() any {
	if d.accept('$') {
		return d.typedArray(d.byte())
	}
	var list []any
	if d.accept('#') {
		for n := d.length(); n > 0 && !d.failed; n-- {
			list = append(list, d.value(d.byte()))
		}
		return list
	}
	for !d.failed && !d.accept(']') {
		list = append(list, d.value(d.byte()))
	}
	return list
}

func (d *ubjDecoder) typedArray(marker byte) any {
	if !d.accept('#') {
		d.failed = true
		return nil
	}
	n := d.length()
	switch marker {
	case 'U', 'i':
		return append([]byte(nil), d.take(n)...)
	case 'l':
		return numbers(d.take(4*n), 4, func(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) })
	case 'L':
		return numbers(d.take(8*n), 8, func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) })
	case 'd':
		return numbers(d.take(4*n), 4, func(b []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(b)) })
	}
	d.failed = true
	return nil
}

// numbers decodes elements of the given size.
func numbers[T any](b []byte, size int, decode func([]byte) T) []T {
	out := make([]T, len(b)/size)
	for i := range out {
		out[i] = decode(b[i*size:])
	}
	return out
}
