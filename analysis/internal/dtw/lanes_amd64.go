package dtw

import "golang.org/x/sys/cpu"

func hasLanes() bool { return cpu.X86.HasAVX2 }

// twoRows is addTwo of four tables without a limit: of each column the four cells lie side
// by side, and so do the four values of y. Column 0 is before the first; rows points to a twoRowsState, in which it
// leaves the cells from which the column behind the last is entered.
//
//go:noescape
func twoRows(cells, y, rows *int64, columns int, pairs int64)
