package sampler_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
)

// chain is the agent's way from the kernel to the file: rings, grid, profile.
type chain struct {
	counters *perf.Counters
	sampler  *sampler.Sampler
	writer   *profile.Writer
	block    profile.Block
}

// stepNS is the step of the grid that is shipped.
const stepNS = 5_000_000

func newChain(b *testing.B, stepNS int64) *chain {
	counters, err := perf.NewCounters(perf.Open, kernel.Roots{Proc: "/proc", Sys: "/sys"}, nil, stepNS)
	if err != nil {
		b.Skipf("perf events of whole CPUs are not available: %v", err)
	}
	b.Cleanup(func() { counters.Close() })
	grid := sampler.NewGrid(stepNS, rawcall.Now())
	w, err := profile.Create(filepath.Join(b.TempDir(), "profile.jgp"),
		profile.Header{Node: "n", StepNS: stepNS, BaseNS: grid.BaseNS,
			Columns: counters.Columns(), Sources: counters.Sources()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	shape := sampler.Shape{Columns: len(counters.Columns()), Lanes: counters.Lanes(), PeriodNS: counters.PeriodNS()}
	return &chain{counters: counters, sampler: sampler.New(grid, false, shape), writer: w}
}

// events are the kernel's names of what is counted, the timer too.
func (c *chain) events() string {
	names := []string{"cpu-clock"}
	for _, s := range c.counters.Sources() {
		if s.Absent == "" {
			names = append(names, s.Event)
		}
	}
	return strings.Join(names, ",")
}

// drain is one turn of the agent's loop; it returns the samples written.
func (c *chain) drain(b *testing.B) (samples int) {
	now := rawcall.Now()
	if err := c.counters.Drain(c.sampler.Track(0)); err != nil {
		b.Fatal(err)
	}
	for c.sampler.Emit(now, &c.block) {
		if err := c.writer.Append(c.block); err != nil {
			b.Fatal(err)
		}
		samples += c.block.N
	}
	return samples
}

// run samples for a while and returns the CPU time of a sample of the node.
func (c *chain) run(b *testing.B, length time.Duration) float64 {
	if err := c.counters.Start(); err != nil {
		b.Fatal(err)
	}
	c.drain(b)
	samples, began := 0, rawcall.CPU()
	for end := time.Now().Add(length); time.Now().Before(end); {
		jobtest.WorkloadPause(800 * time.Millisecond)
		samples += c.drain(b)
	}
	spent := rawcall.CPU() - began
	if err := c.counters.Stop(); err != nil {
		b.Fatal(err)
	}
	return float64(spent) / 1e3 / float64(samples)
}

// perfStat runs perf stat with these events, printed every 10 ms, and returns the CPU time per interval, without
// that of the start.
func perfStat(b *testing.B, path, events string, length time.Duration) float64 {
	run := func(seconds float64) (cpu time.Duration, samples int) {
		cmd := exec.Command(path, "stat", "-a", "-x,", "-I", "10", "-e", events, "sleep", fmt.Sprint(seconds))
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Skipf("perf stat: %v: %s", err, out)
		}
		times := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			at, _, _ := strings.Cut(line, ",")
			times[at] = true
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), len(times)
	}
	idle, few := run(0.05)
	all, many := run(length.Seconds())
	return float64((all - idle).Microseconds()) / float64(many-few)
}

// sampleFor samples at a rate and returns the CPU time of a sample, and what was
// counted.
func sampleFor(b *testing.B, stepNS int64) (us float64, events string) {
	c := newChain(b, stepNS)
	defer c.counters.Close()
	runtime.GC()
	return c.run(b, 3*time.Second), c.events()
}

// CPU time of a sample of the node, at 200 Hz with everything up to the file,
// against perf stat -a -I 10 with the same events, in turns.
func BenchmarkAgainstPerfStat(b *testing.B) {
	path, err := exec.LookPath("perf")
	if err != nil {
		b.Skip("perf is not installed")
	}
	var ours, theirs, ratios, same []float64
	for b.Loop() {
		for range 2 {
			us, events := sampleFor(b, stepNS)
			stat := perfStat(b, path, events, 2*time.Second)
			slow, _ := sampleFor(b, 2*stepNS)
			ours, theirs, ratios = append(ours, us), append(theirs, stat), append(ratios, us/stat)
			same = append(same, slow/stat)
		}
	}
	for _, s := range [][]float64{ours, theirs, ratios, same} {
		slices.Sort(s)
	}
	n := len(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours[n/2], "us/sample")
	b.ReportMetric(theirs[n/2], "us/sample-perf-stat")
	b.ReportMetric(ratios[n/2], "ratio")
	b.ReportMetric(ratios[0], "ratio-min")
	b.ReportMetric(ratios[n-1], "ratio-max")
	b.ReportMetric(same[n/2], "ratio-at-100Hz")
	b.ReportMetric(float64(n), "pairs")
}
