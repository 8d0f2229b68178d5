package job

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/reports/pagetest"
)

// firstScreen is how many lines of a report most readers see.
const firstScreen = 24

// sound is a run of an hour for which everything was measured and nothing is reported.
func sound() summary.Summary {
	s := steady(nemo())
	s.Patterns = []pattern.Pattern{pat("A", 6.2, 580, 0.998, 62, busyColumn, "CPUs")}
	s.Patterns[0].Column = busyColumn
	s.Phases = []phase.Phase{{Kind: phase.StartUp, EndS: 4, Share: 4 / s.ElapsedS},
		{Kind: phase.Loop, Pattern: "A", StartS: 4, EndS: s.ElapsedS, Share: 1 - 4/s.ElapsedS}}
	s.Patterns[0].Regions = []periodicity.Region{{StartS: 4, EndS: s.ElapsedS, Count: 580}}
	s.Nodes[0].BusyCPUs, s.Nodes[0].Coverage = ptr(61.3), ptr(0.998)
	s.State = "COMPLETED"
	s.Job.TimeLimitS, s.Job.MemoryBytes, s.Memory = ptr(7200.0), ptr(64e9), &summary.Memory{PeakBytes: ptr(41.2e9)}
	s.Notes = nil
	s = drawn(s, timeline(s, busyColumn, "CPUs", 80))
	s.Counters = nil
	return used(s, map[string]float64{"proc_wait": 0.4, run.StorageWait: 0.3, "cgroup_throttled": 0, "stolen_cpu": 0,
		"others_cpu":         0.3,
		"cgroup_psi_io_full": 0.003},
		map[string]float64{"cgroup_read_bytes": 7.3e9, "cgroup_write_bytes": 2.1e10, "cgroup_oom_kills": 0})
}

// used adds counters: means over the run in CPUs, and totals.
func used(s summary.Summary, cpus, totals map[string]float64) summary.Summary {
	put := func(name, unit string, total float64) {
		scope := "job"
		if name == "others_cpu" {
			scope = "node"
		}
		s.Counters = slices.DeleteFunc(s.Counters, func(c run.Counter) bool { return c.Name == name })
		s.Counters = append(s.Counters, run.Counter{Name: name, Unit: unit, Scope: scope, Total: total})
	}
	for _, name := range []string{"proc_wait", run.StorageWait, "cgroup_throttled", "stolen_cpu", "others_cpu",
		"cgroup_psi_io_full"} {
		if v, ok := cpus[name]; ok {
			put(name, "ns", v*s.ElapsedS*1e9)
		}
	}
	for _, name := range []string{"cgroup_read_bytes", "cgroup_write_bytes", "cgroup_oom_kills"} {
		if v, ok := totals[name]; ok {
			unit := "bytes"
			if name == "cgroup_oom_kills" {
				unit = "1"
			}
			put(name, unit, v)
		}
	}
	return s
}

// busyAt is the run with the given number of its CPUs busy on each node.
func busyAt(s summary.Summary, busy float64) summary.Summary {
	for i := range s.Nodes {
		s.Nodes[i].BusyCPUs = ptr(busy)
	}
	return drawn(s, timeline(s, busyColumn, "CPUs", busy*80/61.3))
}

// on four nodes that do the same.
func onFour(s summary.Summary) summary.Summary {
	s.Job.NNodes, s.Job.NodeList, s.Job.NCPUs, s.Job.NTasks = 4, "dahu-[1-4]", ptr(256), ptr(256)
	s.Job.MemoryBytes, s.Memory = nil, nil
	one := s.Nodes[0]
	s.Nodes = nil
	for _, name := range []string{"dahu-1", "dahu-2", "dahu-3", "dahu-4"} {
		one.Name = name
		s.Nodes = append(s.Nodes, one)
	}
	return s
}

