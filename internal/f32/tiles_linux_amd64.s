//go:build !purego

#include "textflag.h"

// Instructions of AMX, which the assembler does not know.
#define LDTILECFG_BX BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0x03
#define TILERELEASE BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0

// Tiles 0 and 1 are sums, of rows at DI and 64 behind them, R8 apart; tile 4 is of A, of rows at AX, CX apart; tiles 6 and 7 are of B, of
// rows at DX and 64 behind them, SI apart.
#define ZERO_SUMS \
	BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xc0 \
	BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xc8
#define LOAD_SUMS \
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7b; BYTE $0x4b; BYTE $0x04; BYTE $0x07 \
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7b; BYTE $0x4b; BYTE $0x4c; BYTE $0x07; BYTE $0x40
#define STORE_SUMS \
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7a; BYTE $0x4b; BYTE $0x04; BYTE $0x07 \
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7a; BYTE $0x4b; BYTE $0x4c; BYTE $0x07; BYTE $0x40
#define LOAD4 BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x4b; BYTE $0x24; BYTE $0x08
#define LOAD6 BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x4b; BYTE $0x34; BYTE $0x32
#define LOAD7 BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x4b; BYTE $0x7c; BYTE $0x32; BYTE $0x40
#define MULTIPLY0 BYTE $0xc4; BYTE $0xe2; BYTE $0x4a; BYTE $0x5c; BYTE $0xc4 // TDPBF16PS: sums 0 += tile 4 times tile 6
#define MULTIPLY1 BYTE $0xc4; BYTE $0xe2; BYTE $0x42; BYTE $0x5c; BYTE $0xcc // sums 1 += tile 4 times tile 7

// PREFETCHW of a row of sums at R12: while a strip is computed the next strip's rows come into the cache. It was worth 7 to 9 % of a training
// step at e = 128.
#define PREFETCH_SUMS \
	BYTE $0x41; BYTE $0x0f; BYTE $0x0d; BYTE $0x0c; BYTE $0x24 \
	BYTE $0x41; BYTE $0x0f; BYTE $0x0d; BYTE $0x4c; BYTE $0x24; BYTE $0x40

// Eight tiles of 16 rows of 64 bytes.
DATA sizes<>+0(SB)/8, $1
DATA sizes<>+8(SB)/8, $0
DATA sizes<>+16(SB)/8, $0x0040004000400040
DATA sizes<>+24(SB)/8, $0x0040004000400040
DATA sizes<>+32(SB)/8, $0
DATA sizes<>+40(SB)/8, $0
DATA sizes<>+48(SB)/8, $0x1010101010101010
DATA sizes<>+56(SB)/8, $0
GLOBL sizes<>(SB), RODATA|NOPTR, $64

// func multiplyTiles(c, a, b unsafe.Pointer, tiles int, ldc uintptr, add int): 64 rows, in strips of 16, and 32 columns of c
TEXT ·multiplyTiles(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ a+8(FP), AX
	MOVQ ldc+32(FP), R8
	MOVQ add+40(FP), R9
	MOVQ R8, R13
	SHLQ $4, R13 // from strip to strip of c
	MOVQ $64, CX
	MOVQ $128, SI
	MOVQ $4, R10
	LEAQ sizes<>(SB), BX
	LDTILECFG_BX

strip:
	LEAQ  (DI)(R13*1), R12
	MOVQ  b+16(FP), DX
	MOVQ  tiles+24(FP), R11
	TESTQ R9, R9
	JZ    zero
	LOAD_SUMS
	JMP   loop

zero:
	ZERO_SUMS

loop:
	PREFETCH_SUMS
	LOAD4
	LOAD6
	MULTIPLY0
	LOAD7
	MULTIPLY1
	ADDQ R8, R12
	ADDQ $1024, AX
	ADDQ $2048, DX
	DECQ R11
	JNZ  loop

	STORE_SUMS
	ADDQ R13, DI
	DECQ R10
	JNZ  strip

	TILERELEASE
	RET

// func roundTiles(dst, src unsafe.Pointer, ldSrc uintptr, tiles int)
TEXT ·roundTiles(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ ldSrc+16(FP), BX
	MOVQ tiles+24(FP), CX

tile:
	MOVQ SI, AX
	MOVQ $16, DX

row:
	VMOVUPS 64(AX), Z0
	BYTE $0x62; BYTE $0xf2; BYTE $0x7f; BYTE $0x48; BYTE $0x72; BYTE $0x00 // VCVTNE2PS2BF16 (AX), Z0, Z0: rounded to the nearest, those at AX first
	VMOVUPS Z0, (DI)
	ADDQ    BX, AX
	ADDQ    $64, DI
	DECQ    DX
	JNZ     row

	ADDQ $128, SI
	DECQ CX
	JNZ  tile
	VZEROUPPER
	RET
