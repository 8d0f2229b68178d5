package draw

import (
	"math"

	"jobgait/analysis/changepoint"
)

// Score counts found, missed and false changes.
type Score struct {
	Asked, Found    int // detectable changes
	Weak, WeakFound int // changes of z 3.5 to 7
	False, Runs     int
	// Classes holds the detectable changes by their z score: up to 6, up to 9 and above.
	Classes [3]Class
}

// Class counts changes of a range of z, and for how many of those found the reported interval contains the true
// effect.
type Class struct{ Asked, Found, Held int }

// class returns the class of a change with score z.
func (s *Score) class(z float64) *Class {
	switch {
	case z < 6:
		return &s.Classes[0]
	case z < 9:
		return &s.Classes[1]
	}
	return &s.Classes[2]
}

// intervalHolds reports whether the interval of a found change contains the true effect, log.
func intervalHolds(c changepoint.Change, log float64) bool {
	pct := 100 * math.Expm1(log)
	return c.LoPct != nil && c.HiPct != nil && *c.LoPct <= pct && pct <= *c.HiPct
}

// Add compares the changes found in a history with the true ones: a true change
// is found within tolerance runs, what is left over is false.
func (s *Score) Add(h DrawnHistory, found []changepoint.Change, tolerance int) {
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
		count(c.Z >= Detectable, ok, &s.Asked, &s.Found)
		of := s.class(c.Z)
		count(c.Z >= Detectable, ok, &of.Asked, &of.Found)
		if ok {
			used[hit] = true
			if c.Z >= Detectable && intervalHolds(found[hit], c.Log) {
				of.Held++
			}
		}
		count(c.Z >= 3.5 && c.Z < 7, ok, &s.Weak, &s.WeakFound)
	}
	for _, u := range used {
		if !u {
			s.False++
		}
	}
	s.Runs += len(h.Y)
}

// count adds one to all, and to good if ok; it does nothing if counts is false.
func count(counts, ok bool, all, good *int) {
	if !counts {
		return
	}
	*all++
	if ok {
		*good++
	}
}

// Recall returns the share of detectable changes that were found.
func (s Score) Recall() float64 { return float64(s.Found) / float64(max(s.Asked, 1)) }

// F1 returns the F1 score: the harmonic mean of precision and recall.
func (s Score) F1() float64 {
	return 2 * float64(s.Found) / float64(max(s.Found+s.Asked+s.False, 1))
}

// FalsePer1000 returns the number of false changes in 1000 runs.
func (s Score) FalsePer1000() float64 { return 1000 * float64(s.False) / float64(max(s.Runs, 1)) }
