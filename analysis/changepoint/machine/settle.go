package machine

import (
	"math"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/internal/robust"
)

// settle estimates shifts from all runs, before and after. Levels and shifts
// are found in turn, with thresholds that come down: at first only changes that
// no machine makes are levels, so that what the machine did is not taken for
// them.
func (f *fleet) settle(levels Levels) {
	own := make([][]int, len(f.members)) // runs of each
	for q, r := range f.runs {
		own[r.member] = append(own[r.member], q)
	}
	for _, factor := range []float64{3.3, 1.7, 1} {
		place, noise := make([][]float64, len(f.members)), make([]float64, len(f.members))
		parallel.Each(len(f.members), func(i int) {
			place[i], noise[i] = f.members[i].off(levels, factor)
			f.members[i].own = sharing{}
		})
		for q, r := range f.runs {
			f.runs[q].off, f.runs[q].noise = place[r.member][r.run], noise[r.member]
		}
		near := f.bestWidth()
		parallel.Each(len(f.members), func(i int) { f.shift(f.members[i], own[i], near) })
	}
}

// shift estimates the shifts of a member, whose runs are given in the order of start, from near runs of others
// on either side.
func (f *fleet) shift(m *Member, own []int, near int) {
	clear(m.shift)
	if near == 0 {
		return
	}
	look := f.panel()
	defer f.spare.Put(look)
	for _, q := range own {
		r := &f.runs[q]
		est := f.around(q, near, look)
		m.own.learn(est, r.off, r.noise)
		m.shift[r.run] = m.own.part() * est.shift
	}
}

// off is how far each run lies from the level that the scan finds with the
// present shifts taken out, and how far by itself.
func (m *Member) off(levels Levels, strict float64) (off []float64, noise float64) {
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

// triedRuns is how many runs, spread evenly, decide on a width.
const triedRuns = 2000

// bestWidth is how many runs of others on either side tell the shift of a run
// best, each series' being predicted by the rest; 0 where none beats no shift
// by 3 %.
func (f *fleet) bestWidth() int {
	step := max(1, len(f.runs)/triedRuns)
	var plain, left []float64
	for q := 0; q < len(f.runs); q += step {
		plain = append(plain, math.Abs(f.runs[q].off))
	}
	best, least := 0, .97*robust.Median(plain)
	for _, width := range []int{4, 8, 16, 32} {
		left = left[:0]
		for q := 0; q < len(f.runs); q += step {
			left = append(left, math.Abs(f.runs[q].off-f.around(q, width, &f.look).shift))
		}
		if e := robust.Median(left); e < least {
			best, least = width, e
		}
	}
	return best
}

// around estimates the shift at run q from width runs of unrelated members on either side of its start.
func (f *fleet) around(q, width int, look *panel) estimate {
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
