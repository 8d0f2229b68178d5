package summary

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// Drift describes how the length of a loop's iterations changed during the run.
type Drift struct {
	// Like lists patterns that differ from this one only in length: their iterations are included here.
	Like []string `json:"like,omitempty"`
	// Iterations is the number of iterations that were analysed.
	Iterations int `json:"iterations"`
	// SlopePctPerHour is the trend with its 95 % interval.
	SlopePctPerHour float64 `json:"slope_pct_per_hour"`
	Lo              float64 `json:"ci_lo"`
	Hi              float64 `json:"ci_hi"`
	// Steps are the places at which the length changed at once.
	Steps []phase.Step `json:"steps,omitempty"`
	// Slow lists the slowest iterations, SlowCount is the number of all slow ones, and SlowS the time, in seconds,
	// that the longest hundred took beyond their neighbours.
	Slow      []phase.SlowCycle `json:"slow,omitempty"`
	SlowCount int               `json:"slow_count"`
	SlowS     float64           `json:"slow_s"`
	Lengths   Lengths           `json:"lengths"`
}

// Lengths holds the lengths of iterations over the run, in consecutive groups: when the middle one began, their
// mean and the longest.
type Lengths struct {
	Group int           `json:"group"` // iterations in each, the last may have fewer
	TS    series.Values `json:"t_s"`
	MeanS series.Values `json:"mean_s"`
	MaxS  series.Values `json:"max_s"`
}

// Over returns the mean lengths, in seconds, in n equal parts of a run that ends at end. A part in which no iteration
// began gets the value of the part before it if that is longer than half a part, because an iteration can then span the
// part; else NaN.
func (l Lengths) Over(end float64, n int) []float64 {
	sum, seen := make([]float64, n), make([]float64, n)
	for i, v := range l.MeanS {
		mean := float64(v)
		if k := int(float64(l.TS[i]) / end * float64(n)); end > 0 && k >= 0 && k < n && !math.IsNaN(mean) {
			sum[k], seen[k] = sum[k]+mean, seen[k]+1
		}
	}
	for k := range sum {
		sum[k] /= seen[k]
	}
	// Iterations longer than a part leave parts without a beginning: they are
	// those of the one before.
	for k := 1; k < n; k++ {
		if math.IsNaN(sum[k]) && float64(k-1)*end/float64(n)+2*sum[k-1] > float64(k)*end/float64(n) {
			sum[k] = sum[k-1]
		}
	}
	return sum
}

// maxSlow is the most slow iterations that are listed.
const maxSlow = 5

// Change returns by how many percent the length of iterations changed: from before the first step to after the
// last, or by the slope over the run; 0 if neither is significant. costS is the time, in seconds, that
// iterations took beyond their earlier length.
func (d Drift) Change() (pct, costS float64) {
	l, group := d.Lengths, max(1, d.Lengths.Group)
	switch n := len(d.Steps); {
	case n > 0 && d.Steps[0].BeforeS > 0:
		for i, t := range l.TS {
			if float64(t) >= d.Steps[0].TS && i < len(l.MeanS) {
				costS += float64(min(group, d.Iterations-i*group)) * quantity.OrZero(float64(l.MeanS[i])-d.Steps[0].BeforeS)
			}
		}
		return quantity.OrZero(100 * (d.Steps[n-1].AfterS/d.Steps[0].BeforeS - 1)), costS
	case n == 0 && d.Lo*d.Hi > 0 && len(l.TS) > 1:
		pct = d.SlopePctPerHour * quantity.OrZero(float64(l.TS[len(l.TS)-1])-float64(l.TS[0])) / 3600
		mean := make([]float64, len(l.MeanS))
		for i, v := range l.MeanS {
			mean[i] = float64(v)
		}
		// Iterations at one end of a line differ from its middle by half.
		return quantity.OrZero(pct), quantity.OrZero(float64(d.Iterations) * robust.Median(mean) * pct / 200)
	}
	return 0, 0
}

