package finding

import (
	"fmt"
	"strings"

	q "jobgait/analysis/quantity"
)

const (
	// lostCPUs is the least share of its CPUs at which lost CPU time is reported: a node's daemons may take less.
	lostCPUs = 0.05
	// ownWait is the least share of its busy CPUs at which waiting for its own threads is reported; six threads on
	// two CPUs wait twice as long as they run.
	ownWait = 0.1
	// leastWaitedS is the least total time that tasks waited for CPUs that is reported: `exit 3`, which takes 0.14
	// s, waits for 20 ms to start.
	leastWaitedS = 1.0
	// gotAll is the least share of its CPUs at which a run counts as having got them.
	gotAll = 0.9
	// idleCPUs is the least share of unused CPUs that is reported.
	idleCPUs = 0.25
)

// lackedCPUs returns the mean number of CPUs that a run was allowed, wanted and did not get, apart from limits
// of its cgroup; false if unknown.
func (r RunFacts) lackedCPUs() (cpus float64, ok bool) {
	c := r.CPU
	if c.Allocated == nil || c.Busy == nil || c.Waiting == nil || *c.Allocated <= 0 {
		return 0, false
	}
	return max(0, min(r.waitingTasks(), *c.Allocated-*c.Busy)), true
}

// othersTookCPUs reports whether at least half of the CPUs that the run lacked were used by other jobs.
func (r RunFacts) othersTookCPUs(lacked float64) bool {
	return r.CPU.Others != nil && *r.CPU.Others >= lacked/2
}

// crowded finds runs whose CPUs other jobs used, unless they had more tasks than CPUs themselves.
func crowded(r RunFacts) []Finding {
	lacked, ok := r.lackedCPUs()
	if !ok || r.hasTooManyTasks() || !r.slowedByOtherWork(lacked) {
		return nil
	}
	where := "node"
	if r.NNodes > 1 {
		where = "nodes"
	}
	lost := fmt.Sprintf("it lacked %s of %s CPUs on average", q.Figures(lacked, 2), q.Plain(*r.CPU.Allocated, 5))
	if share, ok := r.cpuWaitShare(); ok {
		lost = fmt.Sprintf("it waited %s for one, %s of the run", q.Duration(*r.CPUWaitS), q.Share(share))
	}
	f := single(fmt.Sprintf("Other work on its %s took CPUs from the run: %s.", where, lost),
		map[string]any{"busy_cpus": *r.CPU.Busy, "allocated_cpus": *r.CPU.Allocated, "waiting_cpus": *r.CPU.Waiting,
			"others_cpus": *r.CPU.Others})
	if r.CPUWaitS != nil {
		f[0].Evidence["waited_s"] = *r.CPUWaitS
	}
	f[0].CostCoreS = r.costOf(lacked / *r.CPU.Allocated)
	return f
}

// slowedByOtherWork reports whether the number of CPUs that the run lacked is at least lostCPUs of its CPUs, and cost
// at least leastWaitedS CPU seconds, while other jobs used at least half as many.
func (r RunFacts) slowedByOtherWork(lacked float64) bool {
	return lacked >= lostCPUs**r.CPU.Allocated && lacked*r.ElapsedS >= leastWaitedS && r.othersTookCPUs(lacked)
}

// tooManyTasks is the least ratio of tasks that are ready to run to CPUs at which tasks would wait for each other on
// any node. Pipelines and builds exceed 1 for moments.
const tooManyTasks = 1.25

// hasTooManyTasks reports whether on average at least tooManyTasks times as many tasks of the run ran or were ready to
// run as it had CPUs; false if that is unknown.
func (r RunFacts) hasTooManyTasks() bool {
	_, ok := r.lackedCPUs()
	return ok && *r.CPU.Busy+r.waitingTasks() >= tooManyTasks**r.CPU.Allocated
}

// wholeCPUs returns the number of CPUs that the run had, at least 1: a control group may allow a half.
func (r RunFacts) wholeCPUs() int { return max(1, int(*r.CPU.Allocated)) }

// waitingTasks returns the mean number of tasks that waited for a CPU, apart from those that a limit of the cgroup
// stopped; 0 if unknown.
func (r RunFacts) waitingTasks() float64 {
	if r.CPU.Waiting == nil {
		return 0
	}
	waiting := *r.CPU.Waiting
	if r.CPU.Throttled != nil {
		waiting -= *r.CPU.Throttled // a throttled task waits in the same queue
	}
	return max(0, waiting)
}

