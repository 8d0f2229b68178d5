package scaling

// efficiency is that at each p relative to the least p, of values that are
// times: strong scaling divides by the resources added, weak does not. Where a
// value is not positive it says nothing, and the point is left out.
func efficiency(points []point, mode Mode) []Efficiency {
	out := []Efficiency{}
	var first point
	for _, pt := range points {
		v := pt.mean()
		if !(v > 0) {
			continue
		}
		if first.values == nil {
			first = pt
		}
		e := first.mean() / v
		if mode == Strong {
			e *= first.p / pt.p
		}
		out = append(out, Efficiency{P: pt.p, Value: e})
	}
	return out
}
