package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Kinds returns the kinds of histories that Recorded draws.
func Kinds() []string {
	return []string{"clean", "outliers", "one", "several", "close", "several, outliers",
		"drift", "noise", "weekly", "repeats", "placed", "short", "small", "correlated", "days alike"}
}

// causedShare is the share of changes at which a recorded field flips.
const causedShare = .85

// DrawRecorded draws a history of one of Kinds with four recorded fields. Each field flips by itself at a pace of its
// own. At a share causedShare of the changes one of them flips as well.
func DrawRecorded(r *rand.Rand, kind string) DrawnHistory {
	p := plan{n: 60 + r.IntN(91), sd: loguniform(r, .005, .1), lo: .02, hi: .5}
	p.place(r, kind)
	var h DrawnHistory
	if kind == "placed" {
		h = DrawOnRandomNodes(r)
	} else {
		h.T = p.times(r, kind)
		p.fill(r, kind, &h)
	}
	h.ID = kind
	h.record(r)
	return h
}

// OnRamp reports whether run i is on the slow movement of the history, or next to it.
func (h *DrawnHistory) OnRamp(i int) bool {
	return h.Ramp != nil && i >= h.Ramp[0]-1 && i <= h.Ramp[1]+1
}

// plan holds the parameters of a history to be simulated: its runs, noise, and changes.
type plan struct {
	n      int
	sd     float64
	at     []int
	lo, hi float64 // sizes of changes
	least  float64 // in noises
}

// place chooses the length of the history and the places and sizes of its changes, by kind.
func (p *plan) place(r *rand.Rand, kind string) {
	switch kind {
	case "one", "weekly", "repeats", "noise":
		p.at = []int{12 + r.IntN(p.n-24)}
		if kind == "repeats" && r.IntN(2) == 0 {
			p.at = apartBy(r, p.n, 12, 40)
		}
	case "small":
		p.sd, p.lo, p.hi = loguniform(r, .005, .03), .02, .06
		p.at = []int{12 + r.IntN(p.n-24)}
	case "several", "several, outliers":
		p.at = apartBy(r, p.n, 10, 40)
	case "correlated", "days alike":
		p.at = apartBy(r, p.n, 15, 45)
	case "close":
		p.sd, p.least = min(p.sd, .05), 4
		i := 10 + r.IntN(p.n-25)
		p.at = []int{i, i + 3 + r.IntN(6)}
	case "short":
		p.n = 8 + r.IntN(23)
		if p.n >= 10 {
			p.at = []int{4 + r.IntN(p.n-7)}
		}
	}
}

// apartBy returns places of changes that are lo to hi runs apart.
func apartBy(r *rand.Rand, n, lo, hi int) []int {
	var at []int
	for i := lo + r.IntN(hi-lo); i < n-4; i += lo + r.IntN(hi-lo) {
		at = append(at, i)
	}
	return at
}

// times returns the times of the runs in days, several a day for kinds in which days repeat.
func (p *plan) times(r *rand.Rand, kind string) []float64 {
	t := days(r, p.n)
	if kind != "repeats" && kind != "days alike" {
		return t
	}
	now := t[0]
	for i := range t {
		t[i] = now
		if now += 1; r.IntN(3) == 0 {
			now -= .8
			if math.Floor(now) > math.Floor(t[i]) {
				now = t[i] + .05
			}
		}
		if r.IntN(12) == 0 {
			now += float64(5 + r.IntN(20))
		}
	}
	return t
}

// fill simulates the values of the runs from the planted changes, the noise and outliers. By kind it adds a slow
// movement, a change of the noise or a weekly pattern, and correlates the noise.
func (p *plan) fill(r *rand.Rand, kind string, h *DrawnHistory) {
	level := p.levels(r, h)
	later, from := 1.0, p.n // the noise grows or shrinks
	switch kind {
	case "drift":
		p.drift(r, h, level)
	case "noise":
		from, later = p.n/4+r.IntN(p.n/2), math.Exp(1.2*(2*r.Float64()-1))
	case "weekly":
		first, size := r.IntN(7), p.sd*(.5+1.5*r.Float64())
		for k, t := range h.T {
			if (int(t)+first)%7 < 2 {
				level[k] += size
			}
		}
	}
	var d disturber
	switch kind {
	case "clean", "several":
	case "outliers", "several, outliers":
		d.share = .02 + .08*r.Float64()
	default:
		d = someDisturbed(r)
	}
	like := newNoiseCorrelation(r, kind)
	for k, x := range level {
		sd := p.sd
		if k >= from {
			sd *= later
		}
		e := like.noise(r, k == 0 || math.Floor(h.T[k]) != math.Floor(h.T[k-1]))
		h.Y = append(h.Y, seconds(x+sd*e+d.add(r)))
	}
}