// short is a run of some seconds on a machine of its user, without a period.
func short(code note.Code, text string) summary.Summary {
	s := flat(code, text, 0.97)
	s.Job.Name, s.Job.Executable, s.Job.NCPUs = "xz", "xz", ptr(1)
	s.ElapsedS, s.End = 3.2, began+3.2
	s.Phases[0].EndS = 3.2
	s.Memory = &summary.Memory{PeakBytes: ptr(96.3e6)}
	return drawn(used(s, map[string]float64{"proc_wait": 0.01, "others_cpu": 0},
		map[string]float64{"cgroup_read_bytes": 3e8, "cgroup_write_bytes": 6.1e7}), s.Timeline.Columns...)
}

// withFileWait is a run whose tasks all waited for files for a share of each part of the run.
func withFileWait(s summary.Summary, share float64) summary.Summary {
	c := timeline(s, "cgroup_psi_io_full", "ns/s", 0)
	for i := range c.Mean {
		c.Min[i], c.Mean[i], c.Max[i] = float32(share*1e9), float32(share*1e9), float32(share*1e9)
	}
	s.Timeline.Columns = append(slices.Clone(s.Timeline.Columns), c)
	return s
}

// quietFrom is the run without busy CPUs from a time on, in s; before they are busy as on average.
func quietFrom(s summary.Summary, fromS float64) summary.Summary {
	for _, c := range s.Timeline.Columns {
		for i := range c.Mean {
			c.Min[i], c.Mean[i], c.Max[i] = 60, 61.3, 63
			if float64(i)*s.Timeline.StepS >= fromS {
				c.Min[i], c.Mean[i], c.Max[i] = 0, 0, 0
			}
		}
	}
	return used(s, map[string]float64{"proc_wait": 0, run.StorageWait: 0, "cgroup_psi_io_full": 0}, nil)
}

// stopped is a run that ended before it was done.
func stopped(s summary.Summary, state string, signal, code int) summary.Summary {
	s.State, s.Exit = state, &run.Exit{Signal: signal, Code: code}
	return s
}

// situation is a run of a user, and the code of the finding that its report shows first.
type situation struct {
	name, code string
	s          summary.Summary
	past       []history.Run
	across     OtherRuns
}

