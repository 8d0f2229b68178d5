package kernel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"jobgait/agent/counter"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
)

// use sets the resources that a process of the tree has used, in ns, bytes and kB.
func (x tree) use(pid, wait, wrote, anonymous, highest int) {
	x.t.Helper()
	id := strconv.Itoa(pid)
	put(x.t, x.root, id+"/task/"+id+"/schedstat", fmt.Sprintf("1000 %d 7\n", wait))
	put(x.t, x.root, id+"/io", fmt.Sprintf("rchar: 1\nread_bytes: 4096\nwrite_bytes: %d\ncancelled_write_bytes: 0\n",
		wrote))
	put(x.t, x.root, id+"/status",
		fmt.Sprintf("Name:\tx\nState:\tR\nVmHWM:\t%d kB\nRssAnon:\t%d kB\nRssFile:\t8 kB\nRssShmem:\t0 kB\n", highest+8,
			anonymous))
}

// family is a parent with a child. look takes a reading of it and returns the increases of waiting time, bytes
// written and the largest memory.
func family(t *testing.T) (x tree, members *list, look func() [3]uint64) {
	x, members = tree{t, t.TempDir()}, &list{10, 11}
	x.set(10, "make", 1, 1, 0)
	x.set(11, "cc", 10, 1, 0)
	now := int64(0)
	clock := func() int64 { return now }
	cpu := NewJobCPU(x.root, peek.Direct{Proc: x.root}, members, clock, 1e9)
	sources, _ := NewJobUse(x.root, peek.Direct{Proc: x.root}, cpu, clock)
	return x, members, func() (got [3]uint64) {
		t.Helper()
		now += 100e9
		var cpuSink countertest.Sink
		if err := cpu.Drain(&cpuSink); err != nil {
			t.Fatal(err)
		}
		for i, s := range sources[:3] {
			var sink countertest.Sink
			if err := s.Drain(&sink); err != nil {
				t.Fatal(err)
			}
			if len(sink.Readings) > 0 {
				c := sink.Readings[len(sink.Readings)-1].Counts
				got[i] = c[[...]int{0, 1, 1}[i]] // waiting for a CPU, bytes written, largest memory
			}
		}
		return got
	}
}

func TestJobUse(t *testing.T) {
	x, members, look := family(t)
	if got := look(); got != [3]uint64{} {
		t.Errorf("nothing can be read, and %v was", got)
	}
	x.use(10, 100, 1000, 10, 10)
	x.use(11, 50, 500, 20, 50)
	if got := look(); got != [3]uint64{150, 1500, 60 << 10} { // 10 + 20 now, the child once had 30 more
		t.Errorf("two processes: %v", got)
	}
	x.end(11) // and the parent waited for it
	*members = list{10}
	x.use(10, 120, 1700, 10, 10)
	if got := look(); got != [3]uint64{170, 1700, 60 << 10} {
		t.Errorf("a child that was waited for counts once: %v", got)
	}
	x.end(10)
	*members = list{}
	if got := look(); got != [3]uint64{170, 1700, 60 << 10} {
		t.Errorf("all have ended: %v", got)
	}
}

// The last readings of thousands of processes end in time to seal the profile, and the known memory values stay.
func TestLastReadingsAreBounded(t *testing.T) {
	x, members := tree{t, t.TempDir()}, &list{}
	for pid := 10; pid < 1010; pid++ {
		x.set(pid, "cc", 1, 1, 0)
		x.use(pid, 1, 1, 10, 10)
		*members = append(*members, pid)
	}
	now, step := int64(100e9), int64(0)
	clock := func() int64 {
		now += step
		return now
	}
	cpu := NewJobCPU(x.root, peek.Direct{Proc: x.root}, members, clock, 1e12)
	sources, _ := NewJobUse(x.root, peek.Direct{Proc: x.root}, cpu, clock)
	sources = append([]counter.Source{cpu}, sources...)
	drain := func() (counts [4]uint64) {
		for i, s := range sources[:4] {
			var sink countertest.Sink
			if err := s.Drain(&sink); err != nil {
				t.Fatal(err)
			}
			if len(sink.Readings) > 0 {
				counts[i] = sink.Readings[len(sink.Readings)-1].Counts[0]
			}
		}
		return counts
	}
	before := drain()
	cpu.ReadAll(true)
	step = 1e6 // each call of the clock adds 1 ms
	began := now
	after := drain() // 1000 readings of both take 124 ms
	if took := now - began; took > 3*readAllNS {
		t.Errorf("the last readings took %d ms", took/1e6)
	}
	if after[3] != before[3] || after[3] != 1000*10<<10 {
		t.Errorf("memory %d, then %d", before[3], after[3])
	}
}

