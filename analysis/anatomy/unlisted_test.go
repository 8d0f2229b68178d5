package anatomy

import (
	"math"
	"testing"
)

// TestSharesUnlistedSamplesByPlaces takes a block that lists one page of three: samples of
// the other pages belong to the functions of which the places have more samples than the
// block lists, and samples beyond the places are not resolved.
func TestSharesUnlistedSamplesByPlaces(t *testing.T) {
	code := Code{
		Functions: []Function{{Library: "app", Name: "listed"}, {Library: "app", Name: "rare"},
			{Library: "app", Name: "rarer"}},
		HotAddresses: []HotAddress{{Page: 10, Function: 0, Count: 50}, {Page: 11, Function: 1, Count: 30},
			{Page: 12, Function: 2, Count: 10}},
	}
	for _, c := range []struct {
		weight float64
		rest   uint32 // samples of the block without a listed page
		want   map[string]float64
	}{
		{1, 40, map[string]float64{"listed": 50. / 90, "rare": 30. / 90, "rarer": 10. / 90}},
		{1, 50, map[string]float64{"listed": .5, "rare": .3, "rarer": .1, "": .1}},
		{1, 20, map[string]float64{"listed": 50. / 70, "rare": 15. / 70, "rarer": 5. / 70}},
		// At this weight the block has 25 of the 50 samples of the page it lists.
		{.5, 80, map[string]float64{"listed": (50 + 80*25./65) / 130, "rare": 80 * 30. / 65 / 130,
			"rarer": 80 * 10. / 65 / 130}},
	} {
		tally := New(code, nil)
		tally.Add(Block{Samples: []uint32{50 + c.rest}, SampleS: .001, Weight: c.weight,
			Pages: []Page{{Key: 10, Counts: []uint16{50}}}})
		a := tally.Result()
		if again := tally.Result(); math.Abs(again.Run.BusyS-a.Run.BusyS) > 1e-12 {
			t.Errorf("a second result has %g s, not %g", again.Run.BusyS, a.Run.BusyS)
		}
		got := map[string]float64{}
		for _, f := range a.Run.Functions {
			got[f.Name] += f.Share
			if (f.Name == "") != (f.Library == Unresolved) {
				t.Errorf("%+v", f)
			}
		}
		for name, want := range c.want {
			if math.Abs(got[name]-want) > 1e-9 {
				t.Errorf("weight %g, %d without a page: %q has %.4f, want %.4f", c.weight, c.rest, name, got[name], want)
			}
		}
	}
}