// situations are one run for each finding that a user may see.
func situations() []situation {
	change := func(f func(*summary.Summary)) summary.Summary { s := sound(); f(&s); return s }
	return []situation{
		{name: "sound", s: sound(), past: past(24)},
		{name: "crowded", code: "crowded",
			s: used(busyAt(sound(), 24.1), map[string]float64{"proc_wait": 37.9, "others_cpu": 38.2}, nil)},
		{name: "oversubscribed", code: "oversubscribed", s: change(func(s *summary.Summary) {
			s.Job.NTasks, s.Job.NCPUs, s.Job.Fields = ptr(1), ptr(2), map[string]string{run.FieldThreads: "6"}
			*s = used(busyAt(*s, 1.99), map[string]float64{"proc_wait": 3.31, "others_cpu": 0.01}, nil)
		})},
		{name: "throttled", code: "throttled",
			s: used(busyAt(sound(), 32), map[string]float64{"cgroup_throttled": 29.7, "proc_wait": 30}, nil)},
		{name: "stolen", code: "stolen", s: used(busyAt(sound(), 48), map[string]float64{"stolen_cpu": 14.2}, nil)},
		{name: "out-of-memory", code: "out_of_memory", s: change(func(s *summary.Summary) {
			s.Memory.PeakBytes = ptr(63.9e9)
			*s = used(stopped(*s, "OUT_OF_MEMORY", 9, 0), nil, map[string]float64{"cgroup_oom_kills": 1})
		})},
		{name: "time-limit", code: "time_limit",
			s: change(func(s *summary.Summary) { s.Job.TimeLimitS = ptr(3600.0); *s = stopped(*s, "TIMEOUT", 15, 0) })},
		{name: "time-limit-near", code: "time_limit_near",
			s: change(func(s *summary.Summary) { s.Job.TimeLimitS = ptr(3660.0) })},
		{name: "signal", code: "ended_by_signal", s: stopped(sound(), "FAILED", 11, 0)},
		{name: "exit-code", code: "failed", s: stopped(sound(), "FAILED", 0, 3)},
		{name: "hung", code: "hung", s: change(func(s *summary.Summary) {
			*s = stopped(quietFrom(busyAt(*s, 30.8), 1804), "CANCELLED", 15, 0)
			s.Silence = &summary.Silence{SinceS: 1800, Doing: "sleeping"}
		})},
		{name: "hung-in-mpi", code: "hung", s: change(func(s *summary.Summary) {
			*s = stopped(quietFrom(busyAt(*s, 30.8), 1804), "TIMEOUT", 15, 0)
			s.Silence = &summary.Silence{SinceS: 1800, Doing: "waiting in MPI", Stacks: hungStacks()}
		})},
		{name: "idle-since", code: "idle_since", s: change(func(s *summary.Summary) {
			*s = quietFrom(busyAt(*s, 30.8), 1804)
			s.Silence = &summary.Silence{SinceS: 1800, Doing: "sleeping", NoLoop: true}
		})},
		{name: "too-short", code: "no_period", s: short(note.TooShort, "the profile has 640 samples, fewer than 1000")},
		{name: "no-period", code: "no_period", s: change(func(s *summary.Summary) {
			s.Patterns, s.Phases = nil, []phase.Phase{{Kind: phase.Aperiodic, EndS: s.ElapsedS, Share: 1}}
			s.Notes = []note.Note{note.New(note.NotSignificant,
				"no period: the repetition in code is no stronger than that of its samples in random order")}
		})},
		{name: "cpus-idle", code: "cpus_idle", s: busyAt(sound(), 37)},
		{name: "one-thread", code: "cpus_idle", s: change(func(s *summary.Summary) {
			s.Job.NTasks, s.Job.CPUsPerTask, s.Job.Fields = ptr(1), ptr(64), map[string]string{run.FieldThreads: "1"}
			*s = used(busyAt(*s, 0.99), map[string]float64{"proc_wait": 0.01, run.StorageWait: 0}, nil)
			busy := s.Timeline.Columns[0].Mean
			for i := range busy {
				busy[i] = 0.99
			}
		})},
		{name: "node-idle", code: "node_idle", s: change(func(s *summary.Summary) {
			*s = onFour(*s)
			s.Nodes[2].BusyCPUs, s.Nodes[2].PeriodS, s.Nodes[2].Coverage = ptr(0.01), nil, nil
		})},
		{name: "memory-near-limit", code: "memory_near_limit",
			s: change(func(s *summary.Summary) { s.Memory.PeakBytes = ptr(61.1e9) })},
		{name: "memory-unused", code: "memory_unused",
			s: change(func(s *summary.Summary) { s.Memory.PeakBytes = ptr(1.2e9) })},
		{name: "files-slow", code: "files_slow",
			s: withFileWait(used(busyAt(sound(), 37), map[string]float64{"cgroup_psi_io_full": 0.4, run.StorageWait: 25},
				map[string]float64{"cgroup_write_bytes": 8.2e11}), 0.4)},
		{name: "imbalance", code: "imbalance", s: change(func(s *summary.Summary) {
			*s = onFour(*s)
			for i, busy := range []float64{64, 56, 53, 57.1} {
				s.Nodes[i].BusyCPUs = ptr(busy)
			}
			s.ImbalancePct = ptr(11.3)
		})},
		{name: "odd-node", code: "odd_node", s: change(func(s *summary.Summary) {
			*s = onFour(*s)
			s.Nodes[1].BusyCPUs, s.ImbalancePct = ptr(41.0), ptr(9.1)
		})},
		{name: "slower", code: "slower_than_usual", s: sound(), past: past(24), across: slower()},
		{name: "faster", code: "faster", s: sound(), past: past(24), across: OtherRuns{Changes: Section{
			Title: "Changes of speed", Others: []finding.Comparison{
				{Text: "Runs like this one: 21.3 % faster since 18 November; the executable changed then.", EffectPct: -21.3}},
			Text: []string{"21.3 % faster since 18 November (95 % interval 19.0 .. 23.1 %); the executable changed then."}}}},
		{name: "drifting", code: "drifting", s: change(func(s *summary.Summary) {
			s.Loops = nemoLoops()[:1]
			s.Loops[0].Drift.Like, s.Loops[0].Activity = nil, nil
		})},
		{name: "start-up", code: "start_up_long", s: change(func(s *summary.Summary) {
			s.Phases[0] = phase.Phase{Kind: phase.StartUp, EndS: 904, Share: 904 / s.ElapsedS}
			s.Phases[1].StartS, s.Phases[1].Share = 904, 1-904/s.ElapsedS
			s.Patterns[0].Instances, s.Patterns[0].Coverage = 435, 0.749
		})},
		{name: "checkpoints", code: "checkpoints_cost", s: change(func(s *summary.Summary) {
			s.Phases = nil
			for at := 0.0; at < 3600; at += 720 {
				s.Phases = append(s.Phases, phase.Phase{Kind: phase.Loop, Pattern: "A", StartS: at, EndS: at + 600,
					Share: 600 / s.ElapsedS},
					phase.Phase{Kind: phase.Gap, StartS: at + 600, EndS: at + 720, Share: 120 / s.ElapsedS})
			}
			s.Phases[len(s.Phases)-1].Kind = phase.Tail
			s.Patterns[0].Instances, s.Patterns[0].Coverage = 480, 0.832
		})},
		{name: "too-many-nodes", code: "too_many_nodes", s: onFour(sound()), across: OtherRuns{
			Fewer: &finding.Scaling{Nodes: 4, Fewer: 1, StepS: 6.2, FewerStepS: 11},
			Scaling: Section{Title: "Scaling", Remark: "time of one cycle over nodes, 3 sizes",
				Text: []string{"falls like 1/nodes towards 4.6; one law over 1 .. 4"}}}},
		{name: "not-sampled", code: "not_sampled", s: unwatched(), past: past(9)},
		{name: "partly-sampled", code: "partly_sampled", s: change(func(s *summary.Summary) {
			s.Notes = []note.Note{note.New(note.AgentDied, "the profile was salvaged: its last block is of 0:41:12")}
			s.Nodes[0].Sealed, s.Quality.Sealed = false, false
		})},
		{name: "gpus-idle", code: "gpu_idle_share", s: change(func(s *summary.Summary) {
			*s = onGPUs()
			for i := range s.GPUs {
				s.GPUs[i].Cycle.IdleShare, s.GPUs[i].ActiveS = .31, ptr(2443.)
			}
		})},
		{name: "gpu-not-held", code: "gpu_not_held", s: change(func(s *summary.Summary) {
			s.Notes = append(s.Notes, note.Note{Code: note.GPUsNotHeld,
				Text: "the job's GPUs were not recorded: no process of the job held one of them open, so it probably used none",
				Node: "dahu-1"})
		})},
		{name: "waiting-in-mpi", code: "waiting_in_mpi",
			s: change(func(s *summary.Summary) { s.Code, s.CodeNode = spinning(0.34), "dahu-1" })},
		{name: "varying-cycles", s: change(func(s *summary.Summary) {
			s.Patterns[0].Kind, s.Patterns[0].P10S, s.Patterns[0].P90S, s.Patterns[0].PeriodCV = periodicity.Unequal, 4.1, 9.6,
				0.31
			s.Patterns[0].PeriodLoS, s.Patterns[0].PeriodHiS = 6.04, 6.37
		})},
		{name: "array-element", code: "failed", s: change(func(s *summary.Summary) {
			s.Key.JobID, s.Job.ArrayJobID, s.Job.ArrayTaskID = 900_107, ptr(int64(900_100)), ptr(int64(7))
			*s = stopped(*s, "FAILED", 0, 1)
		}), past: past(12)},
	}
}

