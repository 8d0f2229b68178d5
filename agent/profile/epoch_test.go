package profile

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

func hz(v float64) *float64 { return &v }

// The rate of code addresses changes in the middle of a block, to 0 and back to
// half: CPU time and busy CPUs stay what they were, and nothing is said of the
// time without.
func TestAddressEpochs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	w, err := Create(path, testHeader(Column{Name: "a"}))
	if err != nil {
		t.Fatal(err)
	}
	epochs := []Epoch{
		{Slot: 6, TimeNS: 5, Kind: "rate", AddressHz: hz(0), Text: "too busy"},
		{Slot: 9, Kind: "rate", AddressHz: hz(500), Text: "half"},
		{Slot: 12, Kind: "scope", Scope: "job", Text: "cgroup"}}
	count := func(n ...uint32) Block {
		b := Block{N: len(n), Samples: n, Columns: [][]int64{make([]int64, len(n))}, Pages: []PageCount{{Key: 5}}}
		for _, c := range n {
			b.Pages[0].Counts = append(b.Pages[0].Counts, uint16(c))
		}
		return b
	}
	one, two := count(10, 10, 10, 10, 10, 10, 0, 0), count(0, 5, 5, 5, 5, 5, 5, 5)
	two.First = 8
	// An epoch is before or after the block that contains its slot.
	for _, step := range []func() error{
		func() error { return w.Append(one) }, func() error { return w.WriteEpoch(epochs[0]) },
		func() error { return w.WriteEpoch(epochs[1]) }, func() error { return w.Append(two) },
		func() error { return w.WriteEpoch(epochs[2]) }, func() error { return w.Seal(Footer{}) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteEpoch(epochs[0]); err == nil {
		t.Error("an epoch after the end")
	}
	w.Close()
	p, err := Read(path)
	if err != nil || !reflect.DeepEqual(p.Epochs, epochs) || p.Damage != (Damage{}) {
		t.Fatal(p, err)
	}
	l, err := Load(path)
	if err != nil || !reflect.DeepEqual(l.Epochs, epochs) {
		t.Fatal(l.Epochs, err)
	}
	for name, v := range map[string]float32{"busy_cpus": 2, "code:0000000000000005": 10, "code:other": 0} {
		c, _ := l.Set.Column(name)
		want := series.Values{v, v, v, v, v, v, nan, nan, nan, v, v, v, v, v, v, v}
		if !equal(c.Values, want) {
			t.Errorf("%s: %v", name, c.Values)
		}
	}
	// 6 slots and 7 slots of two CPUs, 5 ms each.
	if got := l.Totals[0].Total; math.Abs(got-0.13) > 1e-12 {
		t.Errorf("cpu_time %g", got)
	}
}

// If an agent stopped sampling addresses, epochs say so in a profile that was not sealed, and a note in one that
// was. In both cases the CPU time covers a part of the run.
func TestAddressesEnd(t *testing.T) {
	for name, seal := range map[string]*Footer{
		"killed": nil,
		"sealed": {Notes: []note.Note{note.New(note.AddressesEnded, "after a while")}},
	} {
		path := filepath.Join(t.TempDir(), "profile.jgp")
		w, err := Create(path, testHeader(Column{Name: "a"}))
		if err != nil {
			t.Fatal(err)
		}
		b := Block{N: 8, Samples: []uint32{10, 10, 0, 0, 0, 0, 0, 0}, Columns: [][]int64{make([]int64, 8)}}
		if err := errors.Join(w.Append(b),
			w.WriteEpoch(Epoch{Slot: 2, Kind: "rate", AddressHz: hz(0), Text: "no more"})); err != nil {
			t.Fatal(err)
		}
		if seal != nil {
			err = w.Seal(*seal)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		l, err := Load(path)
		if err != nil || l.Totals[0].Name != "cpu_time" || l.Totals[0].Part() != 0.25 {
			t.Errorf("%s: totals %+v, %v", name, l.Totals, err)
		}
		said := slices.ContainsFunc(l.Header.Notes, func(n note.Note) bool { return n.Code == note.AddressesEnded })
		if said != (seal == nil) {
			t.Errorf("%s: notes of the reader: %v", name, l.Header.Notes)
		}
	}
}

func TestSuspended(t *testing.T) {
	at := func(kind string, slot int64) Epoch { return Epoch{Kind: kind, Slot: slot} }
	for name, c := range map[string]struct {
		epochs []Epoch
		want   []run.Interval
	}{
		"never": {[]Epoch{at("rate", 5), at(ResumedKind, 9)}, nil},
		"once": {[]Epoch{at(SuspendedKind, 200), at("rate", 300), at(ResumedKind, 400)},
			[]run.Interval{{StartS: 2, EndS: 3}}},
		"to the end": {[]Epoch{at(SuspendedKind, 200)}, []run.Interval{{StartS: 2, EndS: 10}}},
		"twice": {[]Epoch{at(SuspendedKind, 200), at(ResumedKind, 400), at(SuspendedKind, 400), at(ResumedKind, 600)},
			[]run.Interval{{StartS: 2, EndS: 3}, {StartS: 3, EndS: 4}}},
		"told twice": {[]Epoch{at(SuspendedKind, 200), at(SuspendedKind, 300), at(ResumedKind, 400)},
			[]run.Interval{{StartS: 2, EndS: 3}}},
		"back in time": {[]Epoch{at(SuspendedKind, 400), at(ResumedKind, 200), at(SuspendedKind, 100), at(ResumedKind, 600)},
			[]run.Interval{{StartS: 3, EndS: 3}}},
		"for ever": {[]Epoch{at(SuspendedKind, 200), at(ResumedKind, maxSlot)}, []run.Interval{{StartS: 2, EndS: 10}}},
	} {
		l := LoadedProfile{Header: Header{StepNS: 5e6, BaseNS: 3e9, RunNS: 2e9}, Epochs: c.epochs, endS: 10}
		if got := l.Suspensions(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Addresses may come later than the header says.
func TestAddressesLater(t *testing.T) {
	p := &Profile{Header: testHeader(), Epochs: []Epoch{{Slot: 2, Kind: "rate", AddressHz: hz(1000)}},
		Blocks: []Block{{N: 4, Columns: [][]int64{}, Samples: []uint32{0, 0, 5, 5}}}}
	p.Header.AddressHz = 0
	l := held(t, p, defaultLimits())
	c, ok := l.Set.Column("busy_cpus")
	if !ok || !equal(c.Values, series.Values{nan, nan, 1, 1}) || l.Totals[0].Total != 0.01 {
		t.Errorf("%v %v", c, l.Totals)
	}
}

func TestEpochRefused(t *testing.T) {
	w, err := newWriter(&disk{room: 1 << 20}, "p", testHeader(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Epoch{{Slot: -1, Kind: "rate"}, {}, {Kind: "rate", AddressHz: hz(-1)},
		{Kind: "rate", AddressHz: hz(math.NaN())},
		{Kind: "rate", Text: strings.Repeat("x", maxJSON)}} {
		if err := w.WriteEpoch(e); err == nil {
			t.Errorf("%.40v was written", e)
		}
	}
}

// The interrupt cost in the header is used, and counters that were counted for a part of the time are named.
func TestInterruptAndShares(t *testing.T) {
	p := sample()
	p.Header.InterruptNS = 1e6
	if q := held(t, p, defaultLimits()).Quality; math.Abs(q.OverheadPct-100*(0.003+0.030)/0.16) > 1e-9 {
		t.Errorf("%g %%", q.OverheadPct)
	}
	p.Blocks[0].CountedShare = []uint16{10_000, 10_000, 4000}
	p.Blocks[1].CountedShare = []uint16{10_000, 10_000, 5000}
	notes := held(t, p, defaultLimits()).Header.Notes
	if len(notes) != 1 || notes[0].Code != note.Multiplexed ||
		!strings.HasPrefix(notes[0].Text, "instructions was counted 63.3 %") {
		t.Errorf("%v", notes)
	}
}

// Columns that are read rarely are not in the set, where their interval would appear as a period, but on a
// separate grid and in the totals.
func TestSlowColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	h := testHeader(Column{Name: "fast", Scope: "node"}, Column{Name: "energy", Unit: "J", Scope: "node", Hz: 1},
		Column{Name: "memory", Unit: "bytes", Scope: "job", Gauge: true, Hz: 20})
	w, err := Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	b := Block{N: 200, Columns: make([][]int64, 3)}
	for k := range int64(5) {
		b.First = k * 200
		for c := range b.Columns {
			b.Columns[c] = b.Columns[c][:0]
			for i := range int64(b.N) {
				b.Columns[c] = append(b.Columns[c], (b.First+i)*2)
			}
		}
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := l.Set.Column("energy"); ok || len(l.Set.Columns) != 2 || l.Set.Len() != 1000 {
		t.Errorf("%d columns in the set", len(l.Set.Columns))
	}
	if len(l.Totals) != 2 || l.Totals[1].Name != "energy" || l.Totals[1].Total != 1998 {
		t.Errorf("totals %v", l.Totals)
	}
	slow, ok := l.SlowSet.Column("energy")
	if !ok || l.SlowSet.StepS != 1.28 || l.SlowSet.StartS != l.Set.StartS ||
		!equal(slow.Values, series.Values{400, 400, 400}) ||
		slow.Unit != "J/s" {
		t.Errorf("%+v every %g s", slow, l.SlowSet.StepS)
	}
}

func TestSlowestRate(t *testing.T) {
	r := rates{{0, 200}, {60, 25}, {80, 0}}
	for _, c := range []struct {
		slots [3]int64
		want  float64
	}{
		{[3]int64{60, 20, 0}, 25}, {[3]int64{60, 20, 20}, 25}, {[3]int64{600, 20, 0}, 200}, {[3]int64{}, 25},
		{[3]int64{0, 0, 9}, 0},
	} {
		all := []rateTally{{slots: c.slots[0]}, {slots: c.slots[1]}, {slots: c.slots[2]}}
		if got := r.lowestCommonHz(all); got != c.want {
			t.Errorf("%v: %g, want %g", c.slots, got, c.want)
		}
	}
}

// The program is the footer's, and of a profile without one that of the last word.
func TestProgram(t *testing.T) {
	told := []Epoch{{Kind: ProgramKind, Text: "bash"}, {Kind: SuspendedKind, Text: "stopped"},
		{Kind: ProgramKind, Text: "lmp"}}
	for want, l := range map[string]LoadedProfile{
		"":    {Epochs: told[1:2]},
		"lmp": {Epochs: told},
		"cp2": {Epochs: told, Footer: &Footer{Executable: "cp2"}},
	} {
		if got := l.Program(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
