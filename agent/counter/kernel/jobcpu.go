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

// JobCPU sums the CPU time of the job's processes, living and ended. What a process uses after the last look at
// it is not seen, unless a parent that is a member has waited for it, or it is a Command: then the sum of all
// ended processes is the value that `jobgait run` got from wait4, to two ticks.
//
// Reading a process costs about 7 us. Each drain reads all of up to atOnce processes. Of more processes it
// reads atOnce at a time, in a random order that is drawn again after each complete round: the use of a job of
// 256 processes is then up to 5 s late, an eighth of it each time, and costs no more than with 32.
type JobCPU struct {
	proc    string
	peek    peek.Reader
	members counter.Members
	now     func() int64
	// spent is the CPU time of this program and of what reads for it, or a clock.
	spent func() int64
	// listNS is the average interval at which all processes of the node are checked for membership; in between,
	// only known ones are read.
	listNS int64
	listAt int64
	// emptyWalks is how many walks in a row have found no process of the job.
	emptyWalks int
	procs      map[int]*member
	walkNS     int64 // what the last walk took
	// fresh are processes that were never read, queue those that wait for
	// their turn.
	fresh, queue []int
	// programs is the ticks of each program, by base name.
	programs map[string]int64
	// scripts is the ticks of what interpreters run, by program and script.
	scripts map[[2]string]int64
	// prior are ticks used before the first look, which are not counted;
	// living those of the processes that there are, ended those of processes
	// that are gone and that no living member has waited for.
	prior, living, ended uint64
	// heirs are the parents of processes that are gone, command the one that
	// somebody waits for who is not a member.
	heirs    map[int]int
	command  command
	total    uint64
	begun    bool
	whole    bool // look at all processes
	children bool
	// schedulers is whether a program is the scheduler's, nil if none is.
	schedulers func(program string) bool
	buf        []byte
	counts     [1]uint64
}

// member is a process of the job: what it had used when it was read last, what
// it is called and which program it is.
type member struct {
	times
	short, program, script string
}

// atOnce is how many processes one drain reads; listShare limits the share of a CPU spent on checking all
// processes of the node; the interval grows at most mostList times.
const (
	atOnce    = 32
	listShare = 1.0 / 2000
	mostList  = 20
	// emptyWalkNS is the time to the next walk after a first one that found no process.
	emptyWalkNS = 500e6
)

var _ counter.Source = (*JobCPU)(nil)

// NewJobCPU reads below proc, and asks p for programs. A walk over all processes costs some 15 us each,
// so it is made every listNS only, at random times: anything periodic that we
// do can look like a period of the job.
func NewJobCPU(proc string, p peek.Reader, members counter.Members, now func() int64, listNS int64) *JobCPU {
	return &JobCPU{proc: proc, peek: p, members: members, now: now, spent: now, listNS: listNS, procs: map[int]*member{},
		heirs:    map[int]int{},
		programs: map[string]int64{}, scripts: map[[2]string]int64{}, buf: make([]byte, maxStat)}
}

// Columns is the one column, proc_cpu.
func (j *JobCPU) Columns() []profile.Column {
	return []profile.Column{{Name: "proc_cpu", Unit: "ns", Scope: "job"}}
}

// Lanes is one: the job. No record is due.
func (j *JobCPU) Lanes() int      { return 1 }
func (j *JobCPU) PeriodNS() int64 { return 0 }

// EveryNS is 0: it is read when the rings are drained.
func (j *JobCPU) EveryNS() int64 { return 0 }

// Sources and Notes tell what is read.
func (j *JobCPU) Sources() []run.CounterSource {
	return []run.CounterSource{{Name: "proc_cpu", Event: "utime+stime", PMU: "proc", Scope: "job"}}
}
func (j *JobCPU) Notes() []note.Note { return nil }

// Start, Stop and Close have nothing to do: the kernel counts anyway.
func (j *JobCPU) Start() error { return nil }
func (j *JobCPU) Stop() error  { return nil }
func (j *JobCPU) Close() error { return nil }

// Alive returns how many of the job's processes there are, as far as is known.
func (j *JobCPU) Alive() int { return len(j.procs) }

// Known returns at most the given number of processes of the job, in ascending order.
func (j *JobCPU) Known(most int) []int {
	pids := slices.Sorted(maps.Keys(j.procs))
	return pids[:min(most, len(pids))]
}

// Programs returns how much time each program took, by base name, in ticks.
func (j *JobCPU) Programs() map[string]int64 { return j.programs }

// Script returns what an interpreter ran most, "" where that has no name.
func (j *JobCPU) Script(program string) string {
	best, most := "", int64(0)
	for key, ticks := range j.scripts {
		if key[0] == program && (ticks > most || ticks == most && key[1] < best) {
			best, most = key[1], ticks
		}
	}
	return best
}

// Add makes a process known between two walks.
func (j *JobCPU) Add(pid int) {
	if _, ok := j.procs[pid]; !ok {
		j.procs[pid] = &member{}
		j.fresh = append(j.fresh, pid)
	}
}

// FollowChildren makes every drain also read the children of the processes that it reads; they are members too.
// Without it and without another source of new processes, a process that lives for less than the pause between
// two walks would have no name, and the shell that started it would be taken for the program. It costs another
// 10 us a process.
func (j *JobCPU) FollowChildren() { j.children = true }

// SpaceWalksBy makes the pause after a walk over all processes follow what spent says that the
// walk took of CPU time; else it follows its duration, which on a busy node is many times that.
func (j *JobCPU) SpaceWalksBy(spent func() int64) { j.spent = spent }

// wholeNS bounds each of the last readings: the agent has little time to seal its profile, and thousands of processes
// that end at once take longer to read.
const wholeNS = 60_000_000

// Whole makes every drain from now on read all processes, as far as wholeNS allows: it is for the last ones.
func (j *JobCPU) Whole() { j.whole = true }

// sooner shortens the time to the next walk while the job has no known process: the job may be
// about to start one, or a busy node has not answered in time whose process one is. The time
// doubles with each walk that finds none.
func (j *JobCPU) sooner(every int64) int64 {
	if len(j.procs) > 0 {
		j.emptyWalks = 0
		return every
	}
	wait := int64(emptyWalkNS) << min(j.emptyWalks, 10)
	j.emptyWalks++
	return min(every, wait)
}

// Drain reads the CPU time of known processes.
func (j *JobCPU) Drain(to counter.Sink) error {
	now := j.now()
	if due := now >= j.listAt && !(j.whole && j.walkNS > wholeNS/2); !j.begun || due {
		before := j.spent()
		for _, pid := range j.members.List() {
			j.Add(pid)
		}
		j.walkNS = j.now() - now
		every := min(max(j.listNS, int64(float64(j.spent()-before)/listShare)), mostList*j.listNS)
		every = j.sooner(every)
		j.listAt = now + every/2 + rand.Int64N(every)
	}
	j.look()
	j.counts[0] = j.total * tick
	to.Read(0, now, j.counts[:])
	return nil
}
