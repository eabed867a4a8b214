package fused

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"nptbench/internal/f32"
	"nptbench/internal/machine"
)

// Names of backends: of New's, and of NewBFloat16's.
const (
	Name     = "fused"
	BFloat16 = "fused,products=bfloat16"
)

// A Backend computes graphs on the processor. Several may be computed at the same time: its
// threads help with the operation that was begun last, whichever graph it is of.
type Backend struct {
	notimplemented.Backend
	name string
	team *team
	wide *panelKernel[float32] // for products of float32 but those of few columns

	mu     sync.Mutex
	arenas []block  // idle ones
	blocks sync.Map // idle ones of buffers: *sync.Pool by size

	finalized atomic.Bool
}

// New returns a backend with that many threads; 0 are as many as GOMAXPROCS says.
func New(threads int) *Backend {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Backend{name: Name, team: newTeam(threads), wide: &gemm32}
}

// NewBFloat16 returns a backend that rounds what it multiplies to bfloat16, in products of float32 matrices of more than 16 columns and
// more than one row, and sums in float32: all else is as New's. A product that is used transposed, as the gradient of weights, is one of the
// transposed matrices. A processor with a matrix unit (AMX, on Linux) sums in another order than one without. It is an error if the
// processor does not multiply bfloat16.
func NewBFloat16(threads int) (*Backend, error) {
	pairs := pairs32(f32.All()[0], f32.NewTiles())
	if pairs.multiply == nil {
		return nil, errors.New("this processor does not multiply bfloat16 (AVX512_BF16)")
	}
	b := New(threads)
	b.name, b.wide = BFloat16, &pairs
	return b, nil
}

// Products tells what is multiplied, and by what. Of bfloat16 results have other bits by AMX than by AVX512-BF16.
func (b *Backend) Products() string {
	switch {
	case b.wide.roundTiles != nil:
		return "bfloat16 by AMX"
	case b.wide.pairRows != nil:
		return "bfloat16 by AVX512-BF16"
	}
	return "float32 by " + f32.All()[0].Name
}

// Finalize ends the threads of the backend, which nobody may use any more.
func (b *Backend) Finalize() {
	if !b.finalized.Swap(true) {
		close(b.team.wake)
	}
}

// IsFinalized implements compute.Backend.
func (b *Backend) IsFinalized() bool { return b.finalized.Load() }

func (b *Backend) Name() string   { return b.name }
func (b *Backend) String() string { return b.name }
func (b *Backend) Description() string {
	return fmt.Sprintf("fused operations on %d threads", b.team.size)
}

// Capabilities implements compute.Backend. Some operations are implemented for some types or forms alone.
func (b *Backend) Capabilities() compute.Capabilities {
	c := compute.Capabilities{Operations: map[compute.OpType]bool{}, DTypes: map[dtypes.DType]bool{}}
	for t := range types {
		c.DTypes[t] = true
	}
	for k := range kernels.of {
		c.Operations[k.op] = true
	}
	for _, op := range []compute.OpType{
		compute.OpTypeParameter, compute.OpTypeConstant, compute.OpTypeIdentity, compute.OpTypeReshape, compute.OpTypeTranspose,
		compute.OpTypeBroadcastInDim, compute.OpTypeSlice, compute.OpTypeBitcast, compute.OpTypeConvertDType, compute.OpTypeIota,
		compute.OpTypeOptimizationBarrier, compute.OpTypeDotGeneral, compute.OpTypeReduceSum, compute.OpTypeReduceMax,
		compute.OpTypeConcatenate, compute.OpTypeGather, compute.OpTypeScatterSum, compute.OpTypeRNGBitGenerator, compute.OpTypePad, compute.OpTypeSchedulingBarrier,
	} {
		c.Operations[op] = true
	}
	return c
}

// pooledSize is the size from which on memory is kept for the next array of that size.
const pooledSize = 1 << 12

// takeBlock returns memory of that size, which may hold anything.
func (b *Backend) takeBlock(size int) block {
	if size < pooledSize {
		return newBlock(size)
	}
	pool, ok := b.blocks.Load(size)
	if !ok {
		pool, _ = b.blocks.LoadOrStore(size, new(sync.Pool))
	}
	if idle := pool.(*sync.Pool).Get(); idle != nil {
		return *idle.(*block)
	}
	return newBlock(size)
}

func (b *Backend) giveBlock(m block) {
	if pool, ok := b.blocks.Load(m.size); ok {
		pool.(*sync.Pool).Put(&m)
	}
}

