package gbdt

import "encoding/binary"

// A flatBuffer reads FlatBuffers (flatbuffers.dev, "internals"). Places are offsets into data; no field lies at 0, which
// therefore stands for an absent one and reads as zero or empty. After a read outside of data failed is true.
type flatBuffer struct {
	data   []byte
	failed bool
}

func (f *flatBuffer) bytes(at, n int) []byte {
	if f.failed || at < 0 || n < 0 || n > len(f.data) || at > len(f.data)-n {
		f.failed = true
		return nil
	}
	return f.data[at : at+n]
}

func (f *flatBuffer) uint16(at int) int {
	if b := f.bytes(at, 2); b != nil {
		return int(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (f *flatBuffer) uint32(at int) int {
	if b := f.bytes(at, 4); b != nil {
		return int(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// field finds a field of a table by its number.
func (f *flatBuffer) field(table, number int) int {
	if table == 0 {
		return 0
	}
	fields := table - int(int32(f.uint32(table)))
	entry := 4 + 2*number
	if entry >= f.uint16(fields) {
		return 0
	}
	offset := f.uint16(fields + entry)
	if offset == 0 {
		return 0
	}
	return table + offset
}

// root returns the place of the outermost table.
func (f *flatBuffer) root() int { return f.uint32(0) }

// follow returns the place of the table or vector that the field at this place refers to.
func (f *flatBuffer) follow(at int) int {
	if at == 0 {
		return 0
	}
	return at + f.uint32(at)
}

func (f *flatBuffer) byte(at int) byte {
	if b := f.bytes(at, 1); at != 0 && b != nil {
		return b[0]
	}
	return 0
}

func (f *flatBuffer) int32(at int) int32 {
	if at == 0 {
		return 0
	}
	return int32(f.uint32(at))
}

// length returns the number of elements of a vector. The elements follow, from place vector+4 on.
func (f *flatBuffer) length(vector int) int { return int(f.int32(vector)) }

func (f *flatBuffer) int32s(vector int) []int32 { return numbers[int32](f, vector, 4) }

func (f *flatBuffer) float64s(vector int) []float64 { return numbers[float64](f, vector, 8) }

func numbers[T any](f *flatBuffer, vector, width int) []T {
	b := f.bytes(vector+4, width*f.length(vector))
	out := make([]T, len(b)/width)
	binary.Decode(b, binary.LittleEndian, out)
	return out
}
