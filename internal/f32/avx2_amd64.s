//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "tile_amd64.h"
#include "transpose_amd64.h"

// Registers of the tiles:
//   AX  first row of A; BX, R10: stride of its rows, and three times that; CX stride of its columns
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
	LEAQ (BX)(BX*2), R10

// NEXT goes on with the next row of B and column of A.
#define NEXT \
	ADDQ CX, AX \
	ADDQ SI, DX \
	DECQ R8

#define ROWS(F) F(Y0, Y1); F(Y2, Y3); F(Y4, Y5); F(Y6, Y7)

#define ZERO(c0) VXORPS c0, c0, c0
#define ZERO2(c0, c1) ZERO(c0); ZERO(c1)
#define LOAD2(c0, c1) VMOVUPS (R12), c0; VMOVUPS 32(R12), c1; ADDQ R13, R12
#define ADD2(c0, c1) VADDPS (R12), c0, c0; VADDPS 32(R12), c1, c1; ADDQ SI, R12
#define STORE2(c0, c1) VMOVUPS c0, (DI); VMOVUPS c1, 32(DI); ADDQ SI, DI

// One row of A by two vectors of B, Y8 and Y9.
#define ROW2(a, y, c0, c1) VBROADCASTSS a, y; VFMADD231PS Y8, y, c0; VFMADD231PS Y9, y, c1

// func tile4x16(t *tile)
TEXT ·tile4x16(SB), NOSPLIT, $0-8
	LOAD_TILE
	ROWS(ZERO2)
	CONTINUE
	JNE  loop
	ROWS(LOAD2)

loop:
	VMOVUPS (DX), Y8
	VMOVUPS 32(DX), Y9
	ROW2((AX), Y10, Y0, Y1)
	ROW2((AX)(BX*1), Y11, Y2, Y3)
	ROW2((AX)(BX*2), Y12, Y4, Y5)
	ROW2((AX)(R10*1), Y13, Y6, Y7)
	NEXT
	JNZ  loop

	OUT
	JNE  store
	ROWS(ADD2)

store:
	ROWS(STORE2)
	VZEROUPPER
	RET

// func tile1x16(t *tile)
TEXT ·tile1x16(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO2(Y0, Y1)

loop:
	VMOVUPS (DX), Y8
	VMOVUPS 32(DX), Y9
	ROW2((AX), Y10, Y0, Y1)
	NEXT
	JNZ  loop

	STORE2(Y0, Y1)
	VZEROUPPER
	RET

// func relu(x []float32)
TEXT ·relu(SB), NOSPLIT, $0-24
	MOVQ x_base+0(FP), AX
	MOVQ x_len+8(FP), CX
	ZERO(Y0)

loop:
	SUBQ $8, CX
	JL   done
	VMAXPS (AX), Y0, Y1 // a NaN in the first operand of this notation stays
	VMOVUPS Y1, (AX)
	ADDQ $32, AX
	JMP  loop

done:
	VZEROUPPER
	RET

// func reluGrad(d, act []float32)
TEXT ·reluGrad(SB), NOSPLIT, $0-48
	MOVQ d_base+0(FP), AX
	MOVQ d_len+8(FP), CX
	MOVQ act_base+24(FP), BX
	ZERO(Y0)

loop:
	SUBQ $8, CX
	JL   done
	VCMPPS $4, (BX), Y0, Y1 // not equal, or NaN
	VANDPS (AX), Y1, Y1
	VMOVUPS Y1, (AX)
	ADDQ $32, AX
	ADDQ $32, BX
	JMP  loop

done:
	VZEROUPPER
	RET

// func adam(w, m, v, g, decay []float32, s *Step)
TEXT ·adam(SB), NOSPLIT, $0-128
	MOVQ w_base+0(FP), AX
	MOVQ w_len+8(FP), CX
	MOVQ m_base+24(FP), BX
	MOVQ v_base+48(FP), DX
	MOVQ g_base+72(FP), SI
	MOVQ decay_base+96(FP), DI
	MOVQ s+120(FP), R8
	VBROADCASTSS Step_Scale(R8), Y7
	VBROADCASTSS Step_Rate(R8), Y8
	VBROADCASTSS Step_beta1(R8), Y9
	VBROADCASTSS Step_rest1(R8), Y10
	VBROADCASTSS Step_beta2(R8), Y11
	VBROADCASTSS Step_rest2(R8), Y12
	VBROADCASTSS Step_epsilon(R8), Y13
	VBROADCASTSS Step_floor(R8), Y14
	VBROADCASTSS Step_noSign(R8), Y6

loop:
	SUBQ $8, CX
	JL   done
	VMOVUPS (AX), Y0              // w
	VMOVUPS (SI), Y1              // g
	VFMADD231PS (DI), Y0, Y1      // g + decay*w
	VMULPS Y7, Y1, Y1
	VMULPS (BX), Y9, Y2           // m
	VFMADD231PS Y10, Y1, Y2
	VANDPS Y6, Y2, Y3             // |m| > floor, or else 0
	VCMPPS $1, Y3, Y14, Y3
	VANDPS Y3, Y2, Y2
	VMOVUPS Y2, (BX)
	VMULPS (DX), Y11, Y4          // v
	VMULPS Y1, Y1, Y1
	VFMADD231PS Y12, Y1, Y4
	VMAXPS Y4, Y14, Y4            // a NaN stays
	VMOVUPS Y4, (DX)
	VSQRTPS Y4, Y4
	VADDPS Y13, Y4, Y4
	VMULPS Y8, Y2, Y2
	VDIVPS Y4, Y2, Y2
	VSUBPS Y2, Y0, Y0
	VMOVUPS Y0, (AX)
	ADDQ $32, AX
	ADDQ $32, BX
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $32, DI
	JMP  loop

done:
	VZEROUPPER
	RET

// func transpose8(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
TEXT ·transpose8(SB), NOSPLIT, $0-40
	TRANSPOSE_ARGUMENTS

loop:
	VMOVUPS (AX), X0              // rows 0 and 4, 1 and 5, 2 and 6, 3 and 7
	VMOVUPS (AX)(BX*1), X1
	VMOVUPS (AX)(BX*2), X2
	VMOVUPS (AX)(R10*1), X3
	VINSERTF128 $1, (R9), Y0, Y0
	VINSERTF128 $1, (R9)(BX*1), Y1, Y1
	VINSERTF128 $1, (R9)(BX*2), Y2, Y2
	VINSERTF128 $1, (R9)(R10*1), Y3, Y3
	TRANSPOSE
	ADDQ $16, AX
	ADDQ $16, R9
	LEAQ (DI)(SI*4), DI
	SUBQ $4, CX
	JG   loop

	VZEROUPPER
	RET
