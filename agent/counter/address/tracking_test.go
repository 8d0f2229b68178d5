package address

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// roleVar makes the test program a process of a test.
const roleVar = "JOBGAIT_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "storm":
		mapForever()
	case "loop":
		for {
		}
	}
	os.Exit(m.Run())
}

// mapForever maps and unmaps code as fast as it can: the kernel writes a record of each.
func mapForever() {
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	for {
		b, err := unix.Mmap(int(exe.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
		if err != nil {
			panic(err)
		}
		if err := unix.Munmap(b); err != nil {
			panic(err)
		}
	}
}

// process starts the test program in a role.
func process(t *testing.T, role string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{roleVar + "=" + role, "GOMAXPROCS=1"}
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// jobCgroup is a CgroupFinder of a cgroup that a test makes.
type jobCgroup string

func (c jobCgroup) Perf() (cgroup.FoundDir, bool) {
	var st unix.Stat_t
	if unix.Stat(string(c), &st) != nil {
		return cgroup.FoundDir{}, false
	}
	return cgroup.FoundDir{Dir: string(c), Inode: st.Ino}, true
}

// newJobCgroup returns a cgroup of perf events that does not exist yet, and is removed after the test.
func newJobCgroup(t *testing.T) jobCgroup {
	t.Helper()
	root := cgroup.NewFinder("/proc", cgroup.Identity{}, rawcall.Now).PerfRoot()
	if os.Geteuid() != 0 || root == "" {
		t.Skip("needs root and a mounted hierarchy of perf events")
	}
	dir := filepath.Join(root, fmt.Sprintf("jobgait-address-%d", os.Getpid()))
	t.Cleanup(func() {
		jobtest.Until(t, dir+" is removed", func() bool {
			err := os.Remove(dir)
			return err == nil || os.IsNotExist(err)
		})
	})
	return jobCgroup(dir)
}

// A neighbor that maps code in a loop floods the rings of a node-wide sampler. The records of a job with a
// cgroup come from that cgroup alone, from when it appears.
func TestNeighborsRecordsDoNotArrive(t *testing.T) {
	dir := newJobCgroup(t)
	victim := process(t, "loop")
	s := sampling(t, SamplingParams{Members: only(victim.Process.Pid), Find: dir})
	s.storm = newStorm(stormParams{recordsPerS: 1e12, windowNS: 1, pauseNS: 1, maxPauseNS: 1}) // no pause hides it
	must(t, s.Start())
	process(t, "storm")
	var sink countertest.Sink
	jobtest.Until(t, "the storm arrives", func() bool {
		must(t, s.Drain(&sink))
		return s.sideRecords > 10_000
	})
	must(t, os.Mkdir(string(dir), 0o755))
	if err := os.WriteFile(filepath.Join(string(dir), "cgroup.procs"), fmt.Append(nil, victim.Process.Pid),
		0o644); err != nil {
		t.Skipf("processes cannot be moved here: %v", err)
	}
	must(t, s.Drain(&sink)) // finds the cgroup
	if !s.tracking.limited() {
		t.Fatalf("records are not limited to %s: %+v", dir, s.tracking)
	}
	// What was recorded until then; the kernel writes how many records it lost beside the next ones.
	before := len(sink.Hits)
	jobtest.Until(t, "samples after the limit", func() bool {
		must(t, s.Drain(&sink))
		return len(sink.Hits) > before+200
	})
	s.TakeSideRecords()
	sink = countertest.Sink{}
	jobtest.Until(t, "samples of the job", func() bool {
		must(t, s.Drain(&sink))
		return len(sink.Hits) > 500
	})
	if n := s.TakeSideRecords(); n > 100 || sink.Gone > 0 {
		t.Errorf("%d records of a job that maps nothing, %d lost, beside a neighbor's storm", n, sink.Gone)
	}
	// A program that the job starts is recorded.
	short := exec.Command("/bin/sh", "-c", "echo $$ >"+filepath.Join(string(dir), "cgroup.procs")+"; /bin/true; /bin/true")
	if out, err := short.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	must(t, s.Drain(&sink))
	if n := s.TakeSideRecords(); n < 5 {
		t.Errorf("%d records of two programs of the job", n)
	}
}

// Without a cgroup, records are left out while the storm lasts, the job is sampled all the time, the note names
// the cause, and records come back after the storm.
func TestStormIsLeftOut(t *testing.T) {
	victim := process(t, "loop")
	s := sampling(t, SamplingParams{Members: only(victim.Process.Pid)})
	limits := defaultStorm()
	limits.windowNS, limits.pauseNS, limits.maxPauseNS = 1e8, 2e8, 4e8
	s.storm = newStorm(limits)
	must(t, s.Start())
	if n := s.Notes(); len(n) > 0 {
		t.Errorf("notes before the storm: %v", n)
	}
	neighbor := process(t, "storm")
	var sink countertest.Sink
	jobtest.Until(t, "three pauses with samples of the job", func() bool {
		must(t, s.Drain(&sink))
		return s.storm.pauses >= 3 && len(sink.Hits) > 500
	})
	notes := s.Notes()
	if len(notes) != 1 || notes[0].Code != note.NeighborStorm || !strings.Contains(notes[0].Text, "other processes") {
		t.Errorf("notes %v", notes)
	}
	must(t, neighbor.Process.Kill())
	_ = neighbor.Wait()
	jobtest.Until(t, "records come back", func() bool {
		must(t, s.Drain(&sink))
		return !s.storm.paused()
	})
	must(t, s.Drain(&sink))
	s.TakeSideRecords()
	must(t, exec.Command("/bin/true").Run())
	must(t, s.Drain(&sink))
	if n := s.TakeSideRecords(); n == 0 {
		t.Error("no records after the storm")
	}
	if n := s.Programs(); len(n) != 1 {
		t.Errorf("programs %v", n)
	}
	for _, p := range s.Activities(0) {
		if p.Started != 1 {
			t.Errorf("one process counts as %d starts of %s", p.Started, p.Name)
		}
	}
}

func TestStormLimits(t *testing.T) {
	const second = int64(1e9)
	none := func(int32, int64) bool { return false }
	all := func(int32, int64) bool { return true }
	for name, c := range map[string]struct {
		records int
		span    int64
		own     func(int32, int64) bool
		lost    bool
		want    bool
	}{
		"few":                     {3999, second, none, false, false},
		"many":                    {4001, second, none, false, true},
		"the job's own":           {100_000, second, all, false, false},
		"a moment":                {4001, second / 2, none, false, false},
		"lost":                    {100, second / 10, none, true, true},
		"the job's own were lost": {100, second / 10, all, true, false},
	} {
		w := newStorm(defaultStorm())
		w.exceedsLimit(second, 2, none, false)
		for range c.records {
			w.count(7)
		}
		if got := w.exceedsLimit(second+c.span, 2, c.own, c.lost); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Pauses double during a storm and are short again after a quiet time.
func TestPausesDouble(t *testing.T) {
	w, now := newStorm(defaultStorm()), int64(1e9)
	for _, want := range []int64{10, 20, 40, 80, 80} {
		w.begin(now)
		if got := w.untilNS - now; got != want*1e9 {
			t.Errorf("a pause of %d s, want %d", got/1e9, want)
		}
		now = w.untilNS
		w.end(now)
		now += 1e9
	}
	now += w.calmNS
	if w.begin(now); w.untilNS-now != 10e9 {
		t.Errorf("a pause of %d s after calm", (w.untilNS-now)/1e9)
	}
	if n := w.notes(now); len(n) != 1 || !strings.Contains(n[0].Text, "230 s") {
		t.Errorf("notes %v", n)
	}
}

// A storm of the job's own processes is not attributed to a neighbor, even if records are lost.
func TestOwnStormIsTracked(t *testing.T) {
	job := process(t, "storm")
	s := sampling(t, SamplingParams{Members: only(job.Process.Pid)})
	must(t, s.Start())
	var sink countertest.Sink
	end := rawcall.Now() + 3e9
	jobtest.Until(t, "records are lost", func() bool {
		unix.Nanosleep(&unix.Timespec{Nsec: 2e8}, nil) // as long as a drain of a slow agent
		must(t, s.Drain(&sink))
		return sink.Gone > 0 && rawcall.Now() > end
	})
	if n := s.Notes(); s.storm.pauses > 0 || len(n) > 0 {
		t.Errorf("%d pauses, notes %v", s.storm.pauses, n)
	}
}
