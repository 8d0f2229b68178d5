package changepoint

// Two days of seven that follow each other may be faster or slower than the
// others: fewer users, other kinds of nodes. Levels are then compared without
// that, or the week counts as noise: weekends of one to two times the noise made
// intervals a quarter wider than need be.
const (
	// weekendScore is how many standard errors the two days must differ by, the
	// most of seven pairs of days.
	weekendScore = 3.5
	// weekendRuns is the fewest runs on the two days.
	weekendRuns = 6
)

// workdays returns the runs without the difference of two days of the week, if
// there is one.
func (sc *scanner) workdays(ev []event) []float64 {
	if sc.day == nil || len(sc.x) < 3*weekendRuns {
		return sc.x
	}
	var w, sum [7]float64
	squares := 0.0
	sc.levels(ev, func(first, end int, st stay) {
		if end-first < sc.p.MinSegment {
			return
		}
		l := newLoss(st.s, sc.p)
		for i := first; i < end; i++ {
			r := sc.x[i] - st.mu
			d, k := weekday(sc.day[i]), l.weight(r)
			w[d], sum[d], squares = w[d]+k, sum[d]+k*r, squares+k*r*r
		}
	})
	first, shift := weekend(w, sum, squares)
	if shift == 0 {
		return sc.x
	}
	x := make([]float64, len(sc.x))
	for i, v := range sc.x {
		x[i] = v
		if d := weekday(sc.day[i]); d == first || d == (first+1)%7 {
			x[i] -= shift
		}
	}
	return x
}

// weekday is 0 to 6.
func weekday(day int) int { return (day%7 + 7) % 7 }

// weekend returns the first of the two days that differ most, and by how much
// they do, drawn to 0 as far as it is unsure; 0 if that is by chance. w, sum and squares are
// weights, sums and squares of the residuals.
func weekend(w, sum [7]float64, squares float64) (first int, shift float64) {
	allW, all := 0.0, 0.0
	for d := range w {
		allW, all = allW+w[d], all+sum[d]
	}
	best := sq(weekendScore)
	for d := range w {
		in, s := w[d]+w[(d+1)%7], sum[d]+sum[(d+1)%7]
		out := allW - in
		if in < weekendRuns || out < weekendRuns {
			continue
		}
		diff := s/in - (all-s)/out
		left := (squares - s*s/in - sq(all-s)/out) / (allW - 2)
		if z2 := sq(diff) / (left * (1/in + 1/out)); z2 > best {
			best, first, shift = z2, d, diff*(1-1/z2)
		}
	}
	return first, shift
}
