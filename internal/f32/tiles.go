package f32

import "unsafe"

// Tiles multiplies in bfloat16, with sums in float32, by the matrix unit of a processor (AMX). A Panel's b is that of Kernel.Pairs, of
// as many rows as a tile has, TileColumns, or a multiple of that; its a, of Height rows, consists of strips of TileRows rows, which
// consist of tiles, TileRows x TileColumns of bfloat16 that lie row by row.
type Tiles struct {
	Panel

	// Round makes tiles of a strip of float32, whose rows are ldSrc bytes apart.
	Round func(dst, src unsafe.Pointer, ldSrc uintptr, tiles int)
}

// Sizes of a tile.
const (
	TileRows    = 16
	TileColumns = 32
)
