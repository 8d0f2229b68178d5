package draw

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 9)) }

func TestPlaced(t *testing.T) {
	for seed := range uint64(40) {
		h := DrawOnRandomNodes(source(seed))
		if len(h.Y) < 70 || len(h.T) != len(h.Y) || len(h.Nodes) != len(h.Y) || !slices.IsSorted(h.T) {
			t.Fatalf("seed %d: %d runs, %d times, %d lists", seed, len(h.Y), len(h.T), len(h.Nodes))
		}
		if n := len(h.Slow); n < 1 || n > 3 {
			t.Errorf("seed %d: %d slow nodes", seed, n)
		}
		for _, c := range h.Changes {
			if c.Index < 12 || c.Index > len(h.Y)-12 || c.Z <= 0 {
				t.Errorf("seed %d: %+v", seed, c)
			}
		}
		if again := DrawOnRandomNodes(source(seed)); !slices.Equal(again.Y, h.Y) {
			t.Errorf("seed %d: drawn twice, it differs", seed)
		}
	}
}

// A change is at the run where the level of the drawn values moves.
func TestOwned(t *testing.T) {
	n := 0
	for seed := range uint64(30) {
		for _, h := range DrawUserHistories(source(seed), "u", 1) {
			if h.User != "u" || !slices.IsSorted(h.T) {
				t.Fatalf("%+v", h.Series)
			}
			for _, c := range h.Changes {
				if math.Floor(h.T[c.Index]) == math.Floor(h.T[c.Index-1]) {
					t.Errorf("seed %d: a change at %d within a day", seed, c.Index)
				}
				n++
			}
		}
	}
	if n < 200 {
		t.Errorf("%d changes in 120 histories", n)
	}
}

func TestCampaign(t *testing.T) {
	for _, shuffled := range []bool{false, true} {
		list, spells := DrawCampaign(source(3), 8, shuffled)
		if len(list) != 8 || len(spells) != 2 {
			t.Fatal(len(list), spells)
		}
		for _, h := range list {
			if slices.IsSorted(h.Start) == shuffled {
				t.Errorf("shuffled %t: starts %v", shuffled, h.Start[:5])
			}
		}
	}
}

// Changes begin with a new day, have three runs on either side, and most of them
// a field that flips there.
func TestRecorded(t *testing.T) {
	changes, flips := 0, 0
	for seed := range uint64(20) {
		for _, kind := range Kinds() {
			h := DrawRecorded(source(seed), kind)
			if len(h.T) != len(h.Y) || len(h.Meta) != 4 || !slices.IsSorted(h.T) || (h.Ramp != nil) != (kind == "drift") {
				t.Fatalf("seed %d, %s: %d runs, %d times, %d fields, ramp %v", seed, kind, len(h.Y), len(h.T), len(h.Meta), h.Ramp)
			}
			for _, c := range h.Changes {
				if c.Index < 3 || c.Index > len(h.Y)-3 || math.Floor(h.T[c.Index]) == math.Floor(h.T[c.Index-1]) {
					t.Errorf("seed %d, %s: a change at %d of %d", seed, kind, c.Index, len(h.Y))
				}
				changes++
				for _, v := range h.Meta {
					if v[c.Index] != v[c.Index-1] {
						flips++
						break
					}
				}
			}
		}
	}
	if changes < 300 || float64(flips) < .75*float64(changes) || float64(flips) > .97*float64(changes) {
		t.Errorf("a field flips at %d of %d changes", flips, changes)
	}
	h := DrawnHistory{Ramp: []int{10, 20}}
	if h.OnRamp(8) || !h.OnRamp(9) || !h.OnRamp(21) || h.OnRamp(22) {
		t.Error("a ramp from 10 to 20 reaches from 9 to 21")
	}
}

func TestScore(t *testing.T) {
	h := DrawnHistory{Changes: []PlantedChange{{Index: 20, Z: 5, Log: math.Log(1.05)}, {Index: 40, Z: 4},
		{Index: 60, Z: 20}}}
	h.Y = make([]float64, 100)
	var s Score
	lo, hi := 4.0, 6.0
	s.Add(h, []changepoint.Change{{Index: 21, LoPct: &lo, HiPct: &hi}, {Index: 41, LoPct: &lo, HiPct: &hi},
		{Index: 80}}, 1)
	want := Score{Asked: 2, Found: 1, Weak: 2, WeakFound: 2, False: 1, Runs: 100,
		Classes: [3]Class{{1, 1, 1}, {}, {1, 0, 0}}}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if hi = 4.5; intervalHolds(changepoint.Change{LoPct: &lo, HiPct: &hi}, math.Log(1.05)) ||
		intervalHolds(changepoint.Change{}, 0) {
		t.Error("an effect of 5 % is held by 4 to 4.5 %, or by no interval")
	}
	if s.Recall() != .5 || s.FalsePer1000() != 10 || s.F1() != 2.0/(2+1+1) {
		t.Errorf("recall %v, false %v, F1 %v", s.Recall(), s.FalsePer1000(), s.F1())
	}
}
