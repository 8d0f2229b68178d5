package calendar

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

// weekForm is the form of a weekday pattern, simplest first.
type weekForm int

const (
	noWeek   weekForm = iota
	twoDays           // two days that follow each other differ from the rest
	eachDays          // each weekday has an effect of its own
)

// pattern is a weekday pattern in log units.
type pattern struct {
	form weekForm
	// effect is that of each weekday, 0 for most: the level is that of most days, and does not change when a
	// weekend ends.
	effect [7]float64
	days   [7]float64 // number of days of each weekday
	// first is the first of two days, and difference is by how much they exceed the others. se is the standard
	// error of difference, or of one day if each has an effect, with df degrees of freedom.
	first          int
	difference, se float64
	df             float64
	noise          float64 // of a day
}

// isNear reports whether two patterns have the same form and negligibly different effects.
func (f *pattern) isNear(g *pattern) bool {
	far := 0.0
	for d := range f.effect {
		far = max(far, math.Abs(f.effect[d]-g.effect[d]))
	}
	return f.form == g.form && far < .05*f.noise
}

// unclipped is the share of normal noise within two MAD: the standard error of a mean of clipped values is
// divided by it. Without it 95 % intervals hold in .928 of weekends of 2 to 6 standard deviations.
const unclipped = .954

// weekTally holds sums over days, by weekday, of the distances of their runs from their levels, with outliers
// clipped.
type weekTally struct {
	n, sum  [7]float64
	squares float64 // of all days
	parts   float64 // levels
}

// tally sums, by weekday, the mean distance of the runs of each day in [from,end) from their levels. Levels and
// outliers are determined after the pattern known is subtracted; the sums contain it again. Distances are limited to
// clipAt MAD. If known has a form, runs more than farAt MAD away are left out. It also sets the distances w.off and the
// shares w.share.
func (w *Week) tally(from, end int, committed []WeekChange, known pattern) weekTally {
	for k := from; k < end; k++ {
		w.off[k] = w.src[k] - known.effect[weekday(w.day[k])]
	}
	t := weekTally{parts: w.subtractLevels(from, end, committed)}
	off := w.off[from:end]
	w.buf = w.buf[:0]
	for _, v := range off {
		w.buf = append(w.buf, math.Abs(v))
	}
	scale := max(robust.SD*robust.MedianWithBuffer(&w.rank, w.buf), scatter.LeastNoise)
	clip, far := clipAt*scale, math.Inf(1)
	if known.form != noWeek {
		far = farAt * scale
	}
	for k := from; k < end; {
		first, sum, n, day := k, 0.0, 0.0, w.day[k]
		for ; k < end && w.day[k] == day; k++ {
			if math.Abs(w.off[k]) <= far {
				sum += max(-clip, min(clip, w.off[k]))
				n++
			}
		}
		for q := first; q < k; q++ {
			w.share[q] = 1 / float64(k-first)
		}
		if n > 0 {
			d := weekday(day)
			v := sum/n + known.effect[d]
			t.n[d]++
			t.sum[d] += v
			t.squares += v * v
		}
	}
	return t
}

// centreOnMedians replaces the effects of a pattern, which were estimated from clipped runs, by medians, because they
// may be far larger than the noise. In the form twoDays it is the median of the runs on days with an effect less that
// of the other runs, else the median of the runs on each weekday. Effects of 0 stay.
func (w *Week) centreOnMedians(from, end int, f *pattern) {
	var level float64
	middle := func(of func(d int) bool) float64 {
		w.buf = w.buf[:0]
		for k := from; k < end; k++ {
			if of(weekday(w.day[k])) {
				w.buf = append(w.buf, w.off[k])
			}
		}
		return robust.MedianWithBuffer(&w.rank, w.buf)
	}
	if f.form == twoDays {
		level = middle(func(d int) bool { return f.effect[d] == 0 })
	}
	for d, days := range f.days {
		if days > 0 && f.effect[d] != 0 {
			f.effect[d] = middle(func(e int) bool { return e == d || f.form == twoDays && f.effect[e] != 0 }) - level
		}
	}
}

// subtractLevels subtracts from each run in [from,end) the median of its level, and returns the number of levels.
// Levels begin and end at the committed changes, and after the last of them at one more step if it is probable
// (scatter.RunsBeforeStep).
func (w *Week) subtractLevels(from, end int, committed []WeekChange) float64 {
	parts, first := 0.0, from
	part := func(last int) {
		if last <= first {
			return
		}
		level := robust.MedianWithBuffer(&w.buf, w.off[first:last])
		for k := first; k < last; k++ {
			w.off[k] -= level
		}
		first = last
		parts++
	}
	for _, e := range committed {
		part(min(max(e.Index, from), end))
		part(min(max(e.Resumed, from), end))
	}
	part(first + scatter.RunsBeforeStep(w.buf, w.off[first:end]))
	part(end)
	return parts
}