// minJudged is the least number of iterations for a drift: package phase gives no slope below it.
const minJudged = 10

// driftOf returns how the iterations of q changed; nil for too few, or if they have no trend. like holds the
// ids of the other patterns whose iterations q includes, and points is the greatest number of lengths kept.
func driftOf(q periodicity.Period, like []string, set series.Set, points int) *Drift {
	n := len(q.Instances)
	if n < minJudged {
		return nil
	}
	q.Instances = withBreaks(q, set)
	d := phase.DriftOf(q, set.StartS, set.StepS)
	if math.IsNaN(d.SlopePctPerHour) {
		return nil
	}
	out := &Drift{Like: like, Iterations: n, SlopePctPerHour: quantity.OrZero(d.SlopePctPerHour),
		Lo: quantity.OrZero(d.Lo), Hi: quantity.OrZero(d.Hi),
		SlowCount: d.SlowCount, Lengths: lengthsOf(q.Instances, set, points)}
	out.Steps = stepsOf(d.Steps)
	for i, s := range d.Slow {
		out.SlowS += quantity.OrZero(s.ExcessS)
		if i < maxSlow {
			out.Slow = append(out.Slow, phase.SlowCycle{StartS: quantity.OrZero(s.StartS), LengthS: quantity.OrZero(s.LengthS),
				ExcessS: quantity.OrZero(s.ExcessS)})
		}
	}
	return out
}

// minStepDistance is the number of iterations within which two steps in one direction count as one: where the
// detector changes from one period to the other, the iteration between them has a length of its own.
const minStepDistance = 12

// stepsOf returns the steps, with steps in the same direction and close to each other joined to one at the time
// of the largest.
func stepsOf(steps []phase.Step) []phase.Step {
	var out []phase.Step
	last, largest := -minStepDistance, 0.0
	for _, s := range steps {
		if n := len(out) - 1; n >= 0 && s.Iteration-last < minStepDistance && s.EffectPct*out[n].EffectPct > 0 &&
			out[n].BeforeS > 0 {
			out[n].AfterS, out[n].EffectPct = quantity.OrZero(s.AfterS), quantity.OrZero(100*(s.AfterS/out[n].BeforeS-1))
			if math.Abs(s.EffectPct) > largest {
				largest, out[n].TS = math.Abs(s.EffectPct), quantity.OrZero(s.TS)
			}
			last = s.Iteration
			continue
		}
		out = append(out, phase.Step{TS: quantity.OrZero(s.TS), EffectPct: quantity.OrZero(s.EffectPct),
			BeforeS: quantity.OrZero(s.BeforeS), AfterS: quantity.OrZero(s.AfterS)})
		last, largest = s.Iteration, math.Abs(s.EffectPct)
	}
	return out
}

const (
	// maxBridge is the longest break, in periods, that is no phase of its own.
	maxBridge = 1.5
	// wholeNumber is how near to a whole number of periods an instance and the
	// break behind it have to be to be taken for iterations that were not
	// recognised, and not for one that took longer.
	wholeNumber = 0.08
)

// withBreaks returns the instances, each extended by the break behind it: a disturbed iteration is not
// recognised to its end. Breaks with missing samples stay, because what happened there is unknown; so do long
// breaks and those that make the iteration nearly a whole multiple of the period, two or more.
func withBreaks(q periodicity.Period, set series.Set) []periodicity.Instance {
	out := slices.Clone(q.Instances)
	for i := range out[:max(0, len(out)-1)] {
		end, next := out[i].First+out[i].Length, out[i+1].First
		gap := float64(next-end) * set.StepS
		times := (float64(out[i].Length)*set.StepS + gap) / q.PeriodS
		if gap <= 0 || gap >= maxBridge*q.PeriodS || times > 1.5 && math.Abs(times-math.Round(times)) < wholeNumber ||
			hasMissing(set, end, next) {
			continue
		}
		out[i].Length = next - out[i].First
	}
	return out
}

