#include "textflag.h"

// func spin(n uint64)
//
// Two instructions for each turn, whatever the compiler is like.
TEXT ·spin(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
again:
	SUBS $1, R0, R0
	BNE  again
	RET
