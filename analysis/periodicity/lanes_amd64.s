#include "textflag.h"

// func products32(out, x, t *float32, blocks, points int, add bool)
//
// Writes to out[p], or adds to it, the products of t[0..points] with x[p..], for 32 places p at a time
// in four registers of eight. Every lane adds up in the order of convolve.
TEXT ·products32(SB), NOSPLIT, $0-41
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ t+16(FP), DX
	MOVQ blocks+24(FP), CX
	MOVQ points+32(FP), R8
	MOVBLZX add+40(FP), AX

places:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, R9
	MOVQ   DX, R10
	MOVQ   R8, R11
	SUBQ   $4, R11
	JLT    rest

four:
	VBROADCASTSS (R10), Y4
	VBROADCASTSS 4(R10), Y5
	VBROADCASTSS 8(R10), Y6
	VBROADCASTSS 12(R10), Y7
	VMULPS (R9), Y4, Y8
	VMULPS 32(R9), Y4, Y9
	VMULPS 64(R9), Y4, Y10
	VMULPS 96(R9), Y4, Y11
	VMULPS 4(R9), Y5, Y12
	VMULPS 36(R9), Y5, Y13
	VMULPS 68(R9), Y5, Y14
	VMULPS 100(R9), Y5, Y15
	VADDPS Y12, Y8, Y8
	VADDPS Y13, Y9, Y9
	VADDPS Y14, Y10, Y10
	VADDPS Y15, Y11, Y11
	VMULPS 8(R9), Y6, Y12
	VMULPS 40(R9), Y6, Y13
	VMULPS 72(R9), Y6, Y14
	VMULPS 104(R9), Y6, Y15
	VADDPS Y12, Y8, Y8
	VADDPS Y13, Y9, Y9
	VADDPS Y14, Y10, Y10
	VADDPS Y15, Y11, Y11
	VMULPS 12(R9), Y7, Y12
	VMULPS 44(R9), Y7, Y13
	VMULPS 76(R9), Y7, Y14
	VMULPS 108(R9), Y7, Y15
	VADDPS Y12, Y8, Y8
	VADDPS Y13, Y9, Y9
	VADDPS Y14, Y10, Y10
	VADDPS Y15, Y11, Y11
	VADDPS Y8, Y0, Y0
	VADDPS Y9, Y1, Y1
	VADDPS Y10, Y2, Y2
	VADDPS Y11, Y3, Y3
	ADDQ   $16, R9
	ADDQ   $16, R10
	SUBQ   $4, R11
	JGE    four

rest:
	ADDQ $4, R11
	JZ   store

one:
	VBROADCASTSS (R10), Y4
	VMULPS (R9), Y4, Y8
	VMULPS 32(R9), Y4, Y9
	VMULPS 64(R9), Y4, Y10
	VMULPS 96(R9), Y4, Y11
	VADDPS Y8, Y0, Y0
	VADDPS Y9, Y1, Y1
	VADDPS Y10, Y2, Y2
	VADDPS Y11, Y3, Y3
	ADDQ   $4, R9
	ADDQ   $4, R10
	DECQ   R11
	JNZ    one

store:
	TESTL AX, AX
	JZ    write
	VADDPS  (DI), Y0, Y0
	VADDPS  32(DI), Y1, Y1
	VADDPS  64(DI), Y2, Y2
	VADDPS  96(DI), Y3, Y3

write:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, SI
	DECQ    CX
	JNZ     places
	VZEROUPPER
	RET

// func ends8(out, from, gain *float32, blocks int, near, far float32)
//
// out[i] = max(from[i+2], max(from[i+1], from[i+3])-near, max(from[i], from[i+4])-far) + gain[i]
TEXT ·ends8(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ gain+16(FP), DX
	MOVQ blocks+24(FP), CX
	VBROADCASTSS near+32(FP), Y4
	VBROADCASTSS far+36(FP), Y5

loop:
	VMOVUPS (SI), Y0
	VMOVUPS 4(SI), Y1
	VMAXPS  16(SI), Y0, Y0
	VMAXPS  12(SI), Y1, Y1
	VSUBPS  Y5, Y0, Y0
	VSUBPS  Y4, Y1, Y1
	VMAXPS  8(SI), Y0, Y0
	VMAXPS  Y1, Y0, Y0
	VADDPS  (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func begins8(open, end, free *float32, blocks int, entry float32)
//
// open[i] += max(end[i], free[i]-entry)
TEXT ·begins8(SB), NOSPLIT, $0-36
	MOVQ open+0(FP), DI
	MOVQ end+8(FP), SI
	MOVQ free+16(FP), DX
	MOVQ blocks+24(FP), CX
	VBROADCASTSS entry+32(FP), Y4

loop:
	VMOVUPS (DX), Y0
	VSUBPS  Y4, Y0, Y0
	VMAXPS  (SI), Y0, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func takeTimes8(y, x *float32, blocks int, w float32)
//
// y[i] -= w * x[i]
TEXT ·takeTimes8(SB), NOSPLIT, $0-28
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ blocks+16(FP), CX
	VBROADCASTSS w+24(FP), Y4

loop:
	VMOVUPS (DI), Y0
	VMULPS  (SI), Y4, Y1
	VSUBPS  Y1, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func scale8(out, inv *float32, blocks int, base, own float32)
//
// out[i] = base + (out[i]+own)*inv[i]
TEXT ·scale8(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ inv+8(FP), SI
	MOVQ blocks+16(FP), CX
	VBROADCASTSS base+24(FP), Y4
	VBROADCASTSS own+28(FP), Y5

loop:
	VADDPS  (DI), Y5, Y0
	VMULPS  (SI), Y0, Y0
	VADDPS  Y4, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func invert8(out *float32, blocks int, noise, own, scale float32)
//
// out[i] = scale / (max(out[i]-noise, 0) + own)
TEXT ·invert8(SB), NOSPLIT, $0-28
	MOVQ out+0(FP), DI
	MOVQ blocks+8(FP), CX
	VBROADCASTSS noise+16(FP), Y4
	VBROADCASTSS own+20(FP), Y5
	VBROADCASTSS scale+24(FP), Y6
	VXORPS Y7, Y7, Y7

loop:
	VMOVUPS (DI), Y0
	VSUBPS  Y4, Y0, Y0
	VMAXPS  Y7, Y0, Y0
	VADDPS  Y5, Y0, Y0
	VDIVPS  Y0, Y6, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET
