package anatomy

import (
	"cmp"
	"math"
	"slices"
)

// Unmixed is the mean of a quantity within the cycles of a pattern, estimated from windows.
type Unmixed struct {
	// Count is how many cycles lie between the first and the last window that lies in
	// cycles as a whole; Windows is how many of these there are, Seconds how long they are.
	Count, Windows int
	Seconds        float64
	// PeriodS is the length of a cycle in the middle of them.
	PeriodS float64
	// Mean is the mean over all of a cycle.
	Mean float64
	// Within is the mean in each of Bins parts of a cycle, nil where windows do not show
	// it: they always fall on the same parts, as those of a cycle that is a multiple of
	// them, or one of them covers all of a cycle.
	Within []float64
}

const (
	// leastCoverage is on how many of the parts of a cycle windows must begin or end for the
	// shape to be determined, of Bins.
	leastCoverage = 0.8
	// longestWindow is the longest window from which the shape of a cycle is reported, as a
	// part of the cycle: a longer one has the mean of nearly all of it.
	longestWindow = 0.8
	// smoothness weighs the differences of neighbouring parts against the misfit of the
	// windows, per window: at .02 means of 32 parts are within .1 of a square wave's
	// (MEASURED.md).
	smoothness = 0.02
	// sweeps bounds the steps of the solver, settled is the change that ends it.
	sweeps  = 2000
	settled = 1e-5
)

// Unmix estimates the mean of a quantity in each part of a cycle from means over longer windows. Each window gives one
// linear equation: its mean is that of the parts that it covers, weighted by time. Unmix solves them by least squares
// with means between 0 and 1 and a small weight on differences of neighbours. Slot k begins at startS + k*stepS
// seconds. It skips windows not covered by cycles; without any the result is zero. Within is nil if the windows are too
// long or cut too few parts.
func Unmix(c Cycles, startS, stepS float64, windows []Window) Unmixed {
	spans := spansOf([]Cycles{c})
	var out Unmixed
	if len(spans) == 0 || len(windows) < 2 {
		return out
	}
	usual := usualLength(windows)
	s := newSystem()
	sum, at, first := 0.0, 0, -1
	for i, w := range windows {
		begin := w.EndS - usual
		if i > 0 && windows[i-1].EndS > begin-usual/2 {
			begin = windows[i-1].EndS
		}
		for at < len(spans) && startS+float64(spans[at].end)*stepS <= begin {
			at++
		}
		row, ok := windowRow(spans[at:], (begin-startS)/stepS, (w.EndS-startS)/stepS)
		if !ok {
			continue
		}
		if first < 0 {
			first = at
		}
		out.Count = at - first + 1
		out.Windows++
		out.Seconds += w.EndS - begin
		sum += w.Mean * (w.EndS - begin)
		s.add(row, w.Mean)
	}
	if out.Windows == 0 {
		return out
	}
	out.Mean = sum / out.Seconds
	middle := spans[len(spans)/2]
	out.PeriodS = float64(middle.end-middle.first) * stepS
	if usual <= longestWindow*out.PeriodS && s.coverage() >= leastCoverage {
		out.Within = s.solve()
	}
	return out
}

// usualLength returns the usual length of a measurement window in seconds: the median time from one window's end to
// the next one's. It needs at least two windows.
func usualLength(windows []Window) float64 {
	steps := make([]float64, 0, len(windows))
	for i := range windows[1:] {
		steps = append(steps, windows[i+1].EndS-windows[i].EndS)
	}
	slices.SortFunc(steps, cmp.Compare)
	return steps[len(steps)/2]
}

// windowRow returns the shares of the window from..to, in slots, that lie in each of the Bins equal parts of a
// cycle, each summed over the cycles in spans. They are the coefficients of the window's equation in Unmix. It
// returns false unless cycles cover the whole window.
func windowRow(spans []span, from, to float64) (row [Bins]float64, ok bool) {
	at := from
	for _, s := range spans {
		first, end := float64(s.first), float64(s.end)
		if first > at+1e-6 || at >= to {
			break
		}
		length := (end - first) / Bins
		for at < min(end, to) {
			bin := min(Bins-1, max(0, int((at-first)/length)))
			next := min(end, to, first+float64(bin+1)*length)
			if next <= at { // rounding
				next = min(end, to, at+length)
			}
			row[bin] += (next - at) / (to - from)
			at = next
		}
	}
	return row, at >= to-1e-6
}

// system holds the normal equations of the windows.
type system struct {
	n       int
	product [Bins][Bins]float64
	right   [Bins]float64
	cut     [Bins]bool // parts in which a window begins or ends
}

func newSystem() *system { return &system{} }

// add adds the equation of one window: row has the share of the window in each part of the cycle, mean the window's
// mean. A part of which the window has less than others is marked as cut: a window begins or ends there.
func (s *system) add(row [Bins]float64, mean float64) {
	s.n++
	highest := slices.Max(row[:])
	for i, x := range row {
		if x == 0 {
			continue
		}
		if x < 0.98*highest {
			s.cut[i] = true
		}
		s.right[i] += x * mean
		for k, y := range row {
			s.product[i][k] += x * y
		}
	}
}

// coverage returns the share of the parts in which a window begins or ends.
func (s *system) coverage() float64 {
	n := 0
	for _, cut := range s.cut {
		if cut {
			n++
		}
	}
	return float64(n) / Bins
}

// solve returns the means of the parts, 0 to 1, that minimize the misfit of the windows and the differences of
// neighbouring parts.
func (s *system) solve() []float64 {
	a := s.product
	weight := smoothness * float64(s.n) / Bins
	for i := range a {
		next := (i + 1) % Bins
		a[i][i] += weight
		a[next][next] += weight
		a[i][next] -= weight
		a[next][i] -= weight
	}
	x := make([]float64, Bins)
	for i := range x {
		x[i] = 0.5
	}
	for range sweeps {
		moved := 0.0
		for i := range x {
			rest := s.right[i]
			for k, v := range x {
				rest -= a[i][k] * v
			}
			next := min(1, max(0, x[i]+rest/a[i][i]))
			moved = max(moved, math.Abs(next-x[i]))
			x[i] = next
		}
		if moved < settled {
			break
		}
	}
	return x
}
