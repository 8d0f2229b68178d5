package anatomy

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// Three functions of a cycle of 40 slots (200 ms at 200 Hz), one after the other, each in a separate page, and
// one page that is executed only outside the cycles.
var (
	work = []Function{{Library: "app", Name: "a"}, {Library: "app", Name: "b"}, {Library: "libm.so.6", Name: "c"},
		{Library: "app", Name: "start"}}
	ends = []float64{.6125, .8875, 1}
)

const cycleSlots = 40

// drawn draws a run of n cycles between two stretches of 100 slots of other code, with 5 samples a slot at
// random places of the slot, as from a timer that is independent of the cycle.
func drawn(r *rand.Rand, n int) (Code, []Cycles, Block) {
	c := Code{Functions: work}
	slots := 200 + n*cycleSlots
	b := Block{Samples: make([]uint32, slots), SampleS: 0.001}
	for k := range work {
		b.Pages = append(b.Pages, Page{Key: uint64(100 + k), Counts: make([]uint16, slots)})
	}
	count := make([]int64, len(work))
	cycles := Cycles{Pattern: "A"}
	for k := range n {
		cycles.Instances = append(cycles.Instances, [2]int{100 + k*cycleSlots, cycleSlots})
	}
	for i := range slots {
		b.Samples[i] = 5
		for range 5 {
			k := 3
			if i >= 100 && i < 100+n*cycleSlots {
				at := (float64((i-100)%cycleSlots) + r.Float64()) / cycleSlots
				for k = 0; at > ends[k]; k++ {
				}
			}
			b.Pages[k].Counts[i]++
			count[k]++
		}
	}
	for k, n := range count {
		c.HotAddresses = append(c.HotAddresses, HotAddress{Page: uint64(100 + k), Function: k, Count: n})
	}
	return c, []Cycles{cycles}, b
}

// Shares within 1.5 points and places within one bin, in each of 20 runs.
func TestAKnownCycle(t *testing.T) {
	for seed := range uint64(20) {
		code, cycles, b := drawn(rand.New(rand.NewPCG(seed, 1)), 50)
		tally := New(code, cycles)
		tally.Add(b)
		a := tally.Result()
		c := a.Cycles[0]
		if math.Abs(c.Count-50) > 1e-9 || math.Abs(c.BusyS-50*cycleSlots*.005) > 1e-9 {
			t.Fatalf("%g cycles of %g s", c.Count, c.BusyS)
		}
		for k, want := range []float64{.6125, .275, .1125} {
			f := c.Functions[k]
			if f.Name != work[k].Name || math.Abs(f.Share-want) > .015 || math.Abs(*f.CycleS-.2*f.Share) > 1e-9 {
				t.Errorf("seed %d: %+v", seed, f)
			}
			first, last := Bins, -1
			for bin, s := range f.Within {
				if s > .1*.2/Bins {
					first, last = min(first, bin), bin
				}
			}
			from := append([]float64{0}, ends...)[k] * Bins
			if math.Abs(float64(first)-from) > 1 || math.Abs(float64(last+1)-ends[k]*Bins) > 1 {
				t.Errorf("seed %d: %s in bins %d to %d", seed, f.Name, first, last)
			}
		}
		for _, s := range []Split{a.StartUp, a.Tail} {
			if len(s.Functions) != 1 || s.Functions[0].Name != "start" || math.Abs(s.BusyS-.5) > 1e-9 {
				t.Errorf("outside: %+v", s)
			}
		}
		if len(c.Classes) != 2 || c.Classes[0].Name != string(Own) || c.Classes[1].Name != string(Math) ||
			a.Between.BusyS != 0 {
			t.Errorf("%+v", c.Classes)
		}
	}
}