// takeArena returns at least that much memory for what is computed in between. Idle memory that is too small is released.
func (b *Backend) takeArena(size int) (block, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, a := range b.arenas {
		if a.size >= size && (best < 0 || a.size < b.arenas[best].size) {
			best = i
		}
	}
	if best < 0 {
		b.arenas = nil
		if err := b.fits(size); err != nil {
			return block{}, err
		}
		return newBlock(size), nil
	}
	a := b.arenas[best]
	b.arenas = append(b.arenas[:best], b.arenas[best+1:]...)
	return a, nil
}

// fits returns an error where so much memory is not free, without which the system would end the process, also when garbage is given back.
func (b *Backend) fits(size int) error {
	free := machine.FreeMemory()
	if free > 0 && int64(size) > free {
		b.blocks.Clear()
		debug.FreeOSMemory()
		free = machine.FreeMemory()
	}
	if free > 0 && int64(size) > free {
		return errors.Errorf("out of memory: what is computed in between takes %.1f GB, and %.1f GB are free", float64(size)/1e9, float64(free)/1e9)
	}
	return nil
}

func (b *Backend) giveArena(a block) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arenas = append(b.arenas, a)
}

// ReleaseIdle leaves what is kept for the next graph to the garbage collector.
func (b *Backend) ReleaseIdle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arenas = nil
	b.blocks.Clear()
}

// A buffer is an array that the caller holds.
type buffer struct {
	backend *Backend
	shape   shapes.Shape
	memory  block // none once it is finalized
}

func (b *Backend) newBuffer(shape shapes.Shape) *buffer {
	return &buffer{b, shape, b.takeBlock(int(shape.ByteSize()))}
}

// HasSharedBuffers implements compute.Backend.
func (b *Backend) HasSharedBuffers() bool { return true }

// NewSharedBuffer implements compute.Backend.
func (b *Backend) NewSharedBuffer(_ compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	if !types[shape.DType] {
		return nil, nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: numbers of type %s", b.name, shape.DType)
	}
	made := b.newBuffer(shape)
	clear(made.bytes())
	flat, err := made.Data()
	return made, flat, err
}

// BufferFromFlatData implements compute.Backend.
func (b *Backend) BufferFromFlatData(_ compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	if !types[shape.DType] {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: numbers of type %s", b.name, shape.DType)
	}
	if err := sameSize(flat, shape); err != nil {
		return nil, err
	}
	made := b.newBuffer(shape)
	copy(made.bytes(), dtypes.UnsafeByteSliceFromAny(flat))
	return made, nil
}

func (x *buffer) Backend() compute.Backend              { return x.backend }
func (x *buffer) Shape() (shapes.Shape, error)          { return x.shape, x.check() }
func (x *buffer) DeviceNum() (compute.DeviceNum, error) { return 0, x.check() }
func (x *buffer) bytes() []byte                         { return array[byte](x.memory.at, int(x.shape.ByteSize())) }
func (x *buffer) CopyToDevice(compute.DeviceNum) (compute.Buffer, error) {
	flat, err := x.Data()
	if err != nil {
		return nil, err
	}
	return x.backend.BufferFromFlatData(0, flat, x.shape)
}

func (x *buffer) check() error {
	if x.memory.at == nil {
		return errors.Errorf("backend %s: a finalized array", x.backend.name)
	}
	return nil
}

func (x *buffer) Finalize() error {
	if x.memory.at != nil {
		x.backend.giveBlock(x.memory)
		x.memory = block{}
	}
	return nil
}

func (x *buffer) ToFlatData(flat any) error {
	if err := x.check(); err != nil {
		return err
	}
	if err := sameSize(flat, x.shape); err != nil {
		return err
	}
	copy(dtypes.UnsafeByteSliceFromAny(flat), x.bytes())
	return nil
}

// sameSize returns an error unless a slice has as many bytes as an array of that shape.
func sameSize(flat any, shape shapes.Shape) error {
	if n := len(dtypes.UnsafeByteSliceFromAny(flat)); n != int(shape.ByteSize()) {
		return errors.Errorf("backend %s: %d bytes for an array of shape %s", Name, n, shape)
	}
	return nil
}

func (x *buffer) Data() (flat any, err error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	return dtypes.UnsafeAnySliceFromBytes(x.memory.at, x.shape.DType, x.shape.Size()), nil
}
