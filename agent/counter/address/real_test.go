package address

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
)

// sampling opens the real timers, or skips the test if they are not permitted.
func sampling(t *testing.T, p SamplingParams) *Sampler {
	t.Helper()
	p.Peek, p.StepNS = peek.Direct{Proc: "/proc"}, 5e6
	if p.Rate.Hz == 0 {
		p.Rate = ChooseRate(1000, 2, p.StepNS)
	}
	var set unix.CPUSet
	must(t, unix.SchedGetaffinity(0, &set))
	for i := range 1024 {
		if set.IsSet(i) && len(p.CPUs) < MaxTaskCPUs {
			p.CPUs = append(p.CPUs, i)
		}
	}
	s, err := New(perf.Open, p)
	if perf.IsForbidden(err) {
		t.Skipf("perf events are not permitted here: %v", err)
	}
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// script starts a shell that waits for a line and then starts short programs, and returns the file of these
// programs.
func script(t *testing.T, work string) (cmd *exec.Cmd, gate io.WriteCloser, program string) {
	t.Helper()
	awk, err := exec.LookPath("awk")
	if err == nil {
		program, err = filepath.EvalSymlinks(awk)
	}
	if err != nil {
		t.Skip("there is no awk here")
	}
	cmd = exec.Command("/bin/sh", "-c", "read x; "+work)
	gate, err = cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, gate, program
}

// fewShort starts programs of about 20 ms, each of which ends long before a drain.
const fewShort = "i=0; while [ $i -lt 15 ]; do awk 'BEGIN{for(i=0;i<500000;i++)x+=i}'; i=$((i+1)); done"

// only is the membership of a job with one process that every account can see.
type only int

func (only) List() []int        { return nil }
func (o only) Has(pid int) bool { return pid == int(o) }

// The only drain follows the end of all programs, when /proc has no entry for them.
func TestProgramsThatAreGone(t *testing.T) {
	for _, scope := range []string{"task", "job"} {
		cmd, gate, program := script(t, fewShort)
		p := SamplingParams{Root: cmd.Process.Pid}
		if scope == "job" {
			p = SamplingParams{Members: only(cmd.Process.Pid)}
		}
		s := sampling(t, p)
		must(t, s.Start())
		var sink countertest.Sink
		must(t, s.Drain(&sink))
		fmt.Fprintln(gate)
		// Its parent must still exist when its membership is queried.
		jobtest.Until(t, "all programs", func() bool {
			must(t, s.Drain(&sink)) // as agents do: on a loaded machine all of it may not fit into one ring
			return ended(cmd.Process.Pid)
		})
		must(t, s.Drain(&sink))
		must(t, s.Stop())
		known, anonymous := 0, 0
		for _, n := range s.Programs() {
			known += int(n)
		}
		for _, h := range sink.Hits {
			if h.Page == profile.AnonymousPage {
				anonymous++
			}
		}
		name := filepath.Base(program)
		t.Logf("%s: %d hits, programs %v, %d in no known code", scope, len(sink.Hits), s.Programs(), anonymous)
		if len(sink.Hits) < 50 {
			t.Skipf("only %d samples: this machine lets timers sleep", len(sink.Hits))
		}
		if s.Programs()[name] < int64(known)/2 || s.Programs()["?"] > int64(known)/6 {
			t.Errorf("%s: programs %v, most is %s", scope, s.Programs(), name)
		}
		if f, err := os.Open(program); err == nil {
			id, err := peek.BuildID(f)
			f.Close()
			if got := s.Build(name); err == nil && got != fmt.Sprintf("%x", id) {
				t.Errorf("%s: build %q, not %x", scope, got, id)
			}
		}
		if anonymous > len(sink.Hits)/5 {
			t.Errorf("%s: %d of %d hits in no known code", scope, anonymous, len(sink.Hits))
		}
		if sink.Gone != 0 {
			t.Errorf("%s: %d records lost", scope, sink.Gone)
		}
	}
}

// ended reports whether a process is a zombie or gone.
func ended(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var name string
	var n int
	var state rune
	if err != nil {
		return true
	}
	_, err = fmt.Sscanf(string(text), "%d %s %c", &n, &name, &state)
	return err == nil && state == 'Z'
}

// A lower rate gives fewer samples, which stay at their phase in the grid.
func TestSetRate(t *testing.T) {
	s := sampling(t, SamplingParams{Members: only(os.Getpid())})
	burn := func(d time.Duration) {
		for end := cpuTime(t) + d; cpuTime(t) < end; {
		}
	}
	// density returns the number of samples per second of CPU time of this process.
	density := func() (float64, []int64) {
		var sink countertest.Sink
		must(t, s.Drain(&sink))
		sink = countertest.Sink{}
		before := cpuTime(t)
		burn(200 * time.Millisecond)
		must(t, s.Drain(&sink))
		var late []int64
		for _, h := range sink.Hits {
			late = append(late, h.TimeNS)
		}
		return float64(len(sink.Hits)) / (cpuTime(t) - before).Seconds(), late
	}
	must(t, s.Start())
	fast, _ := density()
	slow := ChooseRate(200, len(s.cpus), s.p.StepNS)
	for try := 1; ; try++ { // other programs may have used the CPUs meanwhile
		asked := rawcall.Now()
		must(t, s.SetRate(slow))
		inTime := rawcall.Now()-asked < perf.PhaseLimit
		few, at := density()
		kept := s.onPhase(at)
		t.Logf("%.0f samples a second of CPU time, then %.0f, of which %.0f %% at a phase", fast, few, 100*kept)
		if fast < 100 || few < 20 {
			t.Skip("this machine lets timers sleep")
		}
		if ratio := few / fast; ratio > 0.1 && ratio < 0.35 && (kept > 0.7 || !inTime) {
			break
		}
		if try == 4 {
			t.Fatal("the rate is not 0.2 of what it was, or the phases were lost")
		}
	}
	if err := s.SetRate(ChooseRate(5000, 2, s.p.StepNS)); err == nil {
		t.Error("a rate was set that the rings are not made for")
	}
}

// onPhase returns the share of samples that are just after the phase of some CPU.
func (s *Sampler) onPhase(at []int64) float64 {
	good := 0
	for _, x := range at {
		for _, c := range s.cpus {
			if d := (x - c.phaseNS) % s.p.Rate.PeriodNS; d >= 0 && d < 1e6 {
				good++
				break
			}
		}
	}
	return float64(good) / float64(max(len(at), 1))
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	must(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A CPU that is reported offline and returns is sampled again by a new event.
func TestCPUThatComesBack(t *testing.T) {
	sys := t.TempDir()
	file := filepath.Join(sys, "devices/system/cpu/online")
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	s := sampling(t, SamplingParams{Sys: sys, Members: only(os.Getpid())})
	if len(s.cpus) < 2 {
		t.Skip("there is one CPU only")
	}
	last := s.cpus[len(s.cpus)-1]
	full, err := s.HalfFull()
	must(t, err)
	must(t, s.Start())
	var sink countertest.Sink
	for _, without := range []bool{false, true, true, false} {
		var list []string
		for _, c := range s.cpus {
			if c != last || !without {
				list = append(list, fmt.Sprint(c.number))
			}
		}
		must(t, os.WriteFile(file, []byte(strings.Join(list, ",")+"\n"), 0o644))
		s.nextOnlineNS = 0
		must(t, s.Drain(&sink))
		if (last.fd < 0) != without {
			t.Fatalf("offline %v: descriptor %d", without, last.fd)
		}
	}
	if e := sink.Epochs; len(e) != 2 || e[0].Kind != "hotplug" || e[1].Kind != "hotplug" {
		t.Errorf("epochs %+v", e)
	}
	before := sink.DrainedRecords
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var was, one unix.CPUSet
	must(t, unix.SchedGetaffinity(0, &was))
	defer func() { _ = unix.SchedSetaffinity(0, &was) }()
	one.Set(last.number)
	must(t, unix.SchedSetaffinity(0, &one))
	for end := cpuTime(t) + 50*time.Millisecond; cpuTime(t) < end; {
	}
	must(t, s.Drain(&sink))
	if sink.DrainedRecords == before {
		t.Error("no records after it came back")
	}
	if again, err := s.HalfFull(); err != nil || again != full {
		t.Errorf("another channel, %v", err)
	}
}

// A storm of short programs fills a ring before its drain is due.
func TestFullRingIsReported(t *testing.T) {
	cmd, gate, _ := script(t, "while /bin/true; do /bin/true; done")
	s := sampling(t, SamplingParams{Root: cmd.Process.Pid, Rate: ChooseRate(10, 2, 5e6)})
	full, err := s.HalfFull()
	must(t, err)
	must(t, s.Start())
	fmt.Fprintln(gate)
	var sink countertest.Sink
	for range 3 {
		select {
		case <-full:
		case <-time.After(time.Minute):
			t.Fatal("no notification of a full ring")
		}
		must(t, s.Drain(&sink))
	}
	// Activity of processes is recorded although no timer of a CPU has expired for it.
	if n := s.TakeSideRecords(); n < 100 || sink.DrainedRecords > n {
		t.Errorf("%d records in passing, %d of timers", n, sink.DrainedRecords)
	}
	must(t, s.Close())
	must(t, s.Close())
}

func TestTaskRules(t *testing.T) {
	p := SamplingParams{Root: 1, Rate: ChooseRate(0, 17, 5e6), StepNS: 5e6, CPUs: make([]int, MaxTaskCPUs+1)}
	if _, err := New(func(*unix.PerfEventAttr, int, int, int, int) (int, error) {
		t.Error("an event was opened")
		return -1, unix.EINVAL
	}, p); !errors.Is(err, ErrTooManyCPUs) {
		t.Errorf("17 CPUs: %v", err)
	}
	s := &Sampler{p: p}
	if err := s.SetRate(p.Rate); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("rate of a command: %v", err)
	}
}
