//go:build !amd64

package periodicity

func convolveLanes(g, x, t []float32, add bool) int               { return 0 }
func endsLanes(out, from, gain []float32, near, far float32) int  { return 0 }
func beginsLanes(open, end, free []float32) int                   { return 0 }
func takeTimesLanes(y, x []float32, w float32) int                { return 0 }
func scaleLanes(g, inv []float32, base, own float32) int          { return 0 }
func invertLanes(energy []float32, noise, own, scale float32) int { return 0 }