// hasMissing reports whether any sample in the range is missing; one column is enough, because missing samples
// are missing in all.
func hasMissing(set series.Set, from, to int) bool {
	c, ok := set.Column(busyColumn)
	if !ok && len(set.Columns) > 0 {
		c = set.Columns[0]
	}
	n := len(c.Values)
	return slices.ContainsFunc(c.Values[min(from, n):min(to, n)], func(v float32) bool { return series.IsMissing(v) })
}

// lengthsOf returns the lengths of iterations in groups of consecutive ones, at most points groups of equal size.
func lengthsOf(in []periodicity.Instance, set series.Set, points int) Lengths {
	k := max(1, (len(in)+points-1)/points)
	l := Lengths{Group: k}
	for a := 0; a < len(in); a += k {
		group := in[a:min(a+k, len(in))]
		sum, longest := 0, 0
		for _, x := range group {
			sum, longest = sum+x.Length, max(longest, x.Length)
		}
		l.TS = append(l.TS, float32(set.StartS+float64(group[len(group)/2].First)*set.StepS))
		l.MeanS = append(l.MeanS, float32(float64(sum)/float64(len(group))*set.StepS))
		l.MaxS = append(l.MaxS, float32(float64(longest)*set.StepS))
	}
	return l
}

// Two patterns are one loop whose iterations changed if the larger length is at most
// loopRatio times the other (a double is not) and the correlation of their shapes is
// at least loopLike.
const (
	loopRatio = 1.5
	loopLike  = 0.95
)

// withOtherLengths returns period i with the instances of periods that are the same loop with another length,
// and their ids: a loop that becomes slower at once is found as two. Only loops with a shape that separates
// work from waiting are compared, and only the main one is compared with others.
func withOtherLengths(i int, periods []periodicity.Period, loops []Loop) (periodicity.Period, []string) {
	q := periods[i]
	a := loops[i].Activity
	if i > 0 || a == nil {
		return q, nil
	}
	var like []string
	for k, o := range periods {
		b := loops[k].Activity
		if k == i || b == nil || o.Column != q.Column || b.Column != a.Column {
			continue
		}
		ratio := o.PeriodS / q.PeriodS
		if !(max(ratio, 1/ratio) <= loopRatio) || takeTurns(q, o) ||
			correlation(a.Values, pattern.AlignPhase(b.Values, a.Values)) < loopLike {
			continue
		}
		if like == nil {
			q.Instances = slices.Clone(q.Instances)
		}
		q.Instances, like = append(q.Instances, o.Instances...), append(like, loops[k].Pattern)
	}
	if like != nil {
		slices.SortFunc(q.Instances, func(x, y periodicity.Instance) int { return x.First - y.First })
	}
	return q, like
}

// takeTurns reports whether two loops alternate more than twice: then they are two parts of a program and not
// one that changed.
func takeTurns(a, b periodicity.Period) bool {
	turns, i, k, last := 0, 0, 0, 0
	for i < len(a.Regions) || k < len(b.Regions) {
		now := 1
		if i == len(a.Regions) || k < len(b.Regions) && b.Regions[k].StartS < a.Regions[i].StartS {
			now = 2
			k++
		} else {
			i++
		}
		if last != 0 && now != last {
			turns++
		}
		last = now
	}
	return turns > 2
}

// correlation returns the correlation of two shapes, the second stretched to the first; 0 for a flat or empty
// one.
func correlation(x, y series.Values) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	var n, sx, sy, sxx, syy, sxy float64
	for i, v := range x {
		a, b := float64(v), float64(y[i*len(y)/len(x)])
		n, sx, sy, sxx, syy, sxy = n+1, sx+a, sy+b, sxx+a*a, syy+b*b, sxy+a*b
	}
	vx, vy := sxx-sx*sx/n, syy-sy*sy/n
	if !(vx > 0 && vy > 0) {
		return 0
	}
	return (sxy - sx*sy/n) / math.Sqrt(vx*vy)
}
