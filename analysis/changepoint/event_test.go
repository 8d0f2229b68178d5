package changepoint

import (
	"fmt"
	"math"
	"testing"
)

// A slow drift is reported as a whole, even if it is found as several changes; a change in the other direction,
// or much earlier, is not part of it.
func TestChangesInARow(t *testing.T) {
	event := func(index int, pct float64) Event {
		return Event{Changes: []Change{{Index: index, EffectPct: pct}}}
	}
	back := event(60, 9)
	back.Changes = append(back.Changes, Change{Index: 64, EffectPct: -8})
	for _, c := range []struct {
		events []Event
		first  int
		n      int
		pct    float64
	}{
		{[]Event{event(60, 5), event(40, 15.6)}, 40, 2, 21.4},
		{[]Event{event(60, 5), event(40, -3), event(30, 15.6)}, 60, 1, 5},
		{[]Event{event(60, 5), event(40, 3), event(30, 15.6)}, 30, 3, 25},
		{[]Event{event(160, 5), event(40, 15.6)}, 160, 1, 5},
		{[]Event{event(60, -5), event(40, -10)}, 40, 2, -14.5},
		{[]Event{event(60, 5), back}, 60, 1, 5},
		{[]Event{back, event(40, 5)}, 0, 0, 0},
	} {
		first, n, pct := JoinSameDirection(c.events)
		if first != c.first || n != c.n || math.Abs(pct-c.pct) > 0.1 {
			t.Errorf("%s: %d changes since run %d by %.1f %%", fmt.Sprint(c.events), n, first, pct)
		}
	}
}
