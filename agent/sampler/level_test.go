package sampler

import (
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/agent/profile"
)

// A level has no value before its first reading, is interpolated between readings, and may fall. A count begins
// at zero and never falls.
func TestLevels(t *testing.T) {
	s := newTest(false, Shape{Columns: 2, Lanes: 1, Gauge: []bool{true, false}})
	tr := s.Track(0)
	tr.Read(0, 3*step, []uint64{1000, 50})
	tr.Read(0, 5*step, []uint64{2000, 60})
	tr.Read(0, 10*step, []uint64{500, 55})
	blocks := emit(s, 10*step+EmitDelayNS)
	none := profile.NoValue
	if got := column(blocks, 0); !slices.Equal(got, []int64{none, none, none, 1500, 2000, 1700, 1400, 1100, 800, 500}) {
		t.Errorf("levels %d", got)
	}
	if got := column(blocks, 1); !slices.Equal(got, []int64{0, 0, 0, 5, 10, 10, 10, 10, 10, 10}) {
		t.Errorf("counts %d", got)
	}
}

// A level that is read on several lanes is their sum, once all have one.
func TestLevelsOfLanesAreAdded(t *testing.T) {
	s := newTest(false, Shape{Columns: 1, Lanes: 2, Gauge: []bool{true}})
	tr := s.Track(0)
	tr.Read(0, 0, []uint64{10})
	tr.Read(0, 4*step, []uint64{10})
	tr.Read(1, 2*step, []uint64{5})
	tr.Read(1, 4*step, []uint64{1})
	got := column(emit(s, 4*step+EmitDelayNS), 0)
	if want := []int64{profile.NoValue, profile.NoValue, 13, 11}; !slices.Equal(got, want) {
		t.Errorf("levels %d, want %d", got, want)
	}
}

// Whatever the readings, a level stays between the two around it.
func TestLevelsStayBetweenReadings(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := newTest(false, Shape{Columns: 1, Lanes: 1, Gauge: []bool{true}})
	tr := s.Track(0)
	at, last := int64(0), uint64(0)
	lo, hi := map[int64]int64{}, map[int64]int64{}
	for range 300 {
		next, v := at+1+r.Int64N(6*step), r.Uint64N(1<<62)
		tr.Read(0, next, []uint64{v})
		for i := at / step; (i+1)*step <= next; i++ {
			lo[i], hi[i] = int64(min(last, v)), int64(max(last, v))
		}
		at, last = next, v
	}
	for i, v := range column(emit(s, at+EmitDelayNS), 0) {
		if v != profile.NoValue && (v < lo[int64(i)] || v > hi[int64(i)]) {
			t.Fatalf("slot %d: %d is not within %d to %d", i, v, lo[int64(i)], hi[int64(i)])
		}
	}
}

// A block contains the share of time in which a column was counted only if the share is below one.
func TestShareOfTimeCounted(t *testing.T) {
	s := newTest(false, Shape{Columns: 2, Lanes: 2, PeriodNS: step}, Shape{Columns: 1, Lanes: 1})
	var b profile.Block
	emitAt := func(slot int64) []uint16 {
		s.Track(0).Record(0, slot*step, []uint64{1, 1})
		if !s.Emit(slot*step+EmitDelayNS, &b) {
			t.Fatalf("no block at slot %d", slot)
		}
		return b.CountedShare
	}
	for _, c := range []struct {
		ran  [][3]uint64 // column, enabled, running
		want []uint16
	}{
		{nil, nil},
		{[][3]uint64{{0, 1000, 1000}, {1, 1000, 1000}}, nil},
		{[][3]uint64{{1, 1000, 500}, {1, 3000, 2500}}, []uint16{10000, 7500, 10000}},
		{nil, []uint16{10000, 7500, 10000}}, // nothing new: as before
		{[][3]uint64{{1, 1e9, 0}}, []uint16{10000, 0, 10000}},
		{[][3]uint64{{1, 1000, 1001}}, nil},
	} {
		for _, r := range c.ran {
			s.Track(0).Ran(int(r[0]), r[1], r[2])
		}
		if got := emitAt(s.first + 10); !slices.Equal(got, c.want) {
			t.Errorf("%v: share %v, want %v", c.ran, got, c.want)
		}
	}
}

func TestEpochsHaveTheirSlotAndAreBounded(t *testing.T) {
	s := New(Grid{StepNS: step, BaseNS: 100 * step}, false, Shape{Columns: 1, Lanes: 1})
	s.Track(0).Changed(profile.Epoch{TimeNS: 103*step + 7, Kind: "hotplug"})
	s.Changed(profile.Epoch{TimeNS: 5, Kind: "scope"})
	got := s.Epochs()
	if len(got) != 2 || got[0].Slot != 3 || got[1].Slot != 0 || got[1].Kind != "scope" {
		t.Errorf("epochs %+v", got)
	}
	if again := s.Epochs(); len(again) != 0 {
		t.Errorf("taken twice: %+v", again)
	}
	for range 5000 {
		s.Changed(profile.Epoch{})
	}
	if n := len(s.Epochs()); n != maxEpochs {
		t.Errorf("%d epochs are kept", n)
	}
}