// simplestPattern returns the pattern of two days, or an empty one if it is not significant. Only if the weekdays
// differ significantly beyond that, it returns a pattern with an effect for each weekday.
func (t *weekTally) simplestPattern() pattern {
	pair := t.bestPair()
	if free := t.separateDays(pair); free.form != noWeek {
		return free
	}
	return pair
}

// totals returns the number of days and the sum of their distances.
func (t *weekTally) totals() (n, sum float64) {
	for d := range t.n {
		n, sum = n+t.n[d], sum+t.sum[d]
	}
	return n, sum
}

// bestPair returns the two consecutive weekdays that differ most from the rest, by the largest Student's t of seven; an
// empty pattern if chance reaches it with a probability above maxChance. The effect is shrunk towards 0. It is that of
// the two days, or with the opposite sign that of the other days if these are fewer.
func (t *weekTally) bestPair() pattern {
	var best pattern
	most := 0.0
	n, sum := t.totals()
	df := n - 1 - t.parts
	if df < 1 {
		return best
	}
	for d := range 7 {
		e := (d + 1) % 7
		in, of := t.n[d]+t.n[e], t.sum[d]+t.sum[e]
		if in < float64(leastDays) || n-in < float64(leastDays) {
			continue
		}
		apart := of/in - (sum-of)/(n-in)
		within := t.squares - of*of/in - square(sum-of)/(n-in)
		noise := math.Sqrt(max(within/df, square(scatter.LeastNoise))) / unclipped
		se := noise * math.Sqrt(1/in+1/(n-in))
		if z := math.Abs(apart) / se; z > most {
			most = z
			best = pattern{form: twoDays, days: t.n, first: d, difference: apart, se: se, df: df, noise: noise}
		}
	}
	if most < 2.5 || 14*(distuv.StudentsT{Sigma: 1, Nu: df}).Survival(most) > maxChance {
		return pattern{}
	}
	// The largest of seven effects is overestimated, so it is shrunk towards 0.
	given := best.difference * (1 - 1/square(most))
	in := t.n[best.first] + t.n[(best.first+1)%7]
	for d := range 7 {
		switch {
		case best.includesDay(d) && 2*in <= n:
			best.effect[d] = given
		case !best.includesDay(d) && 2*in > n:
			best.effect[d] = -given
		}
	}
	return best
}

// includesDay reports whether weekday d is one of the two days that differ.
func (f *pattern) includesDay(d int) bool { return d == f.first || d == (f.first+1)%7 }

// separateDays tests whether weekdays differ beyond pair, by an F test of those that have enough days, and
// returns the pattern with an effect for each; without significance it returns an empty pattern.
func (t *weekTally) separateDays(pair pattern) pattern {
	var in, of, n, sum, judged, present, all, between float64
	within := t.squares
	for d, days := range t.n {
		if days == 0 {
			continue
		}
		all, present = all+days, present+1
		within -= square(t.sum[d]) / days
		if days < float64(leastEach) {
			continue
		}
		n, sum, judged = n+days, sum+t.sum[d], judged+1
		between += square(t.sum[d]) / days
		if pair.form != noWeek && pair.includesDay(d) {
			in, of = in+days, of+t.sum[d]
		}
	}
	more, df := judged-1, all-t.parts-present+1
	if more < 2 || df < 5 {
		return pattern{}
	}
	if pair.form == noWeek {
		between -= square(sum) / n
	} else {
		if in == 0 || in == n {
			return pattern{}
		}
		between -= square(of)/in + square(sum-of)/(n-in)
		more--
	}
	noise := max(within/df, square(scatter.LeastNoise)) / square(unclipped)
	f := between / more / noise
	if f < 2 || 1-(distuv.F{D1: more, D2: df}).CDF(f) > maxChance {
		return pattern{}
	}
	found := pattern{form: eachDays, days: t.n, se: math.Sqrt(noise), df: df, noise: math.Sqrt(noise)}
	t.setEffects(&found, pair, sum/n, 1-1/f)
	return found
}

// setEffects sets the effect of every weekday: that of pair, plus, for a weekday with enough days, the given part of
// the difference between its own mean and that effect. part allows for chance; mean is the mean of all. The effects are
// then shifted so that their median, over the weekdays with runs, is 0.
func (t *weekTally) setEffects(found *pattern, pair pattern, mean, part float64) {
	var present []float64
	for d, days := range t.n {
		found.effect[d] = pair.effect[d]
		if days >= float64(leastEach) {
			found.effect[d] += (t.sum[d]/days - mean - pair.effect[d]) * part
		}
		if days > 0 {
			present = append(present, found.effect[d])
		}
	}
	level := robust.Median(present)
	for d := range found.effect {
		found.effect[d] -= level
	}
}
