//go:build !purego

#include "textflag.h"

// Kernels on float32 and uint32 arrays for AVX2. Each works on eight numbers at a time and takes n, a multiple of eight.
// Arguments are (dst, a, b, c *byte, n int).

#define ARGS \
	MOVQ dst+0(FP), DI \
	MOVQ a+8(FP), SI   \
	MOVQ b+16(FP), DX  \
	MOVQ n+32(FP), CX  \
	XORQ AX, AX

#define NEXT \
	VMOVUPS Y0, (DI)(AX*4) \
	ADDQ    $8, AX         \
	CMPQ    AX, CX         \
	JLT     loop           \
	VZEROUPPER             \
	RET

// dst = a op b.
#define BINARY(OP) \
	ARGS                       \
loop:                          \
	VMOVUPS (SI)(AX*4), Y0     \
	OP      (DX)(AX*4), Y0, Y0 \
	NEXT

TEXT ·addF32(SB), NOSPLIT, $0-40
	BINARY(VADDPS)

TEXT ·subF32(SB), NOSPLIT, $0-40
	BINARY(VSUBPS)

TEXT ·mulF32(SB), NOSPLIT, $0-40
	BINARY(VMULPS)

TEXT ·divF32(SB), NOSPLIT, $0-40
	BINARY(VDIVPS)

TEXT ·addU32(SB), NOSPLIT, $0-40
	BINARY(VPADDD)

TEXT ·mulU32(SB), NOSPLIT, $0-40
	BINARY(VPMULLD)

TEXT ·xorU32(SB), NOSPLIT, $0-40
	BINARY(VPXOR)

TEXT ·shrU32(SB), NOSPLIT, $0-40
	BINARY(VPSRLVD)

// The larger or smaller number; what is not a number stays so.
#define EXTREME(OP) \
	ARGS                       \
loop:                          \
	VMOVUPS (SI)(AX*4), Y0     \
	OP      (DX)(AX*4), Y0, Y1 \
	VCMPPS  $3, Y0, Y0, Y2     \
	VBLENDVPS Y2, Y0, Y1, Y0   \
	NEXT

TEXT ·maxF32(SB), NOSPLIT, $0-40
	EXTREME(VMAXPS)

TEXT ·minF32(SB), NOSPLIT, $0-40
	EXTREME(VMINPS)

// Comparisons: all bits of dst are set where they hold.
#define COMPARE(HOW) \
	ARGS                            \
loop:                               \
	VMOVUPS (SI)(AX*4), Y0          \
	VCMPPS  HOW, (DX)(AX*4), Y0, Y0 \
	NEXT

TEXT ·ltF32(SB), NOSPLIT, $0-40
	COMPARE($17)

TEXT ·gtF32(SB), NOSPLIT, $0-40
	COMPARE($30)

TEXT ·geU32(SB), NOSPLIT, $0-40
	ARGS
loop:
	VMOVUPS  (SI)(AX*4), Y0
	VPMAXUD  (DX)(AX*4), Y0, Y1
	VPCMPEQD Y1, Y0, Y0
	NEXT

// whereF32: dst = c ? a : b.
TEXT ·whereF32(SB), NOSPLIT, $0-40
	ARGS
	MOVQ c+24(FP), BX
loop:
	VMOVUPS   (BX)(AX*4), Y1
	VMOVUPS   (DX)(AX*4), Y0
	VBLENDVPS Y1, (SI)(AX*4), Y0, Y0
	NEXT

TEXT ·sqrtF32(SB), NOSPLIT, $0-40
	ARGS
loop:
	VSQRTPS (SI)(AX*4), Y0
	NEXT

DATA sign<>+0(SB)/4, $0x80000000
GLOBL sign<>(SB), RODATA|NOPTR, $4
DATA magnitude<>+0(SB)/4, $0x7fffffff
GLOBL magnitude<>(SB), RODATA|NOPTR, $4
DATA one<>+0(SB)/4, $0x3f800000
GLOBL one<>(SB), RODATA|NOPTR, $4

TEXT ·negF32(SB), NOSPLIT, $0-40
	ARGS
	VBROADCASTSS sign<>(SB), Y1
