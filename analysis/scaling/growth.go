package scaling

import "math"

// Growth is by how much the law at the largest sizes grows from the largest to four
// times it: what ranks parts of a program, as the larger order does where there is
// one and as noise in a constant does not. NaN where there is no law.
func (r Result) Growth(largest float64) float64 {
	m := r.Whole
	if r.Segmented {
		m = nil
		if n := len(r.Segments); n > 0 {
			m = r.Segments[n-1].Model
		}
	}
	if m == nil || !(largest > 0) {
		return math.NaN()
	}
	if at := m.At(largest); at > 0 {
		return m.At(4*largest) / at
	}
	return math.NaN()
}
