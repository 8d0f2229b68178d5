package periodicity

import "golang.org/x/sys/cpu"

// The inner loops of the tracker, eight places at a time where the processor can
// (AVX2). The results are those of the loops in Go, bit by bit: every lane adds up
// in their order, and nothing is fused.

//go:noescape
func products32(out, x, t *float32, blocks, points int, add bool)

//go:noescape
func ends8(out, from, gain *float32, blocks int, near, far float32)

//go:noescape
func begins8(open, end, free *float32, blocks int, entry float32)

//go:noescape
func takeTimes8(y, x *float32, blocks int, w float32)

//go:noescape
func scale8(out, inv *float32, blocks int, base, own float32)

//go:noescape
func invert8(out *float32, blocks int, noise, own, scale float32)

// lanes returns the number of whole blocks of size values in n values, 0 if the CPU has no AVX2.
func lanes(n, size int) int {
	if !cpu.X86.HasAVX2 {
		return 0
	}
	return n / size
}

// Each of these does the first places of the loop that it is named after, and
// returns how many.

// convolveLanes does what convolve does for the first places, in blocks of 32, and returns how many it did; 0
// without AVX2 or with an empty t.
func convolveLanes(g, x, t []float32, add bool) int {
	blocks := lanes(len(g), 32)
	if blocks == 0 || len(t) == 0 {
		return 0
	}
	_ = x[32*blocks+len(t)-2]
	products32(&g[0], &x[0], &t[0], blocks, len(t), add)
	return 32 * blocks
}

// endsLanes does what addEnds does for the first points, in blocks of 8, and returns how many it did; 0
// without AVX2.
func endsLanes(out, from, gain []float32, near, far float32) int {
	blocks := lanes(len(out), 8)
	if blocks == 0 {
		return 0
	}
	_, _ = from[8*blocks+2*maxShift-1], gain[8*blocks-1]
	ends8(&out[0], &from[0], &gain[0], blocks, near, far)
	return 8 * blocks
}

// beginsLanes does what addBegins does for the first points, in blocks of 8, and returns how many it did; 0
// without AVX2.
func beginsLanes(open, end, free []float32) int {
	blocks := lanes(len(open), 8)
	if blocks == 0 {
		return 0
	}
	_, _ = end[8*blocks-1], free[8*blocks-1]
	begins8(&open[0], &end[0], &free[0], blocks, entryCost)
	return 8 * blocks
}

// takeTimesLanes subtracts w*x from y for the first values, in blocks of 8, and returns how many; 0 without
// AVX2.
func takeTimesLanes(y, x []float32, w float32) int {
	blocks := lanes(len(x), 8)
	if blocks == 0 {
		return 0
	}
	_ = y[8*blocks-1]
	takeTimes8(&y[0], &x[0], blocks, w)
	return 8 * blocks
}

// scaleLanes writes to g[p], for the first places p of inv, base plus inv[p] times the sum of g[p] and own.
// It works in blocks of 8 and returns how many places it did; 0 without AVX2.
func scaleLanes(g, inv []float32, base, own float32) int {
	blocks := lanes(len(inv), 8)
	if blocks == 0 {
		return 0
	}
	_ = g[8*blocks-1]
	scale8(&g[0], &inv[0], blocks, base, own)
	return 8 * blocks
}

// invertLanes does what the loop of invert does for the first values, in blocks of 8, and returns how many it
// did; 0 without AVX2.
func invertLanes(energy []float32, noise, own, scale float32) int {
	blocks := lanes(len(energy), 8)
	if blocks > 0 {
		invert8(&energy[0], blocks, noise, own, scale)
	}
	return 8 * blocks
}
