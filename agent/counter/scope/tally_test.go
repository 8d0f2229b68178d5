package scope

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A count that had the PMU half of the time is doubled, interval by interval.
func TestTallyScales(t *testing.T) {
	var a tally
	for i, c := range []struct{ count, enabled, running, total, wanted, ran uint64 }{
		{1000, 10e6, 10e6, 1000, 10e6, 10e6},
		{1500, 20e6, 15e6, 2000, 10e6, 5e6},
		{1500, 30e6, 15e6, 2000, 10e6, 0}, // no room at all
		{1400, 29e6, 14e6, 2000, 0, 0},    // several tasks are not read at one time
		{2500, 40e6, 25e6, 3000, 10e6, 10e6},
	} {
		if w, r := a.add(c.count, c.enabled, c.running); a.total != c.total || w != c.wanted || r != c.ran {
			t.Errorf("reading %d: total %d, wanted %d, ran %d; want %+v", i, a.total, w, r, c)
		}
	}
	a.again()
	if a.add(7, 1, 1); a.total != 3007 {
		t.Errorf("total %d after it was opened again", a.total)
	}
}

func FuzzTally(f *testing.F) {
	f.Add(uint64(5), uint64(10), uint64(5), uint64(7), uint64(20), uint64(6))
	f.Add(uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(1), uint64(0), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, c1, e1, r1, c2, e2, r2 uint64) {
		const most = 1 << 60 // 36 years of nanoseconds
		var a tally
		a.add(c1%most, e1%most, r1%most)
		was := a.total
		if w, r := a.add(c2%most, e2%most, r2%most); w > most || r > most {
			t.Errorf("wanted %d, ran %d", w, r)
		}
		if a.total < was && was < most {
			t.Errorf("went back from %d to %d", was, a.total)
		}
	})
}

func FuzzParseReadings(f *testing.F) {
	f.Add(binary.NativeEndian.AppendUint64(nil, 2), 2)
	f.Add(make([]byte, 24), 0)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		counts := make([]uint64, n&63)
		if _, _, err := parseGroup(b, counts); err == nil && len(b) < 24+8*len(counts) {
			t.Error("a short reading was taken")
		}
		if _, _, _, err := parseOne(b); (err == nil) != (len(b) >= 24) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	})
}

func TestParseStat(t *testing.T) {
	for text, want := range map[string]uint64{
		"7 (a b) c) R 1 7 7 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 99": 1000e6,
		"7 (a) S 1 7 7 0 -1 4194304 1 2 3 4 0 0 0 0 20":                   0,
	} {
		if got, err := parseStat([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "7 a R", "7 (a) R 1 2 3", "7 (a) S 1 7 7 0 -1 4194304 1 2 3 4 0 x 0 0 20"} {
		if _, err := parseStat([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (a b) c) R 1 7 7 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 99"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if v, err := parseStat(text); err == nil && v/tick > 4<<40 {
			t.Errorf("%d", v)
		}
	})
}

// What processes use at their ends is taken from the accounts, no faster than
// a quarter of what is counted, and never more than is missing.
func TestEndsAreMadeUpFor(t *testing.T) {
	proc := t.TempDir()
	stat := func(pid, text, children string) {
		dir := filepath.Join(proc, pid, "task", pid)
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(proc, pid, "stat"), []byte(text), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "children"), []byte(children), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "schedstat"), []byte("3000000 5 7\n"), 0o644))
	}
	stat("5", "5 (sh) S 1 5 5 0 -1 0 0 0 0 0 1 1 40 40 20 0", "6 7")
	stat("6", "6 (make) S 5 5 5 0 -1 0 0 0 0 0 0 0 10 10 20 0", "")
	e := ends{proc: proc, root: 5}
	e.begin()
	e.look(1)
	if e.before != 3e6 || e.account != 1020e6 {
		t.Fatalf("before %d, account %d", e.before, e.account)
	}
	for i, c := range []struct{ clocks, want uint64 }{
		{800e6, 1003e6}, // 217 missing, and there is room for 200
		{800e6, 1003e6}, // nothing counted, nothing added
		{900e6, 1103e6}, // the account is not ahead any more
		{2000e6, 2203e6},
	} {
		if got := e.add(c.clocks); got != c.want {
			t.Errorf("reading %d: %d, want %d", i, got, c.want)
		}
	}
}

func TestUsedIsReadBack(t *testing.T) {
	dir := t.TempDir()
	if _, ok := ReadUsed(dir); ok {
		t.Error("there is none")
	}
	must(t, Used{CPUNS: 5, EndNS: 6}.Write(dir))
	if u, ok := ReadUsed(dir); !ok || u != (Used{5, 6}) {
		t.Errorf("%+v, %v", u, ok)
	}
	if err := (Used{}).Write(filepath.Join(dir, "none")); err == nil {
		t.Error("written into a directory that is not there")
	}
}

// A rest that would be a spike stays out, and is said.
func TestLargeRestStaysOut(t *testing.T) {
	for rest, left := range map[uint64]bool{90e6: false, 3e9: true} {
		s := &Task{p: TaskParams{Dir: t.TempDir()}, totals: []uint64{1e9}}
		must(t, Used{CPUNS: 1e9 + rest, EndNS: 7}.Write(s.p.Dir))
		if end := s.settle(); end != 7 || (s.totals[0] == 1e9) != left || (len(s.ends.notes()) == 1) != left {
			t.Errorf("rest %d: total %d, notes %v", rest, s.totals[0], s.ends.notes())
		}
		if end := s.settle(); end != 0 {
			t.Error("settled twice")
		}
	}
}