// noiseCorrelation is the correlation of a run's noise with that of the run before it (last), or the share of
// its variance that the runs of a day have in common (day).
type noiseCorrelation struct{ last, day, before, today float64 }

// newNoiseCorrelation returns the correlation of the noise for a kind of history.
func newNoiseCorrelation(r *rand.Rand, kind string) noiseCorrelation {
	switch kind {
	case "correlated":
		return noiseCorrelation{last: .4}
	case "days alike":
		return noiseCorrelation{day: .3 + .3*r.Float64()}
	}
	return noiseCorrelation{}
}

// noise draws the noise of the next run, with standard deviation 1.
func (l *noiseCorrelation) noise(r *rand.Rand, newDay bool) float64 {
	e := r.NormFloat64()
	switch {
	case l.last > 0:
		e = l.last*l.before + math.Sqrt(1-l.last*l.last)*e
		l.before = e
	case l.day > 0:
		if newDay {
			l.today = r.NormFloat64()
		}
		e = math.Sqrt(l.day)*l.today + math.Sqrt(1-l.day)*e
	}
	return e
}

// levels simulates the changes, each at the start of a day and three or more runs after the one before, and
// returns the level of every run.
func (p *plan) levels(r *rand.Rand, h *DrawnHistory) []float64 {
	bounds := []int{0}
	for _, i := range p.at {
		for i < p.n && math.Floor(h.T[i]) == math.Floor(h.T[i-1]) {
			i++
		}
		if i < p.n-2 && i > bounds[len(bounds)-1]+2 {
			bounds = append(bounds, i)
		}
	}
	bounds = append(bounds, p.n)
	level := make([]float64, p.n)
	for q, i := range bounds[1 : len(bounds)-1] {
		d := effect(r, p.lo, p.hi)
		d = math.Copysign(max(math.Abs(d), p.least*p.sd), d)
		h.Changes = append(h.Changes, PlantedChange{i, d, Strength(d, p.sd, i-bounds[q], bounds[q+2]-i)})
		for k := i; k < p.n; k++ {
			level[k] += d
		}
	}
	return level
}

// drift adds to level a slow movement of 5 to 50 % over 20 to 50 runs, which stays afterwards, and sets h.Ramp.
func (p *plan) drift(r *rand.Rand, h *DrawnHistory, level []float64) {
	from, long, d := 15+r.IntN(p.n/3), 20+r.IntN(31), effect(r, .05, .5)
	h.Ramp = []int{from, min(from+long, p.n)}
	for k := from; k < p.n; k++ {
		level[k] += d * min(1, float64(k-from)/float64(long))
	}
}

// record adds four fields that flip every 15 to 200 runs by themselves, and one of them at a change with
// probability causedShare.
func (h *DrawnHistory) record(r *rand.Rand) {
	names := []string{"binary", "compiler", "modules", "partition"}
	value, pace := make([]int, len(names)), make([]float64, len(names))
	for f := range names {
		pace[f] = loguniform(r, 15, 200)
	}
	h.Meta = make(map[string][]string)
	next := 0
	for k := range h.Y {
		for f := range names {
			if r.Float64() < 1/pace[f] && (k == 0 || math.Floor(h.T[k]) != math.Floor(h.T[k-1])) {
				value[f]++
			}
		}
		if next < len(h.Changes) && h.Changes[next].Index == k {
			next++
			if r.Float64() < causedShare {
				value[r.IntN(len(names))]++
			}
		}
		for f, name := range names {
			h.Meta[name] = append(h.Meta[name], fmt.Sprintf("v%d", value[f]))
		}
	}
}
