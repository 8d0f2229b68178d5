package finding

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func ptr(v float64) *float64 { return &v }

// sound is a run of an hour on 64 CPUs without any finding.
func sound() RunFacts {
	return RunFacts{ElapsedS: 3600, NNodes: 1, InOrder: true, Ended: "exit code 0", LimitS: ptr(7200), Sampled: true,
		Periodic: true,
		CPU: CPU{Allocated: ptr(64), Busy: ptr(62), Waiting: ptr(0.5), Throttled: ptr(0), Stolen: ptr(0),
			Others: ptr(0.4)},
		Memory: MemoryFacts{Peak: ptr(40e9), Requested: ptr(64e9), OOMKills: ptr(0)}, FilesWaitS: ptr(12)}
}

// gpu is a GPU that was read for an hour and ran kernels for the given time.
func gpu(activeS float64) GPU {
	return GPU{Name: "GPU 0", ReadS: 3600, ActiveS: ptr(activeS), PowerCappedS: ptr(0), StretchS: 20}
}

// cases lists, for every code, a change of a sound run that triggers the finding and one that almost does.
var cases = []struct {
	code         string
	earns, nears func(*RunFacts)
}{
	{"hung",
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.SilentS, r.Doing = false, 15, 1800, "sleeping" },
		func(r *RunFacts) { r.SilentS, r.Doing = 1800, "sleeping" }},
	{"idle_since", // ended from outside, half an hour after it did nothing more, and ten minutes after
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.TrailingIdleS = false, 15, 1800 },
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.TrailingIdleS = false, 15, 600 }},
	{"out_of_memory",
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.Memory.OOMKills = false, 9, ptr(1) },
		func(r *RunFacts) { r.InOrder, r.ExitSignal = false, 9 }},
	{"time_limit",
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.LimitS = false, 15, ptr(3600) },
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.LimitS, r.State = false, 15, ptr(3600), "CANCELLED" }},
	{"ended_by_signal",
		func(r *RunFacts) { r.InOrder, r.ExitSignal = false, 15 },
		func(r *RunFacts) { r.InOrder, r.ExitSignal, r.State = false, 15, "TIMEOUT" }},
	{"failed",
		func(r *RunFacts) { r.InOrder = false },
		func(r *RunFacts) { r.InOrder, r.State = false, "OUT_OF_MEMORY" }},
	{"failed_in_phase",
		func(r *RunFacts) { r.InOrder, r.Stopped = false, "in loop A" },
		func(r *RunFacts) { r.Stopped = "in loop A" }},
	{"idle_since", // of a run that ended in order
		func(r *RunFacts) { r.SilentS, r.Doing, r.NoLoop, r.Idle = 1800, "sleeping", true, true },
		func(r *RunFacts) { r.SilentS, r.Doing = 1800, "sleeping" }},
	{"time_limit_near",
		func(r *RunFacts) { r.LimitS = ptr(3700) },
		func(r *RunFacts) { r.LimitS = ptr(3800) }},
	{"crowded", // a busy loop beside two others on one CPU
		func(r *RunFacts) {
			r.CPU = CPU{Allocated: ptr(1), Busy: ptr(0.34), Waiting: ptr(0.66), Others: ptr(0.66)}
		},
		func(r *RunFacts) {
			r.CPU = CPU{Allocated: ptr(1), Busy: ptr(0.97), Waiting: ptr(0.03), Others: ptr(0.9)}
		}},
	{"oversubscribed", // six threads on two CPUs, alone and beside as many others
		func(r *RunFacts) { r.CPU = CPU{Allocated: ptr(2), Busy: ptr(1.99), Waiting: ptr(4), Others: ptr(0.01)} },
		func(r *RunFacts) { r.CPU = CPU{Allocated: ptr(2), Busy: ptr(1), Waiting: ptr(1), Others: ptr(1)} }},
	{"throttled",
		func(r *RunFacts) { r.CPU.Throttled = ptr(3.3) },
		func(r *RunFacts) { r.CPU.Throttled = ptr(3.1) }},
	{"stolen",
		func(r *RunFacts) { r.CPU.Stolen = ptr(3.3) },
		func(r *RunFacts) { r.CPU.Stolen = ptr(3.1) }},
	{"cpus_idle", // 37 of 64 CPUs busy for an hour, and in a batch job one process on two CPUs for a minute
		func(r *RunFacts) { r.CPU.Busy = ptr(37) },
		func(r *RunFacts) { r.Batch, r.ElapsedS, r.CPU = true, 60, CPU{Allocated: ptr(2), Busy: ptr(1)} }},
	{"uneven_threads", // a thread with two thirds of the work of two, and with .6
		func(r *RunFacts) {
			r.CPU = CPU{Allocated: ptr(2), Busy: ptr(1.2)}
			r.ThreadWork = &ThreadWork{"solver", 2, 3400, 4300}
		},
		func(r *RunFacts) {
			r.CPU = CPU{Allocated: ptr(2), Busy: ptr(1.2)}
			r.ThreadWork = &ThreadWork{"solver", 2, 2600, 4300}
		}},
	{"node_idle",
		func(r *RunFacts) {
			r.NNodes, r.Nodes = 2, []NodeFacts{{Name: "a", Busy: ptr(31)}, {Name: "b", Busy: ptr(0.1)}}
		},
		func(r *RunFacts) {
			r.NNodes, r.Nodes = 2, []NodeFacts{{Name: "a", Busy: ptr(31)}, {Name: "b", Busy: ptr(1)}}
		}},
	{"memory_near_limit",
		func(r *RunFacts) { r.Memory.Peak = ptr(58e9) },
		func(r *RunFacts) { r.Memory.Peak = ptr(57e9) }},
	{"memory_growing", // a leak of a run that was killed; memory that did not grow
		func(r *RunFacts) {
			r.InOrder, r.ExitSignal, r.Memory.Growth = false, 9, &MemoryGrowth{1e8, 1, 2e8, 10, 5e7}
		},
		func(r *RunFacts) { r.InOrder, r.ExitSignal = false, 9 }},
	{"memory_growing", // a table that is filled slowly
		func(r *RunFacts) { r.Memory.Growth = &MemoryGrowth{1e9, 1, 1.5e9, 3600, 1e5} },
		func(r *RunFacts) { r.Memory.Peak = ptr(50e9) }},
	{"memory_unused",
		func(r *RunFacts) { r.Memory.Peak = ptr(15e9) },
		func(r *RunFacts) { r.Memory.Peak = ptr(17e9) }},
	{"files_slow",
		func(r *RunFacts) { r.FilesWaitS = ptr(361) },
		func(r *RunFacts) { r.FilesWaitS = ptr(359) }},
	{"gpu_not_held",
		func(r *RunFacts) { r.GPUsNotHeld = []string{"a"} },
		func(r *RunFacts) { r.GPUsNotHeld, r.ElapsedS = []string{"a"}, 4 }},
	{"gpu_no_kernel", // four GPUs of which a program uses three; one that counted nothing
		func(r *RunFacts) { r.GPUs = []GPU{gpu(3000), gpu(0)} },
		func(r *RunFacts) {
			r.GPUs = []GPU{gpu(3000), gpu(37), {Name: "GPU 2", ReadS: 3600}, {Name: "GPU 3", ReadS: 4, ActiveS: ptr(0)}}
		}},
	{"gpu_idle_stretch",
		func(r *RunFacts) { r.GPUs = []GPU{gpu(3000), gpu(2900)}; r.GPUs[1].StretchS = 601 },
		func(r *RunFacts) {
			r.GPUs = []GPU{gpu(3000), gpu(0)}
			r.GPUs[0].StretchS, r.GPUs[1].StretchS = 599, 3600
		}},
	{"gpu_slowed",
		func(r *RunFacts) { r.GPUs = []GPU{gpu(3000)}; r.GPUs[0].HeatSlowedS = ptr(361) },
		func(r *RunFacts) { r.GPUs = []GPU{gpu(3000)}; r.GPUs[0].PowerCappedS = ptr(359) }},
	{"gpu_idle_share",
		func(r *RunFacts) { r.GPUIdle = &GPUIdle{.31, true, "The GPU is idle 31.0 % of each cycle."} },
		func(r *RunFacts) { r.GPUIdle = &GPUIdle{.19, true, "The GPU is idle 19.0 % of each cycle."} }},
	{"waiting_in_mpi", // two ranks of a stencil on small blocks; the same with large ones
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 8569, Communication: .31, Spinning: .30} },
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 8569, Communication: .155, Spinning: .15} }},
	{"openmp_waiting", // 16 threads of unequal work; as much in 500 samples
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 9000, OpenMP: .17} },
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 500, OpenMP: .17} }},
	{"communication_share", // an exchange of large buffers; one in which most of it is waiting
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 9000, Communication: .28, Spinning: .1} },
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 9000, Communication: .28, Spinning: .2} }},
	{"kernel_share", // a program that writes single bytes; one that maps memory again and again
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 9000, Kernel: .81} },
		func(r *RunFacts) { r.Code = &CodeShares{Samples: 9000, Kernel: .19} }},
	{"odd_node",
		func(r *RunFacts) {
			r.Nodes = []NodeFacts{{Name: "a"}, {Name: "b", Odd: []string{"28.9 % less busy"}}, {Name: "c"}}
		},
		func(r *RunFacts) { r.Nodes = []NodeFacts{{Name: "a"}, {Name: "b"}, {Name: "c"}} }},
	{"imbalance",
		func(r *RunFacts) { r.ImbalancePct = ptr(15) },
		func(r *RunFacts) {
			r.ImbalancePct, r.Nodes = ptr(15), []NodeFacts{{Name: "b", Odd: []string{"busier"}}}
		}},
	{"slower_than_usual",
		func(r *RunFacts) {
			r.Others = []Comparison{{Text: "This run is 30 % slower than usual.", EffectPct: 30}}
		},
		func(r *RunFacts) { r.Others = []Comparison{{Text: "Runs like this one: 3 % faster.", EffectPct: -3}} }},
	{"faster",
		func(r *RunFacts) { r.Others = []Comparison{{Text: "Runs like this one: 20 % faster.", EffectPct: -20}} },
		func(r *RunFacts) { r.Others = []Comparison{{Text: "Runs like this one: 9 % faster.", EffectPct: -9}} }},
	{"drifting",
		func(r *RunFacts) { r.Drift = &CycleDrift{"Iterations slowed down.", 5.1, 100} },
		func(r *RunFacts) { r.Drift = &CycleDrift{"Iterations slowed down.", 4.9, 100} }},
	{"drifting", // from run to run; a step, though as large
		func(r *RunFacts) {
			r.Others = []Comparison{{Text: "24 % slower bit by bit.", EffectPct: 24, Creeps: true}}
		},
		func(r *RunFacts) { r.Others = []Comparison{{Text: "24 % slower.", EffectPct: 24}} }},
	{"start_up_long",
		func(r *RunFacts) { r.StartUpS = 361 },
		func(r *RunFacts) { r.StartUpS = 359 }},
	{"parts_differ",
		func(r *RunFacts) { r.Periodic, r.PartsS = false, []float64{370, 3230} },
		func(r *RunFacts) { r.Periodic, r.PartsS = false, []float64{350, 3250} }},
	{"checkpoints_cost",
		func(r *RunFacts) { r.CheckpointS, r.Checkpoints = 361, 6 },
		func(r *RunFacts) { r.CheckpointS, r.Checkpoints = 359, 6 }},
	{"too_many_nodes",
		func(r *RunFacts) { r.Scaling = &Scaling{16, 4, 1, 1.9} },
		func(r *RunFacts) { r.Scaling = &Scaling{16, 4, 1, 2.1} }},
	{"not_sampled",
		func(r *RunFacts) { r.Sampled, r.Periodic, r.NoPeriod = false, false, "no agent ran" },
		func(r *RunFacts) { r.Periodic, r.NoPeriod = false, "the run is idle" }},
	{"partly_sampled",
		func(r *RunFacts) { r.Doubt = []string{"Sampling stopped before the end of the run."} },
		func(r *RunFacts) { r.Sampled, r.Doubt = false, []string{"Sampling stopped before the end of the run."} }},
	{"no_period",
		func(r *RunFacts) { r.Periodic, r.NoPeriod = false, "the run is idle" },
		func(r *RunFacts) { r.Sampled, r.Periodic, r.NoPeriod = false, false, "no agent ran" }},
}

