package main

import (
	"math"
	"math/rand/v2"

	"jobgait/analysis/changepoint"
)

// steps are the families with true changes.
func steps() []family {
	return []family{
		{"one", func(r *rand.Rand, n int, sd float64) history {
			return shift(r, noise(r, n, sd, 0), sd, []int{12 + r.IntN(n-24)}, 0)
		}},
		{"several", func(r *rand.Rand, n int, sd float64) history {
			return shift(r, noise(r, n, sd, 0), sd, every(r, n, 10, 40), 0)
		}},
		{"close", func(r *rand.Rand, n int, sd float64) history {
			return shift(r, noise(r, n, sd, 0), sd, pairs(r, n), 5)
		}},
		{"several, outliers", func(r *rand.Rand, n int, sd float64) history {
			return spikes(r, shift(r, noise(r, n, sd, 0), sd, every(r, n, 10, 40), 0))
		}},
		{"one, weekly", func(r *rand.Rand, n int, sd float64) history {
			return shift(r, weekly(r, n, sd), sd, []int{12 + r.IntN(n-24)}, 0)
		}},
		{"short", func(r *rand.Rand, _ int, sd float64) history {
			n := 10 + r.IntN(21)
			return shift(r, noise(r, n, sd, 0), sd, []int{4 + r.IntN(n-8)}, 0)
		}},
		{"small", func(r *rand.Rand, n int, sd float64) history {
			sd = 0.008 * math.Pow(3, r.Float64())
			h := noise(r, n, sd, 0)
			return step(h, sd, 12+r.IntN(n-24), sign(r)*(0.02+0.04*r.Float64()))
		}},
		{"ar .4, outliers", func(r *rand.Rand, n int, sd float64) history {
			return spikes(r, shift(r, noise(r, n, sd, 0.4), sd, every(r, n, 15, 45), 0))
		}},
		{"variance", func(r *rand.Rand, n int, sd float64) history {
			h := noise(r, n, sd, 0)
			v, f := n/4+r.IntN(n/2), math.Exp(1.4*(2*r.Float64()-1))
			for i := v; i < n; i++ {
				h.x[i] = math.Log(100) + f*(h.x[i]-math.Log(100))
			}
			return h
		}},
	}
}

func sign(r *rand.Rand) float64 {
	if r.Float64() < 0.6 {
		return 1
	}
	return -1
}

// every returns places lo to hi runs apart.
func every(r *rand.Rand, n, lo, hi int) []int {
	var at []int
	for i := lo + r.IntN(hi-lo); i < n-4; i += lo + r.IntN(hi-lo) {
		at = append(at, i)
	}
	return at
}

// pairs returns places in twos, 3 to 8 runs apart.
func pairs(r *rand.Rand, n int) []int {
	var at []int
	for i := 10 + r.IntN(20); i < n-12; i += 15 + r.IntN(25) {
		at = append(at, i, i+3+r.IntN(6))
		i += 8
	}
	return at
}

// shift adds a step of 2 to 50 %, at least least sd, at each place (moved to
// the next new day).
func shift(r *rand.Rand, h history, sd float64, at []int, least float64) history {
	for _, i := range at {
		d := max(math.Log1p(0.02*math.Pow(25, r.Float64())), least*sd)
		h = step(h, sd, i, sign(r)*min(d, 0.5))
	}
	return h
}

func step(h history, sd float64, i int, d float64) history {
	for i < len(h.x) && math.Floor(h.day[i]) == math.Floor(h.day[i-1]) {
		i++
	}
	if i >= len(h.x) || len(h.changes) > 0 && h.changes[len(h.changes)-1].index >= i {
		return h
	}
	for q := i; q < len(h.x); q++ {
		h.x[q] += d
	}
	h.changes = append(h.changes, truth{index: i, step: d, sd: sd})
	return h
}

// strength is how far a change stands out of its noise: |step|/sd
// sqrt(n1 n2/(n1+n2)), lengths capped at 30; 0 if a side has fewer than 3 runs.
func (h history) strength(q int) float64 {
	c := h.changes[q]
	before, after := c.index, len(h.x)-c.index
	if q > 0 {
		before = c.index - h.changes[q-1].index
	}
	if q+1 < len(h.changes) {
		after = h.changes[q+1].index - c.index
	}
	if min(before, after) < 3 {
		return 0
	}
	a, b := float64(min(before, 30)), float64(min(after, 30))
	return math.Abs(c.step) / c.sd * math.Sqrt(a*b/(a+b))
}

// near says whether run i is within d runs of a true change.
func (h history) near(i, d int) bool {
	for _, c := range h.changes {
		if max(i-c.index, c.index-i) <= d {
			return true
		}
	}
	return false
}

// match gives each true change the nearest detection within tolerance, or -1;
// each detection is given once, the nearest pairs first.
func (h history) match(found []changepoint.Detection, tolerance int) []int {
	match := make([]int, len(h.changes))
	for c := range match {
		match[c] = -1
	}
	used := make([]bool, len(found))
	for d := 0; d <= tolerance; d++ {
		for c, v := range h.changes {
			for k, e := range found {
				if match[c] < 0 && !used[k] && max(e.Index-v.index, v.index-e.Index) == d {
					match[c], used[k] = k, true
				}
			}
		}
	}
	return match
}
