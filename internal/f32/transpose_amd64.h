// Transpositions of 8 rows, which transpose8 and pairTranspose8 share.

// TRANSPOSE_ARGUMENTS: AX first row of src, R9 its fifth, BX and R10 their stride and three times that; DI row of dst, SI and R11
// likewise; CX columns.
#define TRANSPOSE_ARGUMENTS \
	MOVQ dst+0(FP), DI    \
	MOVQ src+8(FP), AX    \
	MOVQ ldDst+16(FP), SI \
	MOVQ ldSrc+24(FP), BX \
	MOVQ cols+32(FP), CX  \
	LEAQ (BX)(BX*2), R10  \
	LEAQ (AX)(BX*4), R9   \
	LEAQ (SI)(SI*2), R11

// TRANSPOSE stores what is in Y0 to Y3, rows 0 and 4, 1 and 5, 2 and 6, 3 and 7 of 4 numbers each, as 4 rows of 8 of dst. Both halves of
// the registers are transposed as 4 x 4.
#define TRANSPOSE \
	VUNPCKLPS Y1, Y0, Y4   \
	VUNPCKHPS Y1, Y0, Y5   \
	VUNPCKLPS Y3, Y2, Y6   \
	VUNPCKHPS Y3, Y2, Y7   \
	VUNPCKLPD Y6, Y4, Y0   \
	VUNPCKHPD Y6, Y4, Y1   \
	VUNPCKLPD Y7, Y5, Y2   \
	VUNPCKHPD Y7, Y5, Y3   \
	VMOVUPS Y0, (DI)       \
	VMOVUPS Y1, (DI)(SI*1) \
	VMOVUPS Y2, (DI)(SI*2) \
	VMOVUPS Y3, (DI)(R11*1)
