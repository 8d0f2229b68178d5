package finding

import (
	"slices"
	"strings"
	"testing"
)

// TestErrorsPrecede takes a run without an error, whose findings are in the order of their cost, and one that hung
// before it was ended.
func TestErrorsPrecede(t *testing.T) {
	parts := sound()
	parts.CPU = CPU{Allocated: ptr(2), Busy: ptr(1), Waiting: ptr(0.6), Others: ptr(1)}
	parts.Periodic, parts.PartsS = false, []float64{1800, 1800}
	hang := RunFacts{ElapsedS: 40, NNodes: 1, ExitCode: 124, TrailingIdleS: 38, Ended: "exit code 124"}
	for want, r := range map[string]RunFacts{
		"crowded parts_differ no_period": parts,
		"idle_since failed no_period":    withoutPeriod(hang),
	} {
		all := Of(r, nil)
		if got := strings.Join(codes(all), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// All errors are about the end of a run and come before other rules about it: Of needs no order by level.
func TestErrorsAreTheFirstRules(t *testing.T) {
	others := false
	for _, rule := range Rules() {
		switch {
		case rule.Level == Error && (rule.rests != onEnd || others):
			t.Errorf("the error %s does not come first", rule.Code)
		case rule.Level != Error && rule.rests == onEnd:
			others = true
		}
	}
}

// withoutPeriod returns the facts of a run that was sampled and has no period.
func withoutPeriod(r RunFacts) RunFacts {
	r.Sampled, r.NoPeriod = true, "x"
	return r
}

// TestNextStepOfTheLargestLoss takes a run that waited for files, and more for CPUs that other work used: the next step
// names both. If files cost more, it names files only.
func TestNextStepOfTheLargestLoss(t *testing.T) {
	for filesS, want := range map[float64]string{720: "Read and write less often and in larger blocks, or use a local " +
		"disk. Run it again when CPUs are free; `top` shows what uses them.",
		2000: "Read and write less often and in larger blocks, or use a local disk."} {
		r := sound()
		r.CPU = CPU{Allocated: ptr(2), Busy: ptr(1), Waiting: ptr(1), Others: ptr(1)}
		r.FilesWaitS = &filesS
		if got := NextStep(Of(r, nil)); got != want {
			t.Errorf("files for %g s: %s", filesS, got)
		}
	}
}

// The sentence on idle CPUs names the CPUs for which there was work, without those of a node that did nothing.
func TestIdleCPUsBesideAnIdleNode(t *testing.T) {
	r := sound()
	r.NNodes, r.Nodes = 2, []NodeFacts{{Name: "a", Busy: ptr(16)}, {Name: "b", Busy: ptr(0)}}
	r.CPU = CPU{Allocated: ptr(64), Busy: ptr(16)}
	all := Of(r, nil)
	i := slices.IndexFunc(all, func(f Finding) bool { return f.Code == "cpus_idle" })
	if i < 0 || all[i].Text != "The run had work for 16 of its 64 CPUs on average." {
		t.Errorf("%+v", all)
	}
}

// The cause of all sleep of a run is that of its end only if most of the sleep was there.
func TestHangNamesItsCauseOnly(t *testing.T) {
	for asleepS, want := range map[float64]string{40000: "it waited for something, as",
		12000: "it waited for the network"} {
		r := RunFacts{ElapsedS: 40000, NNodes: 1, ExitSignal: 15, TrailingIdleS: 11000, AsleepFor: "for the network",
			AsleepS: &asleepS}
		if got := endedIdle(r); len(got) != 1 || !strings.Contains(got[0].Text, want) {
			t.Errorf("asleep for %g s: %+v", asleepS, got)
		}
	}
}

// The parts of a run are named with their lengths; a run of unknown length, or without parts, has none.
func TestPartsOfARun(t *testing.T) {
	r := RunFacts{ElapsedS: 17, InOrder: true, PartsS: []float64{12.2, 4.8}}
	const two = "The run had two parts: the first 12.2 s (71.8 %) and the last 4.80 s (28.2 %). PARTS says how they " +
		"differ."
	if got := partsDiffer(r); len(got) != 1 || got[0].Text != two {
		t.Errorf("%+v", got)
	}
	// On two CPUs the first part took 24 core seconds: enough to be reported of a trial, not of a batch job.
	r.CPU.Allocated = ptr(2)
	if got := Of(withoutPeriod(r), nil); got[0].Code != "parts_differ" || got[0].CostCoreS != nil {
		t.Errorf("a trial: %+v", got)
	}
	r.Batch = true
	if got := partsDiffer(r); len(got) > 0 {
		t.Errorf("a batch job: %+v", got)
	}
	r.Batch, r.PartsS = false, []float64{10, 4, 3}
	const three = "The run had three parts: the first 10.0 s (58.8 %), the next 4.00 s (23.5 %) and the last 3.00 s " +
		"(17.6 %)."
	if got := partsDiffer(r); len(got) != 1 || !strings.HasPrefix(got[0].Text, three) {
		t.Errorf("%+v", got)
	}
	for _, none := range []RunFacts{{}, {ElapsedS: 17}, {PartsS: []float64{0, 0}}, {ElapsedS: 17, PartsS: []float64{17}}} {
		if got := partsDiffer(none); len(got) > 0 {
			t.Errorf("%+v", got)
		}
	}
}
