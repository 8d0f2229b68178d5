package periodicity

import (
	"math"
	"testing"
)

// saw returns a view whose bins have the given length in ms and which found the given periods in ms, each with
// its weight.
func saw(wall bool, bin float64, sights ...float64) view {
	w := view{bin: bin / 1000, weight: 1, agreed: 1}
	if !wall {
		w.grid = &grid{}
	}
	for i := 0; i+1 < len(sights); i += 2 {
		w.lag = append(w.lag, sights[i]/1000)
		w.periods = append(w.periods, Period{Timing: Timing{Coverage: 1, Confidence: sights[i+1]}})
	}
	return w
}

func TestJudge(t *testing.T) {
	silent := saw(false, 2)
	for _, c := range []struct {
		name         string
		all          []view
		told, agreed float64
		inner, outer float64
		wall, cpu    bool
	}{
		{"all agree", []view{saw(true, 5, 100, .9), saw(false, 2, 101, .9), saw(false, 3, 99, .8)}, 100, 1, 0, 0, true,
			true},
		{"CPU time alone", []view{saw(true, 1), saw(false, 2, 100, .9), saw(false, 3, 100, .8), saw(false, 4, 102, .7)},
			100, 1 - .75/16, 0, 0, false, true},
		{"one of four", []view{saw(false, 2, 100, .9), silent, silent, silent}, 100, 1 - .75*9/16, 0, 0, false, true},
		{"coarse bins see multiples", []view{saw(false, 2, 18, .9), saw(false, 3, 18, .9), saw(false, 4, 36, .9),
			saw(false, 5, 90, .95)}, 18, 1, 0, 0, false, true},
		{"a weak fraction does not take them", []view{saw(false, 2, 18, .2), saw(false, 4, 36, .9), saw(false, 5, 36, .9)},
			36, 1 - 1./3, 0, 0, false, true},
		{"a loop in a loop", []view{saw(false, 2, 65, .8), saw(false, 3, 66, .8), saw(false, 4, 330, .6),
			saw(false, 5, 331, .6)}, 65, 1, 0, 330, false, true},
		{"a loop around a loop", []view{saw(false, 2, 330, .8), saw(false, 3, 66, .5), saw(false, 4, 330, .6)}, 330, 1, 66,
			0, false, true},
		{"rivals", []view{saw(false, 2, 100, .9), saw(false, 3, 140, .8)}, 100, .5, 0, 0, false, true},
	} {
		for i := range c.all {
			c.all[i].ignoreSilence = c.name == "all agree"
		}
		v, ok := combineViews(c.all)
		lag := func(s *viewPeriod) float64 {
			if s == nil {
				return 0
			}
			return 1000 * s.lag
		}
		if !ok || math.Abs(1000*v.reported.lag-c.told) > 1e-9 || math.Abs(v.agreed-c.agreed) > 1e-9 ||
			math.Abs(lag(v.inner)-c.inner) > 1e-9 || math.Abs(lag(v.outer)-c.outer) > 1e-9 || v.wall != c.wall ||
			v.cpu != c.cpu {
			t.Errorf("%s: %+v, inner %v, outer %v; want %v, agreed %v, inner %v, outer %v", c.name, v, lag(v.inner),
				lag(v.outer), c.told, c.agreed, c.inner, c.outer)
		}
	}
	if _, ok := combineViews([]view{silent, silent}); ok {
		t.Error("no view shows a period")
	}
}
