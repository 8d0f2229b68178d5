package periodicity

import (
	"cmp"
	"math"
	"slices"
)

// instances returns the instances of all groups, in time order.
func (k *trackedPeriod) instances() []Instance {
	n := 0
	for _, g := range k.groups {
		n += len(g.in)
	}
	in := make([]Instance, 0, n)
	for _, g := range k.groups {
		in = append(in, g.in...)
	}
	slices.SortFunc(in, func(x, y Instance) int { return cmp.Compare(x.First, y.First) })
	return in
}

// meanDistance returns the normalised distance of all occurrences from their template, 0 = equal.
func (k *trackedPeriod) meanDistance() float64 {
	var dot, energy float64
	for _, g := range k.groups {
		dot += g.dot
		energy += g.energy
	}
	if energy <= 0 {
		return 1
	}
	return max(0, 1-2*dot/energy)
}

// likeness is the distance between two templates up to which they are one period, found
// in two places.
const likeness = 0.2

// shape returns the mean shape of all groups of k, weighted by their instances, with commonPoints points.
func (k *trackedPeriod) shape() template {
	t := template{v: make([][]float32, len(k.t.v)), unit: commonPoints, periods: 1}
	n := 0.0
	for _, g := range k.groups {
		n += float64(len(g.in))
	}
	for _, g := range k.groups {
		w := float64(len(g.in)) / n
		t.own += g.shape.own * w * w
		for c, x := range g.shape.v {
			if t.v[c] == nil {
				t.v[c] = make([]float32, commonPoints)
			}
			for i, y := range x {
				t.v[c][i] += float32(w) * y
			}
		}
	}
	return t
}

// join returns the periods that were found. A period that is the same loop as an earlier one (see sameLoop) is merged
// into that, with its instances moved to the phase of that one.
func (h *searcher) join() []*trackedPeriod {
	var out []*trackedPeriod
next:
	for _, k := range h.found {
		for _, o := range out {
			if len(k.groups) == 0 || len(o.groups) == 0 {
				continue
			}
			if shift, ok := h.sameLoop(o, k); ok {
				o.groups = append(o.groups, k.rotated(shift)...)
				continue next
			}
		}
		out = append(out, k)
	}
	return out
}

// sameLoop reports whether two periods are one loop, found in two places, and returns the share of a period by which
// the instances of b must be moved later. Their lengths must be within the factor h.stretch, and either their mean
// shapes are rotations of each other or, for a loop that changes in the course of the run, those of their groups
// nearest in time.
func (h *searcher) sameLoop(a, b *trackedPeriod) (shift float64, ok bool) {
	longer := h.stretch // than the other
	if r := b.lag / a.lag; r < longer && r > 1/longer {
		if d, shift := a.shape().likeness(b.shape()); d <= likeness {
			return shift, true
		}
	}
	x, y := nearest(a.groups, b.groups)
	if r := y.length() / x.length(); r < longer && r > 1/longer {
		if d, shift := x.shape.likeness(y.shape); d <= likeness {
			return shift, true
		}
	}
	return 0, false
}

// length returns the mean length of an instance of the group in samples.
func (g group) length() float64 {
	last := g.in[len(g.in)-1]
	return float64(last.First+last.Length-g.in[0].First) / float64(len(g.in))
}

// nearest returns the groups of a and b that are nearest in time.
func nearest(a, b []group) (group, group) {
	best, x, y := math.MaxInt, a[0], b[0]
	for _, g := range a {
		for _, h := range b {
			d := h.in[0].First - g.in[0].First
			if d = max(d, -d); d < best {
				best, x, y = d, g, h
			}
		}
	}
	return x, y
}

// rotated returns the groups of k with every instance moved by the given share of its length, later for a shift up to
// 0.5, else earlier by the rest. Instances that would then reach beyond their group are dropped.
func (k *trackedPeriod) rotated(shift float64) []group {
	if shift > 0.5 {
		shift -= 1
	}
	var out []group
	for _, g := range k.groups {
		r := g
		r.in = nil
		begin := func(i int) int { return g.in[i].First + int(shift*float64(g.in[i].Length)) }
		for i := range g.in {
			at, end := begin(i), g.in[i].First+g.in[i].Length+int(shift*float64(g.in[i].Length))
			if i+1 < len(g.in) {
				end = begin(i + 1)
			}
			if at >= g.in[0].First && end <= g.in[len(g.in)-1].First+g.in[len(g.in)-1].Length && end > at {
				r.in = append(r.in, Instance{First: at, Length: end - at})
			}
		}
		if len(r.in) > 0 {
			out = append(out, r)
		}
	}
	return out
}
