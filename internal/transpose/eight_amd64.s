#include "textflag.h"

// func Eight(dst, src unsafe.Pointer, ldDst, ldSrc uintptr, cols int)
TEXT ·Eight(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), AX
	MOVQ ldDst+16(FP), SI
	MOVQ ldSrc+24(FP), BX
	MOVQ cols+32(FP), CX
	LEAQ (BX)(BX*2), R10          // three rows of src
	LEAQ (AX)(BX*4), R9           // its fifth row
	LEAQ (SI)(SI*2), R11          // three rows of dst

loop:
	VMOVUPS (AX), X0              // rows 0 and 4, 1 and 5, 2 and 6, 3 and 7
	VMOVUPS (AX)(BX*1), X1
	VMOVUPS (AX)(BX*2), X2
	VMOVUPS (AX)(R10*1), X3
	VINSERTF128 $1, (R9), Y0, Y0
	VINSERTF128 $1, (R9)(BX*1), Y1, Y1
	VINSERTF128 $1, (R9)(BX*2), Y2, Y2
	VINSERTF128 $1, (R9)(R10*1), Y3, Y3
	VUNPCKLPS Y1, Y0, Y4          // both halves are transposed as 4 x 4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, (DI)(SI*1)
	VMOVUPS Y2, (DI)(SI*2)
	VMOVUPS Y3, (DI)(R11*1)
	ADDQ $16, AX
	ADDQ $16, R9
	LEAQ (DI)(SI*4), DI
	SUBQ $4, CX
	JG   loop

	VZEROUPPER
	RET
