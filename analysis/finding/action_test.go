package finding

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// An action is suggested only if the evidence supports exactly that change.
func TestActions(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(*RunFacts)
		code, action string
	}{
		"more threads than CPUs": {func(r *RunFacts) {
			r.Threads, r.CPU = 6, CPU{Allocated: ptr(2), Busy: ptr(1.99), Waiting: ptr(4), Others: ptr(0)}
		}, "oversubscribed", "OMP_NUM_THREADS is 6: set it to 2."},
		"more threads than CPUs of a task": {func(r *RunFacts) {
			r.Tasks, r.Threads, r.CPU = 2, 4, CPU{Allocated: ptr(4), Busy: ptr(3.99), Waiting: ptr(4), Others: ptr(0)}
		}, "oversubscribed", "OMP_NUM_THREADS is 4: set it to 2."},
		"threads of another kind": {func(r *RunFacts) {
			r.Threads, r.CPU = 2, CPU{Allocated: ptr(2), Busy: ptr(1.99), Waiting: ptr(4), Others: ptr(0)}
		}, "oversubscribed", ""},
		"one thread on 64 CPUs": {func(r *RunFacts) {
			r.Threads, r.CPU.Busy = 1, ptr(0.99)
		}, "cpus_idle", "OMP_NUM_THREADS is 1: set it to 64, or ask for fewer CPUs."},
		"half of what threads keep": {func(r *RunFacts) { r.Threads, r.CPU.Busy = 32, ptr(15) }, "cpus_idle", ""},
		"a job without memory": {func(r *RunFacts) {
			r.InOrder, r.State, r.Batch = false, "OUT_OF_MEMORY", true
		}, "out_of_memory", "Ask for more than 64.0 GB of memory (sbatch --mem)."},
		"a command without memory": {func(r *RunFacts) {
			r.InOrder, r.Memory.OOMKills = false, ptr(1)
		}, "out_of_memory", ""},
		"a full map": {func(r *RunFacts) {
			r.InOrder, r.Memory.Mappable = false, ptr(50e9)
		}, "out_of_memory", "Raise the limit: ulimit -v unlimited."},
		"little memory is needed": {func(r *RunFacts) {
			r.Batch, r.Memory.Peak = true, ptr(1<<30)
		}, "memory_unused", "Ask for less memory: sbatch --mem=1229M."},
	} {
		r := sound()
		c.change(&r)
		found := Of(r, nil)
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == c.code })
		if i < 0 {
			t.Errorf("%s: %v", name, codes(found))
			continue
		}
		got := ""
		if a := found[i].Action; a != nil {
			got = *a
		}
		if got != c.action {
			t.Errorf("%s: %q, want %q", name, got, c.action)
		}
	}
}

// A failed run reports its limit of mappable memory, whatever it had mapped, because refused requests are not
// counted.
func TestAFailureNamesTheLimitOfMappings(t *testing.T) {
	r := sound()
	r.InOrder, r.Memory.Mappable, r.Memory.Peak = false, ptr(1e12), ptr(1e6)
	found := Of(r, nil)
	if len(found) == 0 || found[0].Code != "failed" || !strings.Contains(found[0].Text, "(ulimit -v)") {
		t.Errorf("%+v", found)
	}
}

// Runs that gradually take longer are reported as drifting and not also as slower than usual, because no single
// job began it.
func TestCreepingRunsDrift(t *testing.T) {
	r := sound()
	r.Others = []Comparison{{Text: "24 % slower bit by bit.", EffectPct: 24, Creeps: true,
		Shift: &Shift{FromS: 60, ToS: 74.4, Runs: 75, NodeHours: 0.15}}}
	got := Of(r, nil)
	if len(got) != 1 || got[0].Code != "drifting" ||
		!strings.HasSuffix(got[0].Text, "Together they took 0.15 node hours more.") || got[0].Evidence["runs"] != 75 ||
		math.Abs(*got[0].CostCoreS-r.coreS()*24/124) > 1 {
		t.Errorf("%+v", got)
	}
	r.Others[0].EffectPct, r.Others[0].Creeps = 24, false
	if got = Of(r, nil); len(got) != 1 || got[0].Code != "slower_than_usual" {
		t.Errorf("%+v", got)
	}
}
