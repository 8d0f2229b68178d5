package kernel

import (
	"cmp"
	"slices"

	"jobgait/agent/counter"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// jobUse reads what the job's processes use beside CPU time, for those that JobCPU knows: for how long their
// threads were runnable and not running, bytes read from and written to storage, and memory.
//
// Waiting is run_delay of each thread (/proc/PID/task/TID/schedstat); what an ended thread waited since the last
// reading is estimated (endedThreadWait). Time in which a thread neither ran nor waited for a CPU is kept until a
// reading finds the thread off the CPUs: it is waiting for storage if the thread is then in state D, and sleep
// otherwise. Bytes are those of /proc/PID/io, which a parent that waits for a child takes over. Memory is the anonymous
// memory of all processes and the largest shared memory of one, since processes of one job mostly share the same. VmHWM
// shows peaks between two readings.
type jobUse struct {
	proc string
	peek peek.Reader
	cpu  *JobCPU
	now  func() int64
	// nextNS is when the next reading is due, atNS when the last one began, doneNS when it ended.
	nextNS, atNS, doneNS int64
	procs                map[int]*processUse
	buf                  []byte
	// gone sums the bytes of ended processes that no member has waited for.
	gone                bytesMoved
	waitNS, read, wrote uint64
	storageNS           uint64
	written             Written
	// appended is what ended processes have appended to files (fileGrowth).
	appended uint64
	unseen   endedThreadWait
	sleeps   sleepTimes
	// activeNS is the most time, in ns, that any one thread ran or waited for a CPU.
	activeNS uint64
	worked   threadsByProgram
	// threads and descriptors are how many the last reading has read.
	threads, descriptors int64
	memory, peak         uint64
	waits, moves, sizes  readOutcomes
	meanwhile            otherUse
}

// processUse is the last reading of one process: its threads' times by id, its bytes and its largest
// memory.
type processUse struct {
	start   uint64
	program string
	waits   map[int]threadTimes
	moved   bytesMoved
	growth  fileGrowth
	highest uint64
}

// A reading of all processes costs some 10 us a process and 5 us a thread. It is made about twice a second, or
// less often so that it takes at most 1/200 of the time.
const (
	useNS    = 400_000_000
	useShare = 200
	// The largest plausible cost of a reading, several times the usual: on a crowded machine most of its duration
	// is time of other processes, and readings are needed there.
	lookNS, processNS, threadNS, descriptorNS = 500_000, 100_000, 20_000, 20_000
)

// sharedReadNS is how long a reading is shared after ReadAll, so that all sources of one drain use the same; it
// is less than the time between the last two drains.
const sharedReadNS = 5_000_000

// UseTotals are functions that return totals of a job's processes which no column has: what they have written to files
// so far, for how long their main threads slept and why, and how the CPU time divides among threads, nil if that is
// unknown. All functions are nil if the use of processes is not read.
type UseTotals struct {
	Written    func() Written
	Sleeps     func() []run.Sleep
	ThreadWork func() *run.ThreadWork
	// MostActiveS is the most time, in seconds, that any one thread ran or waited for a CPU.
	MostActiveS func() float64
}

// NewJobUse returns sources of waiting time, bytes, memory and the use of others, for the processes that cpu
// knows, and their totals. What cannot be read has no reading, never 0.
func NewJobUse(proc string, p peek.Reader, cpu *JobCPU, now func() int64) (list []counter.Source, totals UseTotals) {
	u := &jobUse{proc: proc, peek: p, cpu: cpu, now: now, procs: map[int]*processUse{}, buf: make([]byte, maxStat),
		sleeps: sleepTimes{}, worked: threadsByProgram{}, meanwhile: newOtherUse(proc)}
	list = []counter.Source{
		&useSource{use: u, file: "schedstat", files: []string{"schedstat", "stat"}, tally: &u.waits,
			columns: []profile.Column{{Name: run.CPUWait, Unit: "ns", Scope: "job", Hz: useHz},
				{Name: run.StorageWait, Unit: "ns", Scope: "job", Hz: useHz}},
			values: func(c []uint64) { c[0], c[1] = u.waitNS, u.storageNS }},
		&useSource{use: u, file: "io", tally: &u.moves,
			columns: []profile.Column{{Name: "proc_read_bytes", Unit: "bytes", Scope: "job", Hz: useHz},
				{Name: "proc_write_bytes", Unit: "bytes", Scope: "job", Hz: useHz}},
			values: func(c []uint64) { c[0], c[1] = u.read, u.wrote }},
		&useSource{use: u, file: "status", tally: &u.sizes,
			columns: []profile.Column{{Name: "proc_mem", Unit: "bytes", Scope: "job", Gauge: true, Hz: useHz},
				{Name: run.MemoryPeak, Unit: "bytes", Scope: "job", Hz: useHz}},
			values: func(c []uint64) { c[0], c[1] = u.memory, u.peak }},
		&useSource{use: u, file: "stat", tally: &u.meanwhile.looks,
			columns: []profile.Column{{Name: "others_cpu", Unit: "ns", Scope: "node", Hz: useHz},
				{Name: "stolen_cpu", Unit: "ns", Scope: "job", Hz: useHz}},
			values: func(c []uint64) { c[0], c[1] = uint64(u.meanwhile.others), uint64(u.meanwhile.stolen) }},
	}
	return list, UseTotals{Written: func() Written { return u.written },
		Sleeps:     func() []run.Sleep { return u.sleeps.list() },
		ThreadWork: u.threadWork, MostActiveS: func() float64 { return float64(u.activeNS) / 1e9 }}
}

// useHz is the nominal rate of readings.
const useHz = 1

// update reads all known processes if a reading is due, and updates waiting time, bytes, memory and the use of others.
// A process that still runs jobgait before its exec counts without its memory. After ReadAll a reading is due at
// every drain and ends after readAllNS; the memory then stays as it was if not all processes were read.
func (u *jobUse) update() {
	now := u.now()
	if now < u.nextNS && (!u.cpu.readAll || now-u.doneNS < sharedReadNS) {
		return
	}
	dt := now - u.atNS
	u.atNS = now
	u.unseen.beginPass(dt)
	living := u.listLiving()
	u.dropEnded()
	before := u.memory
	u.memory, u.threads, u.descriptors = 0, 0, 0
	shared, above := uint64(0), uint64(0)
	for n, pid := range living {
		if u.cpu.readAll && n%16 == 15 && u.now()-now > readAllNS { // the memory of all is not known
			u.memory, shared, above = before, 0, 0
			break
		}
		p := u.procs[pid]
		u.addWaits(pid, p, uint64(max(0, dt)))
		u.readBytes(pid, p)
		m, grown := u.readMemory(pid, p)
		if !u.cpu.command.hasStarted(pid, u.cpu.procs[pid]) {
			p.highest = 0
			continue
		}
		u.memory += m.anonymous
		shared = max(shared, m.shared)
		above = max(above, grown)
	}
	u.waitNS += u.unseen.add(u.cpu.total * tick)
	u.memory += shared
	u.peak = max(u.peak, u.memory+above)
	u.sumBytes()
	u.meanwhile.update(u.cpu.total*tick, u.waitNS, dt)
	took := min(u.now()-now, lookNS+processNS*int64(len(living))+threadNS*u.threads+descriptorNS*u.descriptors)
	u.nextNS, u.doneNS = now+max(useNS, useShare*took), u.now()
}

// listLiving returns the job's living processes, parents before their children, so that a child's bytes are
// never counted twice, once from the child and once from its parent.
func (u *jobUse) listLiving() []int {
	var pids []int
	for pid, m := range u.cpu.procs {
		if m == nil || m.start == 0 {
			continue // not read yet
		}
		if p := u.procs[pid]; p == nil || p.start != m.start {
			u.procs[pid] = &processUse{start: m.start, waits: map[int]threadTimes{}}
		}
		u.procs[pid].program = m.program
		pids = append(pids, pid)
	}
	slices.SortFunc(pids, func(a, b int) int {
		return cmp.Or(cmp.Compare(u.cpu.procs[a].start, u.cpu.procs[b].start), cmp.Compare(a, b))
	})
	return pids
}

// dropEnded removes ended processes. If no living ancestor is a member, no account that is read includes their
// bytes, so these are added to gone.
func (u *jobUse) dropEnded() {
	for pid, p := range u.procs {
		if m := u.cpu.procs[pid]; m != nil && m.start == p.start {
			continue
		}
		delete(u.procs, pid)
		u.unseen.ended += len(p.waits)
		u.endThreads(p.program, p.waits, nil)
		u.appended += p.growth.appended
		heir, known := u.cpu.parentOf[pid]
		for n := 0; known && u.cpu.procs[heir] == nil && n < maxParents; n++ {
			heir, known = u.cpu.parentOf[heir]
		}
		if !known {
			u.gone.read += p.moved.read
			u.gone.wrote += p.moved.wrote
			u.gone.gross += p.moved.gross
		}
	}
}
