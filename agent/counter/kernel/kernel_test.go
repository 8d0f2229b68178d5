package kernel

import (
	"fmt"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{
		{"0", []int{0}},
		{"0-3", []int{0, 1, 2, 3}},
		{"0-1,4,8-9", []int{0, 1, 4, 8, 9}},
		{"", nil}, {"a", nil}, {"3-1", nil}, {"0-", nil}, {"-1", nil}, {"0-99999999", nil}, {"0-16000,0-16000", nil},
	} {
		got, err := parseCPUs(c.list)
		if !slices.Equal(got, c.want) && err == nil || (err != nil) != (c.want == nil) {
			t.Errorf("%q: %v, %v; want %v", c.list, got, err, c.want)
		}
	}
}

func FuzzParseCPUs(f *testing.F) {
	f.Add("0-3,8")
	f.Add("0-,,")
	f.Fuzz(func(t *testing.T, list string) {
		if cpus, err := parseCPUs(list); err == nil && (len(cpus) == 0 || len(cpus) > maxCPU) {
			t.Errorf("%d CPUs without an error", len(cpus))
		}
	})
}

func statLine(name string, parent int, own, waited, start uint64) string {
	return fmt.Sprintf("7 (%s) S %d 7 7 0 -1 4194304 1 0 0 0 %d %d %d %d 20 0 1 0 %d 1000 1 18446744073709551615 0",
		name, parent, own/2, own-own/2, waited/2, waited-waited/2, start)
}

