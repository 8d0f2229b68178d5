package tracker

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/dtw"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// ExpectedLow is a stretch of the cycles at a low level of activity, one of the gray areas of
// Phase-TA VI, as it is expected of the next cycle.
type ExpectedLow struct {
	// OffsetS is the time from the cycle's beginning, ErrorS its usual error.
	OffsetS, DurationS, ErrorS float64
	// Repeatability is the share of cycles in which it was recognised.
	Repeatability float64
	// LastS is when the last recognised one began, in seconds since the first sample; NaN if there was none.
	LastS float64
}

// signature is the shape by which a low stretch is recognised: an excerpt of the representative pattern around
// its beginning. Times are samples of the tracker.
type signature struct {
	offset, length, period float64   // in cycles of that period
	lead                   []float64 // activity by points, half of them before it begins
	limit                  float64   // DTW distance up to which a window is it
	seen, of               int       // cycles in which it was recognised, and all cycles
	next                   float64   // when it is expected to begin
	deviation              float64
	last                   float64
}

const (
	// mostLow is the most low stretches of a loop that are followed, the longest ones.
	mostLow = 3
	// leastLead and mostLead are half a signature's points: each half takes half the
	// stretch if it can.
	leastLead, mostLead = 2, 8
	// maxRelativeDistance is the largest distance of a stretch from its signature, relative to that of a cycle
	// whose activity does not change there.
	maxRelativeDistance = 0.5
	// maxLateShare is the share of a cycle within which a stretch is searched around its expected place.
	maxLateShare = 0.125
	// halfLifeCycles is the number of cycles after which the counts of earlier ones are halved.
	halfLifeCycles = 256
)

// activity returns the index of the first column that distinguishes work from waiting, -1 without one.
func activity(columns []series.Column) int {
	for _, name := range []string{"ipc", "busy_cpus", "proc_cpu"} {
		if j := slices.IndexFunc(columns, func(c series.Column) bool { return c.Name == name }); j >= 0 {
			return j
		}
	}
	return -1
}

// learnLow learns the low stretches of the cycles of a period, at most the mostLow longest. It compares means of thin
// samples of the set. A sample of the set is merge samples of the tracker.
func (l *Loop) learnLow(set series.Set, p periodicity.Period, thin, merge int) {
	if l.activity = activity(set.Columns); l.activity < 0 {
		return
	}
	only := set
	only.Columns = set.Columns[l.activity : l.activity+1]
	shape := pattern.RepresentAt(only, []periodicity.Period{p}, 2*mostPoints)[0]
	slices.SortFunc(shape.Low, func(a, b pattern.LowRegion) int { return cmp.Compare(b.DurationS, a.DurationS) })
	x := thinned(only.Columns[0].Values, thin)
	for _, low := range shape.Low {
		s := signature{offset: low.OffsetS / set.StepS, length: low.DurationS / set.StepS, period: p.PeriodS / set.StepS,
			last: math.NaN(), next: math.NaN()}
		if len(l.low) < mostLow && s.learn(shape.Values, x, spread(p.Instances, learnedFrom), float64(thin)) {
			for _, t := range []*float64{&s.offset, &s.length, &s.period, &s.deviation} {
				*t *= float64(merge)
			}
			l.low = append(l.low, s)
		}
	}
}

// thinned returns a column as means of n samples each; if all of them are missing, the mean before is
// repeated, at first 0. Samples after the last n are left out.
func thinned(v series.Values, n int) []float64 {
	out, last := make([]float64, len(v)/n), 0.0
	for i := range out {
		sum, m := 0.0, 0
		for _, x := range v[i*n : (i+1)*n] {
			if !series.IsMissing(x) {
				sum, m = sum+float64(x), m+1
			}
		}
		if m > 0 {
			last = sum / float64(m)
		}
		out[i] = last
	}
	return out
}

// learn sets the signature's excerpt from the shape of a cycle, and its limit from the distances of the cycles. x is
// the activity as means of thin samples each, in has the cycles in samples. It returns false if the cycles are hardly
// nearer to the excerpt than a constant is, or if too few lie within x.
func (s *signature) learn(shape series.Values, x []float64, in []periodicity.Instance, thin float64) bool {
	m := int(min(max(s.length/thin/2, leastLead), mostLead))
	n := float64(len(shape))
	for i := range 2 * m {
		u := math.Mod((s.offset+(float64(i-m)+0.5)*thin)/s.period*n-0.5+2*n, n)
		k, part := int(u), u-math.Floor(u)
		s.lead = append(s.lead, float64(shape[k])*(1-part)+float64(shape[(k+1)%len(shape)])*part)
	}
	flat := math.Inf(1) // what a cycle is like in which nothing changes there
	var d dtw.Scratch
	for _, level := range []float64{s.lead[0], s.lead[m]} {
		same := slices.Repeat([]float64{level}, 2*m)
		flat = min(flat, s.distance(&d, same))
	}
	var own, off []float64
	for _, c := range in {
		at := int(math.Round((float64(c.First) + s.offset*float64(c.Length)/s.period) / thin))
		best, where := math.Inf(1), 0
		for k := -m; k <= m; k++ {
			if from := at + k - m; from >= 0 && from+2*m <= len(x) {
				if is := s.distance(&d, x[from:from+2*m]); is < best {
					best, where = is, k
				}
			}
		}
		if !math.IsInf(best, 1) {
			own, off = append(own, best), append(off, math.Abs(float64(where))*thin)
		}
	}
	if len(own) < leastRun {
		return false
	}
	s.deviation, _ = robust.Mean(off)
	sorted := slices.Sorted(slices.Values(own))
	usual := robust.SortedQuantile(sorted, 0.75)
	s.limit = (usual + flat) / 2
	for _, v := range own {
		if s.of++; v <= s.limit {
			s.seen++
		}
	}
	return usual < maxRelativeDistance*flat
}