// TestFunctionsOfOneColumnAreNotSeparated checks that functions that share a column have no course within a cycle,
// while one that has its column nearly alone has.
func TestFunctionsOfOneColumnAreNotSeparated(t *testing.T) {
	code, cycles, b := drawn(rand.New(rand.NewPCG(5, 5)), 50)
	for i, n := range b.Pages[1].Counts { // b moves into the page of a
		b.Pages[0].Counts[i] += n
	}
	b.Pages = append(b.Pages[:1], b.Pages[2:]...)
	code.HotAddresses[1].Page = code.HotAddresses[0].Page
	code.HotAddresses = append(code.HotAddresses,
		HotAddress{Page: code.HotAddresses[2].Page, Function: 3, Count: code.HotAddresses[2].Count / 20})
	third := code.HotAddresses[2].Count / 3 // c has several places in its page, as functions have
	code.HotAddresses[2].Count -= 2 * third
	for range 2 {
		code.HotAddresses = append(code.HotAddresses,
			HotAddress{Page: code.HotAddresses[2].Page, Function: code.HotAddresses[2].Function, Count: third})
	}
	tally := New(code, cycles)
	tally.Add(b)
	c := tally.Result().Cycles[0]
	classes := 0.0
	for _, w := range c.Classes[0].Within {
		classes += w
	}
	for _, f := range c.Functions {
		if known := f.Name == "c"; (f.Within != nil) != known && f.Name != "start" {
			t.Errorf("%s: course within the cycle known: %v, want %v", f.Name, f.Within != nil, known)
		}
	}
	if math.Abs(c.Functions[0].Share-.6125) > .015 || math.Abs(classes-*c.Classes[0].CycleS) > 1e-9 {
		t.Errorf("shares %+v, class of %g s adds up to %g s", c.Functions[0], *c.Classes[0].CycleS, classes)
	}
}

// The interval contains the true value in about 95 of 100 runs: b begins and ends within a slot, so that samples
// of this slot fall on either side.
func TestIntervalsHoldTheTruth(t *testing.T) {
	r, held, all := rand.New(rand.NewPCG(7, 7)), 0, 200
	for range all {
		code, cycles, b := drawn(r, 40)
		tally := New(code, cycles)
		tally.Add(b)
		f := tally.Result().Cycles[0].Functions[1]
		if *f.Lo <= .055 && .055 <= *f.Hi {
			held++
		}
		if *f.Lo > *f.CycleS || *f.CycleS > *f.Hi {
			t.Fatalf("%g is not within %g and %g", *f.CycleS, *f.Lo, *f.Hi)
		}
	}
	if held < all*90/100 || held == all {
		t.Errorf("%d of %d intervals hold the truth", held, all)
	}
}

// For any input, all parts add up to the samples.
func TestAllAddsUp(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		code := Code{Functions: []Function{{Library: "app", Name: "f"}, {Library: "libopen-pal.so.40", Start: 16},
			{Library: KernelCode}, {Library: "app", Name: "f", Start: 7}}}
		for range r.IntN(30) {
			code.HotAddresses = append(code.HotAddresses,
				HotAddress{Page: r.Uint64N(8), Function: r.IntN(6) - 1, Count: r.Int64N(5)})
		}
		cycles := make([]Cycles, r.IntN(3))
		for i := range cycles {
			cycles[i].Pattern = string(rune('A' + i))
			for range r.IntN(20) {
				cycles[i].Instances = append(cycles[i].Instances, [2]int{r.IntN(500) - 5, r.IntN(60)})
			}
		}
		tally, busy := New(code, cycles), 0.0
		for first := int64(0); first < 500; first += 50 {
			b := Block{First: first, Samples: make([]uint32, 50), SampleS: .001 * float64(1+r.IntN(3))}
			for range r.IntN(5) {
				p := Page{Key: r.Uint64N(10), Counts: make([]uint16, 50)}
				for i := range p.Counts {
					p.Counts[i] = uint16(r.IntN(4))
				}
				b.Pages = append(b.Pages, p)
			}
			for i := range b.Samples {
				b.Samples[i] = uint32(r.IntN(12))
				busy += float64(b.Samples[i]) * b.SampleS
			}
			tally.Add(b)
		}
		addsUp(t, seed, tally.Result(), busy)
	}
}

