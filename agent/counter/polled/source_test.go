package polled

import (
	"errors"
	"slices"
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// clock returns a clock that advances by a microsecond with each call.
func clock() func() int64 {
	now := int64(1e9)
	return func() int64 { now += 1e3; return now }
}

// scripted is a meter of two devices in one column whose readings are given.
func scripted(gauge bool, rows ...[]uint64) Meter {
	i := -1
	return Meter{Columns: []profile.Column{{Name: "x", Unit: "bytes", Scope: "node", Gauge: gauge}}, Config: "script",
		EveryNS: 1e8, Cells: 2, Read: func(cells []uint64) error {
			i++
			switch row := rows[i]; len(row) {
			case 0:
				return errors.New("broken")
			case 1:
				return ErrAbsent
			default:
				copy(cells, row)
			}
			return nil
		}}
}

var (
	broken = []uint64{}
	absent = []uint64{0}
)

func TestSourceCounts(t *testing.T) {
	const no = NoCell
	for name, c := range map[string]struct {
		gauge bool
		rows  [][]uint64 // the first is the probe's
		want  []uint64   // totals handed over
	}{
		"grows":                          {false, [][]uint64{{5, 7}, {5, 7}, {6, 9}, {6, 9}, {10, 9}}, []uint64{0, 3, 3, 7}},
		"one counter restarts":           {false, [][]uint64{{5, 7}, {5, 7}, {1, 9}, {2, 9}}, []uint64{0, 2, 3}},
		"one goes and comes back":        {false, [][]uint64{{5, 7}, {5, 7}, {no, 8}, {9, 8}}, []uint64{0, 1, 5}},
		"one comes late":                 {false, [][]uint64{{5, no}, {5, no}, {5, 100}, {6, 101}}, []uint64{0, 0, 2}},
		"a reading fails":                {false, [][]uint64{{5, 7}, {5, 7}, broken, {6, 7}}, []uint64{0, 1}},
		"nothing there at all":           {false, [][]uint64{{5, 7}, {5, 7}, {no, no}, {6, 7}}, []uint64{0, 1}},
		"there from the start":           {false, [][]uint64{{5, 0}, {9, 0}, {10, 0}}, []uint64{0, 1}},
		"appears late: all of it counts": {false, [][]uint64{absent, absent, absent, {40, 2}, {50, 2}}, []uint64{0, 42, 52}},
		"away for a while, the same":     {false, [][]uint64{absent, absent, {40, 0}, absent, {45, 0}}, []uint64{0, 40, 45}},
		"away for a while, another":      {false, [][]uint64{absent, absent, {40, 0}, absent, {3, 0}}, []uint64{0, 40, 43}},
		"a level": {true, [][]uint64{{5, 7}, {5, 7}, {1, 2}, {no, 4}, absent, {9, 9}},
			[]uint64{12, 3, 4, 18}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := New(scripted(c.gauge, c.rows...), clock())
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			var to countertest.Sink
			failed := 0
			for range c.rows[1:] {
				if p.Drain(&to) != nil {
					failed++
				}
			}
			var got []uint64
			last := int64(0)
			for _, r := range to.Readings {
				got = append(got, r.Counts[0])
				if r.TimeNS <= last || r.Timer {
					t.Errorf("reading %+v after %d", r, last)
				}
				last = r.TimeNS
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
			if int(p.failures) != failed || (failed > 0) != (len(p.Notes()) > 0) {
				t.Errorf("%d failures of %d, notes %v", p.failures, failed, p.Notes())
			}
		})
	}
}

// The first value of the job's own cgroup was counted before. Counts outside the sampled time are not assigned,
// as for every meter.
func TestSourceOfTheRunItself(t *testing.T) {
	m := scripted(false, []uint64{5, 7}, []uint64{6, 7}, []uint64{9, 8}, []uint64{100, 8}, []uint64{101, 8})
	m.OwnCount = true
	p, err := New(m, clock())
	if err != nil {
		t.Fatal(err)
	}
	var to countertest.Sink
	for i, want := range []uint64{0, 4, 4, 5} {
		if i == 0 || i == 2 {
			p.Start()
		}
		if err := p.Drain(&to); err != nil {
			t.Fatal(err)
		}
		if r, _ := to.Last(0); r.Counts[0] != want {
			t.Errorf("reading %d: %d, want %d", i, r.Counts[0], want)
		}
	}
	if p.Before() != 13 {
		t.Errorf("before: %d", p.Before())
	}
}

func TestSourceStopsAndStarts(t *testing.T) {
	p, err := New(scripted(false, []uint64{0, 0}, []uint64{1, 1}, []uint64{4, 1}, []uint64{100, 1}, []uint64{101, 1}),
		clock())
	if err != nil {
		t.Fatal(err)
	}
	var to countertest.Sink
	drain := func(want uint64) {
		t.Helper()
		if err := p.Drain(&to); err != nil {
			t.Fatal(err)
		}
		if r, _ := to.Last(0); r.Counts[0] != want {
			t.Errorf("%d, want %d", r.Counts[0], want)
		}
	}
	p.Start()
	drain(0)
	drain(3)
	p.Stop()
	p.Start()
	drain(3) // counts in between are not assigned
	drain(4)
}

func TestSourceDescription(t *testing.T) {
	m := scripted(true, absent, absent, absent)
	m.NeverText = "never there"
	p, err := New(m, clock())
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Columns(); len(c) != 1 || c[0].Hz != 10 || !c[0].Gauge || p.EveryNS() != 1e8 || p.Lanes() != 1 ||
		p.PeriodNS() != 0 {
		t.Errorf("%+v", c)
	}
	if s := p.Sources(); len(s) != 1 || s[0].Name != "x" || s[0].Hz != 10 || s[0].Absent != "" || s[0].Scope != "node" {
		t.Errorf("%+v", s)
	}
	if len(p.Notes()) != 0 {
		t.Error("a note before anything was asked")
	}
	var to countertest.Sink
	if err := p.Drain(&to); err != nil || len(to.Readings) != 0 {
		t.Errorf("%v, %v", err, to.Readings)
	}
	if n := p.Notes(); len(n) != 1 || n[0].Code != note.NeverRead || n[0].Text != "never there" {
		t.Errorf("notes %v", n)
	}
	if _, err := New(scripted(false, broken), clock()); err == nil {
		t.Error("a meter that cannot be read was opened")
	}
}

// What takes long is read less often, and says so; what was interrupted once is not.
func TestSourceIsReadLessOftenWhenItIsSlow(t *testing.T) {
	for name, c := range map[string]struct {
		takes []int64
		hz    float64
	}{
		"fast":             {[]int64{1e5}, 10},
		"slow":             {[]int64{2e6, 2e6, 3e6}, 2.5},
		"interrupted once": {[]int64{9e6, 4e5}, 10},
	} {
		var now int64
		i := 0
		m := scripted(false)
		m.Read = func(cells []uint64) error {
			cells[0] = 1
			now += c.takes[i]
			i++
			return nil
		}
		p, err := New(m, func() int64 { return now })
		if err != nil || p.Columns()[0].Hz != c.hz || p.Sources()[0].Hz != c.hz || p.EveryNS() != int64(1e9/c.hz) {
			t.Errorf("%s: %v, %+v", name, err, p.Columns())
		}
	}
}

func TestSourceThatNeverCouldBeRead(t *testing.T) {
	p, err := New(scripted(false, absent, broken, broken), clock())
	if err != nil {
		t.Fatal(err)
	}
	var to countertest.Sink
	for range 2 {
		if p.Drain(&to) == nil {
			t.Error("no error")
		}
	}
	if n := p.Notes(); len(n) != 1 || n[0].Code != note.NeverRead || len(to.Readings) != 0 {
		t.Errorf("notes %v, readings %v", n, to.Readings)
	}
}