// distance returns the DTW distance of a window from the excerpt, per point.
func (s *signature) distance(d *dtw.Scratch, window []float64) float64 {
	return math.Sqrt(d.Squared(window, s.lead, len(s.lead)/4) / float64(len(s.lead)))
}

// lows follows the low stretches of a pulse's loop.
type lows struct {
	signs   []signature
	ring    []float64 // activity by points, twice the room
	sum     float64
	last    float64
	at, n   int
	scratch dtw.Scratch
}

// newLows prepares to follow the low stretches of a loop.
func newLows(l Loop) lows {
	return lows{signs: slices.Clone(l.low), ring: make([]float64, 4*2*mostLead)}
}

// add adds a sample's activity; a missing one repeats the last.
func (w *lows) add(v float32) {
	if !series.IsMissing(v) {
		w.last = float64(v)
	}
	w.sum += w.last
}

// search stores the mean of the last every samples as a point and compares the last points with the signatures of
// stretches that are due. It is called after each every samples. now is the number of samples so far; the last cycle,
// of the given length in samples, ended at end.
func (w *lows) search(every int, now, end, length float64) {
	room := len(w.ring) / 2
	w.ring[w.at], w.ring[w.at+room] = w.sum/float64(every), w.sum/float64(every)
	w.at, w.n, w.sum = (w.at+1)%room, w.n+1, 0
	for i := range w.signs {
		w.signs[i].expect(end, length, now)
		w.recognise(&w.signs[i], float64(every), now, length)
	}
}

// expect sets the place, in samples, where the next stretch is expected. It is at the signature's offset in a cycle of
// the given length, counted in whole cycles from end, where the last cycle ended. Of these places it is the one nearest
// to the place expected before or, at first, to now.
func (s *signature) expect(end, length, now float64) {
	first := end + s.offset*length/s.period
	if math.IsNaN(s.next) {
		s.next = now
	}
	s.next = first + length*math.Round((s.next-first)/length)
}

// recognise compares the last points with a signature within maxLateShare of a cycle around the expected place of its
// stretch, and counts the stretch as recognised, or as missed once that time has passed. A recognised stretch corrects
// the signature's offset.
func (w *lows) recognise(s *signature, every, now, length float64) {
	n := len(s.lead)
	begin := now - float64(n/2)*every
	switch {
	case begin < s.next-maxLateShare*length || w.n < n:
		return
	case begin > s.next+maxLateShare*length: // it did not come
		s.count(length)
		return
	}
	room := len(w.ring) / 2
	from := (w.at - n + 2*room) % room
	window := w.ring[from : from+n]
	if s.distance(&w.scratch, window) > s.limit {
		return
	}
	first := n
	w.scratch.Align(window, s.lead, n/4, func(i, j int) {
		if j == n/2 {
			first = min(first, i)
		}
	})
	s.last = now - float64(n-first)*every
	off := s.last - s.next
	s.deviation += (math.Abs(off) - s.deviation) / 8
	s.offset += off / 16 * s.period / length
	s.seen++
	s.count(length)
}

// count counts one searched cycle, of length samples, and sets where the next search begins. After
// halfLifeCycles cycles it halves both counts, so that older cycles lose weight.
func (s *signature) count(length float64) {
	if s.of++; s.of > halfLifeCycles {
		s.seen, s.of = s.seen/2, s.of/2
	}
	s.next += length
}

// Low returns the expected low stretches of the current loop, sorted by offset. It leaves out those that are
// recognised in too few cycles.
func (t *Tracker) Low() []ExpectedLow {
	p := t.held
	if p == nil {
		return nil
	}
	var out []ExpectedLow
	for _, s := range p.lows.signs {
		by := p.length() / s.period * t.stepS
		l := ExpectedLow{OffsetS: math.Mod(s.offset+s.period, s.period) * by, DurationS: s.length * by,
			ErrorS: max(s.deviation, float64(p.loop.every)/2) * t.stepS, Repeatability: float64(s.seen) / float64(s.of),
			LastS: s.last * t.stepS}
		if l.Repeatability >= pattern.MinRepeatability {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b ExpectedLow) int { return cmp.Compare(a.OffsetS, b.OffsetS) })
	return out
}
