#include "go_asm.h"
#include "textflag.h"

// Registers of the tiles:
//   AX  first row of A, R9 its fifth; BX, R10: stride of the rows of A, and three times that; CX stride of its columns
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
	LEAQ (BX)(BX*2), R10     \
	LEAQ (AX)(BX*4), R9

#define ZERO(z) VPXORD z, z, z

// One row of A by two vectors of B, Z16 and Z17; or by one, Z16.
#define ROW2(a, z, c0, c1) \
	VBROADCASTSS a, z        \
	VFMADD231PS Z16, z, c0   \
	VFMADD231PS Z17, z, c1

#define ROW1(a, z, c0) \
	VBROADCASTSS a, z        \
	VFMADD231PS Z16, z, c0

#define STORE2(c0, c1) \
	VMOVUPS c0, (DI)         \
	VMOVUPS c1, 64(DI)       \
	ADDQ SI, DI

#define STORE1(c0) \
	VMOVUPS c0, (DI)         \
	ADDQ SI, DI

// func tile8x32(t *tile)
TEXT ·tile8x32(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO(Z0)
	ZERO(Z1)
	ZERO(Z2)
	ZERO(Z3)
	ZERO(Z4)
	ZERO(Z5)
	ZERO(Z6)
	ZERO(Z7)
	ZERO(Z8)
	ZERO(Z9)
	ZERO(Z10)
	ZERO(Z11)
	ZERO(Z12)
	ZERO(Z13)
	ZERO(Z14)
	ZERO(Z15)

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
	ADDQ CX, AX
	ADDQ CX, R9
	ADDQ SI, DX
	DECQ R8
	JNZ  loop

	STORE2(Z0, Z1)
	STORE2(Z2, Z3)
	STORE2(Z4, Z5)
	STORE2(Z6, Z7)
	STORE2(Z8, Z9)
	STORE2(Z10, Z11)
	STORE2(Z12, Z13)
	STORE2(Z14, Z15)
	VZEROUPPER
	RET

// func tile8x16(t *tile)
TEXT ·tile8x16(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO(Z0)
	ZERO(Z1)
	ZERO(Z2)
	ZERO(Z3)
	ZERO(Z4)
	ZERO(Z5)
	ZERO(Z6)
	ZERO(Z7)

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
	ADDQ CX, AX
	ADDQ CX, R9
	ADDQ SI, DX
	DECQ R8
	JNZ  loop

	STORE1(Z0)
	STORE1(Z1)
	STORE1(Z2)
	STORE1(Z3)
	STORE1(Z4)
	STORE1(Z5)
	STORE1(Z6)
	STORE1(Z7)
	VZEROUPPER
	RET

// func tile1x32(t *tile)
TEXT ·tile1x32(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO(Z0)
	ZERO(Z1)

loop:
	VMOVUPS (DX), Z16
	VMOVUPS 64(DX), Z17
	ROW2((AX), Z18, Z0, Z1)
	ADDQ CX, AX
	ADDQ SI, DX
	DECQ R8
	JNZ  loop

	STORE2(Z0, Z1)
	VZEROUPPER
	RET

// func tile1x16(t *tile)
TEXT ·tile1x16(SB), NOSPLIT, $0-8
	LOAD_TILE
	ZERO(Z0)

loop:
	VMOVUPS (DX), Z16
	ROW1((AX), Z18, Z0)
	ADDQ CX, AX
	ADDQ SI, DX
	DECQ R8
	JNZ  loop

	STORE1(Z0)
	VZEROUPPER
	RET

// func reluAVX512(x []float32)
TEXT ·reluAVX512(SB), NOSPLIT, $0-24
	MOVQ x_base+0(FP), AX
	MOVQ x_len+8(FP), CX
	ZERO(Z0)

loop:
	SUBQ $16, CX
	JL   done
	VMAXPS (AX), Z0, Z1 // a NaN in the first operand of this notation stays
	VMOVUPS Z1, (AX)
	ADDQ $64, AX
	JMP  loop

done:
	VZEROUPPER
	RET

// func reluGradAVX512(d, act []float32)
TEXT ·reluGradAVX512(SB), NOSPLIT, $0-48
	MOVQ d_base+0(FP), AX
	MOVQ d_len+8(FP), CX
	MOVQ act_base+24(FP), BX
	ZERO(Z0)

loop:
	SUBQ $16, CX
	JL   done
	VCMPPS $4, (BX), Z0, K1 // not equal, or NaN
	VMOVUPS.Z (AX), K1, Z1
	VMOVUPS Z1, (AX)
	ADDQ $64, AX
	ADDQ $64, BX
	JMP  loop

done:
	VZEROUPPER
	RET

// func adamAVX512(w, m, v, g, decay []float32, s *Step)
TEXT ·adamAVX512(SB), NOSPLIT, $0-128
	MOVQ w_base+0(FP), AX
	MOVQ w_len+8(FP), CX
	MOVQ m_base+24(FP), BX
	MOVQ v_base+48(FP), DX
	MOVQ g_base+72(FP), SI
	MOVQ decay_base+96(FP), DI
	MOVQ s+120(FP), R8
	VBROADCASTSS Step_Scale(R8), Z16
	VBROADCASTSS Step_Rate(R8), Z17
	VBROADCASTSS Step_beta1(R8), Z18
	VBROADCASTSS Step_rest1(R8), Z19
	VBROADCASTSS Step_beta2(R8), Z20
	VBROADCASTSS Step_rest2(R8), Z21
	VBROADCASTSS Step_epsilon(R8), Z22
	VBROADCASTSS Step_floor(R8), Z23
	VPBROADCASTD Step_noSign(R8), Z24

loop:
	SUBQ $16, CX
	JL   done
	VMOVUPS (AX), Z0              // w
	VMOVUPS (SI), Z1              // g
	VFMADD231PS (DI), Z0, Z1      // g + decay*w
	VMULPS Z16, Z1, Z1
	VMULPS (BX), Z18, Z2          // m
	VFMADD231PS Z19, Z1, Z2
	VPANDD Z24, Z2, Z3            // |m| > floor, or else 0
	VCMPPS $1, Z3, Z23, K1
	VMOVUPS.Z Z2, K1, Z2
	VMOVUPS Z2, (BX)
	VMULPS (DX), Z20, Z4          // v
	VMULPS Z1, Z1, Z1
	VFMADD231PS Z21, Z1, Z4
	VMAXPS Z4, Z23, Z4            // a NaN stays
	VMOVUPS Z4, (DX)
	VSQRTPS Z4, Z4
	VADDPS Z22, Z4, Z4
	VMULPS Z17, Z2, Z2
	VDIVPS Z4, Z2, Z2
	VSUBPS Z2, Z0, Z0
	VMOVUPS Z0, (AX)
	ADDQ $64, AX
	ADDQ $64, BX
	ADDQ $64, DX
	ADDQ $64, SI
	ADDQ $64, DI
	JMP  loop

done:
	VZEROUPPER
	RET