func codes(list []Finding) (out []string) {
	for _, f := range list {
		out = append(out, f.Code)
	}
	return out
}

func TestEveryCodeIsEarned(t *testing.T) {
	var tested []string
	for _, c := range cases {
		tested = append(tested, c.code)
		r := sound()
		c.earns(&r)
		found := Of(r, nil)
		if !slices.Contains(codes(found), c.code) {
			t.Errorf("%s is not earned: %v", c.code, codes(found))
		}
		if len(Of(r, []string{c.code})) >= len(found) {
			t.Errorf("%s is not silenced", c.code)
		}
		for _, f := range found {
			if f.Text == "" || len(f.Evidence) == 0 {
				t.Errorf("%s: %+v has no text or no evidence", c.code, f)
			}
			if _, err := json.Marshal(f); err != nil {
				t.Errorf("%s: %v", c.code, err)
			}
		}
		r = sound()
		c.nears(&r)
		if found := codes(Of(r, nil)); slices.Contains(found, c.code) {
			t.Errorf("%s is told of what is only near it: %v", c.code, found)
		}
	}
	for i, rule := range Rules() {
		if i >= len(tested) || rule.Code != tested[i] {
			t.Fatalf("rule %d, %s, has no test", i, rule.Code)
		}
	}
}

// A run without measurements has no findings, and neither has one with values that are not numbers.
func TestUnmeasuredRunHasNoFindings(t *testing.T) {
	for _, r := range []RunFacts{sound(), {ElapsedS: 3600, InOrder: true, Sampled: true, Periodic: true}} {
		if found := Of(r, nil); len(found) > 0 {
			t.Errorf("found %v", codes(found))
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		r := sound()
		r.CPU = CPU{&v, &v, &v, &v, &v, &v}
		r.Memory, r.FilesWaitS, r.LimitS, r.ImbalancePct = MemoryFacts{Peak: &v, Requested: &v, Mappable: &v,
			OOMKills: &v, Growth: &MemoryGrowth{v, v, v, v, v}}, &v, &v, &v
		for _, f := range Of(r, nil) {
			if _, err := json.Marshal(f); err != nil {
				t.Errorf("%g: %v", v, err)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	r := sound()
	r.InOrder, r.ExitSignal, r.Stopped = false, 9, "in loop A"
	r.CPU.Throttled = ptr(4)                                           // 4 of 64 CPUs
	r.FilesWaitS = ptr(900)                                            // 16 of them
	r.Doubt = []string{"Part of the samples could not be read."}       // touches no counter
	r.StartUpS, r.Drift = 400, &CycleDrift{"Iterations grew.", 10, 80} // 7 of them, 1.4
	want := []string{"ended_by_signal", "failed_in_phase", "files_slow", "partly_sampled", "start_up_long", "throttled",
		"drifting"}
	if got := codes(Of(r, nil)); !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if got := Head(Of(r, nil)); len(got) != 3 {
		t.Errorf("%d findings at the head", len(got))
	}
}

// A run that waited for less than a second has no finding.
func TestStartingIsNoWaiting(t *testing.T) {
	for elapsed, want := range map[float64]int{1.9: 0, 2.1: 1} {
		for others, code := range map[float64]string{0: "oversubscribed", 1: "crowded"} {
			r := RunFacts{ElapsedS: elapsed, NNodes: 1, InOrder: true,
				CPU: CPU{Allocated: ptr(2), Busy: ptr(0.5), Waiting: ptr(0.5), Others: ptr(others)}}
			n := 0
			for _, f := range Of(r, nil) {
				if f.Code == code {
					n++
				}
			}
			if n != want {
				t.Errorf("%s: told %d times after %g s", code, n, elapsed)
			}
		}
	}
}

// Crowded and oversubscribed are never reported for the same run.
func TestCrowdedIsNotOversubscribed(t *testing.T) {
	for busy := 0.1; busy <= 2; busy += 0.1 {
		for waiting := 0.0; waiting < 6; waiting += 0.2 {
			for others := 0.0; others <= 2; others += 0.25 {
				r := sound()
				r.CPU = CPU{Allocated: ptr(2), Busy: &busy, Waiting: &waiting, Others: &others}
				found := codes(Of(r, nil))
				if slices.Contains(found, "crowded") && (slices.Contains(found, "oversubscribed") || others == 0) {
					t.Fatalf("busy %g, waiting %g, others %g: %v", busy, waiting, others, found)
				}
			}
		}
	}
}

// One situation has one finding: CPUs that are idle for a reported reason are not reported again as idle.
func TestIdleForAReasonIsReportedOnce(t *testing.T) {
	for _, c := range []struct {
		code  string
		earns func(*RunFacts)
	}{
		{"crowded", func(r *RunFacts) {
			r.CPU = CPU{Allocated: ptr(2), Busy: ptr(0.5), Waiting: ptr(0.5), Others: ptr(0.5)}
		}},
		{"node_idle", func(r *RunFacts) {
			r.NNodes, r.Nodes, r.CPU.Busy = 2,
				[]NodeFacts{{Name: "a", Busy: ptr(31)}, {Name: "b", Busy: ptr(0.1), Odd: []string{"100 % less busy"}}}, ptr(31.1)
		}},
		{"files_slow", func(r *RunFacts) { r.FilesWaitS, r.CPU.Busy = ptr(1800), ptr(31) }},
		{"hung", func(r *RunFacts) { r.InOrder, r.ExitSignal, r.SilentS, r.CPU.Busy = false, 15, 1800, ptr(31) }},
	} {
		r := sound()
		c.earns(&r)
		if found := codes(Of(r, nil)); !slices.Contains(found, c.code) || slices.Contains(found, "cpus_idle") ||
			slices.Contains(found, "odd_node") {
			t.Errorf("%s: %v", c.code, found)
		}
		if *r.CPU.Busy > 1 { // the same busy CPUs for no such reason
			r.Nodes, r.FilesWaitS, r.SilentS = nil, ptr(0), 0
			if found := codes(Of(r, nil)); !slices.Contains(found, "cpus_idle") {
				t.Errorf("without %s: %v", c.code, found)
			}
		}
	}
}

// TestTrialsHaveInfos takes one process on two CPUs: in a trial of `jobgait run` the idle CPU
// is reported after seconds, in a batch job only where it cost a core hour.
func TestTrialsHaveInfos(t *testing.T) {
	for _, c := range []struct {
		elapsedS float64
		batch    bool
		want     bool
	}{{1.9, false, false}, {30, false, true}, {30, true, false}, {3700, true, true}} {
		r := RunFacts{ElapsedS: c.elapsedS, NNodes: 1, InOrder: true, Sampled: true, Periodic: true, Batch: c.batch,
			CPU: CPU{Allocated: ptr(2), Busy: ptr(1)}}
		if got := slices.Contains(codes(Of(r, nil)), "cpus_idle"); got != c.want {
			t.Errorf("%g s, batch %v: reported %v", c.elapsedS, c.batch, got)
		}
	}
}

// TestShortSlowEndIsNoFinding takes cycles that became much longer in the last second of a
// minute.
func TestShortSlowEndIsNoFinding(t *testing.T) {
	for costS, want := range map[float64]bool{0.8: false, 2: true} {
		r := RunFacts{ElapsedS: 60, NNodes: 1, InOrder: true, Sampled: true, Periodic: true,
			Drift: &CycleDrift{"Cycles slowed down.", 40, costS}}
		if got := slices.Contains(codes(Of(r, nil)), "drifting"); got != want {
			t.Errorf("%g s of a minute: reported %v", costS, got)
		}
	}
}

// A run that was in no loop has made no cycle before it hung, and the finding does not say that it had.
func TestHungWithoutALoop(t *testing.T) {
	r := RunFacts{ElapsedS: 600, NNodes: 2, State: "CANCELLED", SilentS: 540, Doing: "waiting in MPI", NoLoop: true}
	const want = "It hung: none of its own code ran for the last 9:00 before it was cancelled, its processes waiting in " +
		"MPI, which cost 0.30 node hours."
	if got := Of(r, nil); len(got) == 0 || got[0].Code != "hung" || got[0].Text != want {
		t.Errorf("%+v, want %q", got, want)
	}
	r.InOrder, r.State = true, "COMPLETED"
	for _, f := range Of(r, nil) {
		if f.Code == "hung" {
			t.Errorf("of a run that ended in order: %+v", f)
		}
	}
}

// Without a likely cycle the GPUs must have been idle for half of the time.
func TestIdleShareOfTime(t *testing.T) {
	for share, want := range map[float64]int{.49: 0, .51: 1, 1.01: 0} {
		r := RunFacts{ElapsedS: 60, GPUIdle: &GPUIdle{Share: share, Text: "The GPU was idle."}}
		if got := gpuIdleShare(r); len(got) != want {
			t.Errorf("%g: %v", share, got)
		}
	}
}

// A run that was killed after its processes had done nothing is idle before its end; one that worked, or that ended by
// itself, is not.
func TestQuietEnd(t *testing.T) {
	killed := RunFacts{ElapsedS: 40, NNodes: 1, ExitSignal: 15, TrailingIdleS: 19, Ended: "ended by signal 15"}
	worked, byItself := killed, killed
	worked.TrailingIdleS = 2
	byItself.ExitSignal, byItself.InOrder = 0, true
	for _, c := range []struct {
		name string
		run  RunFacts
		want bool
	}{{"killed", killed, true}, {"worked", worked, false}, {"ended by itself", byItself, false}} {
		text := ""
		for _, f := range Of(c.run, nil) {
			if f.Code == "idle_since" {
				text = f.Text
			}
		}
		if strings.Contains(text, "It hung: from 21.0 s until it was ended 19.0 s later no process of it ran") != c.want {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// TestContentionComesLast takes runs that waited for CPUs that others used: a finding on the run itself of similar cost
// precedes that, and so does a difference from usual runs at any cost.
func TestContentionComesLast(t *testing.T) {
	crowdedRun := func() RunFacts { // waited for half of its CPUs
		r := sound()
		r.CPU = CPU{Allocated: ptr(2), Busy: ptr(1), Waiting: ptr(1), Others: ptr(1)}
		return r
	}
	for _, c := range []struct {
		name   string
		change func(*RunFacts)
		want   []string
	}{
		{"files cost less", func(r *RunFacts) { r.FilesWaitS = ptr(720) }, []string{"files_slow", "crowded"}},
		{"files cost much less", func(r *RunFacts) { r.FilesWaitS = ptr(400) }, []string{"crowded", "files_slow"}},
		{"slower than usual", func(r *RunFacts) { r.Others = []Comparison{{Text: "6 % slower.", EffectPct: 6}} },
			[]string{"slower_than_usual", "crowded"}},
	} {
		r := crowdedRun()
		c.change(&r)
		if got := codes(Of(r, nil)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWaitingIsAShareOfTheRun takes one task that computed for a quarter of 12 s and waited for the rest.
func TestWaitingIsAShareOfTheRun(t *testing.T) {
	r := RunFacts{ElapsedS: 12, NNodes: 1, InOrder: true, CPUWaitS: ptr(9),
		CPU: CPU{Allocated: ptr(2), Busy: ptr(.25), Waiting: ptr(.75), Others: ptr(1.5)}}
	const want = "Other work on its node took CPUs from the run: it waited 9.00 s for one, 75.0 % of the run."
	if got := crowded(r); len(got) != 1 || got[0].Text != want {
		t.Errorf("%+v, want %q", got, want)
	}
	r.CPU.Waiting = ptr(3.5) // four tasks on two CPUs
	const own = "The run had more tasks than CPUs: on average 3.8 of its tasks ran or were ready to run, for 2 CPUs. " +
		"Other work used 1.5 of the CPUs."
	if got := oversubscribed(r); len(got) != 1 || got[0].Text != own || len(crowded(r)) > 0 {
		t.Errorf("%+v, want %q", got, own)
	}
}

// TestForecastOfARunThatWasEnded takes memory that grew: what is said of its limit depends on how the run ended.
func TestForecastOfARunThatWasEnded(t *testing.T) {
	grown := RunFacts{ElapsedS: 10, NNodes: 1, InOrder: true,
		Memory: MemoryFacts{Requested: ptr(4e8), Growth: &MemoryGrowth{1e7, 1, 3e8, 9, 4e7}}}
	ended := grown
	ended.InOrder, ended.ExitSignal = false, 9
	lacked := ended
	lacked.Memory.OOMKills = ptr(1)
	for want, r := range map[string]RunFacts{
		"At this rate a longer run reaches its limit of 400 MB, after 11.5 s.":  grown,
		"At this rate it would have reached its limit of 400 MB, after 11.5 s.": ended,
		"So it reached its limit of 400 MB.":                                    lacked,
	} {
		if found := memoryGrowing(r); len(found) != 1 || !strings.HasSuffix(found[0].Text, want) {
			t.Errorf("want %s: %+v", want, found)
		}
	}
}

// TestLimitThatNothingEnforced takes memory that passed the request of a run that ended in order: it threatens no later
// run, unless it reaches the memory of the node soon.
func TestLimitThatNothingEnforced(t *testing.T) {
	for _, c := range []struct {
		node  *float64
		level Level
		want  string
	}{
		{nil, Info, "from 300 MB at 1.00 s to 600 MB at 9.00 s: 40.0 MB a second."},
		{ptr(256e9), Info, " At this rate a longer run reaches all memory of its node, 256 GB, after 1:46:34."},
		{ptr(1e9), Warning, " At this rate a longer run reaches all memory of its node, 1.00 GB, after 19.0 s."},
	} {
		r := RunFacts{ElapsedS: 10, NNodes: 1, InOrder: true, Sampled: true, Periodic: true,
			Memory: MemoryFacts{Requested: ptr(4e8), Node: c.node, Growth: &MemoryGrowth{3e8, 1, 6e8, 9, 4e7}}}
		got := Of(r, nil)
		if len(got) != 1 || got[0].Level != c.level || !strings.HasSuffix(got[0].Text, c.want) {
			t.Errorf("want %s: %+v", c.want, got)
		}
	}
}

// TestNextStep takes each case that costs a run something: there is a next step, and the action of a finding precedes
// advice on later ones.
func TestNextStep(t *testing.T) {
	noAdvice := []string{"failed_in_phase", "faster", "partly_sampled", "no_period"}
	for _, c := range cases {
		r := sound()
		c.earns(&r)
		all := Of(r, nil)
		if got := NextStep(all); got == "" && !slices.Contains(noAdvice, c.code) {
			t.Errorf("%s: no next step", c.code)
		}
		for _, f := range all {
			if slices.Contains(noAdvice, f.Code) && f.Action == nil && f.Next != "" {
				t.Errorf("%s has the advice %q: take it off the list", f.Code, f.Next)
			}
		}
	}
	r := sound()
	r.Others = []Comparison{{Text: "30 % slower.", EffectPct: 30, Command: "jobgait compare 1 2"}}
	if got := NextStep(Of(r, nil)); got != "See what changed: jobgait compare 1 2" {
		t.Errorf("next is %q", got)
	}
}

// TestSlowdownNamesTheWait takes a run that is 49 % slower than usual and waited for CPUs that other work used: one
// finding says how much of the slowdown is waiting, and the next step follows the larger part.
func TestSlowdownNamesTheWait(t *testing.T) {
	for _, c := range []struct {
		name       string
		waitS      float64
		usual      *float64
		heads      int
		text, next string
	}{
		{"most of it is waiting", 21, ptr(0.02), 1,
			"The last 3 runs are 49.0 % slower than usual. Of these 49.0 %, 29 points are waiting for CPUs that other work " +
				"used, " +
				"21.0 % of the run.", "Run it again when CPUs are free; `top` shows what uses them."},
		{"a part of it is waiting", 12, ptr(0.02), 1,
			"The last 3 runs are 49.0 % slower than usual. Of these 49.0 %, 16 points are waiting for CPUs that other work " +
				"used, " +
				"12.0 % of the run.", "See what changed: jobgait compare 1 2"},
		{"all of it is waiting", 50, ptr(0.02), 1,
			"The last 3 runs are 49.0 % slower than usual. All of that is waiting for " +
				"CPUs that other work used, 50.0 % of the run.", "Run it again when CPUs are free; `top` shows what uses them."},
		{"usual runs waited as well", 21, ptr(0.32), 2,
			"The last 3 runs are 49.0 % slower than usual. It is not that other " +
				"work took CPUs: usual runs waited for them as long.", "See what changed: jobgait compare 1 2"},
		{"how long usual runs waited is unknown", 21, nil, 2, "The last 3 runs are 49.0 % slower than usual.",
			"See what changed: jobgait compare 1 2"},
	} {
		r := sound()
		r.ElapsedS, r.CPUWaitS, r.FilesWaitS = 100, &c.waitS, nil
		r.CPU = CPU{Allocated: ptr(2), Busy: ptr(2 - c.waitS/50), Waiting: ptr(c.waitS / 50), Others: ptr(1)}
		r.Others = []Comparison{{Text: "The last 3 runs are 49.0 % slower than usual.", EffectPct: 49,
			Command: "jobgait compare 1 2", UsualCPUWait: c.usual}}
		all := Of(r, nil)
		head := Head(all)
		if len(all) != 2 || len(head) != c.heads || head[0].Text != c.text || NextStep(all) != c.next {
			t.Errorf("%s: head %+v, next %q", c.name, head, NextStep(all))
		}
	}
}

// The wait of a run that computes in bursts is compared with usual runs by the same estimate, and a wait of this run
// only does not explain what earlier runs since the change lost.
func TestWaitInSlowdown(t *testing.T) {
	for _, c := range []struct {
		name          string
		waitS         float64
		cpu           CPU
		usual, since  float64
		pct           float64
		isPartOfShift bool
	}{
		{"bursts, five times the usual wait", 10, CPU{Busy: ptr(0.72), Waiting: ptr(0.48)}, 0.08, 0.4, 8.9, true},
		{"steady, five times the usual wait", 10, CPU{Busy: ptr(0.9), Waiting: ptr(0.1)}, 0.02, 0.1, 8.9, true},
		{"only this run waited", 20, CPU{Busy: ptr(0.8), Waiting: ptr(0.2)}, 0, 0, 0, false},
	} {
		r := RunFacts{ElapsedS: 100, CPUWaitS: &c.waitS, CPU: c.cpu}
		pct, ok := r.waitInSlowdown(Comparison{EffectPct: 9, UsualCPUWait: &c.usual, SlowerCPUWait: &c.since})
		if ok != c.isPartOfShift || math.Abs(pct-c.pct) > 0.1 {
			t.Errorf("%s: %.2f points, %v, want %.2f, %v", c.name, pct, ok, c.pct, c.isPartOfShift)
		}
	}
}

// TestSleepComesAfterALongerWait takes a run that waited longer for CPUs that others used than it slept: the idle CPUs
// cost more core seconds, but the wait cost more of the elapsed time.
func TestSleepComesAfterALongerWait(t *testing.T) {
	for asleepS, want := range map[float64][]string{0: {"crowded"}, 17: {"crowded"}, 27: {"crowded", "cpus_idle"},
		60: {"cpus_idle", "crowded"}} {
		r := RunFacts{ElapsedS: 100, NNodes: 1, InOrder: true, Sampled: true, Periodic: true, AsleepS: &asleepS,
			CPUWaitS: ptr(50), CPU: CPU{Allocated: ptr(2), Busy: ptr(0.23), Waiting: ptr(0.5), Others: ptr(1.5)}}
		if got := codes(Of(r, nil)); !slices.Equal(got, want) {
			t.Errorf("asleep for %g s: %v, want %v", asleepS, got, want)
		}
	}
	r := RunFacts{ElapsedS: 100, NNodes: 1, InOrder: true, Sampled: true, Periodic: true, AsleepS: ptr(17),
		CPUWaitS: ptr(32),
		CPU:      CPU{Allocated: ptr(2), Busy: ptr(0.51), Waiting: ptr(0.32), Others: ptr(1.5)}} // one thread
	if got := codes(Of(r, nil)); !slices.Equal(got, []string{"crowded", "cpus_idle"}) {
		t.Errorf("one thread that waited: %v", got)
	}
}
