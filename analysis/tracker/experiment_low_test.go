package tracker_test

import (
	"fmt"
	"io"
	"math"
	"slices"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
	"jobgait/analysis/tracker"
)

// lowScore counts how well low stretches were predicted and recognized.
type lowScore struct {
	begins, periods     []float64 // where the true ones begin, in samples, ascending, and the period there
	last                []float64 // for each predicted one, when it was last recognized
	predicted, came     []float64 // errors in periods
	wrong, unlike       int       // predicted, recognised where nothing low begins
	moments, lowMoments int       // with a reported loop; of these with low stretches
	cases               int
}

// trueLows returns the beginnings of the low stretches of the truth's own templates.
func trueLows(tr truth, n int) (s lowScore) {
	type begin struct{ at, period float64 }
	var all []begin
	for _, p := range tr.Patterns {
		q := periodicity.Period{Column: "ipc", Timing: periodicity.Timing{PeriodSamples: p.Period,
			PeriodS: p.Period / rate, Coverage: 1}}
		x := make(series.Values, n)
		for _, in := range p.Instances {
			for i := range in[1] {
				if in[0]+i < n {
					x[in[0]+i] = float32(p.Template[min(i*len(p.Template)/in[1], len(p.Template)-1)])
				}
			}
			if in[0]+in[1] <= n {
				q.Instances = append(q.Instances, periodicity.Instance{First: in[0], Length: in[1]})
			}
		}
		set := series.Set{StepS: 1.0 / rate, Columns: []series.Column{{Name: "ipc", Values: x}}}
		for _, low := range pattern.Represent(set, []periodicity.Period{q})[0].Low {
			for _, in := range q.Instances {
				all = append(all, begin{float64(in.First) + low.OffsetS/q.PeriodS*float64(in.Length), float64(in.Length)})
			}
		}
	}
	slices.SortFunc(all, func(a, b begin) int { return int(a.at - b.at) })
	for _, b := range all {
		s.begins, s.periods = append(s.begins, b.at), append(s.periods, b.period)
	}
	return s
}

// off returns the distance of a moment from the next true beginning, in periods.
func (s *lowScore) off(at float64) float64 {
	best := math.Inf(1)
	i, _ := slices.BinarySearch(s.begins, at)
	for k := max(0, i-1); k < min(len(s.begins), i+1); k++ {
		best = min(best, math.Abs(at-s.begins[k])/s.periods[k])
	}
	return best
}

// farOff is the distance from which a prediction does not count for a true stretch.
const farOff = 0.2

// moment compares the current prediction with the truth; only one second is compared at a time.
func (s *lowScore) moment(p *tracker.LoopTracker) {
	b, held := p.CurrentLoop()
	if !held {
		return
	}
	s.moments++
	lows := p.Low()
	if len(lows) > 0 {
		s.lowMoments++
	}
	for _, l := range lows {
		if e := s.off((b.LastS + l.OffsetS) * rate); e < farOff {
			s.predicted = append(s.predicted, e)
		} else {
			s.wrong++
		}
		if math.IsNaN(l.LastS) || slices.Contains(s.last, l.LastS) {
			continue
		}
		s.last = append(s.last[max(0, len(s.last)-8):], l.LastS)
		if e := s.off(l.LastS * rate); e < farOff {
			s.came = append(s.came, e)
		} else {
			s.unlike++
		}
	}
}

func (s *lowScore) join(o lowScore) {
	s.predicted, s.came = append(s.predicted, o.predicted...), append(s.came, o.came...)
	s.wrong, s.unlike, s.moments, s.lowMoments = s.wrong+o.wrong, s.unlike+o.unlike, s.moments+o.moments, s.lowMoments+
		o.lowMoments
	if o.lowMoments > 0 {
		s.cases++
	}
}

func (s lowScore) print(out io.Writer) {
	fmt.Fprintf(out, "low stretches: told in %d cases, at %d of %d moments with a loop; predicted %d, %d of them where "+
		"none begins, the others median %.4f p90 %.4f periods off; recognised %d, %d of them where none begins, the "+
		"others median %.4f p90 %.4f\n",
		s.cases, s.lowMoments, s.moments, len(s.predicted)+s.wrong, s.wrong, quantile(s.predicted, 0.5),
		quantile(s.predicted, 0.9),
		len(s.came)+s.unlike, s.unlike, quantile(s.came, 0.5), quantile(s.came, 0.9))
}