// spinning is code of which the given share polls for messages of MPI.
func spinning(share float64) *anatomy.Anatomy {
	own, mpi := anatomy.Part{Name: "liblammps.so.0", Share: 1 - share},
		anatomy.Part{Name: "libopen-pal.so.80", Share: share}
	return &anatomy.Anatomy{Samples: 90_000, Run: anatomy.Split{BusyS: 90, Libraries: []anatomy.Part{own, mpi},
		Classes: []anatomy.Part{{Name: "own", Share: 1 - share}, {Name: "communication", Share: share}}}}
}

func (c situation) report() Report {
	o := options()
	o.OtherRuns = c.across
	return New(divided(c.s), c.past, o)
}

// divided returns the run on one node with its elapsed time divided.
func divided(s summary.Summary) summary.Summary {
	if len(s.Nodes) == 1 {
		r := summary.NodeRecord{ElapsedS: s.ElapsedS, SuspendedS: s.SuspendedS, Timeline: s.Timeline, Counters: s.Counters}
		s.Time = r.WithTimeDivision().Time
	}
	return s
}

// The first screen of a report is sufficient: it begins with the complete sentence on what limited the run, and
// contains the resources used, the cycle and the earlier runs.
func TestFirstScreenGolden(t *testing.T) {
	for _, c := range situations() {
		t.Run(c.name, func(t *testing.T) {
			r := c.report()
			codes := []string{""}
			if len(r.Findings) > 0 {
				codes = nil
			}
			for _, f := range r.Findings {
				codes = append(codes, f.Code)
			}
			if codes[0] != c.code {
				t.Errorf("reported first is %q of %v, want %q", codes[0], codes, c.code)
			}
			lines := strings.Split(textOf(t, r), "\n")
			screen := strings.Join(lines[:min(firstScreen, len(lines))], "\n") + "\n"
			flat := strings.Join(strings.Fields(screen), " ")
			for _, v := range r.headStatements() {
				if !strings.Contains(flat, strings.Join(strings.Fields(strings.TrimSuffix(v.Text+" -> "+v.Action, " -> ")), " ")) {
					t.Errorf("not in the first %d lines: %s", firstScreen, v.Text)
				}
			}
			if r.Next == "" && r.Quality.sampled() && len(r.doubts()) == 0 {
				t.Error("the report does not say what to do next")
			}
			for _, g := range r.brief() {
				if !strings.Contains(screen, "\n  "+g.Name+" ") {
					t.Errorf("no %s in the first %d lines", g.Name, firstScreen)
				}
			}
			pagetest.Golden(t, "first-"+c.name+".txt", []byte(screen))
		})
	}
}

