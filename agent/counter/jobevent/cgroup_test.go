package jobevent

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// there is a Finder of one directory.
type there struct{ dir, absent string }

func (f there) Perf() (cgroup.FoundDir, bool) {
	var st unix.Stat_t
	if f.dir == "" || unix.Stat(f.dir, &st) != nil {
		return cgroup.FoundDir{}, false
	}
	return cgroup.FoundDir{Dir: f.dir, Inode: st.Ino}, true
}
func (f there) WhyAbsent() string { return f.absent }

// throwaway returns the path of a cgroup for the test below the real hierarchy of perf events. It is not
// created yet.
func throwaway(t testing.TB) string {
	t.Helper()
	root := cgroup.NewFinder("/proc", cgroup.Identity{}, rawcall.Now).PerfRoot()
	if os.Geteuid() != 0 || root == "" {
		t.Skip("a cgroup of perf events can be made by root only, and where one is mounted")
	}
	dir := filepath.Join(root, fmt.Sprintf("jobgait-test-%d", os.Getpid()))
	t.Cleanup(func() { remove(t, root, dir) })
	return dir
}

// remove takes the processes out of a cgroup and removes it.
func remove(t testing.TB, root, dir string) {
	t.Helper()
	jobtest.Until(t, dir+" is empty", func() bool {
		err := os.Remove(dir)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return true
		}
		pids, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for _, pid := range strings.Fields(string(pids)) {
			_ = os.WriteFile(filepath.Join(root, "cgroup.procs"), []byte(pid), 0o644)
		}
		return false
	})
}

// enter makes the cgroup and puts a workload in.
func enter(t testing.TB, dir string, w *workload) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), fmt.Append(nil, w.pid), 0o644); err != nil {
		t.Skipf("processes cannot be moved here: %v", err)
	}
}

// total sums the last readings of all lanes.
func total(s *countertest.Sink, lanes int) []uint64 {
	var sum []uint64
	for lane := range lanes {
		r, ok := s.Last(lane)
		if !ok {
			return nil
		}
		sum = append(sum, make([]uint64, len(r.Counts)-len(sum))...)
		for i, v := range r.Counts {
			sum[i] += v
		}
	}
	return sum
}

func onlineCPUs(t testing.TB) []int {
	t.Helper()
	var set unix.CPUSet
	must(t, unix.SchedGetaffinity(0, &set))
	var cpus []int
	for i := range 1024 {
		if set.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus
}

// A real cgroup that appears late, is removed and made again counts what runs in it and nothing else.
func TestCgroupAppearsAndComesAgain(t *testing.T) {
	dir := throwaway(t)
	s, err := NewCgroup(perf.Open, CgroupParams{CPUs: onlineCPUs(t), Find: there{dir: dir}})
	if perf.IsForbidden(err) {
		t.Skipf("perf events are not permitted here: %v", err)
	}
	must(t, err)
	defer s.Close()
	must(t, s.Start())
	var sink countertest.Sink
	must(t, s.Drain(&sink))
	if len(sink.Readings)+len(sink.Epochs) > 0 {
		t.Fatalf("before there is a cgroup: %+v", sink)
	}
	var used time.Duration
	for round := range 2 {
		w := begin(t, "work", nil)
		enter(t, dir, w)
		must(t, s.Drain(&sink))
		if e := sink.Epochs; len(e) != round+1 || e[round].Kind != "scope" || e[round].TimeNS == 0 {
			t.Fatalf("round %d: epochs %+v", round, e)
		}
		burn(20 * time.Millisecond) // not the job's
		before := total(&sink, s.Lanes())
		used += w.end(t)
		must(t, s.Drain(&sink))
		if now := total(&sink, s.Lanes()); now[0] < before[0]+uint64(95*time.Millisecond) {
			t.Errorf("round %d: counted %v", round, time.Duration(now[0]-before[0]))
		}
		before = total(&sink, s.Lanes())
		remove(t, filepath.Dir(dir), dir)
		for range 2 {
			must(t, s.Drain(&sink)) // the cgroup is removed, so its count does not change
		}
		if n := held(s); n > 0 {
			t.Errorf("round %d: %d events of a cgroup that was removed", round, n)
		}
		if now := total(&sink, s.Lanes()); !slices.Equal(now, before) {
			t.Errorf("round %d: at %v, before it was removed %v", round, now, before)
		}
	}
	got := total(&sink, s.Lanes())
	t.Logf("cgroup counted %v, rusage %v; columns %v, counts %v", time.Duration(got[0]), used, columnNames(s), got)
	// Two processes use some ms before and after they are in the cgroup, 13 ms each at a load of 19.
	if d := math.Abs(float64(got[0]) - float64(used)); d > 0.1*float64(used)+20e6 {
		t.Errorf("counted %v, used %v", time.Duration(got[0]), used)
	}
	if slices.Max(sink.Readings[0].Counts) > uint64(50*time.Millisecond) {
		t.Errorf("first reading %v", sink.Readings[0].Counts)
	}
	if n := s.Notes(); len(n) > 0 {
		t.Errorf("notes %v", n)
	}
	must(t, s.Stop())
}

// held returns how many events a source holds open.
func held(c *Cgroup) (n int) {
	for _, g := range c.groups {
		n += len(g.fds)
	}
	return n
}

// A kernel that does not count the cgroup is tried again later, and a note says so.
func TestCgroupThatCannotBeCounted(t *testing.T) {
	dir := t.TempDir()
	refuse := unix.ENOENT
	var f fake
	open := func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		if flags&unix.PERF_FLAG_PID_CGROUP != 0 && refuse != 0 {
			return -1, refuse
		}
		return f.open(a, pid, cpu, group, flags)
	}
	s, err := NewCgroup(open, CgroupParams{CPUs: []int{0, 1}, Find: there{dir: dir}})
	must(t, err)
	defer s.Close()
	var sink countertest.Sink
	if err := s.Drain(&sink); !errors.Is(err, unix.ENOENT) {
		t.Errorf("drain: %v", err)
	}
	if n := s.Notes(); len(n) != 1 || n[0].Code != note.NoJobCgroup || !strings.Contains(n[0].Text, "controller") {
		t.Errorf("notes %v", n)
	}
	if err := s.Drain(&sink); err != nil {
		t.Errorf("queried again at once: %v", err)
	}
	refuse, s.retry = 0, 0
	if err := s.Drain(&sink); !errors.Is(err, errRead) { // the descriptors are of /dev/null
		t.Errorf("drain: %v", err)
	}
	if len(s.Notes()) != 0 || len(sink.Epochs) != 1 {
		t.Errorf("notes %v, epochs %v", s.Notes(), sink.Epochs)
	}
	for _, a := range f.opened {
		if a.Bits&unix.PerfBitInherit != 0 || a.Sample != 0 {
			t.Errorf("opened %+v", a)
		}
	}
}

