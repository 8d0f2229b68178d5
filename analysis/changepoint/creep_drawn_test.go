package changepoint_test

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/experiment/draw"
)

// Of histories that are drawn with steps, weekends, outliers and noise that changes none
// creeps, but for those drawn so.
func TestDrawnStepsAreNoCreep(t *testing.T) {
	t.Parallel()
	const each = 25
	told := map[bool]int{}
	n := map[bool]int{}
	for _, kind := range draw.Kinds() {
		r := rand.New(rand.NewPCG(16, 14))
		for range each {
			h := draw.Recorded(r, kind)
			creeps := kind == "drift"
			n[creeps]++
			if changepoint.Analyse([]changepoint.Series{h.Series}, changepoint.Sequential, changepoint.Default()).Series[0].Creep != nil {
				told[creeps]++
			}
		}
	}
	t.Logf("told as a creep: %d of %d with steps, %d of %d that creep", told[false], n[false], told[true], n[true])
	if told[false] > n[false]/100 || told[true] < n[true]/4 {
		t.Errorf("told as a creep: %d of %d with steps, %d of %d that creep", told[false], n[false], told[true], n[true])
	}
}