loop:
	VXORPS (SI)(AX*4), Y1, Y0
	NEXT

// oneF32: 1 where the mask a is set, else 0.
TEXT ·oneF32(SB), NOSPLIT, $0-40
	ARGS
	VBROADCASTSS one<>(SB), Y1
loop:
	VANDPS (SI)(AX*4), Y1, Y0
	NEXT

// expandMask: bytes of 0 or 1 to masks of four bytes.
TEXT ·expandMask(SB), NOSPLIT, $0-40
	ARGS
	VPXOR Y2, Y2, Y2
loop:
	VPMOVZXBD (SI)(AX*1), Y0
	VPSUBD    Y0, Y2, Y0
	NEXT

// packMask: the reverse.
TEXT ·packMask(SB), NOSPLIT, $0-40
	ARGS
	VBROADCASTSS one<>(SB), Y2
	VPSRLD       $23, Y2, Y2    // 127
	VPSRLD       $6, Y2, Y2     // 1
loop:
	VPAND        (SI)(AX*4), Y2, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKUSDW    X1, X0, X0
	VPACKUSWB    X0, X0, X0
	VMOVQ        X0, (DI)(AX*1)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          loop
	VZEROUPPER
	RET

// exp of numbers in Y0, to Y0; uses Y1 to Y4. 2ⁿ times the exponential of what remains, |r| <= ln 2 / 2, by its series, where
// adding n to the exponent bits multiplies by 2ⁿ. Above 88.72 infinite, below -87.33 zero.
DATA expc<>+0(SB)/4, $88.72283
DATA expc<>+4(SB)/4, $-87.33654
DATA expc<>+8(SB)/4, $1.44269504088896341
DATA expc<>+12(SB)/4, $0.693145751953125
DATA expc<>+16(SB)/4, $1.428606820309417e-6
DATA expc<>+20(SB)/4, $1.9841269841269841e-4
DATA expc<>+24(SB)/4, $1.3888888888888889e-3
DATA expc<>+28(SB)/4, $8.3333333333333333e-3
DATA expc<>+32(SB)/4, $4.1666666666666667e-2
DATA expc<>+36(SB)/4, $1.6666666666666667e-1
DATA expc<>+40(SB)/4, $0.5
DATA expc<>+44(SB)/4, $0x7f800000
GLOBL expc<>(SB), RODATA|NOPTR, $48

#define EXP_CONSTANTS \
	VBROADCASTSS expc<>+0(SB), Y15  \
	VBROADCASTSS expc<>+4(SB), Y14  \
	VBROADCASTSS expc<>+8(SB), Y13  \
	VBROADCASTSS expc<>+12(SB), Y12 \
	VBROADCASTSS expc<>+16(SB), Y11 \
	VBROADCASTSS expc<>+20(SB), Y10 \
	VBROADCASTSS one<>(SB), Y9      \
	VBROADCASTSS expc<>+24(SB), Y8

#define EXP \
	VMINPS       Y0, Y15, Y1      \
	VMAXPS       Y1, Y14, Y1      \
	VMULPS       Y13, Y1, Y2      \
	VROUNDPS     $8, Y2, Y2       \
	VFNMADD231PS Y12, Y2, Y1      \
	VFNMADD231PS Y11, Y2, Y1      \
	VCVTPS2DQ    Y2, Y2           \
	VPSLLD       $23, Y2, Y2      \
	VMOVAPS      Y10, Y3          \
	VFMADD213PS  Y8, Y1, Y3       \
	VBROADCASTSS expc<>+28(SB), Y4 \
	VFMADD213PS  Y4, Y1, Y3       \
	VBROADCASTSS expc<>+32(SB), Y4 \
	VFMADD213PS  Y4, Y1, Y3       \
	VBROADCASTSS expc<>+36(SB), Y4 \
	VFMADD213PS  Y4, Y1, Y3       \
	VBROADCASTSS expc<>+40(SB), Y4 \
	VFMADD213PS  Y4, Y1, Y3       \
	VFMADD213PS  Y9, Y1, Y3       \
	VFMADD213PS  Y9, Y1, Y3       \
	VPADDD       Y2, Y3, Y3       \
	VCMPPS       $17, Y14, Y0, Y1 \
	VANDNPS      Y3, Y1, Y3       \
	VCMPPS       $30, Y15, Y0, Y1 \
	VBROADCASTSS expc<>+44(SB), Y4 \
	VBLENDVPS    Y1, Y4, Y3, Y0

