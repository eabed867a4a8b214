//go:build !purego

#include "textflag.h"

// Each lane of Y0 to Y3 sums the bound of one of the 32 rows or boxes. Comments name the lanes as vectors.

// MISMATCHES_TO_SUMS widens the byte counters in Y4 to the float32 sums in Y0 to Y3.
#define MISMATCHES_TO_SUMS \
	VEXTRACTI128 $1, Y4, X6  \
	VPSRLDQ      $8, X4, X5  \
	VPSRLDQ      $8, X6, X7  \
	VPMOVZXBD    X4, Y0      \
	VPMOVZXBD    X5, Y1      \
	VPMOVZXBD    X6, Y2      \
	VPMOVZXBD    X7, Y3      \
	VCVTDQ2PS    Y0, Y0      \
	VCVTDQ2PS    Y1, Y1      \
	VCVTDQ2PS    Y2, Y2      \
	VCVTDQ2PS    Y3, Y3

// DIFFERENCES sets Y8 to Y11 to the query's number, in all lanes of Y7, minus those of 32 rows at R8.
#define DIFFERENCES \
	VBROADCASTSS (SI), Y7      \
	VSUBPS       (R8), Y7, Y8  \
	VSUBPS       32(R8), Y7, Y9  \
	VSUBPS       64(R8), Y7, Y10 \
	VSUBPS       96(R8), Y7, Y11 \
	ADDQ         $4, SI        \
	ADDQ         $128, R8

#define ADD_SQUARES \
	VFMADD231PS Y8, Y8, Y0   \
	VFMADD231PS Y9, Y9, Y1   \
	VFMADD231PS Y10, Y10, Y2 \
	VFMADD231PS Y11, Y11, Y3

#define ADD \
	VADDPS Y8, Y0, Y0  \
	VADDPS Y9, Y1, Y1  \
	VADDPS Y10, Y2, Y2 \
	VADDPS Y11, Y3, Y3

// RETURN_IF_NONE leaves when no sum is within the limit in Y12; further numbers only add to them.
#define RETURN_IF_NONE \
	VMINPS    Y1, Y0, Y5      \
	VMINPS    Y3, Y2, Y6      \
	VMINPS    Y6, Y5, Y5      \
	VCMPPS    $2, Y12, Y5, Y5 \
	VMOVMSKPS Y5, AX          \
	TESTL     AX, AX          \
	JZ        done

// func blockWithinAVX2(numeric *float32, codes *uint8, query *float32, queryCodes, least *uint8, width, features int, limit float32, squared bool) uint32
TEXT ·blockWithinAVX2(SB), NOSPLIT, $0-68
	MOVQ         numeric+0(FP), R8
	MOVQ         codes+8(FP), R9
	MOVQ         query+16(FP), SI
	MOVQ         queryCodes+24(FP), DI
	MOVQ         least+32(FP), R10
	MOVQ         width+40(FP), CX
	MOVQ         features+48(FP), DX
	VBROADCASTSS limit+56(FP), Y12
	VPXOR        Y4, Y4, Y4

feature:
	DECQ         DX
	JLT          features_done
	VPBROADCASTB (DI), Y5
	VPBROADCASTB (R10), Y6
	VPCMPEQB     (R9), Y5, Y5 // equal
	VPANDN       Y6, Y5, Y5   // least where not equal
	VPADDUSB     Y5, Y4, Y4   // at most 255
	INCQ         DI
	INCQ         R10
	ADDQ         $32, R9
	JMP          feature

features_done:
	MISMATCHES_TO_SUMS
	MOVBLZX squared+60(FP), BX
	TESTL   BX, BX
	JZ      manhattan

squared8: // eight numbers at a time
	SUBQ $8, CX
	JLT  squared_rest
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	DIFFERENCES
	ADD_SQUARES
	RETURN_IF_NONE
	JMP  squared8

squared_rest:
	ADDQ $8, CX

squared1:
	DECQ CX
	JLT  compare
	DIFFERENCES
	ADD_SQUARES
	JMP  squared1

manhattan:
	VPCMPEQD Y13, Y13, Y13
	VPSRLD   $1, Y13, Y13 // all bits but the sign

manhattan1:
	DECQ      CX
	JLT       compare
	DIFFERENCES
	VANDPS    Y13, Y8, Y8
	VANDPS    Y13, Y9, Y9
	VANDPS    Y13, Y10, Y10
	VANDPS    Y13, Y11, Y11
	ADD
	TESTL     $7, CX
	JNZ       manhattan1
	RETURN_IF_NONE
	JMP       manhattan1