// oversubscribed finds runs whose tasks waited for each other: for at least ownWait of the busy CPUs, while there were
// more tasks than CPUs, the run got nearly all of its CPUs, or other jobs did not take them. It returns nil for runs
// that are reported as crowded.
func oversubscribed(r RunFacts) []Finding {
	lacked, ok := r.lackedCPUs()
	if !ok || len(crowded(r)) > 0 {
		return nil
	}
	c, waiting := r.CPU, r.waitingTasks()
	alone := *c.Busy >= gotAll**c.Allocated || c.Others != nil && !r.othersTookCPUs(lacked)
	if !alone && !r.hasTooManyTasks() || waiting < ownWait**c.Busy || waiting < ownWait ||
		waiting*r.ElapsedS < leastWaitedS {
		return nil
	}
	text := fmt.Sprintf("Its own tasks waited for each other: %s CPUs' worth of them were ready to run while %s of %s "+
		"ran", q.Figures(waiting, 2), q.Figures(*c.Busy, 2), q.Plain(*c.Allocated, 3))
	if r.hasTooManyTasks() {
		text = fmt.Sprintf("The run had more tasks than CPUs: on average %s of its tasks ran or were ready to run, for %s",
			q.Figures(*c.Busy+waiting, 2), q.Plain(*c.Allocated, 3)+" CPUs")
	}
	f := single(text+".", map[string]any{"busy_cpus": *c.Busy, "allocated_cpus": *c.Allocated, "waiting_cpus": waiting})
	if r.slowedByOtherWork(lacked) {
		f[0].Text = fmt.Sprintf("%s. Other work used %s of the CPUs.", text, q.Figures(*c.Others, 2))
		f[0].Evidence["others_cpus"] = *c.Others
		f[0].CostCoreS = r.costOf(lacked / *c.Allocated)
	}
	if cpus := r.cpusOfTask(); r.Threads > cpus && cpus > 0 {
		f[0].Evidence["omp_num_threads"] = r.Threads
		f[0].Action = action("OMP_NUM_THREADS is %d: set it to %d.", r.Threads, cpus)
	}
	return f
}

// cpusOfTask returns the number of CPUs for each task, rounded down; 0 if the number of CPUs is unknown. An unknown
// number of tasks counts as one.
func (r RunFacts) cpusOfTask() int {
	if r.CPU.Allocated == nil {
		return 0
	}
	return int(*r.CPU.Allocated) / max(1, r.Tasks)
}

// fullThreads is the share of busy threads at which a run cannot use more CPUs with its threads.
const fullThreads = 0.8

// throttled finds runs that a CPU limit of their cgroup held back.
func throttled(r RunFacts) []Finding {
	return cpusTaken(r, r.CPU.Throttled, "throttled_cpus",
		"A CPU limit of its control group (cgroup) held the run back: by %s of its %s CPUs on average.")
}

// stolen finds runs from which the host of a virtual machine took CPUs.
func stolen(r RunFacts) []Finding {
	return cpusTaken(r, r.CPU.Stolen, "stolen_cpus",
		"The host of its virtual machine took CPUs away: %s of %s on average.")
}

// cpusTaken returns a finding about a mean number of CPUs that the run could not use, if it is at least lostCPUs of its
// CPUs. format has two verbs, for that number and for all CPUs; name is the key of the number in the evidence.
func cpusTaken(r RunFacts, cpus *float64, name, format string) []Finding {
	a := r.CPU.Allocated
	if cpus == nil || a == nil || *a <= 0 || *cpus < lostCPUs**a {
		return nil
	}
	f := single(fmt.Sprintf(format, q.Figures(*cpus, 2), q.Plain(*a, 3)),
		map[string]any{name: *cpus, "allocated_cpus": *a})
	f[0].CostCoreS = r.costOf(min(1, *cpus / *a))
	return f
}

