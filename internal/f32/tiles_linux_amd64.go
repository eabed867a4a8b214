//go:build !purego

package f32

import (
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// NewTiles returns the products of the processor's matrix unit, for which it asks the system: nil if there is none, or not for us. From
// then on the system refuses signal stacks of less than 12 kB; Go's have 32.
func NewTiles() *Tiles {
	const request, get, tileData = 0x1023, 0x1022, 18 // ARCH_REQ_XCOMP_PERM, ARCH_GET_XCOMP_PERM
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 || All()[0].Pairs.Multiply == nil {
		return nil
	}
	var allowed uint64
	unix.RawSyscall(unix.SYS_ARCH_PRCTL, request, tileData, 0)
	if unix.RawSyscall(unix.SYS_ARCH_PRCTL, get, uintptr(unsafe.Pointer(&allowed)), 0); allowed>>tileData&1 == 0 {
		return nil
	}
	return &Tiles{
		Panel: Panel{32, 64, func(c, a, b unsafe.Pointer, _, _, k, ldc int, mode Mode) {
			multiplyTiles(c, a, b, (k+TileColumns-1)/TileColumns, uintptr(ldc)*4, int(mode))
		}},
		Round: roundTiles,
	}
}

//go:noescape
func multiplyTiles(c, a, b unsafe.Pointer, tiles int, ldc uintptr, add int)

//go:noescape
func roundTiles(dst, src unsafe.Pointer, ldSrc uintptr, tiles int)
