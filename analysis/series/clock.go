package series

import (
	"math"
)

// Clock is the CPU time that the job had used at the edges of the samples of a set. Other work on the same CPUs
// stretches every iteration differently in wall time, and hardly in CPU time.
type Clock struct {
	startS, stepS float64
	used          []float64 // one more than samples
	busy          float64   // CPUs in use while any was
}

// clockColumns lists the columns from which a clock is made, the best first, with their value for one second of
// CPU time.
var clockColumns = [...]struct {
	name string
	unit float64
}{{"busy_cpus", 1}, {"task_clock", 1e9}}

// Clock returns the CPU time of the job along a set on wall time. It uses the first of clockColumns that the set has
// and that is not zero throughout; ok is false without one. Missing samples count as 0. A sample advances the clock
// only by its share outside of code in which ranks and threads wait busily.
func (s Set) Clock() (Clock, bool) {
	for _, from := range clockColumns {
		c, ok := s.Column(from.name)
		if !ok {
			continue
		}
		k := Clock{startS: s.StartS, stepS: s.StepS, used: make([]float64, len(c.Values)+1)}
		work := s.workShares()
		at, squares := 0.0, 0.0
		for i, v := range c.Values {
			if x := float64(v) / from.unit; x > 0 && !math.IsInf(x, 0) {
				if work != nil {
					x *= float64(work[i])
				}
				at += x
				squares += x * x
			}
			k.used[i+1] = at * s.StepS
		}
		if at > 0 {
			k.busy = squares / at
			return k, true
		}
	}
	return Clock{}, false
}

// Total returns the CPU time that the job used, in seconds; 0 for the zero Clock.
func (k Clock) Total() float64 { return k.Used(len(k.used) - 1) }
func (k Clock) Busy() float64  { return k.busy }

// Used returns the CPU time, in seconds, that the job had used at a sample's beginning.
func (k Clock) Used(sample int) float64 {
	if len(k.used) == 0 {
		return 0
	}
	return k.used[min(max(sample, 0), len(k.used)-1)]
}

// Coarser returns the clock along samples that are n times as long.
func (k Clock) Coarser(n int) Clock {
	out := Clock{startS: k.startS, stepS: float64(n) * k.stepS, busy: k.busy}
	for i := 0; i < len(k.used); i += n {
		out.used = append(out.used, k.used[i])
	}
	return out
}

// Bin puts columns of counts, on the samples of the clock's set, into bins of stepS seconds of CPU time each and
// returns them as a set on the CPU axis, without an incomplete last bin. The counts of a sample are spread evenly over
// the CPU time used in it.
func (k Clock) Bin(columns []Column, stepS float64) Set {
	n := int(k.Total() / stepS)
	out := Set{StartS: 0, StepS: stepS, Axis: CPU, SlotS: max(stepS, k.stepS*max(1, k.busy)),
		Columns: make([]Column, len(columns)), WallS: k.wallTimes(n, stepS)}
	if len(columns) == 0 {
		return out
	}
	bin := make([]float64, len(k.used))
	for i, u := range k.used {
		bin[i] = u / stepS
	}
	for j, c := range columns {
		out.Columns[j] = c
		out.Columns[j].Values = binned(c.Values, bin, n)
	}
	return out
}

// binned spreads counts over n bins; count i lies evenly between the places at[i] and at[i+1], in bins. It drops
// missing counts, counts between two equal places and what lies behind the last bin.
func binned(counts Values, at []float64, n int) Values {
	v := make(Values, n)
	for i, x := range counts {
		from, to := at[i], at[i+1]
		if !(x > 0) || from == to {
			continue
		}
		a, b := int(from), int(to)
		if a == b {
			if a < n {
				v[a] += x
			}
			continue
		}
		per := x / float32(to-from)
		for q := a; q <= b && q < n; q++ {
			v[q] += per * float32(min(to, float64(q+1))-max(from, float64(q)))
		}
	}
	return v
}

// wallTimes returns the wall times, in seconds, at which 0, 1, .. n steps of CPU time had been used.
func (k Clock) wallTimes(n int, stepS float64) []float64 {
	out := make([]float64, n+1)
	i := 0
	for q := range out {
		want := float64(q) * stepS
		for i+2 < len(k.used) && k.used[i+1] <= want {
			i++
		}
		in := 0.0
		if d := k.used[i+1] - k.used[i]; d > 0 {
			in = min(1, max(0, want-k.used[i])/d)
		}
		out[q] = k.startS + (float64(i)+in)*k.stepS
	}
	return out
}

// workShares returns, for every sample, the share of the code samples (CodeGroup) that are not in code that waits, 1
// for a sample without code; nil if no column counts waiting.
func (s Set) workShares() []float32 {
	var all, waiting []float32
	for _, c := range s.Columns {
		if c.Waits {
			waiting = make([]float32, s.Len())
			all = make([]float32, s.Len())
			break
		}
	}
	if waiting == nil {
		return nil
	}
	for _, c := range s.Columns {
		if c.Group != CodeGroup {
			continue
		}
		for i, x := range c.Values {
			if x > 0 {
				all[i] += x
				if c.Waits {
					waiting[i] += x
				}
			}
		}
	}
	for i, w := range waiting {
		waiting[i] = 1
		if all[i] > 0 {
			waiting[i] = 1 - w/all[i]
		}
	}
	return waiting
}