// cpusIdle finds runs that left at least idleCPUs of their CPUs unused on average, without those that explainedIdleCPUs
// returns. It returns nil for a crowded run that lacked more than a third as many CPUs as it left idle, unless all its
// tasks slept long, because it is unknown what it would have used.
func cpusIdle(r RunFacts) []Finding {
	c := r.CPU
	if c.Allocated == nil || c.Busy == nil || *c.Allocated <= 0 {
		return nil
	}
	used := *c.Busy
	for _, v := range []*float64{c.Waiting, c.Stolen} {
		if v != nil {
			used += *v
		}
	}
	idle := *c.Allocated - used - r.explainedIdleCPUs()
	lacked, _ := r.lackedCPUs()
	if idle < idleCPUs**c.Allocated || len(crowded(r)) > 0 && lacked > idle/3 && !r.sleptLong() {
		return nil // of a run that others held back it is not known what it would have used
	}
	if u := unevenThreads(r); len(u) > 0 && !r.sleptLong() && *u[0].CostCoreS >= idle*r.ElapsedS/2 &&
		*u[0].CostCoreS >= max(r.leastCost(), leastShare*r.coreS()) {
		return nil // unequal work is reported, and is the cause of most of them
	}
	f := single(fmt.Sprintf("The run had work for %s of its %s CPUs on average.",
		q.Figures(used, 2), q.Plain(*c.Allocated, 5)),
		map[string]any{"busy_cpus": *c.Busy, "allocated_cpus": *c.Allocated, "idle_cpus": idle})
	if r.sleptLong() {
		f[0].Text = fmt.Sprintf("All tasks slept at the same time for %s, %s of the run%s.", q.Duration(*r.AsleepS),
			q.Share(min(1, *r.AsleepS/r.ElapsedS)), r.sleepReason())
		f[0].Evidence["asleep_s"] = *r.AsleepS
	}
	if share, ok := r.cpuWaitShare(); ok && share >= lostCPUs {
		what := "It had to wait for these"
		if r.sleptLong() {
			what = "The run had to wait for CPUs"
		}
		f[0].Text += fmt.Sprintf(" %s during %s of the run.", what, q.Share(share))
	}
	f[0].CostCoreS = r.costOf(idle / *c.Allocated)
	threads := float64(r.Threads * max(1, r.Tasks))
	if cpus := r.cpusOfTask(); r.Threads > 0 && cpus > r.Threads && *c.Busy >= fullThreads*threads &&
		*c.Busy <= 1.1*threads {
		f[0].Evidence["omp_num_threads"] = r.Threads
		f[0].Action = action("OMP_NUM_THREADS is %d: set it to %d, or ask for fewer CPUs.", r.Threads, cpus)
	}
	return f
}

// sleepReason returns what the tasks waited for that slept, as the end of a sentence.
func (r RunFacts) sleepReason() string {
	if r.AsleepFor == "" {
		return "; what they waited for was not recorded"
	}
	return ", " + r.AsleepFor
}

// leastAsleep is the least share of the run in which all tasks slept that is reported.
const leastAsleep = 0.25

// sleptLong reports whether all tasks of the run slept at the same time for a large part of it.
func (r RunFacts) sleptLong() bool {
	return r.AsleepS != nil && r.ElapsedS > 0 && *r.AsleepS >= leastAsleep*r.ElapsedS
}

// explainedIdleCPUs returns how many CPUs were idle for a reason that another finding reports: nodes that did
// nothing, tasks that stood still for files, and a run that hung.
func (r RunFacts) explainedIdleCPUs() float64 {
	cpus, rest := 0.0, 1.0 // rest is the part of the run in which it could work
	if f := nodeIdle(r); len(f) > 0 {
		cpus = float64(len(f[0].Evidence["nodes"].([]string))) / float64(r.NNodes) * *r.CPU.Allocated
	}
	if len(filesSlow(r)) > 0 {
		rest -= *r.FilesWaitS / r.ElapsedS
	}
	if (r.Idle || !r.InOrder) && len(silent(r, "")) > 0 { // reported as hung or as idle_since
		rest -= r.SilentS / r.ElapsedS
	}
	if len(endedIdle(r)) > 0 {
		rest -= r.TrailingIdleS / r.ElapsedS
	}
	return cpus + (*r.CPU.Allocated-cpus)*(1-max(0, rest))
}

const (
	// idleNode is the share of its CPUs below which a node did nothing for the run, busyNode the share that half
	// of the nodes must keep busy for it to be reported.
	idleNode, busyNode = 0.02, 0.5
)

// nodeIdle finds runs of which some nodes were busy for less than idleNode of their CPUs while at least half of all
// nodes kept busyNode of theirs busy. It returns nil if a node did not report.
func nodeIdle(r RunFacts) []Finding {
	if r.CPU.Allocated == nil || r.NNodes < 2 || len(r.Nodes) != r.NNodes {
		return nil
	}
	allocated := *r.CPU.Allocated / float64(r.NNodes)
	var idle []string
	busy := 0
	for _, n := range r.Nodes {
		switch {
		case n.Busy == nil:
		case *n.Busy < idleNode*allocated:
			idle = append(idle, n.Name)
		case *n.Busy >= busyNode*allocated:
			busy++
		}
	}
	if len(idle) == 0 || 2*busy < r.NNodes {
		return nil
	}
	f := single(fmt.Sprintf("The run did nothing on %s of %s: %s.", q.Count(len(idle)), q.Plural(r.NNodes, "node"),
		nameSome(idle)),
		map[string]any{"nodes": idle, "nnodes": r.NNodes})
	f[0].CostCoreS = r.costOf(float64(len(idle)) / float64(r.NNodes))
	return f
}

// nameSome returns the first four names of a list and the number of the rest as text.
func nameSome(names []string) string {
	const maxNamed = 4
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}
