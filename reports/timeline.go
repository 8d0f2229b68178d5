package reports

import (
	"math"

	"jobgait/analysis/phase"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// Timeline is the run decimated for drawing.
type Timeline struct {
	StartS  float64  `json:"start_s"`
	StepS   float64  `json:"step_s"`
	Columns []Column `json:"columns"`
}

// Column is one series of the timeline.
type Column struct {
	Name  string        `json:"name"`
	Label string        `json:"label"`
	Unit  string        `json:"unit"`
	Scope Word          `json:"scope"`
	Min   series.Values `json:"min"`
	Mean  series.Values `json:"mean"`
	Max   series.Values `json:"max"`
	short string
}

func newTimeline(of summary.Timeline, quality summary.Quality, names labels) Timeline {
	t := Timeline{StartS: of.StartS, StepS: of.StepS, Columns: []Column{}}
	for _, c := range of.Columns {
		by, unit := inReadable(c.Name, c.Unit, quality)
		t.Columns = append(t.Columns, Column{c.Name, names.long(c.Name), unit, Word(c.Scope),
			scaled(c.Min, by), scaled(c.Mean, by), scaled(c.Max, by), names.short(c.Name)})
	}
	return t
}

// end returns when the last bin ends; the run's own end cuts a last bin that is
// not full.
func (t Timeline) end(elapsed float64) float64 {
	n := 0
	for _, c := range t.Columns {
		n = max(n, len(c.Mean))
	}
	end := t.StartS + float64(n)*t.StepS
	if elapsed > t.StartS && elapsed < end {
		return elapsed
	}
	return end
}

// drawn returns at most n columns worth drawing: what carries the main pattern
// first, then the CPUs in use, then IPC, then the others in their order.
func (r Rhythm) drawn(n int) []Column {
	rank := func(c Column) int {
		switch {
		case r.Periodic && c.Name == r.Patterns[0].Shape.Column:
			return 0
		case c.Name == busyColumn:
			return 1
		case c.Name == "ipc":
			return 2
		}
		return 3
	}
	var out []Column
	for want := 0; want <= 3; want++ {
		for _, c := range r.Timeline.Columns {
			if rank(c) == want && len(out) < n && len(c.Mean) > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// phaseAt returns the phase that covers time t.
func (r Rhythm) phaseAt(t float64) (Phase, bool) {
	for _, p := range r.Phases {
		if t >= p.StartS && t < p.EndS {
			return p, true
		}
	}
	return Phase{}, false
}

// periodOf returns the period of a loop's pattern, 0 for any other phase.
func (r Rhythm) periodOf(p Phase) float64 {
	for _, q := range r.Patterns {
		if p.Kind == phase.Loop && q.ID == string(p.Pattern) {
			return q.Period.value()
		}
	}
	return 0
}

// levels returns the mean of a column over n equal stretches from lo to hi.
//
// Where a stretch is longer than a quarter of the loop's period, its plain mean
// would show beats between the two that look like a pattern and are none. There
// the mean is taken over whole iterations around the stretch, kept within the
// phase. No mean reaches over the border of a phase: what it would blur is what
// a reader looks for.
func (r Rhythm) levels(c Column, lo, hi float64, n int) []float64 {
	area := newArea(r.Timeline, c.Mean)
	out := make([]float64, n)
	step := (hi - lo) / float64(n)
	for i := range out {
		a, b := lo+float64(i)*step, lo+float64(i+1)*step
		out[i] = area.mean(r.window(a, b))
	}
	return out
}

// beatFree is over how many bins at least a mean is taken where a bin is not
// small beside the period: the two bins at its ends are then only a twelfth of
// it each, and what they hold beyond whole iterations is not seen any more.
const beatFree = 12

// window returns the stretch whose mean stands for the one from a to b.
func (r Rhythm) window(a, b float64) (float64, float64) {
	mid := (a + b) / 2
	p, ok := r.phaseAt(mid)
	if !ok {
		return a, b
	}
	period := r.periodOf(p)
	if period <= 0 || b-a < period/4 {
		return math.Max(a, p.StartS), math.Min(b, p.EndS)
	}
	least := b - a
	if r.Timeline.StepS > period/beatFree {
		least = math.Max(least, beatFree*r.Timeline.StepS)
	}
	w := math.Max(1, math.Ceil(least/period-1e-9)) * period
	if w >= p.length() {
		return p.StartS, p.EndS
	}
	lo := math.Min(math.Max(mid-w/2, p.StartS), p.EndS-w)
	return lo, lo + w
}

// reach returns the smallest and largest sample over the same windows as levels,
// for a bin each: where a bin is shorter than an iteration but not small beside
// it, the range of single bins would show the same beats.
func (r Rhythm) reach(c Column) (lo, hi []float64) {
	t := r.Timeline
	lo, hi = floats(c.Min), floats(c.Max)
	outLo, outHi := make([]float64, len(lo)), make([]float64, len(hi))
	for i := range lo {
		outLo[i], outHi[i] = lo[i], hi[i]
		a, b := r.window(t.StartS+float64(i)*t.StepS, t.StartS+float64(i+1)*t.StepS)
		first, last := int(math.Ceil((a-t.StartS)/t.StepS-1e-6)), int(math.Floor((b-t.StartS)/t.StepS+1e-6))
		for k := max(0, first); k < min(len(lo), last); k++ {
			if !math.IsNaN(lo[i]) && !math.IsNaN(lo[k]) {
				outLo[i], outHi[i] = math.Min(outLo[i], lo[k]), math.Max(outHi[i], hi[k])
			}
		}
	}
	return outLo, outHi
}

// area is the running integral of a column, for means over any stretch.
type area struct {
	start, step float64
	sum, there  []float64 // up to the end of each bin: value x time, and time with a value
}

func newArea(t Timeline, mean series.Values) area {
	a := area{t.StartS, t.StepS, make([]float64, len(mean)+1), make([]float64, len(mean)+1)}
	for i, v := range mean {
		a.sum[i+1], a.there[i+1] = a.sum[i], a.there[i]
		if x := float64(v); !math.IsNaN(x) && !math.IsInf(x, 0) {
			a.sum[i+1] += x
			a.there[i+1]++
		}
	}
	return a
}

// mean returns the mean from lo to hi, NaN if there is no value in between.
func (a area) mean(lo, hi float64) float64 {
	s0, n0 := a.at(lo)
	s1, n1 := a.at(hi)
	if n1-n0 < 1e-6 {
		return math.NaN()
	}
	return (s1 - s0) / (n1 - n0)
}

// at returns the integrals from the start to time t.
func (a area) at(t float64) (sum, there float64) {
	last := len(a.sum) - 1
	if !(a.step > 0) || last < 1 {
		return 0, 0
	}
	x := math.Min(float64(last), math.Max(0, (t-a.start)/a.step))
	i := min(int(x), last-1)
	f := x - float64(i)
	return a.sum[i] + f*(a.sum[i+1]-a.sum[i]), a.there[i] + f*(a.there[i+1]-a.there[i])
}
