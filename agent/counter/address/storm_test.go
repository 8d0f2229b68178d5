package address

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"jobgait/agent/counter"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

func TestAllowance(t *testing.T) {
	a := peek.Allowance{PerS: 10, Most: 30}
	for i, c := range []struct {
		at    int64
		may   bool
		spend int64
	}{
		{1e9, true, 29}, {1e9, true, 100}, {1e9, false, 0}, {10e9, false, 0}, // 129 spent, 90 earned by then
		{11.1e9, true, 0}, {5e9, true, 35}, {11.1e9, false, 0}, {1000e9, true, 31}, {1000e9, false, 0},
	} {
		if may := a.Allows(c.at); may != c.may {
			t.Errorf("step %d: may %v, %+v", i, may, a)
		}
		a.Spend(c.spend)
	}
}

// dear is a membership that takes 0.2 ms of CPU time for an answer.
type dear struct {
	counter.Members
	n    int
	used *int64
}

func (d *dear) Has(int) bool { d.n++; *d.used += 200_000; return false }

// In a neighbor's storm of programs, each sampled once or the parent of a sampled one, the number of membership
// queries is bounded, and later queries still work.
func TestQuestionsAreBounded(t *testing.T) {
	for _, forks := range []bool{false, true} {
		var used int64
		m := &dear{used: &used}
		tb := newTable(peek.Direct{Proc: t.TempDir()}, m)
		tb.cpu = func() int64 { return used }
		const seconds, perS = 20, 10_000
		for i := range seconds * perS {
			pid, at := int32(100+i), int64(i)*1e9/perS
			if forks {
				tb.apply(event{time: at, kind: forked, pid: pid + 1, parent: pid})
			} else {
				tb.hit(user(pid, 0x1000, at))
			}
		}
		if limit := maxLookupNS + seconds*lookupNSPerS + 1e6; float64(used) > limit || float64(used) < 0.9*limit {
			t.Errorf("forks %v: asking took %.1f ms in %d s, want %.1f", forks, float64(used)/1e6, seconds, limit/1e6)
		}
		before := m.n
		tb.hit(user(100+seconds*perS-1, 0x1000, 200e9)) // one of the last processes, whose membership was not queried
		if m.n != before+1 {
			t.Errorf("forks %v: no query after the storm", forks)
		}
	}
}

// The children of init and of the kernel's threads do not belong to the job.
func TestForksOfInit(t *testing.T) {
	m := &asked{members: map[int]bool{1: true, 2: true}}
	tb := newTable(peek.Direct{Proc: t.TempDir()}, m)
	tb.apply(event{time: 1, kind: forked, pid: 50, parent: 1})
	tb.apply(event{time: 1, kind: forked, pid: 51, parent: 2})
	if m.n != 0 || len(tb.procs) != 0 {
		t.Errorf("queried %d times, %d processes", m.n, len(tb.procs))
	}
}

// A job with more programs than are read.
func TestProgramsAreBounded(t *testing.T) {
	tb := newTable(peek.Direct{Proc: t.TempDir()}, nil)
	for i := range int32(2 * maxPrograms) {
		name := fmt.Sprint("program", i)
		for _, e := range []event{{kind: execed, pid: 10 + i},
			{kind: mapped, pid: 10 + i, area: area{start: 1, end: 2, file: 5}, name: name, build: "b" + name}} {
			e.time = int64(i)
			tb.apply(e)
		}
		if _, ok := tb.hit(user(10+i, 1, int64(i))); !ok {
			t.Fatalf("%s is not sampled", name)
		}
	}
	if len(tb.programHits) != maxPrograms || len(tb.builds) != maxPrograms {
		t.Errorf("%d programs, %d builds", len(tb.programHits), len(tb.builds))
	}
}

// Large maps are read only at the allowed rate. Until then their code belongs to no known file, and the maps do
// not count as read.
func TestReadingMapsIsBounded(t *testing.T) {
	root := fixture(t)
	var used int64
	tb := newTable(peek.Direct{Proc: root}, nil)
	tb.cpu = func() int64 { used += maxLookupNS; return used } // so much for each
	a, _ := tb.hit(user(10, 0x11000, 1e9))
	b, _ := tb.hit(user(11, 0x91000, 1e9))
	if a <= profile.AnonymousPage || b != profile.AnonymousPage {
		t.Errorf("pages %x and %x: one may be looked up", a, b)
	}
	if c, _ := tb.hit(user(11, 0x91000, 100e9)); c != a {
		t.Errorf("later it is page %x, want %x", c, a)
	}
}

// Code in no known area is looked up after 1, 2, 4 .. s, not at each sample, and not
// when there is no room for what would be found.
func TestMapsAreReadAgainSeldom(t *testing.T) {
	tb := newTable(peek.Direct{Proc: fixture(t)}, nil)
	asked := 0
	tb.cpu = func() int64 { asked++; return 0 }
	for i := range int64(10_000) {
		tb.hit(user(10, 0x5, 1e9+i*1e6))
	}
	if asked != 2*4 { // at 0, 1, 3 and 7 s, a clock before and after
		t.Errorf("maps were read %d times in 10 s", asked/2)
	}
	tb.areas += maxAllAreas
	if page, _ := tb.hit(user(11, 0x91000, 20e9)); page != profile.AnonymousPage || asked != 2*4 {
		t.Errorf("page %x, maps were read %d times", page, asked/2)
	}
}

