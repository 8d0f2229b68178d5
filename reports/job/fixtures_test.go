package job

import (
	"fmt"
	"math"
	"time"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// began is when the runs of the fixtures began.
var began = float64(time.Date(2026, 11, 20, 2, 14, 3, 0, time.UTC).Unix())

func ptr[T any](v T) *T { return &v }

// shapeAt is one iteration of a stencil code: compute, wait, a short burst.
func shapeAt(x float64) float64 {
	switch {
	case x < 0.55:
		return 0.92 + 0.05*math.Sin(40*x)
	case x < 0.9:
		return 0.18 + 0.04*math.Sin(90*x)
	}
	return 0.62
}

// runAt is the level of a run at time t: start-up, loops, a checkpoint, a tail.
func runAt(s summary.Summary, t float64) float64 {
	for _, p := range s.Phases {
		if t < p.StartS || t >= p.EndS {
			continue
		}
		for _, q := range s.Patterns {
			if p.Kind == phase.Loop && q.ID == p.Pattern {
				return shapeAt(math.Mod(t-p.StartS, q.PeriodS) / q.PeriodS)
			}
		}
		if p.Kind == phase.Gap {
			return 0.08
		}
	}
	return 0.22 + 0.03*math.Sin(t/7)
}

// timeline samples the run and decimates it as the agent's side does.
func timeline(s summary.Summary, name, unit string, scale float64) summary.TimelineColumn {
	c := summary.TimelineColumn{Name: name, Unit: unit, Scope: "job"}
	const bins, per = 960, 40
	step := s.ElapsedS / bins
	for i := range bins {
		lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
		for k := range per {
			v := scale * runAt(s, (float64(i)+float64(k)/per)*step)
			lo, hi, sum = math.Min(lo, v), math.Max(hi, v), sum+v
		}
		c.Min, c.Mean, c.Max = append(c.Min, float32(lo)), append(c.Mean, float32(sum/per)), append(c.Max, float32(hi))
	}
	s.Timeline.StepS = step
	return c
}

func pat(id string, periodS float64, instances int, coverage, scale float64, column, unit string) pattern.Pattern {
	p := pattern.Pattern{ID: id, Column: "code",
		Timing: periodicity.Timing{PeriodS: periodS, PeriodLoS: periodS * 0.9987, PeriodHiS: periodS * 1.0014,
			PeriodSamples: periodS * 200, PeriodCV: 0.006, Confidence: 0.93, Coverage: coverage, MeanS: periodS * 1.0002,
			P10S: periodS * 0.994, P90S: periodS * 1.007}, WGSS: 61.3, Aligned: 100, Instances: instances,
		Axis: periodicity.Both, CPUS: periodS * 1.5,
		ValuesColumn: column, ValuesUnit: unit}
	for i := range 512 {
		v := scale * shapeAt(float64(i)/512)
		p.Values, p.P10, p.P90 = append(p.Values, float32(v)), append(p.P10, float32(v*0.93)),
			append(p.P90, float32(min(v*1.05, scale)))
	}
	return p
}

// nemo is a periodic run on one node whose iterations grow longer near its end.
func nemo() summary.Summary {
	const page = "code:9f31c2aa04d7e611"
	s := summary.Summary{
		Schema: summary.Schema,
		Key:    run.Key{Cluster: "dahu", JobID: 812345},
		Job: run.Job{Name: "nemo_gyre", User: "alice", UID: 1000, GID: 1000, Partition: "normal", NNodes: 1,
			NodeList: "dahu-1",
			NTasks:   ptr(64), NCPUs: ptr(64), CPUsPerTask: ptr(1), WorkDir: "/scratch/alice/gyre", Executable: "nemo.exe"},
		Start: began, End: began + 3604, ElapsedS: 3604.2, Exit: &run.Exit{},
		LeadNode: "dahu-1",
		Nodes: []summary.Node{{Name: "dahu-1", Reported: true, BusyCPUs: ptr(37.24), PeriodS: ptr(6.2), Coverage: ptr(0.6),
			Samples: 720_840, Missing: 12, Sealed: true}},
		Quality: run.Quality{Scope: "job", CPUs: 64, RateHz: 200, AddressHz: 999, Samples: 720_840, Missing: 12, Blocks: 3604,
			Sealed: true, AgentCPUS: 21.3, OverheadPct: 0.41, BudgetPct: 0.5, InterruptNS: 2870, Sources: []run.CounterSource{
				{Name: "code addresses", Event: "cpu-clock"}, {Name: "context_switches"}, {Name: "page_faults"},
				{Name: "instructions", Absent: "this machine has no hardware counters"},
				{Name: "cycles", Absent: "this machine has no hardware counters"}}},
		Counters: []run.Counter{{Name: "page_faults", Unit: "1", Scope: "node", Total: 18_224_190},
			{Name: "context_switches", Unit: "1", Scope: "node", Total: 9_013_112},
			{Name: "cpu_time", Unit: "s", Scope: "job", Total: 1.34e5}},
		Notes: []note.Note{{Code: note.NoPMU,
			Text: "no hardware counters on this machine: instructions per cycle are not known", Node: "dahu-1"}},
	}
	s.Patterns = []pattern.Pattern{pat("A", 6.2, 352, 0.605, 310*0.9, page, "samples"),
		pat("B", 7.1, 141, 0.278, 310*0.9, page, "samples")}
	s.Patterns[1].PeriodCV, s.Patterns[1].Confidence = 0.009, 0.88
	s.Phases = []phase.Phase{
		{Kind: phase.StartUp, EndS: 300, Share: 300 / 3604.2},
		{Kind: phase.Loop, Pattern: "A", StartS: 300, EndS: 1850.4, Share: 1550.4 / 3604.2},
		{Kind: phase.Gap, StartS: 1850.4, EndS: 1930, Share: 79.6 / 3604.2},
		{Kind: phase.Loop, Pattern: "A", StartS: 1930, EndS: 2562, Share: 632 / 3604.2},
		{Kind: phase.Loop, Pattern: "B", StartS: 2562, EndS: 3563.1, Share: 1001.1 / 3604.2},
		{Kind: phase.Tail, StartS: 3563.1, EndS: 3604.2, Share: 41.1 / 3604.2}}
	s.Patterns[0].Regions = []periodicity.Region{{StartS: 300, EndS: 1850.4, Count: 250},
		{StartS: 1930, EndS: 2562, Count: 102}}
	s.Patterns[1].Regions = []periodicity.Region{{StartS: 2562, EndS: 3563.1, Count: 141}}
	s.Loops = nemoLoops()
	s.Minute = minute(s, 62)
	return drawn(s, timeline(s, "busy_cpus", "CPUs", 62), timeline(s, "context_switches", "1/s", 4100),
		timeline(s, page, "samples", 310*0.9))
}

// nemoLoops returns the loops in a record of nemo: a step, an iteration that stands out, and the wait in each.
func nemoLoops() []summary.Loop {
	d := summary.Drift{Like: []string{"B"}, Iterations: 493, SlopePctPerHour: 14.1, Lo: 9.2, Hi: 17.7,
		Steps: []phase.Step{{TS: 2562, EffectPct: 14.5, BeforeS: 6.2, AfterS: 7.1}},
		Slow: []phase.SlowCycle{{StartS: 1203.1, LengthS: 9.81, ExcessS: 3.61},
			{StartS: 3101.4, LengthS: 8.02, ExcessS: 0.92}},
		SlowCount: 2, SlowS: 4.53, Lengths: summary.Lengths{Group: 3}}
	for i, at := 0, 300.0; i < 165; i++ {
		mean := 6.2
		switch {
		case at > 2562:
			mean = 7.1
		case i == 83:
			at += 79.6
		}
		d.Lengths.TS = append(d.Lengths.TS, float32(at))
		d.Lengths.MeanS, d.Lengths.MaxS = append(d.Lengths.MeanS, float32(mean+0.02*math.Sin(float64(i)))),
			append(d.Lengths.MaxS, float32(mean*1.01))
		at += 3 * mean
	}
	wait := pattern.LowRegion{OffsetS: 3.41, DurationS: 2.17, DurationSDS: 0.03, Share: 0.212, Repeatability: 0.98,
		SecondsPerHour: 747, Level: 11.2, Above: 56.1}
	act := summary.Activity{Column: "busy_cpus", Unit: "CPUs", Values: series.Values{57, 57, 11},
		Low: []pattern.LowRegion{wait}}
	return []summary.Loop{{Pattern: "A", Significance: 3.1, Examples: examples(), Activity: &act, Drift: &d,
		Children: []periodicity.ChildPeriod{{PeriodS: 0.62, Count: 3500, Confidence: 0.71}}},
		{Pattern: "B", Significance: 2.2}}
}

// examples are ten cycles of nemo, of which three are longer.
func examples() (out []summary.Example) {
	for i, why := range []summary.ExampleReason{summary.Start, summary.Start, summary.Start, summary.Typical,
		summary.Slowest,
		summary.Typical, summary.Typical, summary.Slowest, summary.Typical, summary.Slowest} {
		e := summary.Example{Why: why, StartS: 300 + 6.2*float64(i*i), LengthS: 6.2}
		if why == summary.Slowest {
			e.LengthS += float64(i) / 2
		}
		for k := range 120 {
			e.Values = append(e.Values, float32(279*shapeAt((float64(k)+0.5)/120)))
		}
		out = append(out, e)
	}
	return out
}

// minute is a minute in the middle of the longest loop of nemo, as it was sampled.
func minute(s summary.Summary, scale float64) *summary.Timeline {
	m := summary.Timeline{StartS: 1045.2, StepS: 0.125,
		Columns: []summary.TimelineColumn{{Name: busyColumn, Unit: "CPUs", Scope: "job"}}}
	c := &m.Columns[0]
	for i := range 480 {
		v := float32(scale * runAt(s, m.StartS+(float64(i)+0.5)*m.StepS))
		c.Min, c.Mean, c.Max = append(c.Min, v*0.97), append(c.Mean, v), append(c.Max, v*1.03)
	}
	return &m
}

// steady is nemo without anything that a report has to say of its iterations.
func steady(s summary.Summary) summary.Summary {
	s.Loops = nil
	return s
}

// drawn puts the columns into the timeline.
func drawn(s summary.Summary, cols ...summary.TimelineColumn) summary.Summary {
	s.Timeline = summary.Timeline{StepS: s.ElapsedS / 960, Columns: cols}
	return s
}

// fourNodes has one node missing and one that is slower than the others.
func fourNodes() summary.Summary {
	s := nemo()
	s.Key.JobID = 812346
	s.Job.NNodes, s.Job.NodeList, s.Job.NCPUs, s.Job.NTasks = 4, "dahu-[1-4]", ptr(256), ptr(256)
	s.Nodes = []summary.Node{
		{Name: "dahu-1", Reported: true, BusyCPUs: ptr(37.24), PeriodS: ptr(6.2), Coverage: ptr(0.88), Samples: 720_840,
			Sealed: true},
		{Name: "dahu-2", Reported: true, BusyCPUs: ptr(26.7), PeriodS: ptr(6.2), Coverage: ptr(0.87), Samples: 720_840,
			Missing: 812, Sealed: true},
		{Name: "dahu-3"},
		{Name: "dahu-4", Reported: true, BusyCPUs: ptr(37.31), PeriodS: ptr(6.21), Coverage: ptr(0.88), Samples: 720_840,
			Sealed: false}}
	s.ImbalancePct = ptr(10.5)
	s.Quality.CPUs, s.Quality.Samples, s.Quality.Missing = 192, 3*720_840, 812
	s.Notes = append(s.Notes, note.New(note.MissingNodes, "no record of node dahu-3 came within 60 s"))
	s.Loops = nil
	for i, n := range s.Nodes {
		if n.Reported {
			s.Lanes = append(s.Lanes, laneOf(s, n.Name, *n.BusyCPUs/37*64, i))
		}
	}
	s.Nodes[0].DistancePct, s.Nodes[1].DistancePct, s.Nodes[3].DistancePct = ptr(0.2), ptr(4.7), ptr(0.3)
	s.Agreement = &summary.Agreement{Column: "busy_cpus", Nodes: 3, Compared: 3, Pairs: 3, Agree: 1, Close: 1,
		WorstPct: 4.9, Odd: 1,
		Stragglers: 1, List: []summary.DifferingNode{
			{NodeAgreement: pattern.NodeAgreement{Node: "dahu-2", DistancePct: ptr(4.7), Odd: true,
				FromS: 3.4, ForS: 0.62, DiffersPct: -41, LagS: ptr(0.031), LagSpreadS: ptr(0.004), Straggler: true, LongerPct: 1.3},
				Late: true}}}
	return s
}

// laneOf is how busy a node is in a run, of which the third was not seen for a while.
func laneOf(s summary.Summary, name string, cpus float64, i int) summary.NodeLane {
	const bins = 120
	l := summary.NodeLane{Node: name, Of: 1, StepS: s.ElapsedS / bins}
	const per = 40
	for k := range bins {
		sum := 0.0
		for j := range per {
			sum += runAt(s, (float64(k)+float64(j)/per)*l.StepS) / per
		}
		v := float32(math.Round(10*cpus*sum) / 10)
		if i > 2 && k > 80 && k < 90 {
			v = series.Missing()
		}
		l.Busy = append(l.Busy, v)
	}
	return l
}

// flat is a run without a period, for the reason given.
func flat(code note.Code, text string, busy float64) summary.Summary {
	s := nemo()
	s.Key = run.Key{Cluster: "local:desk", JobID: 7}
	s.Job = run.Job{Name: "sleep", User: "bob", NNodes: 1, NodeList: "desk", NCPUs: ptr(2), Executable: "sleep"}
	s.ElapsedS, s.End, s.LeadNode = 42.3, began+42.3, "desk"
	s.Patterns, s.Counters, s.Loops, s.Minute = nil, nil, nil, nil
	s.Phases = []phase.Phase{{Kind: phase.Aperiodic, EndS: 42.3, Share: 1}}
	s.Nodes = []summary.Node{{Name: "desk", Reported: true, BusyCPUs: &busy, Samples: 8460, Sealed: true}}
	s.Quality.Samples, s.Quality.Missing, s.Quality.CPUs, s.Quality.AgentCPUS = 8460, 0, 2, 0.31
	s.Quality.Scope = "job"
	s.Notes = []note.Note{{Code: code, Text: text, Node: "desk"}}
	c := timeline(s, "busy_cpus", "CPUs", 1)
	for i := range c.Mean {
		c.Min[i], c.Mean[i], c.Max[i] = float32(busy*0.9), float32(busy), float32(busy*1.1)
	}
	return drawn(s, c)
}

func cancelled() summary.Summary {
	s := nemo()
	s.Key.JobID, s.Key.Restart, s.Exit = 812347, 1, &run.Exit{Signal: 15}
	s = steady(s)
	s.Phases = s.Phases[:len(s.Phases)-1]
	s.Phases[len(s.Phases)-1].EndS, s.Patterns[1].Regions[0].EndS = 3604.2, 3601.5
	return s
}

func arrayElement() summary.Summary {
	s := nemo()
	s.Key.JobID, s.Job.ArrayJobID, s.Job.ArrayTaskID = 900_107, ptr(int64(900_100)), ptr(int64(7))
	s.Exit = &run.Exit{Code: 3}
	return s
}

// hostileName is a job name that tries markup, escape sequences and characters
// that reorder text.
const hostileName = "</title></script><script>alert(1)</script>\"'><img onerror=alert(2) src=x> " +
	"\x1b[2J\u202egnp.exe\u2066\r\n\tevil\x00 {{.}} ${x}"

func hostile() summary.Summary {
	s := fourNodes()
	s.Key.JobID, s.Job.Name, s.Job.Executable, s.Job.User, s.Job.NodeList = 812348, hostileName, hostileName, hostileName,
		hostileName
	s.State, s.Job.Partition, s.Job.WorkDir = hostileName, hostileName, hostileName
	s.Nodes[1].Name, s.Nodes[2].Name, s.Agreement.List[0].Node, s.Agreement.Column = hostileName, hostileName, hostileName,
		hostileName
	s.Loops = nemoLoops()
	s.Loops[0].Pattern, s.Loops[0].Activity.Column, s.Loops[0].Activity.Unit, s.Loops[0].Drift.Like[0] = "<", hostileName,
		hostileName, hostileName
	s.Loops[0].Examples[0].Why, s.Lanes[1].Node = hostileName, hostileName
	s.Macros = []pattern.Macro{{PeriodS: 62, Of: []string{hostileName}, Count: 35}}
	s.Code = &anatomy.Anatomy{Samples: 9,
		Run: anatomy.Split{BusyS: math.NaN(), Classes: []anatomy.Part{{Name: hostileName, Share: .4}},
			Functions: []anatomy.Share{{Function: anatomy.Function{Library: hostileName, Name: hostileName}, Share: .9,
				CycleS: ptr(math.Inf(1)), Within: []float64{math.NaN()}}}}}
	s.Notes = append(s.Notes, note.Note{Code: "x\x1b", Text: hostileName, Node: hostileName})
	s.Timeline.Columns[0].Name, s.Patterns[0].ValuesColumn = hostileName, hostileName
	s.Patterns[0].ID, s.Phases[1].Pattern, s.Phases[3].Pattern = "<", "<", "<"
	s.Quality.Sources = append(s.Quality.Sources, run.CounterSource{Name: hostileName, Absent: hostileName})
	s.Counters = append(s.Counters, run.Counter{Name: hostileName, Unit: hostileName, Scope: hostileName, Total: 1})
	return s
}

// ordinary is a run of a user without privileges: own tasks only, user code only.
func ordinary() summary.Summary {
	s := nemo()
	s.Key = run.Key{Cluster: "local:desk", JobID: 12}
	s.Job.NNodes, s.Job.NodeList, s.Job.NCPUs, s.Job.NTasks, s.Job.Partition = 1, "desk", ptr(8), nil, ""
	s.Nodes[0].Name, s.LeadNode = "desk", "desk"
	s.Quality.Scope, s.Quality.CPUs, s.Nodes[0].BusyCPUs = "task", 8, ptr(4.61)
	s.Timeline.Columns[0] = timeline(s, "busy_cpus", "CPUs", 7.8)
	s.Notes = []note.Note{
		note.New(note.UserOnly, "kernel code, context switches and migrations are not visible (perf_event_paranoid is 2)"),
		note.New(note.NoPMU, "no hardware counters on this machine: instructions per cycle are not known")}
	s.Counters = s.Counters[:1]
	return s
}

// unwatched is a run whose agent failed.
func unwatched() summary.Summary {
	s := nemo()
	s.Key.JobID, s.Exit = 812349, nil
	s.Loops = nil
	s.Patterns, s.Phases, s.Counters, s.Timeline, s.Minute, s.LeadNode = nil, nil, nil, summary.Timeline{}, nil, ""
	s.Nodes = []summary.Node{{Name: "dahu-1"}}
	s.Quality = run.Quality{Scope: "none", Sources: []run.CounterSource{}}
	s.Notes = []note.Note{note.New(note.NoAgent, "no agent ran on this node: the Prolog could not start it")}
	return s
}

// manyNodes is a run of 200 nodes, two of them odd and one missing.
func manyNodes() summary.Summary {
	s := fourNodes()
	s.Key.JobID, s.Job.NNodes, s.Job.NodeList, s.Job.NCPUs, s.Nodes = 812350, 200, "dahu-[001-200]", ptr(12_800), nil
	for i := range 200 {
		n := summary.Node{Name: fmt.Sprintf("dahu-%03d", i+1), Reported: i != 41, Samples: 720_840, Sealed: true}
		if n.Reported {
			n.BusyCPUs, n.PeriodS, n.Coverage = ptr(37+0.3*math.Sin(float64(i))), ptr(6.2), ptr(0.88)
		}
		s.Nodes = append(s.Nodes, n)
	}
	s.Nodes[11].BusyCPUs, s.Nodes[120].PeriodS = ptr(26.3), ptr(8.4)
	s.Lanes = nil
	for i := 4; i < 200; i += 7 { // of each seven nodes one
		l := laneOf(s, s.Nodes[i].Name, *s.Nodes[i].BusyCPUs/37*64, 0)
		l.Of = 7
		s.Lanes = append(s.Lanes, l)
	}
	s.Agreement.Nodes, s.Agreement.Compared, s.Agreement.Pairs, s.Agreement.Agree, s.Agreement.Close = 198, 198, 198,
		196, 197
	s.Agreement.List[0].Node = "dahu-012"
	return s
}

// counted is a run with hardware counters.
func counted() summary.Summary {
	s := nemo()
	s.Key.JobID, s.State = 812351, "COMPLETED"
	s = steady(s)
	s.Counters = append(s.Counters, run.Counter{Name: "instructions", Unit: "1", Scope: "node", Total: 3.1e14},
		run.Counter{Name: "cycles", Unit: "1", Scope: "node", Total: 2.4e14},
		run.Counter{Name: "energy_pkg", Unit: "uJ", Scope: "node", Total: 1.31e12},
		run.Counter{Name: "cgroup_read_bytes", Unit: "bytes", Scope: "job", Total: 7.31e10},
		run.Counter{Name: "psi_cpu_some", Unit: "ns", Scope: "node", Total: 3.6e11},
		run.Counter{Name: "net_rx_packets", Unit: "packets", Scope: "node", Total: 9.2e6},
		run.Counter{Name: "ib_rx_bytes", Unit: "bytes", Scope: "node"},
		run.Counter{Name: "disk_reads", Unit: "operations", Scope: "node"})
	s.Phases = []phase.Phase{{Kind: phase.StartUp, EndS: 300, Share: 300 / 3604.2},
		{Kind: phase.Loop, Pattern: "A", StartS: 300, EndS: 3604.2, Share: 3304.2 / 3604.2}}
	s.Patterns = []pattern.Pattern{pat("A", 6.2, 532, 0.917, 1.9, "ipc", "1")}
	s.Patterns[0].Column = "ipc"
	s = drawn(s, timeline(s, "busy_cpus", "CPUs", 62), timeline(s, "ipc", "1", 1.9))
	s.Notes = nil
	return s
}

// fast is a short run whose iterations are slower than the picture's columns,
// with a hole in its samples.
func fast() summary.Summary {
	s := steady(ordinary())
	s.Key.JobID, s.ElapsedS, s.End = 13, 24.6, began+24.6
	s.Nodes[0].PeriodS, s.Nodes[0].Coverage, s.Nodes[0].Samples = ptr(1.873), ptr(0.91), 4920
	s.Quality.Samples, s.Quality.AgentCPUS, s.Counters = 4920, 0.21,
		[]run.Counter{{Name: "page_faults", Unit: "1", Scope: "job", Total: 41_212}}
	s.Patterns, s.Minute = s.Patterns[:1], nil
	s.Patterns[0] = pat("A", 1.873, 12, 0.91, 7.6, "busy_cpus", "CPUs")
	s.Patterns[0].Regions = []periodicity.Region{{StartS: 1.2, EndS: 23.676, Count: 12}}
	s.Phases = []phase.Phase{{Kind: phase.StartUp, EndS: 1.2, Share: 1.2 / 24.6},
		{Kind: phase.Loop, Pattern: "A", StartS: 1.2, EndS: 23.676, Share: 22.476 / 24.6},
		{Kind: phase.Tail, StartS: 23.676, EndS: 24.6, Share: 0.924 / 24.6}}
	c := timeline(s, "busy_cpus", "CPUs", 7.6)
	for i := 500; i < 540; i++ {
		c.Min[i], c.Mean[i], c.Max[i] = series.Missing(), series.Missing(), series.Missing()
	}
	return drawn(s, c)
}

// past returns n earlier runs, newest first, one a day.
func past(n int) []history.Run {
	var out []history.Run
	for i := range n {
		r := history.Run{Cluster: "dahu", JobID: run.JobID(812_000 - i), DisplayID: fmt.Sprint(812_000 - i), User: "alice",
			App:   "nemo",
			Start: began - float64(i+1)*86400, ElapsedS: 3120 + 25*math.Sin(float64(i)*1.7), State: "COMPLETED",
			Coverage: ptr(0.88)}
		r.PeriodS = ptr(6.18 + 0.02*math.Sin(float64(i)))
		if i%7 == 3 {
			r.PeriodS, r.Coverage, r.State, r.ElapsedS = nil, nil, "", 512
		}
		out = append(out, r)
	}
	return out
}

// runs are the reports of the golden tests, by name of their files.
func runs() []struct {
	name string
	s    summary.Summary
	past []history.Run
} {
	type run = struct {
		name string
		s    summary.Summary
		past []history.Run
	}
	return []run{
		{"periodic", nemo(), past(24)},
		{"four-nodes", fourNodes(), past(3)},
		{"many-nodes", manyNodes(), nil},
		{"idle", flat(note.Idle, "the job's processes used 0.002 CPUs on average: too little to detect periods", 0.002), nil},
		{"busy-loop", flat(note.NoVariance, "no period: every column is flat", 1), nil},
		{"cancelled", cancelled(), past(1)},
		{"array-element", arrayElement(), nil},
		{"hostile", hostile(), past(2)},
		{"unprivileged", ordinary(), nil},
		{"failed-agent", unwatched(), past(9)},
		{"counters", counted(), past(60)},
		{"fast", fast(), past(5)},
		{"code", melt(), nil},
		{"code-libraries", unbound(), nil},
		{"gpus", onGPUs(), nil},
	}
}

func options() Options {
	return Options{Version: "0.1.0", Now: began + 3610, Formats: []string{"txt", "json", "html"}}
}