func TestParseTimes(t *testing.T) {
	for _, name := range []string{"lmp", "a b", ") R 1 (", ""} {
		got, err := parseTimes([]byte(statLine(name, 42, 101, 33, 5000)))
		if want := (times{'S', 42, 101, 33, 5000}); err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	for _, bad := range []string{"", "7 (x", "7 (x) S 1", "7 (x) S a 7 7 0 -1 4 1 0 0 0 1 1 1 1 20 0 1 0 5 1"} {
		if _, err := parseTimes([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func FuzzParseTimes(f *testing.F) {
	f.Add([]byte(statLine("lmp", 1, 2, 3, 4)))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := parseTimes(b); err != nil && got != (times{}) {
			t.Errorf("%+v with error %v", got, err)
		}
	})
}

// tree is a proc of processes.
type tree struct {
	t    *testing.T
	root string
}

func (x tree) set(pid int, exe string, parent int, own, waited uint64) {
	x.t.Helper()
	dir := filepath.Join(x.root, strconv.Itoa(pid))
	os.MkdirAll(dir, 0o755)
	os.Symlink("/bin/"+exe, filepath.Join(dir, "exe"))
	line := statLine(exe, parent, own, waited, uint64(pid))
	if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(line), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

func (x tree) end(pid int) { os.RemoveAll(filepath.Join(x.root, strconv.Itoa(pid))) }

type list []int

func (l *list) List() []int  { return *l }
func (l *list) Has(int) bool { return true }

func TestJobCPU(t *testing.T) {
	x := tree{t, t.TempDir()}
	members := &list{10}
	now := int64(0)
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, members, func() int64 { now += 100e9; return now }, 1e9)
	var got countertest.Sink
	check := func(what string, ticks uint64, alive int) {
		t.Helper()
		if err := j.Drain(&got); err != nil {
			t.Fatal(err)
		}
		r, _ := got.Last(0)
		if r.Counts[0] != ticks*tick || j.Alive() != alive {
			t.Fatalf("%s: %d ticks of %d processes, want %d of %d", what, r.Counts[0]/tick, j.Alive(), ticks, alive)
		}
	}
	x.set(10, "mpirun", 1, 50, 7)
	check("time before the first look does not count", 0, 1)
	x.set(10, "mpirun", 1, 60, 7)
	check("time of a member", 10, 1)
	*members = list{10, 11, 12}
	x.set(11, "lmp", 10, 20, 0)
	x.set(12, "lmp", 10, 30, 0)
	check("all the time of new members", 60, 3)
	x.end(11)
	x.set(10, "mpirun", 1, 60, 7+25)
	check("a child that was waited for is in its parent", 65, 2)
	x.end(10)
	check("a member whose parent is none keeps its time", 65, 1)
	x.set(12, "lmp", 1, 50, 0)
	check("and the orphan goes on", 85, 1)
	x.end(12)
	*members = list{}
	check("time does not go back", 85, 0)
	if p := j.Programs(); p["lmp"] != 70 || p["mpirun"] != 10 {
		t.Errorf("programs %v", p)
	}
}

// Of many processes some are read at a time, in turns. Their CPU time is in the sum after all turns, and at the
// end at once.
func TestJobCPUOfManyProcesses(t *testing.T) {
	x := tree{t, t.TempDir()}
	const n = 5 * maxPerDrain
	var members list
	for i := range n {
		members = append(members, 100+i)
		x.set(100+i, "lmp", 1, 0, 0)
	}
	now := int64(0)
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, &members, func() int64 { now++; return now }, 1e12)
	drain := draining(t, j)
	drain()
	for i := range n {
		x.set(100+i, "lmp", 1, 10, 0)
	}
	for turn := range uint64(5) {
		if total := drain(); total != 10*maxPerDrain*(turn+1) {
			t.Errorf("%d ticks after %d turns, want %d", total, turn+1, 10*maxPerDrain*(turn+1))
		}
	}
	for i := range n {
		x.set(100+i, "lmp", 1, 30, 0)
	}
	x.set(99, "cp", 1, 7, 0)
	j.Add(99) // a new one is read at once
	// It may be read a second time, in its turn.
	if total, want := drain(), uint64(10*n+7+20*(maxPerDrain-1)); total != want && total != want-20 {
		t.Errorf("%d ticks with a new process, want %d", total, want)
	}
	j.ReadAll(true)
	if total := drain(); total != 30*n+7 || j.Alive() != n+1 {
		t.Errorf("%d ticks of %d processes in the end, want %d of %d", total, j.Alive(), 30*n+7, n+1)
	}
	if p := j.Programs(); p["lmp"] != 30*n || p["cp"] != 7 {
		t.Errorf("programs %v", p)
	}
	if known := j.KnownPIDs(3); !slices.Equal(known, []int{99, 100, 101}) {
		t.Errorf("known %v", known)
	}
}

// A parent that ended after its children, and before its reading, does not include their CPU time.
func TestJobCPUOfAFamilyThatEnds(t *testing.T) {
	x := tree{t, t.TempDir()}
	members := list{10}
	x.set(10, "mpirun", 1, 0, 0)
	for i := range 3 * maxPerDrain {
		members = append(members, 100+i)
		x.set(100+i, "lmp", 10, 5, 0)
	}
	now := int64(0)
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, &members, func() int64 { now++; return now }, 1e12)
	var got countertest.Sink
	j.Drain(&got)
	for i := range 3 * maxPerDrain {
		x.set(100+i, "lmp", 10, 25, 0)
	}
	for range 4 { // including the parent: one more than three turns
		j.Drain(&got)
	}
	for _, pid := range members {
		x.end(pid)
	}
	for range 4 {
		j.Drain(&got)
	}
	if r, _ := got.Last(0); r.Counts[0] != 20*3*maxPerDrain*tick || j.Alive() != 0 {
		t.Errorf("%d ticks of %d processes, want %d of 0", r.Counts[0]/tick, j.Alive(), 20*3*maxPerDrain)
	}
}

// draining returns a function that takes a reading and returns its ticks.
func draining(t *testing.T, j *JobCPU) func() uint64 {
	t.Helper()
	var got countertest.Sink
	return func() uint64 {
		t.Helper()
		if err := j.Drain(&got); err != nil {
			t.Fatal(err)
		}
		r, _ := got.Last(0)
		return r.Counts[0] / tick
	}
}

// A child that a walk would have missed is known by name, and its CPU time is counted once.
func TestJobCPUFollowsChildren(t *testing.T) {
	x := tree{t, t.TempDir()}
	now := int64(0)
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, &list{10}, func() int64 { now++; return now }, 1e12)
	j.FollowChildren()
	drain := draining(t, j)
	x.set(10, "bash", 1, 5, 0)
	drain()
	for child := range 3 {
		pid := 20 + child
		x.set(pid, "lmp", 10, 0, 0)
		put(t, x.root, "10/task/10/children", fmt.Sprintf("%d %d \n", pid, os.Getpid()))
		drain()
		x.set(pid, "lmp", 10, 30, 0)
		drain()
		x.end(pid)
		x.set(10, "bash", 1, 5+uint64(child), 30*(1+uint64(child)))
	}
	put(t, x.root, "10/task/10/children", "not a number")
	if total := drain(); total != 92 {
		t.Errorf("%d ticks, want 92", total)
	}
	if p := j.Programs(); p["lmp"] != 90 || p["bash"] != 2 {
		t.Errorf("programs %v", p)
	}
}