// A CPU that returns is counted again, and the totals continue.
func TestCgroupFollowsHotplug(t *testing.T) {
	sys, dir := t.TempDir(), t.TempDir()
	online := func(list string) {
		must(t, os.MkdirAll(filepath.Join(sys, "devices/system/cpu"), 0o755))
		must(t, os.WriteFile(filepath.Join(sys, "devices/system/cpu/online"), []byte(list+"\n"), 0o644))
	}
	f := fake{noPMU: true, reading: []uint64{4, 1000, 1000, 10, 20, 30, 40}}
	s, err := NewCgroup(f.open, CgroupParams{Sys: sys, CPUs: []int{0, 1}, Find: there{dir: dir}})
	must(t, err)
	defer s.Close()
	var sink countertest.Sink
	for i, list := range []string{"0-1", "0", "0", "0-1"} {
		online(list)
		f.offline = map[int]bool{1: list == "0"}
		s.nextOnlineNS = 0
		must(t, s.Drain(&sink))
		if i == 0 {
			s.nextOnlineNS = 0
			must(t, s.Drain(&sink)) // the interval is that from the beginning of counting
		}
	}
	var kinds []string
	for _, e := range sink.Epochs {
		kinds = append(kinds, e.Kind)
	}
	if strings.Join(kinds, " ") != "scope hotplug hotplug" {
		t.Errorf("epochs %v", sink.Epochs)
	}
	// The fake begins at 10 in every event: three times on CPU 0, twice on 1.
	if got := total(&sink, 2); got[0] != 50 || got[3] != 200 {
		t.Errorf("counts %v", got)
	}
	ordered(t, countertest.Sink{Readings: slices.DeleteFunc(sink.Readings, func(r countertest.Reading) bool {
		return r.Lane == 0
	})})
}

func TestCgroupThatNeverComes(t *testing.T) {
	s, err := NewCgroup((&fake{noPMU: true}).open, CgroupParams{CPUs: []int{0}, Find: there{absent: "no such thing"}})
	must(t, err)
	defer s.Close()
	if n := s.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "no such thing") {
		t.Errorf("notes %v", n)
	}
	s.p.Find = there{}
	if n := s.Notes(); len(n) != 0 {
		t.Errorf("before anybody looked: notes %v", n)
	}
	must(t, s.Drain(&countertest.Sink{}))
	if n := s.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "created no cgroup") {
		t.Errorf("notes %v", n)
	}
	if got := absent(s.Sources()); len(got) != 2 || len(s.Columns()) != 4 {
		t.Errorf("absent %v", got)
	}
	if _, err := NewCgroup((&fake{forbidden: true}).open,
		CgroupParams{CPUs: []int{0}, Find: there{}}); !perf.IsForbidden(err) {
		t.Errorf("forbidden: %v", err)
	}
	if _, err := NewCgroup((&fake{}).open, CgroupParams{Find: there{}}); err == nil {
		t.Error("no CPU")
	}
}
