//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "tile_amd64.h"
#include "transpose_amd64.h"

// Registers of the tiles:
//   AX  first row of A, R9 its fifth; BX, R10: stride of the rows of A, and three times that; CX stride of its columns
//   DX  row of B, DI row of C, SI stride of the rows of B and then of C, R8 what is left of k
#define LOAD_TILE \
	MOVQ t+0(FP), R11        \
	MOVQ tile_c(R11), DI     \
	MOVQ tile_a(R11), AX     \
	MOVQ tile_b(R11), DX     \
	MOVQ tile_row(R11), BX   \
	MOVQ tile_col(R11), CX   \
	MOVQ tile_ldb(R11), SI   \
	MOVQ tile_k(R11), R8     \
	LEAQ (BX)(BX*2), R10     \
	LEAQ (AX)(BX*4), R9

// NEXT goes on with the next row of B and column of A.
#define NEXT \
	ADDQ CX, AX \
	ADDQ CX, R9 \
	ADDQ SI, DX \
	DECQ R8

// The sums of the 8 rows of a tile.
#define ROWS2(F) F(Z0, Z1); F(Z2, Z3); F(Z4, Z5); F(Z6, Z7); F(Z8, Z9); F(Z10, Z11); F(Z12, Z13); F(Z14, Z15)
#define ROWS1(F) F(Z0); F(Z1); F(Z2); F(Z3); F(Z4); F(Z5); F(Z6); F(Z7)

#define ZERO1(c0) VPXORD c0, c0, c0
#define LOAD1(c0) VMOVUPS (R12), c0; ADDQ R13, R12
#define ADD1(c0) VADDPS (R12), c0, c0; ADDQ SI, R12
#define STORE1(c0) VMOVUPS c0, (DI); ADDQ SI, DI
#define ZERO2(c0, c1) ZERO1(c0); ZERO1(c1)
#define LOAD2(c0, c1) VMOVUPS 64(R12), c1; LOAD1(c0)
#define ADD2(c0, c1) VADDPS 64(R12), c1, c1; ADD1(c0)
#define STORE2(c0, c1) VMOVUPS c1, 64(DI); STORE1(c0)

// One row of A by two vectors of B, Z16 and Z17; or by one, Z16.
#define ROW2(a, z, c0, c1) VBROADCASTSS a, z; VFMADD231PS Z16, z, c0; VFMADD231PS Z17, z, c1
#define ROW1(a, z, c0) VBROADCASTSS a, z; VFMADD231PS Z16, z, c0

// func tile8x32(t *tile)
TEXT ·tile8x32(SB), NOSPLIT, $0-8
	LOAD_TILE
	ROWS2(ZERO2)
	CONTINUE
	JNE  loop
	ROWS2(LOAD2)

loop:
	VMOVUPS (DX), Z16
	VMOVUPS 64(DX), Z17
	ROW2((AX), Z18, Z0, Z1)
	ROW2((AX)(BX*1), Z19, Z2, Z3)
	ROW2((AX)(BX*2), Z20, Z4, Z5)
	ROW2((AX)(R10*1), Z21, Z6, Z7)
	ROW2((R9), Z22, Z8, Z9)
	ROW2((R9)(BX*1), Z23, Z10, Z11)
	ROW2((R9)(BX*2), Z24, Z12, Z13)
	ROW2((R9)(R10*1), Z25, Z14, Z15)
	NEXT
	JNZ  loop

	OUT
	JNE  store
	ROWS2(ADD2)

store:
	ROWS2(STORE2)
	VZEROUPPER
	RET

// func tile8x16(t *tile)
TEXT ·tile8x16(SB), NOSPLIT, $0-8
	LOAD_TILE
	ROWS1(ZERO1)
	CONTINUE
	JNE  loop
	ROWS1(LOAD1)

loop:
	VMOVUPS (DX), Z16
	ROW1((AX), Z18, Z0)
	ROW1((AX)(BX*1), Z19, Z1)
	ROW1((AX)(BX*2), Z20, Z2)
	ROW1((AX)(R10*1), Z21, Z3)
	ROW1((R9), Z22, Z4)
	ROW1((R9)(BX*1), Z23, Z5)
	ROW1((R9)(BX*2), Z24, Z6)
	ROW1((R9)(R10*1), Z25, Z7)
	NEXT
	JNZ  loop

	OUT
	JNE  store
	ROWS1(ADD1)

store:
	ROWS1(STORE1)
	VZEROUPPER
	RET

// VDPBF16PS, which the assembler does not know, adds to each of 16 sums in a register the products of two pairs of bfloat16: of Z16 or Z17
// and of z. The bytes are what tells the registers apart.
#define DOT(p0, p1, operands) BYTE $0x62; BYTE p0; BYTE p1; BYTE $0x40; BYTE $0x52; BYTE operands
#define ROW(a, z, p0, p1, left, right) VBROADCASTSS a, z; DOT(p0, p1, left); DOT(p0, p1, right)

// func pairs8x32(t *tile)
TEXT ·pairs8x32(SB), NOSPLIT, $0-8
	LOAD_TILE
	ROWS2(ZERO2)