func TestParanoid(t *testing.T) {
	root := t.TempDir()
	if _, ok := Paranoid(root); ok {
		t.Error("a level without the file")
	}
	os.MkdirAll(filepath.Join(root, "sys/kernel"), 0o755)
	os.WriteFile(filepath.Join(root, "sys/kernel/perf_event_paranoid"), []byte("-1\n"), 0o644)
	if level, ok := Paranoid(root); level != -1 || !ok {
		t.Errorf("level %d, %v", level, ok)
	}
}

// TestOnline reads again and again while the list changes, disappears and contains nonsense: the last known
// list is used until a better one appears.
func TestOnline(t *testing.T) {
	sys := t.TempDir()
	path := filepath.Join(sys, onlineFile)
	o := NewOnline(sys)
	defer o.Close()
	if _, err := o.Read(); err == nil || o.Has(0) {
		t.Error("a CPU is online though nothing says so")
	}
	os.MkdirAll(filepath.Dir(path), 0o755)
	for _, c := range []struct {
		list        string
		ok, changed bool
		want        []int
	}{
		{"0-1\n", true, false, []int{0, 1}}, {"0-1\n", true, false, []int{0, 1}}, {"0,3\n", true, true, []int{0, 3}},
		{"nonsense\n", false, false, []int{0, 3}},
		{"", false, false, []int{0, 3}}, {"0,3\n", true, false, []int{0, 3}}, {"0,3", true, false, []int{0, 3}},
		{"1\n", true, true, []int{1}},
	} {
		if err := os.WriteFile(path, []byte(c.list), 0o644); err != nil {
			t.Fatal(err)
		}
		changed, err := o.Read()
		if (err == nil) != c.ok || changed != c.changed || !slices.Equal(o.CPUs(), c.want) {
			t.Errorf("%q: %v, changed %v, %v; want %v", c.list, o.CPUs(), changed, err, c.want)
		}
		for cpu := range 5 {
			if o.Has(cpu) != slices.Contains(c.want, cpu) {
				t.Errorf("%q: CPU %d online: %v", c.list, cpu, o.Has(cpu))
			}
		}
	}
	if o.Has(-1) || o.Has(1<<20) {
		t.Error("a CPU that cannot be is online")
	}
	if n := testing.AllocsPerRun(20, func() { o.Read() }); n > 0 {
		t.Errorf("%v allocations to hear that nothing changed", n)
	}
}

func TestOnlineCPUs(t *testing.T) {
	cpus, err := OnlineCPUs("/sys")
	if err != nil || len(cpus) == 0 {
		t.Errorf("%v, %v", cpus, err)
	}
}

// While no process of the job is known, walks follow each other soon: the first may have come
// before the job's first process.
func TestJobCPUFindsALateProcessSoon(t *testing.T) {
	x, members, now := tree{t, t.TempDir()}, &list{}, int64(0)
	j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, members, func() int64 { return now }, 30e9)
	var to countertest.Sink
	drains := 0
	for ; j.Alive() == 0 && drains < 100; drains++ {
		if drains == 3 {
			x.set(7, "solver", 1, 5, 0)
			*members = list{7}
		}
		if err := j.Drain(&to); err != nil {
			t.Fatal(err)
		}
		now += 1e9
	}
	if drains > 12 {
		t.Errorf("found after %d s, want 12 at most", drains)
	}
}

// The pause after a walk is proportional to its CPU time; on a busy node its duration is many times that.
func TestWalksAreSpacedByCPUTime(t *testing.T) {
	for _, c := range []struct {
		spentNS  int64 // by each walk, which takes 10 s
		minWalks int
		maxWalks int
	}{{1e6, 30, 90}, {1e9, 1, 9}} {
		x, now, spent := tree{t, t.TempDir()}, int64(0), int64(0)
		x.set(7, "solver", 1, 5, 0)
		walks := 0
		members := walked{func() { walks, now, spent = walks+1, now+10e9, spent+c.spentNS }}
		j := NewJobCPU(x.root, peek.Direct{Proc: x.root}, members, func() int64 { return now }, 30e9)
		j.SetCostClock(func() int64 { return spent })
		var to countertest.Sink
		for now < 2400e9 {
			if err := j.Drain(&to); err != nil {
				t.Fatal(err)
			}
			now += 1e9
		}
		if walks < c.minWalks || walks > c.maxWalks {
			t.Errorf("%d walks of %d ns of CPU time in 2400 s, want %d to %d", walks, c.spentNS, c.minWalks, c.maxWalks)
		}
	}
}

// walked is a membership whose process 7 is found by each walk.
type walked struct{ walk func() }

func (w walked) Has(pid int) bool { return pid == 7 }
func (w walked) List() []int      { w.walk(); return []int{7} }
