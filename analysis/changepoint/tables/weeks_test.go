package tables

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// weeks are families with a pattern of weekdays: two days of seven that take longer or less by a multiple of
// the noise, without and with one change; patterns of other forms; and runs that come more or less often than
// daily.
func weeks() []family {
	var list []family
	for _, size := range []float64{1, 2, 3, 4, 6} {
		name := fmt.Sprintf("weekend %g sd", size)
		list = append(list, family{name, func(r *rand.Rand, n int, sd float64) history {
			return weekend(r, noise(r, n, sd, 0), size*sd)
		}})
		for _, change := range []float64{1.5, 2, 3} {
			list = append(list, family{fmt.Sprintf("%s, change %g sd", name, change),
				func(r *rand.Rand, n int, sd float64) history {
					return stepAt(r, weekend(r, noise(r, n, sd, 0), size*sd), change*sd, sd)
				}})
		}
	}
	for _, f := range odd() {
		list = append(list, f, family{f.name + ", change 2 sd", func(r *rand.Rand, n int, sd float64) history {
			return stepAt(r, f.draw(r, n, sd), 2*sd, sd)
		}})
	}
	return list
}

// odd are weeks that are no weekend of daily runs.
func odd() []family {
	return []family{
		{"weekend 3 sd, outliers", func(r *rand.Rand, n int, sd float64) history {
			return spikes(r, weekend(r, noise(r, n, sd, 0), 3*sd))
		}},
		{"weekend 3 sd, ar .5", func(r *rand.Rand, n int, sd float64) history {
			return weekend(r, noise(r, n, sd, .5), 3*sd)
		}},
		{"weekend 3 sd ends", func(r *rand.Rand, n int, sd float64) history {
			h := noise(r, n, sd, 0)
			part := weekend(r, history{x: h.x[:n/2], day: h.day[:n/2]}, 3*sd)
			copy(h.x, part.x)
			return h
		}},
		{"each day 1.5 sd", func(r *rand.Rand, n int, sd float64) history {
			h := noise(r, n, sd, 0)
			var by [7]float64
			for d := range by {
				by[d] = 1.5 * sd * r.NormFloat64()
			}
			for i, t := range h.day {
				h.x[i] += by[int(t)%7]
			}
			return h
		}},
		{"mondays 3 sd", func(r *rand.Rand, n int, sd float64) history {
			h := noise(r, n, sd, 0)
			first, size := r.IntN(7), 3*sd*sign(r)
			for i, t := range h.day {
				if (int(t)+first)%7 == 0 {
					h.x[i] += size
				}
			}
			return h
		}},
		{"weekend 3 sd, 3 a day", func(r *rand.Rand, n int, sd float64) history { return paced(r, n, sd, 1./3, sd) }},
		{"weekend 3 sd, every 3 days", func(r *rand.Rand, n int, sd float64) history { return paced(r, n, sd, 3, 0) }},
		{"weekend 3 sd, once a week", func(r *rand.Rand, n int, sd float64) history { return paced(r, n, sd, 7, 0) }},
	}
}

// weekend makes two days of seven slower or faster by size.
func weekend(r *rand.Rand, h history, size float64) history {
	first := r.IntN(7)
	size *= sign(r)
	for i, t := range h.day {
		if (int(t)+first)%7 < 2 {
			h.x[i] += size
		}
	}
	return h
}

// paced is a weekend effect of 3 sd with one run per given number of days; runs of one day share a part of
// their noise.
func paced(r *rand.Rand, n int, sd, every, shared float64) history {
	h := noise(r, n, sd, 0)
	mood := 0.0
	for i := range h.day {
		h.day[i] = float64(i) * every
		if i == 0 || math.Floor(h.day[i]) > math.Floor(h.day[i-1]) {
			mood = shared * r.NormFloat64()
		}
		h.x[i] += mood
	}
	return weekend(r, h, 3*sd)
}

// stepAt adds one change of that size, slower or faster.
func stepAt(r *rand.Rand, h history, size, sd float64) history {
	h.step(12+r.IntN(len(h.x)-24), sign(r)*size, sd)
	return h
}
