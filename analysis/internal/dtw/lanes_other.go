//go:build !amd64

package dtw

func hasLanes() bool { return false }

func twoRows(cells, y, rows *int64, columns int, pairs int64) {}