compare:
	VCMPPS    $2, Y12, Y0, Y0 // less or equal
	VCMPPS    $2, Y12, Y1, Y1
	VCMPPS    $2, Y12, Y2, Y2
	VCMPPS    $2, Y12, Y3, Y3
	VMOVMSKPS Y0, AX
	VMOVMSKPS Y1, BX
	VMOVMSKPS Y2, CX
	VMOVMSKPS Y3, DX
	SHLL      $8, BX
	SHLL      $16, CX
	SHLL      $24, DX
	ORL       BX, AX
	ORL       DX, CX
	ORL       CX, AX

done:
	VZEROUPPER
	MOVL AX, ret+64(FP)
	RET

// OUTSIDE sets Y8 to Y11 to how far the query's number, in all lanes of Y7, is outside of the ranges from those at R8 to
// those at R9; Y14 is zero.
#define OUTSIDE \
	VBROADCASTSS (SI), Y7     \
	VMOVUPS      (R8), Y8     \
	VMOVUPS      32(R8), Y9   \
	VMOVUPS      64(R8), Y10  \
	VMOVUPS      96(R8), Y11  \
	VSUBPS       Y7, Y8, Y8   \
	VSUBPS       Y7, Y9, Y9   \
	VSUBPS       Y7, Y10, Y10 \
	VSUBPS       Y7, Y11, Y11 \
	VSUBPS       (R9), Y7, Y5   \
	VSUBPS       32(R9), Y7, Y6  \
	VSUBPS       64(R9), Y7, Y12 \
	VSUBPS       96(R9), Y7, Y13 \
	VMAXPS       Y5, Y8, Y8   \
	VMAXPS       Y6, Y9, Y9   \
	VMAXPS       Y12, Y10, Y10 \
	VMAXPS       Y13, Y11, Y11 \
	VMAXPS       Y14, Y8, Y8   \
	VMAXPS       Y14, Y9, Y9   \
	VMAXPS       Y14, Y10, Y10 \
	VMAXPS       Y14, Y11, Y11 \
	ADDQ         $4, SI        \
	ADDQ         $128, R8      \
	ADDQ         $128, R9

// func boxBoundsAVX2(low, high *float32, lowCodes, highCodes *uint8, query *float32, queryCodes, least *uint8, width, features int, squared bool, out *[32]float32)
TEXT ·boxBoundsAVX2(SB), NOSPLIT, $0-88
	MOVQ  low+0(FP), R8
	MOVQ  high+8(FP), R9
	MOVQ  lowCodes+16(FP), R11
	MOVQ  highCodes+24(FP), R12
	MOVQ  query+32(FP), SI
	MOVQ  queryCodes+40(FP), DI
	MOVQ  least+48(FP), R10
	MOVQ  width+56(FP), CX
	MOVQ  features+64(FP), DX
	VPXOR Y4, Y4, Y4
	VXORPS Y14, Y14, Y14

feature:
	DECQ         DX
	JLT          features_done
	VPBROADCASTB (DI), Y5
	VPBROADCASTB (R10), Y6
	VPMAXUB      (R11), Y5, Y7
	VPMINUB      (R12), Y7, Y7 // the code of the range that is nearest to the query's
	VPCMPEQB     Y7, Y5, Y5    // inside
	VPANDN       Y6, Y5, Y5    // least where not inside
	VPADDUSB     Y5, Y4, Y4    // at most 255
	INCQ         DI
	INCQ         R10
	ADDQ         $32, R11
	ADDQ         $32, R12
	JMP          feature

features_done:
	MISMATCHES_TO_SUMS
	MOVBLZX squared+72(FP), BX
	TESTL   BX, BX
	JZ      manhattan

squared:
	DECQ CX
	JLT  store
	OUTSIDE
	ADD_SQUARES
	JMP  squared

manhattan:
	DECQ CX
	JLT  store
	OUTSIDE
	ADD
	JMP  manhattan

store:
	MOVQ    out+80(FP), AX
	VMOVUPS Y0, (AX)
	VMOVUPS Y1, 32(AX)
	VMOVUPS Y2, 64(AX)
	VMOVUPS Y3, 96(AX)
	VZEROUPPER
	RET