// No report contains terms that only readers of the source or the papers understand, numbers with more figures
// than were measured, or days counted from an unnamed origin.
func TestReportsSpeakPlainly(t *testing.T) {
	words := regexp.MustCompile(`(?i)withheld|permutation|\(assumed\)|a record costs|aperiodic|standard deviations ` +
		`above|in this shape|\bday \d|\bt = \d|\bNaN\b|nats|\bWGSS\b|confidence 0\.\d{3}`)
	figures := regexp.MustCompile(`\d\.\d{5,}|\d{8,}`)
	id := regexp.MustCompile(`jobgait-\S+`)
	for _, c := range situations() {
		check(t, c.name, id.ReplaceAllString(textOf(t, c.report()), ""), words, figures)
	}
	for _, run := range runs() {
		if run.name != "hostile" {
			check(t, run.name, id.ReplaceAllString(textOf(t, New(run.s, run.past, options())), ""), words, figures)
		}
	}
}

func check(t *testing.T, name, text string, banned ...*regexp.Regexp) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		for _, b := range banned {
			if found := b.FindString(line); found != "" {
				t.Errorf("%s: %q in %q", name, found, line)
			}
		}
	}
}

// A report on a run without a period is short; it had 58 to 73 lines.
func TestPoorReportsAreShort(t *testing.T) {
	for _, c := range situations() {
		r := c.report()
		if r.Rhythm.Periodic || r.Earlier.N > 0 {
			continue
		}
		if n := strings.Count(textOf(t, r), "\n"); n > 46 {
			t.Errorf("%s has %d lines", c.name, n)
		}
	}
}

