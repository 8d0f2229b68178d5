package machine

import "math"

// estimate is a shift that others show, with its standard error; n is 0 where
// too few of them ran.
type estimate struct {
	shift, se float64
	n         int
}

// believed is what is taken out of a run: all of an estimate that is certain,
// else the part that runs so far followed such estimates.
func (e estimate) believed(part float64) float64 {
	if e.n == 0 {
		return 0
	}
	certain := math.Abs(e.shift)/e.se - (sure - 1)
	return e.shift * math.Max(part, math.Min(math.Max(certain, 0), 1))
}

// shrinkage learns how much of what others show a series shows too. Where a
// machine does nothing to its jobs, the median of others is mere noise: taking
// it out would add that noise to every series.
type shrinkage struct{ xy, xx, ee, n float64 }

// part is how much of an uncertain estimate is believed.
func (s *shrinkage) part() float64 {
	if s.n <= 20 || s.xx == 0 {
		return 0
	}
	slope := s.xy / s.xx
	if se := math.Sqrt(s.ee / s.n / s.xx); slope <= 7*se {
		return 0
	}
	return math.Min(slope, 1)
}

// learn adds a run that lies off its level where others estimated e. Old runs
// are forgotten over some 500.
func (s *shrinkage) learn(e estimate, off, noise float64) {
	if e.n == 0 {
		return
	}
	off = math.Max(-3*noise, math.Min(3*noise, off))
	const forget = 1 - 1.0/500
	s.xy = forget*s.xy + e.shift*off
	s.xx = forget*s.xx + e.shift*e.shift
	s.ee = forget*s.ee + (off-e.shift)*(off-e.shift)
	s.n = forget*s.n + 1
}

// sharing learns whether a series itself shows what the others surely do. A job
// that the machine did not slow down must not become faster by taking it out.
type sharing struct{ xy, xx, v float64 }

// learn adds a run that lies off its level where others estimated e. A disturbed
// run counts as one that shows all, or the contrary. Runs are forgotten over 30:
// a slow file system is felt by other jobs than a slow clock.
func (s *sharing) learn(e estimate, off, noise float64) {
	if e.n == 0 || math.IsNaN(off) || math.Abs(e.shift) < 2*e.se {
		return
	}
	const forget = 1 - 1.0/30
	most := math.Abs(e.shift)
	xx := e.shift * e.shift
	s.xy = forget*s.xy + e.shift*math.Max(-most, math.Min(most, off))
	s.xx = forget*s.xx + xx
	s.v = forget*forget*s.v + xx*(noise*noise+e.se*e.se)
}

// part is 1 while the series may show a third of what the others do, 0 where it
// surely (by five standard errors) does not. At three and a half, one false change
// more is committed in 4000 runs.
func (s *sharing) part() float64 {
	if s.v == 0 {
		return 1
	}
	return math.Max(0, math.Min(1, 5-(s.xx/3-s.xy)/math.Sqrt(s.v)))
}
