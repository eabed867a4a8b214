package gbdt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A ubjObject is an object of a Universal Binary JSON document (ubjson.org, draft 12). Values are ubjObject, []any,
// string, int64, float64, bool and ubjArray.
type ubjObject map[string]any

// A ubjArray is a typed array, left as it is until someone wants it: most of a model's arrays are not wanted.
type ubjArray struct {
	marker byte // of the elements' type
	bytes  []byte
}

// The accessors return a zero value where the key is missing or has another type.
func (o ubjObject) object(key string) ubjObject { v, _ := o[key].(ubjObject); return v }
func (o ubjObject) list(key string) []any       { v, _ := o[key].([]any); return v }
func (o ubjObject) text(key string) string      { v, _ := o[key].(string); return v }

func (o ubjObject) bytes(key string) []byte {
	a, _ := o[key].(ubjArray)
	if a.marker != 'U' && a.marker != 'i' {
		return nil
	}
	return a.bytes
}

func (o ubjObject) int32s(key string) []int32 {
	a, _ := o[key].(ubjArray)
	if a.marker != 'l' {
		return nil
	}
	out := make([]int32, len(a.bytes)/4)
	for i := range out {
		out[i] = int32(binary.BigEndian.Uint32(a.bytes[4*i:]))
	}
	return out
}

func (o ubjObject) float32s(key string) []float32 {
	a, _ := o[key].(ubjArray)
	if a.marker != 'd' {
		return nil
	}
	out := make([]float32, len(a.bytes)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.BigEndian.Uint32(a.bytes[4*i:]))
	}
	return out
}

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
	size := elementSize(marker)
	d.failed = d.failed || size == 0
	return ubjArray{marker, d.take(size * d.length())}
}

func elementSize(marker byte) int {
	switch marker {
	case 'i', 'U':
		return 1
	case 'I':
		return 2
	case 'l', 'd':
		return 4
	case 'L', 'D':
		return 8
	}
	return 0
}
