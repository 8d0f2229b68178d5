package scaling

import (
	"math"
)

// roughestTwo returns the two points whose removal leaves the least roughness, ascending, and that roughness; x must be
// ascending.
func roughestTwo(x, y []float64) (first, second int, remaining float64) {
	remaining = math.Inf(1)
	px, py := make([]float64, 0, len(x)), make([]float64, 0, len(y))
	for k := range x {
		px, py = append(append(px[:0], x[:k]...), x[k+1:]...), append(append(py[:0], y[:k]...), y[k+1:]...)
		if at, left := roughest(px, py); at >= k && left < remaining {
			first, second, remaining = k, at+1, left
		}
	}
	return first, second, remaining
}

// roughest returns the point whose removal leaves the least roughness, and that roughness.
func roughest(x, y []float64) (at int, remaining float64) {
	remaining = math.Inf(1)
	all := roughness(x, y)
	for k := range x {
		if left := roughnessWithout(x, y, k, all); left < remaining {
			at, remaining = k, left
		}
	}
	return at, remaining
}

// roughnessWithout returns the roughness without point k; all is that of all points.
func roughnessWithout(x, y []float64, k int, all float64) float64 {
	// Only the triples that hold the point change.
	a, b := max(k-2, 0), min(k+3, len(x))
	var px, py [4]float64
	near := append(append(px[:0], x[a:k]...), x[k+1:b]...)
	value := append(append(py[:0], y[a:k]...), y[k+1:b]...)
	return all - roughness(x[a:b], y[a:b]) + roughness(near, value)
}

// roughness returns the sum of squared distances of each point from the line through its neighbors.
func roughness(x, y []float64) (sum float64) {
	for k := 1; k+1 < len(x); k++ {
		d := y[k] - y[k-1] - (y[k+1]-y[k-1])*(x[k]-x[k-1])/(x[k+1]-x[k-1])
		sum += d * d
	}
	return sum
}
