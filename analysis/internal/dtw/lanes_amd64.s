#include "textflag.h"

// func twoRows(cells, y, rows *int64, columns int, pairs int64)
//
// Y0 is the cell diagonally before that of the first row, Y1 that to its left, Y2 that to the
// left of the second row's. Every lane compares as cheapest does.
TEXT ·twoRows(SB), NOSPLIT, $0-40
	MOVQ cells+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ rows+16(FP), AX
	MOVQ columns+24(FP), CX
	VPBROADCASTQ pairs+32(FP), Y15
	VMOVDQU (AX), Y14
	VMOVDQU 32(AX), Y13
	VPCMPEQQ Y12, Y12, Y12 // -1
	VPXOR Y10, Y10, Y10
	VMOVDQU 64(AX), Y0
	VMOVDQU 96(AX), Y1
	VMOVDQU 128(AX), Y2

column:
	ADDQ $32, DI
	ADDQ $32, SI
	VMOVDQU (DI), Y3
	VMOVDQU (SI), Y4

	// Y5 and Y7: the distances of both rows, and one pair more.
	VPSUBQ Y4, Y14, Y5
	VPSUBQ Y4, Y13, Y7
	VPCMPGTQ Y5, Y10, Y6
	VPCMPGTQ Y7, Y10, Y8
	VPXOR Y6, Y5, Y5
	VPXOR Y8, Y7, Y7
	VPSUBQ Y6, Y5, Y5
	VPSUBQ Y8, Y7, Y7
	VPSUBQ Y12, Y5, Y5
	VPSUBQ Y12, Y7, Y7

	// The first row: from Y0, else up from Y3, else left from Y1.
	VPOR Y3, Y15, Y6
	VPCMPGTQ Y6, Y0, Y6
	VPBLENDVB Y6, Y3, Y0, Y6
	VPANDN Y6, Y15, Y8
	VPCMPGTQ Y1, Y8, Y8
	VPBLENDVB Y8, Y1, Y6, Y6
	VMOVDQA Y1, Y9
	VPADDQ Y5, Y6, Y1

	// The second row: from Y9, else up from Y1, else left from Y2.
	VPOR Y1, Y15, Y6
	VPCMPGTQ Y6, Y9, Y6
	VPBLENDVB Y6, Y1, Y9, Y6
	VPANDN Y6, Y15, Y8
	VPCMPGTQ Y2, Y8, Y8
	VPBLENDVB Y8, Y2, Y6, Y6
	VPADDQ Y7, Y6, Y2

	VMOVDQU Y2, (DI)
	VMOVDQA Y3, Y0
	DECQ CX
	JNZ column
	VMOVDQU Y0, 64(AX)
	VMOVDQU Y1, 96(AX)
	VMOVDQU Y2, 128(AX)
	VZEROUPPER
	RET
