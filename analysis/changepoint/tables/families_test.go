package tables

import (
	"math"
	"math/rand/v2"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

// history is one simulated series: log values and the day of each run.
type history struct {
	x   []float64
	day []float64
	// changes are the true ones; a null family has none.
	changes []draw.PlantedChange
	// noisy is the run at which the noise changes by factor; 0: it does not.
	noisy  int
	factor float64
}

// series is the history as it is judged.
func (h history) series() changepoint.Series {
	s := changepoint.Series{T: h.day, Y: make([]float64, len(h.x))}
	for i, x := range h.x {
		s.Y[i] = math.Exp(x)
	}
	return s
}

// step adds a change at run i, moved to the next new day.
func (h *history) step(i int, d, sd float64) {
	for i < len(h.x) && math.Floor(h.day[i]) == math.Floor(h.day[i-1]) {
		i++
	}
	for q := i; q < len(h.x); q++ {
		h.x[q] += d
	}
	h.changes = append(h.changes, draw.PlantedChange{Index: i, Log: d, Z: draw.Strength(d, sd, i, len(h.x)-i)})
}

// sign draws the sign of a change: six in ten make runs slower.
func sign(r *rand.Rand) float64 {
	if r.Float64() < 0.6 {
		return 1
	}
	return -1
}

// family draws one history of n runs; sd is the noise.
type family struct {
	name string
	draw func(r *rand.Rand, n int, sd float64) history
}

// nulls are the noise families in which the detector must find nothing. The first two are those that it
// assumes; the others resemble production.
func nulls() []family {
	return []family{
		{"independent", func(r *rand.Rand, n int, sd float64) history { return noise(r, n, sd, 0) }},
		{"outliers", func(r *rand.Rand, n int, sd float64) history { return spikes(r, noise(r, n, sd, 0)) }},
		{"ar .3", func(r *rand.Rand, n int, sd float64) history { return noise(r, n, sd, 0.3) }},
		{"ar .5", func(r *rand.Rand, n int, sd float64) history { return noise(r, n, sd, 0.5) }},
		{"ar .7", func(r *rand.Rand, n int, sd float64) history { return noise(r, n, sd, 0.7) }},
		{"t3", heavy},
		{"weekly", weekly},
		{"two levels 8 %", twoLevels(0.08, 0.5, 0)},
		{"two levels 20 %", twoLevels(0.20, 0.5, 0)},
		{"two levels 20 %, 3 in 10", twoLevels(0.20, 0.3, 0)},
		{"sticky .8, 8 %", twoLevels(0.08, 0.5, 0.6)},
		{"sticky .8, 20 %", twoLevels(0.20, 0.5, 0.6)},
		{"sticky .9, 8 %", twoLevels(0.08, 0.5, 0.8)},
		{"sticky .9, 20 %", twoLevels(0.20, 0.5, 0.8)},
	}
}

// daily gives every run a separate day, except one in ten, with gaps.
func daily(r *rand.Rand, n int) []float64 {
	t := make([]float64, n)
	at := 0.0
	for i := range t {
		t[i] = at
		switch u := r.Float64(); {
		case u < 0.1:
			at += 0.2
		case u < 0.2:
			at += 2
		default:
			at++
		}
	}
	return t
}

// noise is AR(1) noise of standard deviation sd and correlation phi.
func noise(r *rand.Rand, n int, sd, phi float64) history {
	h := history{x: make([]float64, n), day: daily(r, n)}
	e := r.NormFloat64()
	for i := range h.x {
		h.x[i] = math.Log(100) + sd*e
		e = phi*e + math.Sqrt(1-phi*phi)*r.NormFloat64()
	}
	return h
}

// spikes makes 2 to 10 % of the runs outliers, by 10 to 300 %: a quarter of the
// events are two or three runs, nearly all slow.
func spikes(r *rand.Rand, h history) history {
	share := (0.02 + 0.08*r.Float64()) / 1.375 // runs of an event on average
	for i := 0; i < len(h.x); i++ {
		if r.Float64() >= share {
			continue
		}
		run := 1
		if r.Float64() < 0.25 {
			run = 2 + r.IntN(2)
		}
		size := math.Log1p(0.1 * math.Pow(30, r.Float64()))
		if r.Float64() < 0.06 {
			size = -size / 2
		}
		for ; run > 0 && i < len(h.x); run-- {
			h.x[i] += size * (0.6 + 0.8*r.Float64())
			i++
		}
	}
	return h
}

// heavy is Student's t with three degrees of freedom.
func heavy(r *rand.Rand, n int, sd float64) history {
	h := noise(r, n, sd, 0)
	for i := range h.x {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		h.x[i] = math.Log(100) + sd*r.NormFloat64()/math.Sqrt((a*a+b*b+c*c)/3)
	}
	return h
}

// weekly makes two days of seven slower or faster by one to two sd.
func weekly(r *rand.Rand, n int, sd float64) history {
	return weekend(r, noise(r, n, sd, 0), sd*(1+r.Float64()))
}

// twoLevels draws each run on one of two kinds of node: the slower by gap with
// probability slow; with probability stay it keeps the last run's.
func twoLevels(gap, slow, stay float64) func(*rand.Rand, int, float64) history {
	return func(r *rand.Rand, n int, sd float64) history {
		h := noise(r, n, sd, 0)
		on := r.Float64() < slow
		for i := range h.x {
			if r.Float64() >= stay {
				on = r.Float64() < slow
			}
			if on {
				h.x[i] += math.Log1p(gap)
			}
		}
		return h
	}
}