TEXT ·expF32(SB), NOSPLIT, $0-40
	ARGS
	EXP_CONSTANTS
loop:
	VMOVUPS (SI)(AX*4), Y0
	EXP
	NEXT

// logisticF32: 1 / (1 + exp(-a)).
TEXT ·logisticF32(SB), NOSPLIT, $0-40
	ARGS
	EXP_CONSTANTS
loop:
	VMOVUPS      (SI)(AX*4), Y0
	VBROADCASTSS sign<>(SB), Y6
	VXORPS       Y6, Y0, Y0
	EXP
	VADDPS       Y9, Y0, Y0
	VDIVPS       Y0, Y9, Y0
	NEXT

// erf: Abramowitz and Stegun, 7.1.26, with an absolute error below 5e-7 in single precision.
DATA erfc<>+0(SB)/4, $0.3275911
DATA erfc<>+4(SB)/4, $1.061405429
DATA erfc<>+8(SB)/4, $-1.453152027
DATA erfc<>+12(SB)/4, $1.421413741
DATA erfc<>+16(SB)/4, $-0.284496736
DATA erfc<>+20(SB)/4, $0.254829592
GLOBL erfc<>(SB), RODATA|NOPTR, $24

TEXT ·erfF32(SB), NOSPLIT, $0-40
	ARGS
	EXP_CONSTANTS
loop:
	VMOVUPS      (SI)(AX*4), Y5
	VBROADCASTSS magnitude<>(SB), Y6
	VANDPS       Y5, Y6, Y7              // |x|
	VMULPS       Y7, Y7, Y0
	VBROADCASTSS sign<>(SB), Y6
	VXORPS       Y6, Y0, Y0
	VANDPS       Y5, Y6, Y5              // the sign
	EXP                                  // exp(-x²)
	VBROADCASTSS erfc<>+0(SB), Y1
	VFMADD213PS  Y9, Y1, Y7
	VDIVPS       Y7, Y9, Y7              // t = 1 / (1 + p |x|)
	VBROADCASTSS erfc<>+4(SB), Y1
	VBROADCASTSS erfc<>+8(SB), Y2
	VFMADD213PS  Y2, Y7, Y1
	VBROADCASTSS erfc<>+12(SB), Y2
	VFMADD213PS  Y2, Y7, Y1
	VBROADCASTSS erfc<>+16(SB), Y2
	VFMADD213PS  Y2, Y7, Y1
	VBROADCASTSS erfc<>+20(SB), Y2
	VFMADD213PS  Y2, Y7, Y1
	VMULPS       Y7, Y1, Y1
	VFNMADD213PS Y9, Y1, Y0              // 1 - polynomial * exp(-x²)
	VORPS        Y5, Y0, Y0
	NEXT

// func sumF32(a unsafe.Pointer, n int) float32, any n
TEXT ·sumF32(SB), NOSPLIT, $0-20
	MOVQ   a+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ   $32, CX
	JLT    eight
loop:
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	VADDPS 64(SI), Y2, Y2
	VADDPS 96(SI), Y3, Y3
	ADDQ   $128, SI
	SUBQ   $32, CX
	JGE    loop
eight:
	ADDQ   $32, CX
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	SUBQ   $8, CX
	JLT    fold
eights:
	VADDPS (SI), Y0, Y0
	ADDQ   $32, SI
	SUBQ   $8, CX
	JGE    eights
fold:
	ADDQ         $8, CX
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VADDPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VADDSS       X1, X0, X0
	TESTQ        CX, CX
	JEQ          done
rest:
	VADDSS (SI), X0, X0
	ADDQ   $4, SI
	DECQ   CX
	JNE    rest
