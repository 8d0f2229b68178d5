package kernel

import (
	"maps"
	"math/rand/v2"
	"slices"

	"jobgait/agent/counter"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// JobCPU sums the CPU time of the job's processes, living and ended. What a process uses after its last reading
// is missed, unless a parent that is a member has waited for it, or a command is set (SetCommand): then the sum
// of all ended processes is the value that `jobgait run` got from wait4, to two ticks.
//
// Reading a process costs about 7 us. Each drain reads at most maxPerDrain processes. If the job has more, they
// are read in turns, in a random order that is drawn again after each complete round: the CPU time of a job of
// 256 processes is then up to 5 s late and costs no more than with 32.
type JobCPU struct {
	proc    string
	peek    peek.Reader
	members counter.Members
	now     func() int64
	// spent returns the CPU time of this program and its reading child, or a clock's time.
	spent func() int64
	procs map[int]*member
	nodeWalk
	programTicks
	usedTicks
	// parentOf has the parents of ended processes; command is the process that `jobgait run` waits for.
	parentOf map[int]int
	command  command
	children bool
	buf      []byte
	counts   [1]uint64
}

// nodeWalk plans when all processes of the node are checked for membership, and which known ones are read in
// between.
type nodeWalk struct {
	listNS int64 // average interval of the checks
	listAt int64 // time of the next
	walkNS int64 // duration of the last
	// emptyWalks counts consecutive checks that found no process of the job.
	emptyWalks int
	// unread are processes that were never read, queue those that wait for their turn.
	unread, queue []int
	readAll       bool // read all processes at each drain
}

// programTicks holds the CPU time of the job by program, in ticks.
type programTicks struct {
	// programs is by base name, scripts by interpreter and what it runs.
	programs map[string]int64
	scripts  map[[2]string]int64
	// schedulers reports whether a program is the scheduler's; nil if none is.
	schedulers func(program string) bool
}

// usedTicks are sums over the job's processes, in ticks.
type usedTicks struct {
	begun  bool   // the first reading was made
	prior  uint64 // used before the first reading, which is not counted
	living uint64 // of living processes
	ended  uint64 // of ended processes that no living member has waited for
	total  uint64
}

// member is a process of the job: its CPU time at the last reading, its short name, and its program and script.
type member struct {
	times
	short, program, script string
}

// maxPerDrain limits the processes that one drain reads; listShare limits the share of a CPU spent on checking
// all processes of the node; to stay below it, the interval between these checks grows by at most a factor of
// maxListFactor.
const (
	maxPerDrain   = 32
	listShare     = 1.0 / 2000
	maxListFactor = 20
	// emptyWalkNS is the time to the next walk after a first one that found no process.
	emptyWalkNS = 500e6
)

var _ counter.Source = (*JobCPU)(nil)

// NewJobCPU returns a JobCPU that reads below proc, and programs through p. A walk over all processes of the
// node costs some 15 us each, so it is made only about every listNS, at random times: periodic work of the
// agent could look like a period of the job.
func NewJobCPU(proc string, p peek.Reader, members counter.Members, now func() int64, listNS int64) *JobCPU {
	return &JobCPU{proc: proc, peek: p, members: members, now: now, spent: now, procs: map[int]*member{},
		nodeWalk:     nodeWalk{listNS: listNS},
		programTicks: programTicks{programs: map[string]int64{}, scripts: map[[2]string]int64{}},
		parentOf:     map[int]int{}, buf: make([]byte, maxStat)}
}

// Columns returns the one column, proc_cpu.
func (j *JobCPU) Columns() []profile.Column {
	return []profile.Column{{Name: "proc_cpu", Unit: "ns", Scope: "job"}}
}

// Lanes returns 1: the job is one lane.
func (j *JobCPU) Lanes() int { return 1 }

// PeriodNS returns 0: no record is due at a fixed time.
func (j *JobCPU) PeriodNS() int64 { return 0 }

// EveryNS returns 0: it is read when the rings are drained.
func (j *JobCPU) EveryNS() int64 { return 0 }

// Sources returns what is read.
func (j *JobCPU) Sources() []run.CounterSource {
	return []run.CounterSource{{Name: "proc_cpu", Event: "utime+stime", PMU: "proc", Scope: "job"}}
}

// Notes returns nil.
func (j *JobCPU) Notes() []note.Note { return nil }

// Start does nothing, as Stop and Close: the kernel counts in any case.
func (j *JobCPU) Start() error { return nil }

// Stop does nothing: the kernel counts anyway.
func (j *JobCPU) Stop() error { return nil }

// Close does nothing.
func (j *JobCPU) Close() error { return nil }

// Alive returns the number of known processes of the job.
func (j *JobCPU) Alive() int { return len(j.procs) }

// KnownPIDs returns at most the given number of known processes of the job, in ascending order.
func (j *JobCPU) KnownPIDs(maxPIDs int) []int {
	pids := slices.Sorted(maps.Keys(j.procs))
	return pids[:min(maxPIDs, len(pids))]
}

// Programs returns how much time each program took, by base name, in ticks.
func (j *JobCPU) Programs() map[string]int64 { return j.programs }

// Script returns the script that an interpreter ran most, "" if unknown.
func (j *JobCPU) Script(program string) string {
	best, maxTicks := "", int64(0)
	for key, ticks := range j.scripts {
		if key[0] == program && (ticks > maxTicks || ticks == maxTicks && key[1] < best) {
			best, maxTicks = key[1], ticks
		}
	}
	return best
}

// Add adds a process of the job that was found between two walks.
func (j *JobCPU) Add(pid int) {
	if _, ok := j.procs[pid]; !ok {
		j.procs[pid] = &member{}
		j.unread = append(j.unread, pid)
	}
}

// FollowChildren makes every drain also read the children of the processes that it reads; they are members too.
// Without it and without another source of new processes, a process that lives for less than the pause between
// two walks would have no name, and the shell that started it would be taken for the program. It costs another
// 10 us a process.
func (j *JobCPU) FollowChildren() { j.children = true }

// SetCostClock sets the clock that measures the cost of walks, by which the pause after a walk is chosen: spent
// returns CPU time in ns. Without it the duration counts, which is many times longer on a busy node.
func (j *JobCPU) SetCostClock(spent func() int64) { j.spent = spent }

// readAllNS limits the time of each drain after ReadAll, in ns: the agent has little time to seal its profile,
// and reading thousands of processes that end at once takes longer.
const readAllNS = 60_000_000

// ReadAll makes every later drain read all processes, as far as readAllNS permits, or ends that. It is for the last
// drains before the counters stop.
func (j *JobCPU) ReadAll(on bool) { j.readAll = on }

// nextWalkNS returns the time to the next walk: every, or less while the job has no known process, because it
// may be about to start one. That time doubles with each walk that finds no process.
func (j *JobCPU) nextWalkNS(every int64) int64 {
	if len(j.procs) > 0 {
		j.emptyWalks = 0
		return every
	}
	wait := int64(emptyWalkNS) << min(j.emptyWalks, 10)
	j.emptyWalks++
	return min(every, wait)
}

// Drain reads the CPU time of known processes, after a walk over all processes if one is due, and passes the
// sum in ns to the sink.
func (j *JobCPU) Drain(to counter.Sink) error {
	now := j.now()
	if due := now >= j.listAt && !(j.readAll && j.walkNS > readAllNS/2); !j.begun || due {
		before := j.spent()
		for _, pid := range j.members.List() {
			j.Add(pid)
		}
		j.walkNS = j.now() - now
		every := min(max(j.listNS, int64(float64(j.spent()-before)/listShare)), maxListFactor*j.listNS)
		every = j.nextWalkNS(every)
		j.listAt = now + every/2 + rand.Int64N(every)
	}
	j.readDue()
	j.counts[0] = j.total * tick
	to.Read(0, now, j.counts[:])
	return nil
}
