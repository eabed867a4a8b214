#include "go_asm.h"
#include "textflag.h"

// Registers of the tiles:
//   AX  first row of A; BX, R10: stride of its rows, and three times that; CX stride of its columns
//   DX  row of B, SI stride of the rows of B and C, DI row of C, R8 what is left of k
#define LOAD_TILE \
	MOVQ t+0(FP), R11        \
	MOVQ tile_c(R11), DI     \
	MOVQ tile_a(R11), AX     \
	MOVQ tile_b(R11), DX     \
	MOVQ tile_row(R11), BX   \
	MOVQ tile_col(R11), CX   \
	MOVQ tile_ld(R11), SI    \
	MOVQ tile_k(R11), R8     \
	LEAQ (BX)(BX*2), R10

#define ZERO(y) VXORPS y, y, y

// One row of A by two vectors of B, Y8 and Y9.
#define ROW2(a, y, c0, c1) \
	VBROADCASTSS a, y        \
	VFMADD231PS Y8, y, c0    \
	VFMADD231PS Y9, y, c1

#define STORE2(c0, c1) \
	VMOVUPS c0, (DI)         \
	VMOVUPS c1, 32(DI)       \
	ADDQ SI, DI

// func tile4x16(t *tile)
TEXT ·tile4x16(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO(Y0)
	ZERO(Y1)
	ZERO(Y2)
	ZERO(Y3)
	ZERO(Y4)
	ZERO(Y5)
	ZERO(Y6)
	ZERO(Y7)

loop:
	VMOVUPS (DX), Y8
	VMOVUPS 32(DX), Y9
	ROW2((AX), Y10, Y0, Y1)
	ROW2((AX)(BX*1), Y11, Y2, Y3)
	ROW2((AX)(BX*2), Y12, Y4, Y5)
	ROW2((AX)(R10*1), Y13, Y6, Y7)
	ADDQ CX, AX
	ADDQ SI, DX
	DECQ R8
	JNZ  loop

	STORE2(Y0, Y1)
	STORE2(Y2, Y3)
	STORE2(Y4, Y5)
	STORE2(Y6, Y7)
	VZEROUPPER
	RET

// func tile1x16y(t *tile)
TEXT ·tile1x16y(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO(Y0)
	ZERO(Y1)

loop:
	VMOVUPS (DX), Y8
	VMOVUPS 32(DX), Y9
	ROW2((AX), Y10, Y0, Y1)
	ADDQ CX, AX
	ADDQ SI, DX
	DECQ R8
	JNZ  loop

	STORE2(Y0, Y1)
	VZEROUPPER
	RET

// func reluAVX2(x []float32)
TEXT ·reluAVX2(SB), NOSPLIT, $0-24
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

// func reluGradAVX2(d, act []float32)
TEXT ·reluGradAVX2(SB), NOSPLIT, $0-48
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

// func adamAVX2(w, m, v, g, decay []float32, s *Step)
TEXT ·adamAVX2(SB), NOSPLIT, $0-128
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
