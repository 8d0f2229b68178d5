package changepoint_test

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

// Of histories drawn with steps, weekends, outliers and changing noise, none is reported as a slow drift,
// except those drawn with one. With steps and correlated noise it is reported more often.
func TestDrawnStepsAreNoCreep(t *testing.T) {
	t.Parallel()
	const each = 25
	told := map[bool]int{}
	n := map[bool]int{}
	alike := 0
	for _, kind := range draw.Kinds() {
		r := rand.New(rand.NewPCG(16, 14))
		for range each {
			h := draw.DrawRecorded(r, kind)
			is := changepoint.Analyse([]changepoint.Series{h.Series}, changepoint.Sequential,
				changepoint.Default()).Series[0].Creep != nil
			switch creeps := kind == "drift"; {
			case kind == "correlated":
				if is {
					alike++
				}
			case is:
				told[creeps]++
				fallthrough
			default:
				n[creeps]++
			}
		}
	}
	t.Logf("told as a creep: %d of %d with steps, %d of %d that creep", told[false], n[false], told[true], n[true])
	if told[false] > n[false]/100 || told[true] < n[true]/4 || alike > each/10 {
		t.Errorf("told as a creep: %d of %d with steps, %d of %d that creep", told[false], n[false], told[true], n[true])
	}
}
