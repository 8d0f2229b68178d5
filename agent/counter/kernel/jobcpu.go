package kernel

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Lister lists the job's processes.
type Lister interface{ List() []int }

// JobCPU sums the CPU time of the job's processes, living and ended. What a
// process uses after the last look at it is not seen, unless a parent that is a
// member has waited for it: a command that ends by itself loses up to one pause
// between two drains.
type JobCPU struct {
	proc    string
	members Lister
	now     func() int64
	// listNS is how often, on average, all processes of the node are asked
	// whether they belong; between that, only known ones are read.
	listNS int64
	listAt int64
	procs  map[int]times
	// programs is the ticks of each program, by base name.
	programs map[string]int64
	// prior are ticks used before the first look, which are not counted;
	// ended are ticks of processes that are gone and that no living member
	// has waited for.
	prior, ended uint64
	total        uint64
	begun        bool
	alive        int
	children     bool
}

var _ counter.Source = (*JobCPU)(nil)

// NewJobCPU reads below proc. A walk over all processes costs some 15 us each,
// so it is made every listNS only, at random times: anything periodic that we
// do can look like a period of the job.
func NewJobCPU(proc string, members Lister, now func() int64, listNS int64) *JobCPU {
	return &JobCPU{proc: proc, members: members, now: now, listNS: listNS, procs: map[int]times{},
		programs: map[string]int64{}}
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
func (j *JobCPU) Sources() []summary.Source {
	return []summary.Source{{Name: "proc_cpu", Event: "utime+stime", PMU: "proc", Scope: "job"}}
}
func (j *JobCPU) Notes() []note.Note { return nil }

// Start, Stop and Close have nothing to do: the kernel counts anyway.
func (j *JobCPU) Start() error { return nil }
func (j *JobCPU) Stop() error  { return nil }
func (j *JobCPU) Close() error { return nil }

// Alive returns how many of the job's processes the last drain saw.
func (j *JobCPU) Alive() int { return j.alive }

// Programs returns how much time each program took, by base name, in ticks.
func (j *JobCPU) Programs() map[string]int64 { return j.programs }

// Add makes a process known between two walks.
func (j *JobCPU) Add(pid int) {
	if _, ok := j.procs[pid]; !ok {
		j.procs[pid] = times{}
	}
}

// FollowChildren makes every drain ask the known processes for their children,
// who are members too. Where nobody else tells of new processes, one that lives
// for less than a walk's pause would else have no name, and the shell that
// started it would be taken for the program. It costs another 10 us a process.
func (j *JobCPU) FollowChildren() { j.children = true }

// Drain reads the CPU time of all known processes.
func (j *JobCPU) Drain(to counter.Sink) error {
	now := j.now()
	if !j.begun || now >= j.listAt {
		j.listAt = now + j.listNS/2 + rand.Int64N(j.listNS)
		for _, pid := range j.members.List() {
			j.Add(pid)
		}
	}
	if j.children {
		j.follow()
	}
	j.look()
	to.Read(0, now, []uint64{j.total * tick})
	return nil
}

// follow adds the children of known processes, those of the main thread. Some
// kernels have no such file; the walk finds them later.
func (j *JobCPU) follow() {
	for _, pid := range slices.Collect(maps.Keys(j.procs)) {
		id := strconv.Itoa(pid)
		b, err := os.ReadFile(filepath.Join(j.proc, id, "task", id, "children"))
		if err != nil {
			continue
		}
		for child, rest, ok := cutNumber(b); ok; child, rest, ok = cutNumber(rest) {
			if child < math.MaxInt32 && int(child) != os.Getpid() {
				j.Add(int(child))
			}
		}
	}
}

// look reads the known processes. Time of children that ended and were waited
// for is in their parent's; a process that disappears hands its time to its
// parent if that is a living member, else it is kept in ended.
func (j *JobCPU) look() {
	var sum uint64
	gone := map[int]times{}
	for pid, was := range j.procs {
		t, err := readTimes(j.proc, pid)
		if err != nil || was.start != 0 && t.start != was.start {
			gone[pid] = was
			delete(j.procs, pid)
			continue
		}
		if !j.begun {
			j.prior += t.own + t.waited
		}
		j.credit(pid, int64(t.own-was.own))
		j.procs[pid] = t
		sum += t.own + t.waited
	}
	for _, was := range gone {
		if _, ok := j.procs[was.parent]; !ok {
			j.ended += was.own + was.waited
		}
	}
	j.alive = len(j.procs)
	j.begun = true
	if now := sum + j.ended; now > j.prior+j.total {
		j.total = now - j.prior
	}
}

// maxPrograms bounds what a job can make us keep.
const maxPrograms = 256

func (j *JobCPU) credit(pid int, ticks int64) {
	if !j.begun || ticks <= 0 {
		return
	}
	name := Program(j.proc, pid)
	if _, ok := j.programs[name]; ok || len(j.programs) < maxPrograms {
		j.programs[name] += ticks
	}
}
