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
		{"small", func(r *rand.Rand, n int, _ float64) history {
			sd := 0.008 * math.Pow(3, r.Float64())
			h := noise(r, n, sd, 0)
			return step(h, sd, 12+r.IntN(n-24), sign(r)*(0.02+0.04*r.Float64()))
		}},
		{"ar .4, outliers", func(r *rand.Rand, n int, sd float64) history {
			return spikes(r, shift(r, noise(r, n, sd, 0.4), sd, every(r, n, 15, 45), 0))
		}},
		{"several, weekly", func(r *rand.Rand, n int, sd float64) history {
			return shift(r, weekly(r, n, sd), sd, every(r, n, 20, 50), 0)
		}},
		{"repeats", func(r *rand.Rand, n int, sd float64) history {
			h := repeats(r, n, sd, 0)
			return shift(r, h, sd, every(r, n, 20, 50), 0)
		}},
		{"repeats, day effect", func(r *rand.Rand, n int, sd float64) history {
			h := repeats(r, n, sd, 0.3+0.3*r.Float64())
			return shift(r, h, sd, every(r, n, 20, 50), 0)
		}},
		{"noise changes", func(r *rand.Rand, n int, sd float64) history {
			h := noise(r, n, sd, 0)
			sds := noisier(r, &h, sd)
			at := 12 + r.IntN(n-24)
			return step(h, around(sds, at), at, sign(r)*math.Log1p(0.02*math.Pow(25, r.Float64())))
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

// repeats are runs of which one to four are of one day, with gaps between days;
// share is the part of the variance that the runs of a day have in common.
func repeats(r *rand.Rand, n int, sd, share float64) history {
	h := history{x: make([]float64, n), day: make([]float64, n)}
	day, left, common := 0.0, 0, 0.0
	for i := range h.x {
		if left == 0 {
			day, left, common = math.Floor(day)+1, 1+r.IntN(4), r.NormFloat64()
			if r.Float64() < 0.2 {
				day += float64(1 + r.IntN(5))
			}
		}
		h.day[i] = day
		day, left = day+0.2, left-1
		h.x[i] = math.Log(100) + sd*(math.Sqrt(share)*common+math.Sqrt(1-share)*r.NormFloat64())
	}
	return h
}

// noisier makes noise 1.5 to 3.3 times as large or as small from one run on, and
// returns that of every run.
func noisier(r *rand.Rand, h *history, sd float64) []float64 {
	n := len(h.x)
	h.noisy, h.factor = n/4+r.IntN(n/2), 1.5*math.Pow(2.2, r.Float64())
	if r.IntN(2) == 0 {
		h.factor = 1 / h.factor
	}
	sds := make([]float64, n)
	for i := range sds {
		sds[i] = sd
		if i >= h.noisy {
			sds[i] = h.factor * sd
			h.x[i] = math.Log(100) + h.factor*(h.x[i]-math.Log(100))
		}
	}
	return sds
}

// around is the noise of the 30 runs on each side of run i.
func around(sds []float64, i int) float64 {
	square, n := 0.0, 0.0
	for _, s := range sds[max(0, i-30):min(len(sds), i+30)] {
		square, n = square+s*s, n+1
	}
	return math.Sqrt(square / n)
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