func addsUp(t *testing.T, seed uint64, a Anatomy, busy float64) {
	t.Helper()
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("seed %d: %s: %g, not %g", seed, what, got, want)
		}
	}
	sum := a.StartUp.BusyS + a.Between.BusyS + a.Tail.BusyS
	for _, c := range a.Cycles {
		sum += c.BusyS
		for _, f := range c.Functions {
			if f.Within == nil {
				continue // not separated from others
			}
			within := 0.0
			for _, s := range f.Within {
				within += s
			}
			near("within a cycle", within, *f.CycleS)
		}
		for _, p := range c.Classes {
			within := 0.0
			for _, s := range p.Within {
				within += s
			}
			if p.CycleS != nil {
				near("class within a cycle", within, *p.CycleS)
			}
		}
	}
	near("parts", sum, busy)
	near("run", a.Run.BusyS, busy)
	for _, s := range []Split{a.Run, a.StartUp, a.Between, a.Tail} {
		for what, list := range map[string][]Part{"classes": s.Classes, "libraries": s.Libraries} {
			sum := 0.0
			for _, p := range list {
				sum += p.Seconds
			}
			near(what, sum, s.BusyS)
		}
		sum, share := 0.0, 0.0
		for _, f := range s.Functions {
			sum, share = sum+f.Seconds, share+f.Share
		}
		near("functions", sum, s.BusyS)
		if s.BusyS > 0 {
			near("shares", share, 1)
		}
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

// If a short pattern lies within a long one, the better of the two is complete, whichever begins first; outside
// it the other pattern has its own cycles.
func TestTheBetterPatternHolds(t *testing.T) {
	var long, short Cycles
	long.Pattern, short.Pattern = "A", "B"
	for k := range 10 {
		long.Instances = append(long.Instances, [2]int{3 + 50*k, 50})
	}
	for k := range 75 {
		short.Instances = append(short.Instances, [2]int{10 * k, 10})
	}
	b := Block{Samples: make([]uint32, 750), SampleS: .005}
	for i := range b.Samples {
		b.Samples[i] = 1
	}
	for _, c := range []struct {
		cycles []Cycles
		counts []float64
	}{{[]Cycles{long, short}, []float64{10, 24}}, {[]Cycles{short, long}, []float64{75, 0}}} {
		tally := New(Code{}, c.cycles)
		tally.Add(b)
		a := tally.Result()
		for i, want := range c.counts {
			if math.Abs(a.Cycles[i].Count-want) > 1e-9 {
				t.Errorf("%s first: %g of %s, not %g", c.cycles[0].Pattern, a.Cycles[i].Count, a.Cycles[i].Pattern, want)
			}
		}
		addsUp(t, 0, a, 750*.005)
	}
}

// TestSharedAndUnlistedPages divides the samples of a page, and those without a page, by
// the counts of the places; samples of a page that has no places are not resolved.
func TestSharedAndUnlistedPages(t *testing.T) {
	code := Code{Functions: work[:2], HotAddresses: []HotAddress{{Page: 1, Count: 30}, {Page: 1, Function: 1, Count: 10}}}
	tally := New(code, nil)
	tally.Add(Block{Samples: []uint32{10}, SampleS: 1,
		Pages: []Page{{Key: 1, Counts: []uint16{8}}, {Key: 2, Counts: []uint16{1}}}})
	s := tally.Result().StartUp
	want := map[string]float64{"a": 6.75, "b": 2.25, "": 1}
	for _, f := range s.Functions {
		if math.Abs(f.Seconds-want[f.Name]) > 1e-12 {
			t.Errorf("%+v", f)
		}
	}
	if len(s.Functions) != 3 || math.Abs(s.UnnamedShare-.1) > 1e-12 {
		t.Errorf("%+v", s)
	}
}
