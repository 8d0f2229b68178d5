package draw

import "jobgait/analysis/changepoint"

// Score counts what was found.
type Score struct {
	Asked, Found int // detectable changes
	Weak, WeakOK int // changes of z 3.5 to 7
	False, Runs  int
}

// Add compares the changes found in a history with the true ones: a true change
// is found within tolerance runs, what is left over is false.
func (s *Score) Add(h History, found []changepoint.Change, tolerance int) {
	used := make([]bool, len(found))
	for _, c := range h.Changes {
		hit := -1
		for k, f := range found {
			d := max(f.Index-c.Index, c.Index-f.Index)
			if !used[k] && d <= tolerance && (hit < 0 || d < max(found[hit].Index-c.Index, c.Index-found[hit].Index)) {
				hit = k
			}
		}
		ok := hit >= 0
		if ok {
			used[hit] = true
		}
		count(c.Z >= Detectable, ok, &s.Asked, &s.Found)
		count(c.Z >= 3.5 && c.Z < 7, ok, &s.Weak, &s.WeakOK)
	}
	for _, u := range used {
		if !u {
			s.False++
		}
	}
	s.Runs += len(h.Y)
}

func count(counts, ok bool, all, good *int) {
	if !counts {
		return
	}
	*all++
	if ok {
		*good++
	}
}

// Recall is the share of detectable changes that were found.
func (s Score) Recall() float64 { return float64(s.Found) / float64(max(s.Asked, 1)) }

// F1 weighs misses and false changes alike.
func (s Score) F1() float64 {
	return 2 * float64(s.Found) / float64(max(s.Found+s.Asked+s.False, 1))
}

// FalsePer1000 is the rate of false changes.
func (s Score) FalsePer1000() float64 { return 1000 * float64(s.False) / float64(max(s.Runs, 1)) }
