package scaling

import (
	"math"
)

// tally counts verdicts.
type tally struct {
	steady, falsely       int // series without a change; found to have one
	changed, found, exact int // series with changes; found to have some; exactly the true ones
}

func (t *tally) add(v Verdict, truth []int) {
	if len(truth) == 0 {
		t.steady++
		if v.Segmented {
			t.falsely++
		}
		return
	}
	t.changed++
	if v.Segmented {
		t.found++
	}
	if right(v.Changes, truth) {
		t.exact++
	}
}

// right reports whether the changes are the true ones. A point that both laws share counts as a change before it
// and after it.
func right(changes []Change, truth []int) bool {
	if len(changes) != len(truth) {
		return false
	}
	for i, c := range changes {
		if c.Cut != truth[i] && !(c.Common != nil && c.Cut+1 == truth[i]) {
			return false
		}
	}
	return true
}

func (t *tally) join(o tally) {
	t.steady += o.steady
	t.falsely += o.falsely
	t.changed += o.changed
	t.found += o.found
	t.exact += o.exact
}

func share(k, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return float64(k) / float64(n)
}

// bounds is the 95 % interval of a share (Wilson).
func bounds(k, n int) (lo, hi float64) {
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	const z = 1.959964
	m, p := float64(n), share(k, n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(centre-half, 0), min(centre+half, 1)
}
