package finding

import (
	"slices"
	"strings"
	"testing"
)

// One thread with most of the work explains the idle CPUs, which are then no finding of their own. A run whose
// processes sleep long, or that has one thread by request, has the finding on idle CPUs.
func TestUnevenThreads(t *testing.T) {
	uneven := func() RunFacts {
		return RunFacts{ElapsedS: 60, NNodes: 1, InOrder: true, Sampled: true, Periodic: true,
			CPU: CPU{Allocated: ptr(4), Busy: ptr(1.5)}, ThreadWork: &ThreadWork{"solver", 4, 57, 90}}
	}
	got := Of(uneven(), nil)
	const want = "The 4 threads of solver (of all its processes) had unequal work: one computed for 57.0 s, the others " +
		"for 11.0 s each on average."
	if len(got) != 1 || got[0].Code != "uneven_threads" || !strings.HasPrefix(got[0].Text, want) {
		t.Errorf("%+v", got)
	}
	alone := uneven()
	alone.CPU.Busy, alone.ThreadWork = ptr(1), &ThreadWork{"python3.11", 4, 58, 60}
	if got := Of(alone, nil); len(got) != 1 || !strings.HasPrefix(got[0].Text,
		"One of the 4 threads of python3.11 (of all its processes) did 96.7 % of the work.") {
		t.Errorf("%+v", got)
	}
	// A program with two threads on 64 CPUs: the unequal work is no finding and explains one idle CPU of 63.
	wide := RunFacts{ElapsedS: 7200, NNodes: 1, InOrder: true, Sampled: true, Periodic: true, Batch: true,
		CPU: CPU{Allocated: ptr(64), Busy: ptr(4000. / 7200)}, ThreadWork: &ThreadWork{"solver", 2, 3000, 4000}}
	if got := codes(Of(wide, nil)); !slices.Equal(got, []string{"cpus_idle"}) {
		t.Errorf("two threads on 64 CPUs: %v", got)
	}
	for name, change := range map[string]func(*RunFacts){
		"slept":              func(r *RunFacts) { r.AsleepS, r.CPU.Busy = ptr(40), ptr(0.5) },
		"one thread, wanted": func(r *RunFacts) { r.Threads = 1 },
		"equal work":         func(r *RunFacts) { r.ThreadWork.TotalS = 4 * 57 },
		"another program":    func(r *RunFacts) { r.CPU.Busy, r.ThreadWork.TotalS = ptr(3), 70 },
	} {
		r := uneven()
		if change(&r); slices.Contains(codes(Of(r, nil)), "uneven_threads") && name != "slept" {
			t.Errorf("%s: %v", name, codes(Of(r, nil)))
		}
		if name == "slept" && !slices.Contains(codes(Of(r, nil)), "cpus_idle") {
			t.Errorf("%s: %v", name, codes(Of(r, nil)))
		}
	}
}

// The reason of a sleep is named, or that it is unknown; idle CPUs beside a wait for CPUs are no contradiction.
func TestSleepNamesItsCause(t *testing.T) {
	r := RunFacts{ElapsedS: 60, NNodes: 1, InOrder: true, Sampled: true, Periodic: true, AsleepS: ptr(50),
		CPU: CPU{Allocated: ptr(2), Busy: ptr(0.2)}}
	if got := Of(r, nil)[0].Text; !strings.Contains(got, "what they waited for was not recorded") {
		t.Error(got)
	}
	r.AsleepFor = "in sleep calls"
	const slept = "All tasks slept at the same time for 50.0 s, 83.3 % of the run, in sleep calls."
	if got := Of(r, nil)[0].Text; got != slept {
		t.Error(got)
	}
	r.CPUWaitS = ptr(6)
	if got := Of(r, nil)[0].Text; got != slept+" The run had to wait for CPUs during 10.0 % of the run." {
		t.Error(got)
	}
	r.AsleepS, r.CPU.Busy = nil, ptr(0.9)
	const want = "The run had work for 0.90 of its 2 CPUs on average. It had to wait for these during 10.0 % of the run."
	if got := Of(r, nil)[0].Text; got != want {
		t.Error(got)
	}
}

// A leak is reported with its climb, its limit and when that is reached: a warning if that is near.
func TestGrowthNamesTheLimit(t *testing.T) {
	r := sound()
	r.Memory = MemoryFacts{Requested: ptr(4e9), Growth: &MemoryGrowth{FromBytes: 1e9, FromS: 300, ToBytes: 1.5e9,
		ToS: 3300, BytesPerS: 0.5e9 / 3000}}
	got := Of(r, nil)
	const want = "At this rate a longer run reaches its limit of 4.00 GB, after 5:05:00."
	if len(got) != 1 || got[0].Level != Warning || !strings.HasSuffix(got[0].Text, want) {
		t.Errorf("%+v", got)
	}
	r.Memory.Requested, r.Memory.Node = nil, ptr(256e9)
	if got := Of(r, nil); len(got) != 1 || got[0].Level != Info ||
		!strings.Contains(got[0].Text, "all memory of its node, 256 GB") {
		t.Errorf("%+v", got)
	}
}
