package jobevent

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
)

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) Record(int, int64, []uint64) {}
func (nowhere) Read(int, int64, []uint64)   {}
func (nowhere) Hit(int64, uint64, uint8)    {}
func (nowhere) Ran(int, uint64, uint64)     {}
func (nowhere) Changed(profile.Epoch)       {}
func (nowhere) Drained(int64)               {}
func (nowhere) Lost(int64)                  {}

var _ counter.Sink = nowhere{}

// readings measures the CPU time of this thread per reading, while a process of the job runs on the other CPU:
// the expensive case, with an interrupt.
func readings(b *testing.B, s counter.Source) {
	b.Helper()
	must(b, s.Start())
	const readingsPerRound = 2000
	var spent time.Duration
	for b.Loop() {
		before := threadTime()
		for range readingsPerRound {
			must(b, s.Drain(nowhere{}))
		}
		spent += threadTime() - before
	}
	perReading := float64(spent.Nanoseconds()) / float64(b.N*readingsPerRound)
	b.ReportMetric(perReading/1e3, "us-cpu/reading")
	b.ReportMetric(100*perReading/float64(s.EveryNS()), "%-of-a-core")
	b.ReportMetric(1e9/float64(s.EveryNS()), "Hz")
}

func BenchmarkReadCgroup(b *testing.B) {
	dir := throwaway(b)
	w := begin(b, "loop", nil)
	enter(b, dir, w)
	w.release()
	s, err := NewCgroup(perf.Open, CgroupParams{CPUs: onlineCPUs(b), Find: there{dir: dir}})
	if err != nil {
		b.Skip(err)
	}
	defer s.Close()
	readings(b, s)
}

func BenchmarkReadTask(b *testing.B) {
	w := begin(b, "loop", nil)
	s := task(b, perf.Open, TaskParams{Root: w.pid, CPUs: len(onlineCPUs(b))})
	w.release()
	readings(b, s)
}

// BenchmarkSwitch is what a context switch inside the job costs it when the
// job's events are counted; rounds without and with alternate, and the smallest
// of each is the least disturbed.
func BenchmarkSwitch(b *testing.B) {
	for _, how := range []string{"task", "cgroup"} {
		b.Run(how, func(b *testing.B) {
			with, without := int64(math.MaxInt64), int64(math.MaxInt64)
			for b.Loop() {
				for range 3 {
					without = min(without, switching(b, ""))
					with = min(with, switching(b, how))
				}
			}
			b.ReportMetric(float64(without), "ns/switch-without")
			b.ReportMetric(float64(with-without), "ns-more/switch")
		})
	}
}

// switching runs the workload of two threads with the events of a scope, and returns the CPU time of a switch.
func switching(b *testing.B, how string) (ns int64) {
	w := begin(b, "switches", nil)
	var s counter.Source
	switch how {
	case "task":
		s = task(b, perf.Open, TaskParams{Root: w.pid, CPUs: 2})
	case "cgroup":
		dir := throwaway(b)
		enter(b, dir, w)
		c, err := NewCgroup(perf.Open, CgroupParams{CPUs: onlineCPUs(b), Find: there{dir: dir}})
		if err != nil {
			b.Skip(err)
		}
		s = c
	}
	if s != nil {
		defer s.Close()
		must(b, s.Start())
		must(b, s.Drain(nowhere{}))
	}
	w.release()
	line, err := w.out.ReadString('\n')
	must(b, err)
	must(b, w.cmd.Wait())
	ns, err = strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	must(b, err)
	return ns
}

// BenchmarkForkOfATask measures what a fork and exit costs the job when n events are inherited. This is why
// code is not sampled below `jobgait run` above 16 CPUs. Adjacent rounds run without and with events; the
// result is the ratio of their medians.
func BenchmarkForkOfATask(b *testing.B) {
	for _, n := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			var off, on time.Duration
			for b.Loop() {
				off += forks(b)
				var fds []int
				for range n {
					a := events(unix.PERF_COUNT_SW_TASK_CLOCK)[0].attr(timeFormat, unix.PerfBitInherit)
					for _, tid := range threads(b) {
						fd, err := perf.Open(&a, tid, 0, -1, 0)
						if err != nil {
							b.Skip(err)
						}
						must(b, perf.Ioctl(fd, unix.PERF_EVENT_IOC_ENABLE, 0))
						fds = append(fds, fd)
					}
				}
				on += forks(b)
				for _, fd := range fds {
					must(b, unix.Close(fd))
				}
			}
			b.ReportMetric(float64(on-off)/float64(b.N*forksEach)/1e3, "us-more/fork")
			b.ReportMetric(float64(on)/float64(off), "on/off")
		})
	}
}

// threads returns the threads of this process: any of them may fork.
func threads(b *testing.B) (tids []int) {
	b.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	must(b, err)
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		must(b, err)
		tids = append(tids, tid)
	}
	return tids
}

const forksEach = 60

func forks(b *testing.B) time.Duration {
	var before, after unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_CHILDREN, &before))
	var self0, self1 unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &self0))
	for range forksEach {
		must(b, exec.Command("/bin/true").Run())
	}
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &self1))
	must(b, unix.Getrusage(unix.RUSAGE_CHILDREN, &after))
	cpu := func(u unix.Rusage) time.Duration { return time.Duration(u.Utime.Nano() + u.Stime.Nano()) }
	return cpu(after) - cpu(before) + cpu(self1) - cpu(self0)
}
