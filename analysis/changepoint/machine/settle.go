package machine

import (
	"math"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/internal/robust"
)

// estimateFromAll estimates the shifts from all runs, before and after. It finds levels and shifts alternately,
// with decreasing thresholds: at first only changes too large for a machine begin levels, so that shifts of the
// machine are not taken for changes.
func (f *machineRuns) estimateFromAll(levels LevelFinder) {
	own := make([][]int, len(f.members)) // runs of each
	for q, r := range f.runs {
		own[r.member] = append(own[r.member], q)
	}
	for _, factor := range []float64{3.3, 1.7, 1} {
		place, noise := make([][]float64, len(f.members)), make([]float64, len(f.members))
		parallel.Each(len(f.members), func(i int) {
			place[i], noise[i] = f.members[i].deviations(levels, factor)
			f.members[i].own = sharing{}
		})
		for q, r := range f.runs {
			f.runs[q].off, f.runs[q].noise = place[r.member][r.run], noise[r.member]
		}
		near := f.bestWidth()
		parallel.Each(len(f.members), func(i int) { f.setShifts(f.members[i], own[i], near) })
	}
}

// setShifts estimates the shifts of a member, whose runs own are given in the order of start, from the given
// number of runs of others on either side; 0 sets no shifts.
func (f *machineRuns) setShifts(m *Member, own []int, near int) {
	clear(m.shift)
	if near == 0 {
		return
	}
	look := f.panel()
	defer f.spare.Put(look)
	for _, q := range own {
		r := &f.runs[q]
		est := f.estimateAround(q, near, look)
		m.own.learn(est, r.off, r.noise)
		m.shift[r.run] = m.own.weight() * est.shift
	}
}

// deviations finds the levels of the series after subtracting the present estimate of the machine's shifts. It
// returns the difference of each run from its level, in which the shift is still included, and the noise of the
// series without the shifts; both are in log units. strict is passed to levels: a change needs strict times the
// usual evidence.
func (m *Member) deviations(levels LevelFinder, strict float64) (off []float64, noise float64) {
	x := make([]float64, len(m.X))
	for k := range x {
		x[k] = m.X[k] - m.shift[k]
	}
	off = make([]float64, len(x))
	left := make([]float64, len(x))
	first := 0
	level := func(end int) {
		l := robust.Median(x[first:end])
		for k := first; k < end; k++ {
			off[k], left[k] = m.X[k]-l, x[k]-l
		}
		first = end
	}
	for _, at := range levels(m.at, x, strict) {
		level(at)
	}
	level(len(x))
	return off, math.Max(robust.MAD(left), leastSpread)
}

// triedRuns is the number of runs, evenly spread, by which the width is chosen.
const triedRuns = 2000

// bestWidth returns the number of runs of others on either side from which the shift of a run is predicted
// best; 0 if no width is 3 % better than no shift.
func (f *machineRuns) bestWidth() int {
	step := max(1, len(f.runs)/triedRuns)
	var plain, left []float64
	for q := 0; q < len(f.runs); q += step {
		plain = append(plain, math.Abs(f.runs[q].off))
	}
	best, least := 0, .97*robust.Median(plain)
	for _, width := range []int{4, 8, 16, 32} {
		left = left[:0]
		for q := 0; q < len(f.runs); q += step {
			left = append(left, math.Abs(f.runs[q].off-f.estimateAround(q, width, &f.look).shift))
		}
		if e := robust.Median(left); e < least {
			best, least = width, e
		}
	}
	return best
}

// estimateAround estimates the shift at run q from width runs of unrelated members on either side of its start.
func (f *machineRuns) estimateAround(q, width int, look *panel) estimate {
	look.begin()
	owner := f.runs[q].owner
	for _, step := range []int{-1, 1} {
		taken := 0
		for k := q + step; k >= 0 && k < len(f.runs) && taken < width && (k-q)*step < 20*width; k += step {
			if o := &f.runs[k]; o.owner != owner {
				taken++
				look.add(o)
			}
		}
	}
	return look.estimate()
}