// Two hundred processes fork, exec, map and end at random. Each has the code that it mapped or inherited, and
// the stored areas are counted correctly.
func TestSharedCode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tb := newTable(peek.Direct{Proc: t.TempDir()}, nil)
	truth := map[int32]map[uint64]uint64{} // file by page
	tb.apply(event{kind: execed, pid: 3})
	truth[3] = map[uint64]uint64{}
	for i := range int64(20_000) {
		pid := int32(3 + r.IntN(200))
		code, alive := truth[pid]
		switch child := int32(3 + r.IntN(200)); {
		case !alive:
			tb.apply(event{time: i, kind: execed, pid: pid})
			truth[pid] = map[uint64]uint64{}
		case r.IntN(8) == 0 && pid != child:
			tb.apply(event{time: i, kind: forked, pid: child, parent: pid})
			truth[child] = map[uint64]uint64{}
			for k, v := range code {
				truth[child][k] = v
			}
		case r.IntN(20) == 0:
			tb.apply(event{time: i, kind: execed, pid: pid})
			truth[pid] = map[uint64]uint64{}
		case r.IntN(20) == 0:
			tb.apply(event{time: i, kind: exited, pid: pid})
			delete(truth, pid)
		default:
			a := area{start: r.Uint64N(50), file: uint64(i + 1)}
			a.end = a.start + 1 + r.Uint64N(4)
			tb.apply(event{time: i, kind: mapped, pid: pid, area: a})
			for p := a.start; p < a.end; p++ {
				code[p] = a.file
			}
		}
	}
	held := map[*sharedCode]int{}
	for pid, want := range truth {
		p := tb.procs[pid]
		for page := range uint64(60) {
			got := uint64(0)
			if at := p.code.find(page); at >= 0 {
				got = p.code.areas[at].file
			}
			if got != want[page] {
				t.Fatalf("process %d has file %d on page %d, want %d", pid, got, page, want[page])
			}
		}
		if p.code != nil {
			held[p.code]++
		}
	}
	n := 0
	for c, users := range held {
		if n += len(c.areas); c.users != users {
			t.Errorf("%d users, counted as %d", users, c.users)
		}
	}
	if n != tb.areas || len(tb.procs) != len(truth) {
		t.Errorf("%d areas of %d processes, counted as %d of %d", n, len(truth), tb.areas, len(tb.procs))
	}
	for pid := range truth {
		tb.apply(event{kind: exited, pid: pid})
	}
	if tb.areas != 0 || len(tb.procs) != 0 {
		t.Errorf("%d areas of %d processes are left", tb.areas, len(tb.procs))
	}
}

// crowd adds a process with n areas of code.
func crowd(tb *table, pid int32, n uint64) {
	tb.apply(event{kind: execed, pid: pid})
	for i := range n {
		tb.apply(event{kind: mapped, pid: pid, area: area{start: 2 * i, end: 2*i + 1, file: i + 1}})
	}
}

// Processes with the most code that one may have, and the most processes: the remembered code is bounded and
// forgotten beyond that.
func TestAreasAreBounded(t *testing.T) {
	tb := newTable(peek.Direct{Proc: t.TempDir()}, nil)
	crowd(tb, 2, maxAreas+10)
	if n := len(tb.procs[2].code.areas); n != maxAreas {
		t.Fatalf("%d areas of one process", n)
	}
	crowd(tb, 3, maxAreas-1)
	for child := int32(4); child < 400; child++ {
		tb.apply(event{kind: forked, pid: child, parent: 3})
		// New code replaces old code at the same addresses.
		tb.apply(event{kind: mapped, pid: child, area: area{start: 0, end: 1, file: 1 << 40}})
	}
	if tb.areas > maxAllAreas+maxAreas {
		t.Errorf("%d areas", tb.areas)
	}
	if !tb.atCapacity() {
		t.Fatalf("not full with %d areas", tb.areas)
	}
	s := &Sampler{table: tb, nextOnlineNS: 1 << 62}
	if err := s.Drain(&countertest.Sink{}); err != nil || tb.areas != 0 || len(tb.procs) != 0 {
		t.Errorf("after a drain: %d areas of %d processes, %v", tb.areas, len(tb.procs), err)
	}
}

// A process that maps the same code again and again causes no copies.
func TestMappingAgainAllocatesNothing(t *testing.T) {
	tb := newTable(peek.Direct{Proc: t.TempDir()}, nil)
	crowd(tb, 3, maxAreas-1)
	e := event{kind: mapped, pid: 3, area: area{start: 100, end: 101, file: 5}}
	if n := testing.AllocsPerRun(100, func() { tb.apply(e) }); n != 0 {
		t.Errorf("%v allocations for a mapping", n)
	}
}

// There are more processes than fit: the oldest are forgotten, and a forgotten one is queried again.
func TestProcessesAreBounded(t *testing.T) {
	m := &asked{members: map[int]bool{10: true}}
	tb := newTable(peek.Direct{Proc: fixture(t)}, m)
	tb.cpu = func() int64 { return 0 }
	for pid := range int32(maxProcesses + 10) {
		if tb.hit(user(100+pid, 0x1000, 1)); len(tb.procs) > maxProcesses {
			t.Fatalf("%d processes", len(tb.procs))
		}
	}
	for child := range int32(maxProcesses + 10) {
		tb.apply(event{time: 2, kind: forked, pid: 200_000 + child, parent: 10})
		if len(tb.procs) > maxProcesses {
			t.Fatalf("%d processes", len(tb.procs))
		}
	}
	if _, ok := tb.hit(user(200_000+maxProcesses+9, 0x11000, 3)); !ok {
		t.Error("the last child is no member")
	}
}
