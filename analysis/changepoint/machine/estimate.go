package machine

import "math"

// estimate is a shift of the machine, in log units, estimated from other series, with its standard error; n is
// their number, 0 if too few of them ran.
type estimate struct {
	shift, se float64
	n         int
}

// applied returns the part of an estimate that is subtracted from a run: all of a certain one, else the given
// part, by which earlier runs followed such estimates.
func (e estimate) applied(part float64) float64 {
	if e.n == 0 {
		return 0
	}
	certain := math.Abs(e.shift)/e.se - (sure - 1)
	return e.shift * math.Max(part, math.Min(math.Max(certain, 0), 1))
}

// shrinkage estimates by which factor series follow the shifts that others show. If a machine does not affect
// its jobs, the median of others is only noise, and subtracting it would add that noise to every series.
type shrinkage struct{ xy, xx, ee, n float64 }

// weight returns the factor, 0 to 1, by which an uncertain estimate is applied: the slope of the deviations of runs
// over the estimates, or 0 if it is not more than seven standard errors above 0 or is known from 20 runs or fewer.
func (s *shrinkage) weight() float64 {
	if s.n <= 20 || s.xx == 0 {
		return 0
	}
	slope := s.xy / s.xx
	if se := math.Sqrt(s.ee / s.n / s.xx); slope <= 7*se {
		return 0
	}
	return math.Min(slope, 1)
}

// learn adds a run that deviates from its level by off, for which others gave estimate e. The weight of old
// runs decays over about 500 runs.
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

// sharing estimates whether one series follows the certain shifts of the others. A shift must not be subtracted
// from a job that the machine did not slow down.
type sharing struct{ xy, xx, v float64 }

// learn adds a run that deviates from its level by off, for which others gave estimate e. It ignores estimates below
// two standard errors and runs without a known level. The deviation is limited to the estimate. The weight of old runs
// decays over 30 runs: a slow file system affects other jobs than a slow clock.
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

// weight returns 1 if the series may follow a third of the others' shifts or more, 0 if it certainly (by five
// standard errors) does not, and values between. At three and a half, one false change more is committed in
// 4000 runs.
func (s *sharing) weight() float64 {
	if s.v == 0 {
		return 1
	}
	return math.Max(0, math.Min(1, 5-(s.xx/3-s.xy)/math.Sqrt(s.v)))
}