loop:
	VMOVUPS (DX), Z16
	VMOVUPS 64(DX), Z17
	ROW((AX), Z18, $0xb2, $0x6e, $0xc0, $0xc9) // Z0, Z1
	ROW((AX)(BX*1), Z19, $0xb2, $0x66, $0xd0, $0xd9) // Z2, Z3
	ROW((AX)(BX*2), Z20, $0xb2, $0x5e, $0xe0, $0xe9) // Z4, Z5
	ROW((AX)(R10*1), Z21, $0xb2, $0x56, $0xf0, $0xf9) // Z6, Z7
	ROW((R9), Z22, $0x32, $0x4e, $0xc0, $0xc9) // Z8, Z9
	ROW((R9)(BX*1), Z23, $0x32, $0x46, $0xd0, $0xd9) // Z10, Z11
	ROW((R9)(BX*2), Z24, $0x32, $0x3e, $0xe0, $0xe9) // Z12, Z13
	ROW((R9)(R10*1), Z25, $0x32, $0x36, $0xf0, $0xf9) // Z14, Z15
	NEXT
	JNZ  loop

	OUT
	JNE  store
	ROWS2(ADD2)

store:
	ROWS2(STORE2)
	VZEROUPPER
	RET

// Which of 16 words of two rows comes first, second, ... in pairs of them: 0, 8, 1, 9, 2, 10, ...
DATA pairs<>+0(SB)/8, $0x0009000100080000
DATA pairs<>+8(SB)/8, $0x000b0003000a0002
DATA pairs<>+16(SB)/8, $0x000d0005000c0004
DATA pairs<>+24(SB)/8, $0x000f0007000e0006
GLOBL pairs<>(SB), RODATA|NOPTR, $32

// func pairRows(dst, src unsafe.Pointer, ldSrc uintptr, pairs, width int)
TEXT ·pairRows(SB), NOSPLIT, $0-40
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), AX
	MOVQ    ldSrc+16(FP), BX
	MOVQ    pairs+24(FP), CX
	MOVQ    width+32(FP), R9
	SHLQ    $2, R9
	VMOVDQU pairs<>(SB), Y2
	TESTQ   CX, CX
	JZ      end

pair: // its rows are at AX and R8
	LEAQ (AX)(BX*1), R8
	XORQ DX, DX

lanes:
	VMOVDQU (AX)(DX*1), Y0
	VMOVDQU (R8)(DX*1), Y1
	BYTE $0x62; BYTE $0xf2; BYTE $0x77; BYTE $0x28; BYTE $0x72; BYTE $0xc0 // VCVTNE2PS2BF16 Y0, Y1, Y0: rounded to the nearest, row 0 below
	VPERMW  Y0, Y2, Y0
	VMOVDQU Y0, (DI)(DX*1)
	ADDQ    $32, DX
	CMPQ    DX, R9
	JNE     lanes
	LEAQ    (AX)(BX*2), AX
	ADDQ    R9, DI
	DECQ    CX
	JNZ     pair

end:
	VZEROUPPER
	RET

// PAIR makes 4 pairs of 8 numbers, by VCVTNEPS2BF16 of a vector to its lower half, which the last byte tells.
#define PAIR(at, y, operands) VMOVDQU at, y; BYTE $0x62; BYTE $0xf2; BYTE $0x7e; BYTE $0x28; BYTE $0x72; BYTE operands

// func pairTranspose8(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
TEXT ·pairTranspose8(SB), NOSPLIT, $0-40
	TRANSPOSE_ARGUMENTS

loop:
	PAIR((AX), Y0, $0xc0)
	PAIR((AX)(BX*1), Y1, $0xc9)
	PAIR((AX)(BX*2), Y2, $0xd2)
	PAIR((AX)(R10*1), Y3, $0xdb)
	PAIR((R9), Y4, $0xe4)
	PAIR((R9)(BX*1), Y5, $0xed)
	PAIR((R9)(BX*2), Y6, $0xf6)
	PAIR((R9)(R10*1), Y7, $0xff)
	VINSERTI128 $1, X4, Y0, Y0
	VINSERTI128 $1, X5, Y1, Y1
	VINSERTI128 $1, X6, Y2, Y2
	VINSERTI128 $1, X7, Y3, Y3
	TRANSPOSE
	ADDQ        $32, AX
	ADDQ        $32, R9
	LEAQ        (DI)(SI*4), DI
	SUBQ        $8, CX
	JG          loop

	VZEROUPPER
	RET

// func prefetch(at unsafe.Pointer, ld uintptr, rows, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-32
	MOVQ at+0(FP), AX
	MOVQ ld+8(FP), BX
	MOVQ rows+16(FP), CX
	MOVQ lines+24(FP), DX

row:
	MOVQ AX, R8
	MOVQ DX, R9

line:
	PREFETCHT1 (R8)
	ADDQ $64, R8
	DECQ R9
	JNZ  line
	ADDQ BX, AX
	DECQ CX
	JNZ  row
	RET
