// Of the tiles of AVX2 and AVX-512: R11 is the tile, DI the first row of C.

// CONTINUE asks whether the sums begin with what C holds, row by row from R12 on, R13 apart.
#define CONTINUE \
	MOVQ tile_ldc(R11), R13 \
	MOVQ DI, R12            \
	CMPQ tile_mode(R11), $const_Continue

// OUT asks whether what C holds is to be added, row by row from R12 on, SI apart.
#define OUT \
	MOVQ tile_ldc(R11), SI \
	MOVQ DI, R12           \
	CMPQ tile_mode(R11), $const_Add