done:
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func maxOfF32(a unsafe.Pointer, n int) float32, n > 0; NaN if one of them is NaN
TEXT ·maxOfF32(SB), NOSPLIT, $0-20
	MOVQ         a+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS (SI), Y0
	VXORPS       Y2, Y2, Y2    // set where one was NaN
	SUBQ         $8, CX
	JLT          fold
eights:
	VMOVUPS (SI), Y1
	VMAXPS  Y1, Y0, Y0
	VCMPPS  $3, Y1, Y1, Y1
	VORPS   Y1, Y2, Y2
	ADDQ    $32, SI
	SUBQ    $8, CX
	JGE     eights
fold:
	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VMAXSS       X1, X0, X0
	ADDQ         $8, CX
	JEQ          done
rest:
	VMOVSS (SI), X1
	VMAXSS X1, X0, X0
	VCMPPS $3, Y1, Y1, Y1
	VORPS  Y1, Y2, Y2
	ADDQ   $4, SI
	DECQ   CX
	JNE    rest
done:
	VMOVMSKPS Y2, AX
	TESTQ     AX, AX
	JEQ       number
	VPCMPEQD  X0, X0, X0       // all bits set are not a number
number:
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func dotF32(a, b unsafe.Pointer, n int) float32, any n
TEXT ·dotF32(SB), NOSPLIT, $0-28
	MOVQ   a+0(FP), SI
	MOVQ   b+8(FP), DX
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ   $32, CX
	JLT    eight
loop:
	VMOVUPS     (SI), Y4
	VMOVUPS     32(SI), Y5
	VMOVUPS     64(SI), Y6
	VMOVUPS     96(SI), Y7
	VFMADD231PS (DX), Y4, Y0
	VFMADD231PS 32(DX), Y5, Y1
	VFMADD231PS 64(DX), Y6, Y2
	VFMADD231PS 96(DX), Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DX
	SUBQ        $32, CX
	JGE         loop
eight:
	ADDQ   $32, CX
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	SUBQ   $8, CX
	JLT    fold
eights:
	VMOVUPS     (SI), Y4
	VFMADD231PS (DX), Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DX
	SUBQ        $8, CX
	JGE         eights
fold:
	ADDQ         $8, CX
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VADDPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VADDSS       X1, X0, X0
	TESTQ        CX, CX
	JEQ          done
rest:
	VMOVSS      (SI), X4
	VFMADD231SS (DX), X4, X0
	ADDQ        $4, SI
	ADDQ        $4, DX
	DECQ        CX
	JNE         rest
done:
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpyF32(y, x unsafe.Pointer, alpha float32, n int): y += alpha x, any n
TEXT ·axpyF32(SB), NOSPLIT, $0-32
	MOVQ         y+0(FP), DI
	MOVQ         x+8(FP), SI
	VBROADCASTSS alpha+16(FP), Y1
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JLT          eight
loop:
	VMOVUPS     (DI), Y0
	VMOVUPS     32(DI), Y2
	VFMADD231PS (SI), Y1, Y0
	VFMADD231PS 32(SI), Y1, Y2
	VMOVUPS     Y0, (DI)
	VMOVUPS     Y2, 32(DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $16, CX
	JGE         loop
eight:
	ADDQ        $16, CX
	CMPQ        CX, $8
	JLT         rest
	VMOVUPS     (DI), Y0
	VFMADD231PS (SI), Y1, Y0
	VMOVUPS     Y0, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $8, CX
rest:
	TESTQ       CX, CX
	JEQ         done
	VMOVSS      (DI), X0
	VFMADD231SS (SI), X1, X0
	VMOVSS      X0, (DI)
	ADDQ        $4, SI
	ADDQ        $4, DI
	DECQ        CX
	JMP         rest
done:
	VZEROUPPER
	RET

// func fillU32(dst unsafe.Pointer, x uint32, n int), any n
TEXT ·fillU32(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	VBROADCASTSS x+8(FP), Y0
	MOVQ         n+16(FP), CX
	SUBQ         $8, CX
	JLT          rest
loop:
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	SUBQ    $8, CX
	JGE     loop
rest:
	ADDQ  $8, CX
	JEQ   done
one:
	VMOVD X0, (DI)
	ADDQ  $4, DI
	DECQ  CX
	JNE   one
done:
	VZEROUPPER
	RET
