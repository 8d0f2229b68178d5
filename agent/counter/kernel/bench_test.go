package kernel

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"jobgait/agent/counter"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// none is a sink that keeps nothing.
type none struct{ n int }

func (s *none) Record(int, int64, []uint64) {}
func (s *none) Read(int, int64, []uint64)   { s.n++ }
func (s *none) Hit(int64, uint64, uint8)    {}
func (s *none) Ran(int, uint64, uint64)     {}
func (s *none) Changed(profile.Epoch)       {}
func (s *none) Drained(int64)               {}
func (s *none) Lost(int64)                  {}

var _ counter.Sink = (*none)(nil)

// A reading allocates no memory: an agent that runs for days must not cause garbage collections.
func TestReadingAllocatesNothing(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counts")
	}
	have, _ := Node(node(t))(monotonic)
	job, root := jobTree(t, "cpu io memory", group2("sys/fs/cgroup/job_5"))
	at := root + "/sys/fs/cgroup/job_5"
	more, _ := JobUsage(NewJobCgroup(job, func(string) (string, bool) { return at, true }))(monotonic)
	to := &none{}
	for _, p := range append(have, more...) {
		defer p.Close()
		if n := testing.AllocsPerRun(20, func() { p.Drain(to) }); n > 0 {
			t.Errorf("%s allocates %v times a reading", p.Columns()[0].Name, n)
		}
	}
	if to.n == 0 {
		t.Error("nothing was read")
	}
}

// BenchmarkReading measures the cost of one reading of each source on this machine.
func BenchmarkReading(b *testing.B) {
	have, _ := Node(own())(monotonic)
	more, _ := NodeBusyTime(own())(monotonic)
	to := &none{}
	const readings = 1000
	for _, p := range append(have, more...) {
		b.Run(p.Columns()[0].Name, func(b *testing.B) {
			var spent int64
			for b.Loop() {
				before := processCPU()
				for range readings {
					if err := p.Drain(to); err != nil {
						b.Fatal(err)
					}
				}
				spent += int64(processCPU() - before)
			}
			meanNS := float64(spent) / float64(b.N*readings)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(meanNS, "ns/reading")
			b.ReportMetric(100*meanNS/float64(p.EveryNS()), "%core")
		})
		p.Close()
	}
}

// BenchmarkFileHeldOpen compares a file that is held open with one that is opened for each reading.
func BenchmarkFileHeldOpen(b *testing.B) {
	const path, readings = "/proc/loadavg", 2000
	f := newRecord(path)
	defer f.close()
	var held, opened time.Duration
	for b.Loop() {
		begun := processCPU()
		for range readings {
			if _, err := f.read(); err != nil {
				b.Fatal(err)
			}
		}
		held += processCPU() - begun
		begun = processCPU()
		for range readings {
			if _, err := os.ReadFile(path); err != nil {
				b.Fatal(err)
			}
		}
		opened += processCPU() - begun
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(held)/float64(b.N*readings), "ns-held")
	b.ReportMetric(float64(opened)/float64(b.N*readings), "ns-opened")
}

// BenchmarkOnlineHeldOpen measures the saving of holding the list of online CPUs open and comparing it, in
// turns: without a pause, and as in the agent after a pause in which other programs used the CPU's caches.
func BenchmarkOnlineHeldOpen(b *testing.B) {
	o := NewOnline("/sys")
	defer o.Close()
	ask := []func() error{
		func() error { _, err := o.Read(); return err },
		func() error { _, err := OnlineCPUs("/sys"); return err },
	}
	var rested [2][]float64
	var spent [2]time.Duration
	const readings, rests = 2000, 15
	for b.Loop() {
		for i, f := range ask {
			begun := processCPU()
			for range readings {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			spent[i] += processCPU() - begun
		}
		for range rests {
			for i, f := range ask {
				jobtest.WorkloadPause(50 * time.Millisecond)
				begun := processCPU()
				if err := f(); err != nil {
					b.Fatal(err)
				}
				rested[i] = append(rested[i], float64(processCPU()-begun))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"held", "opened"} {
		slices.Sort(rested[i])
		b.ReportMetric(float64(spent[i])/float64(b.N*readings), "ns-"+name)
		b.ReportMetric(rested[i][len(rested[i])/2], "ns-"+name+"-rested")
	}
}

// BenchmarkJobCPU measures a drain of the job's processes, of 256 against 32: processes of this machine, with
// this process repeated as often as needed.
func BenchmarkJobCPU(b *testing.B) {
	proc := b.TempDir()
	if err := os.Symlink("/proc/self", proc+"/1"); err != nil {
		b.Fatal(err)
	}
	const drains = 200
	cost := map[int]float64{}
	for b.Loop() {
		for _, n := range []int{32, 256} {
			var members list
			for pid := range n {
				members = append(members, pid+1)
				_ = os.Symlink("/proc/self", fmt.Sprintf("%s/%d", proc, pid+1))
			}
			j := NewJobCPU(proc, peek.Direct{Proc: proc}, &members, monotonic, 1e15)
			to := &none{}
			j.Drain(to)
			begun := processCPU()
			for range drains {
				j.Drain(to)
			}
			cost[n] += float64(processCPU()-begun) / 1e3 / drains
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(cost[32]/float64(b.N), "us/drain-32")
	b.ReportMetric(cost[256]/float64(b.N), "us/drain-256")
	b.ReportMetric(cost[256]/cost[32], "ratio")
}
