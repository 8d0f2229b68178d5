package machine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rows are series of runs an hour apart, of different owners, that begin in turn; the runs
// of the machine's hours from to take longer by the logarithm.
func rows(n, runs, from, to int, by float64) []MachineSeries {
	r := rand.New(rand.NewPCG(9, 9))
	list := make([]MachineSeries, n)
	for i := range list {
		list[i].ID, list[i].User = string(rune('a'+i)), string(rune('A'+i))
		for k := range runs {
			x := .01 * r.NormFloat64()
			if k >= from && k < to {
				x += by
			}
			list[i].X = append(list[i].X, x)
			list[i].Start = append(list[i].Start, 3600*(float64(k)+float64(i)/float64(n)))
		}
	}
	return list
}

// one is all runs at one level.
func one(int, []float64, float64) []int { return nil }

func TestShiftIsTakenOut(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		list := rows(9, 60, 30, 45, .06)
		if backwards { // judged in another order than they began
			for i := range list {
				slices.Reverse(list[i].X)
				slices.Reverse(list[i].Start)
			}
		}
		known, events := EstimateShifts(list, one)
		if len(events) != 1 || math.Abs(events[0].EffectPct-6.2) > 1.5 || len(events[0].Series) < 8 {
			t.Fatalf("backwards %t: %+v", backwards, events)
		}
		for i, m := range known {
			if m == nil || m.Note() == nil {
				t.Fatalf("backwards %t: series %d has no part in it", backwards, i)
			}
			for k, s := range m.Shift() {
				slow := list[i].Start[k] >= 33*3600 && list[i].Start[k] < 45*3600
				if slow && math.Abs(s-.06) > .03 || list[i].Start[k] < 29*3600 && math.Abs(s) > .02 {
					t.Errorf("backwards %t: series %d, run %d: %.3f taken out", backwards, i, k, s)
				}
			}
		}
	}
}

func TestTooFewForAMachine(t *testing.T) {
	few := rows(5, 60, 30, 45, .06)
	mine := rows(9, 60, 30, 45, .06)
	undated := rows(9, 60, 30, 45, .06)
	for i := range mine {
		mine[i].User, undated[i].Start = "u", nil
	}
	for name, list := range map[string][]MachineSeries{"five series": few, "one owner": mine, "no starts": undated} {
		known, events := EstimateShifts(list, one)
		if len(events) != 0 || len(known) != len(list) {
			t.Errorf("%s: %+v", name, events)
		}
		for i, m := range known {
			if m != nil && slices.ContainsFunc(m.Shift(), func(s float64) bool { return s != 0 }) {
				t.Errorf("%s: something is taken out of series %d", name, i)
			}
		}
	}
}