// A full block in a line of busy CPUs means all CPUs that the run was given: a run that kept a third of a CPU of
// two busy had full blocks.
func TestPicturesOfCPUsAreAsHighAsTheAllocation(t *testing.T) {
	text := textOf(t, New(flat(note.NoValley, "x", 0.364), nil, options()))
	if strings.Contains(text, "busy      █") || !strings.Contains(text, "busy = busy CPUs, 0 .. 2\n") {
		t.Error(text)
	}
	if text := textOf(t, New(flat(note.NoValley, "x", 1.99), nil, options())); !strings.Contains(text,
		"busy      ████████") {
		t.Error(text)
	}
}

// A sample that includes late ones may hold more CPU time than its node has: the axis still ends at the node's
// CPUs.
func TestLateSampleStretchesNoAxis(t *testing.T) {
	s := flat(note.NoValley, "x", 1.5)
	s.Quality.CPUs = 2
	i := slices.IndexFunc(s.Timeline.Columns, func(c summary.TimelineColumn) bool { return c.Name == busyColumn })
	c := &s.Timeline.Columns[i]
	c.Mean, c.Max = slices.Clone(c.Mean), slices.Clone(c.Max)
	c.Mean[3], c.Max[3] = 10, 10
	r := New(s, nil, options())
	for _, tick := range regexp.MustCompile(`data-v="([0-9.]+)"|>([0-9.]+)</text>`).FindAllStringSubmatch(
		string(r.timelineCharts()[0].SVG), -1) {
		if v, err := strconv.ParseFloat(tick[1]+tick[2], 64); err != nil || v > 2 {
			t.Errorf("tick %q on a node of 2 CPUs", tick[0])
		}
	}
	if !strings.Contains(textOf(t, r), "busy = busy CPUs, 0 .. 2\n") {
		t.Error(textOf(t, r))
	}
	if got := r.Rhythm.Timeline.Columns[i].Max[3]; got != 10 {
		t.Errorf("the JSON form has %v, want what was sampled", got)
	}
}

// A report on an idle run gives one number of busy CPUs; it gave three, one for each clock.
func TestIdleHasOneAnswer(t *testing.T) {
	s := flat(note.Idle, "the job's processes used 0.08 CPUs on average: too little to detect periods", 0.06)
	for name, busy := range map[string]float64{"cpu_time": 0.06, "task_clock": 0.0599, "proc_cpu": 0.08} {
		unit, scale := "ns", 1e9
		if name == "cpu_time" {
			unit, scale = "s", 1
		}
		s.Counters = append(s.Counters, run.Counter{Name: name, Unit: unit, Scope: "job", Total: busy * scale * s.ElapsedS})
	}
	r := New(s, nil, options())
	text := textOf(t, r)
	for _, found := range regexp.MustCompile(`0\.0\d+`).FindAllString(text, -1) {
		if strings.Trim(found, "0") != ".06" {
			t.Errorf("%s in\n%s", found, text)
		}
	}
	if len(r.Counters) != 3 || strings.Count(text, "CPU time, by") != 1 {
		t.Errorf("%d counters in JSON, in text:\n%s", len(r.Counters), text)
	}
}

// What the lines on resources used contain is not repeated as a counter, and each reason occurs once.
func TestNothingIsReportedTwice(t *testing.T) {
	s := sound()
	s.Quality.Sources = append(s.Quality.Sources,
		run.CounterSource{Name: "node counters", Absent: "the job shares the node"}, run.CounterSource{Name: "proc_wait"})
	s.Notes = []note.Note{note.New(note.NodeWithheld,
		"the job shares the node: counters of the whole node are not its own and were not recorded")}
	text := strings.Join(strings.Fields(textOf(t, New(s, nil, options()))), " ")
	for _, again := range []string{"COUNTERS", "node_scope_withheld", "proc wait"} {
		if strings.Contains(text, again) {
			t.Errorf("%q in\n%s", again, text)
		}
	}
	if !strings.Contains(text, "1 account that the kernel keeps of the job") ||
		strings.Count(text, "the job shares the node") != 1 {
		t.Error(text)
	}
}