// The ids of threads that have ended are forgotten: a process may start a thousand threads a second for days.
func TestJobUseForgetsEndedThreads(t *testing.T) {
	x, _, _ := family(t)
	u := &jobUse{sleeps: sleepTimes{}, worked: threadsByProgram{}, proc: x.root, buf: make([]byte, maxStat)}
	p := &processUse{waits: map[int]threadTimes{}}
	for id := range 1000 {
		thread := filepath.Join(x.root, "10", "task", strconv.Itoa(100+id))
		put(t, x.root, filepath.Join("10", "task", strconv.Itoa(100+id), "schedstat"), "1000 5 7\n")
		u.addWaits(10, p, 1e9)
		if err := os.RemoveAll(thread); err != nil {
			t.Fatal(err)
		}
	}
	u.addWaits(10, p, 1e9)
	if len(p.waits) > 1 || u.waitNS != 5000 {
		t.Errorf("%d threads are kept, waited %d ns", len(p.waits), u.waitNS)
	}
}

// A process that ends and that no member waits for keeps its bytes.
func TestJobUseOfAnOrphan(t *testing.T) {
	x, members, look := family(t)
	x.set(11, "cc", 1, 1, 0)
	x.use(10, 100, 1000, 10, 10)
	x.use(11, 50, 500, 20, 50)
	look()
	x.end(11)
	*members = list{10}
	if got := look(); got[1] != 1500 {
		t.Errorf("%d bytes of 1500", got[1])
	}
}

// A value that cannot be read is missing, not 0.
func TestJobUseThatCannotBeRead(t *testing.T) {
	x, _, _ := family(t)
	for _, pid := range []int{10, 11} {
		x.use(pid, 1, 1, 1, 1)
		dir := filepath.Join(x.root, strconv.Itoa(pid))
		for _, name := range []string{"io", "status"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("nonsense\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	clock := func() int64 { return 1 }
	cpu := NewJobCPU(x.root, peek.Direct{Proc: x.root}, &list{10, 11}, clock, 1e9)
	var sink countertest.Sink
	sources, _ := NewJobUse(x.root, peek.Direct{Proc: x.root}, cpu, clock)
	if err := cpu.Drain(&sink); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 0, 0} { // from 0 on
		var sink countertest.Sink
		if err := sources[i].Drain(&sink); err != nil {
			t.Fatal(err)
		}
		if len(sink.Readings) != want || len(sources[i].Notes()) != 1-want/2 {
			t.Errorf("source %d gives %d readings and %v", i, len(sink.Readings), sources[i].Notes())
		}
	}
}

func FuzzParseUse(f *testing.F) {
	f.Add([]byte("1280256 37976 1\n"))
	f.Add([]byte("read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 9000\n"))
	f.Add([]byte("State:\tR\nVmHWM:\t10 kB\nRssAnon:\t5 kB\nRssFile:\t3 kB\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := parseSchedstat(b); err != nil && v != (threadTimes{}) {
			t.Errorf("%+v with error %v", v, err)
		}
		if _, err := parseIO(b); err == nil && !bytes.Contains(b, []byte("write_bytes")) {
			t.Error("bytes of nothing")
		}
		for _, c := range EndedCounters(b, b) {
			if !(c.Total >= 0) {
				t.Errorf("%+v", c)
			}
		}
		if m, err := parseResident(b); err != nil && m != (resident{}) {
			t.Errorf("%+v with error %v", m, err)
		}
	})
}

// TestStorageWait reads one thread each second: what it neither ran nor waited for a CPU counts by its state at the
// next reading at which it does not run. The state of a thread that slept and got no CPU since is not read.
func TestStorageWait(t *testing.T) {
	x := tree{t, t.TempDir()}
	u := &jobUse{sleeps: sleepTimes{}, worked: threadsByProgram{}, proc: x.root, buf: make([]byte, maxStat)}
	p := &processUse{waits: map[int]threadTimes{}}
	ran, waited, runs := 0, 0, 0
	for i, step := range []struct {
		state       string
		ran, waited int // ms since the reading before
		want        uint64
	}{{"R", 0, 0, 0}, {"D", 0, 0, 1000}, {"S", 100, 0, 1000}, {"R", 500, 200, 1000}, {"D", 200, 0, 2100},
		{"R", 1000, 0, 2100},
		{"D", 995, 0, 2100}, {"D", 0, 0, 3105}, {"unread", 0, 0, 4105}, {"D", 0, 2000, 4105}, {"S", 1, 0, 4105},
		{"unread", 0, 0, 4105}} {
		ran, waited = ran+step.ran*1e6, waited+step.waited*1e6
		if step.ran+step.waited > 0 {
			runs++
		}
		put(t, x.root, "10/task/10/schedstat", fmt.Sprintf("%d %d %d\n", ran, waited, runs))
		put(t, x.root, "10/task/10/stat", "10 (dd) "+step.state+" 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 100 0 0\n")
		u.addWaits(10, p, 1e9)
		if u.storageNS != step.want*1e6 {
			t.Errorf("reading %d: %d ms, want %d", i, u.storageNS/1e6, step.want)
		}
	}
}
