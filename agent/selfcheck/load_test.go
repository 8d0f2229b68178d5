package selfcheck

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
)

// ordered is a load that remembers which of its halves it was on for.
type ordered struct {
	*machine
	halves []bool
}

func (o *ordered) drain() (int64, error) {
	o.halves = append(o.halves, o.until-o.since > 5e6)
	return 1, nil
}

// Chance says which half of a pair comes first, and both are timed.
func TestOrderOfHalves(t *testing.T) {
	p := Default()
	for _, first := range []bool{true, false} {
		o := &ordered{machine: newMachine(1, 100, 0, 0)}
		l := o.loop(p)
		l.chance = func() float64 { return map[bool]float64{true: 0.4, false: 0.6}[first] }
		if _, err := pairs(context.Background(), l, o, 3, 0); err != nil {
			t.Fatal(err)
		}
		if len(o.halves) != 2*(3+1) {
			t.Fatalf("%d halves of 3 pairs and one to warm up", len(o.halves))
		}
		for i, on := range o.halves {
			if want := first == (i%2 == 0); on != want {
				t.Errorf("first on: %v, half %d is on: %v", first, i, on)
			}
		}
	}
}

// wide is a source of four CPUs that does nothing.
type wide struct{ counter.Source }

func (wide) Lanes() int               { return 4 }
func (wide) Start() error             { return nil }
func (wide) Stop() error              { return nil }
func (wide) Drain(counter.Sink) error { return nil }

// Records are counted on all CPUs, the loop's records are a part of them.
func TestRecordsAreOfAllCPUs(t *testing.T) {
	p := quick()
	p.Sources = []counter.Source{wide{}}
	l := newMachine(1, 100, 0, 0).loop(p)
	if d, err := direct(context.Background(), l, p); err != nil || d.Pairs != p.SourcePairs || l.lanes != 4 {
		t.Errorf("%+v, %v, %d lanes", d, err, l.lanes)
	}
}

// The cost of a timer that writes no records cannot be measured.
func TestTimerWithoutRecords(t *testing.T) {
	never := func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		b := *a
		b.Sample, b.Sample_type = 0, 0
		return perf.Open(&b, pid, cpu, group, flags)
	}
	if _, err := Measure(context.Background(), never, quick()); perf.IsForbidden(err) {
		t.Skip(err)
	} else if !errors.Is(err, errNoRecords) {
		t.Errorf("%v", err)
	}
}

// Records that found no room have interrupted all the same.
func TestLostRecordsCount(t *testing.T) {
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Ftruncate(fd, 1<<20); err != nil {
		t.Fatal(err)
	}
	ring, err := perf.MapRing(fd, 4)
	if err != nil {
		t.Fatal(err)
	}
	x := &timer{fds: []int{fd}, ring: ring}
	var b []byte
	for _, w := range []uint64{unix.PERF_RECORD_LOST | 24<<48, 1, 7, unix.PERF_RECORD_SAMPLE | 8<<48} {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	const dataHead = 1024 // in perf_event_mmap_page
	for at, bytes := range map[int64][]byte{int64(os.Getpagesize()): b,
		dataHead: binary.LittleEndian.AppendUint64(nil, uint64(len(b)))} {
		if _, err := unix.Pwrite(fd, bytes, at); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := x.drain(); err != nil || n != 7+1 {
		t.Errorf("%d records, %v", n, err)
	}
	if err := x.close(); err != nil {
		t.Error(err)
	}
}
