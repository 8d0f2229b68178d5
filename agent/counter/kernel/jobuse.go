package kernel

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"jobgait/agent/counter"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// jobUse reads what the job's processes use beside CPU time, for those that JobCPU knows: for how long their
// threads were runnable and not running, bytes read from and written to storage, and memory.
//
// Waiting is run_delay of each thread (/proc/PID/task/TID/schedstat); what an ended thread waited since the
// last reading is estimated (endedThreadWait). The time in which a thread neither ran nor waited for a CPU is waiting
// for storage if the thread is found in state D at the next reading at which it does not run. Bytes are those of
// /proc/PID/io, which a parent that waits for a child takes over. Memory is the anonymous memory of all processes and
// the largest shared memory of one, since processes of one job mostly share the same. VmHWM shows peaks between two
// readings.
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
	appended            uint64
	unseen              endedThreadWait
	threads             int64 // in the last reading
	memory, peak        uint64
	waits, moves, sizes readOutcomes
	meanwhile           otherUse
}

// processUse is the last reading of one process: its threads' times by id, its bytes and its largest
// memory.
type processUse struct {
	start   uint64
	waits   map[int]threadTimes
	moved   bytesMoved
	growth  fileGrowth
	highest uint64
}

// threadTimes are the CPU time and the run_delay of a thread, in ns, and for how long it neither ran nor waited for a
// CPU since its state was last read.
type threadTimes struct{ ranNS, waitedNS, idleNS uint64 }

// bytesMoved are bytes read from storage, and written to it; gross includes writes that were cancelled because the file
// was truncated or removed before they reached storage.
type bytesMoved struct{ read, wrote, gross uint64 }

// readOutcomes counts how often a file could be read and how often not.
type readOutcomes struct{ succeeded, failed int64 }

// count counts the outcome of a read and reports whether it succeeded. A process that has ended is not counted.
func (t *readOutcomes) count(err error) bool {
	if err == nil {
		t.succeeded++
		return true
	}
	if !errors.Is(err, os.ErrNotExist) && !isGone(err) { // that one has ended
		t.failed++
	}
	return false
}

// A reading of all processes costs some 10 us a process and 5 us a thread. It is made about twice a second, or
// less often so that it takes at most 1/200 of the time.
const (
	useNS    = 400_000_000
	useShare = 200
	// The largest plausible cost of a reading, several times the usual: on a crowded machine most of its duration
	// is time of other processes, and readings are needed there.
	lookNS, processNS, threadNS = 500_000, 100_000, 20_000
)

// sharedReadNS is how long a reading is shared after ReadAll, so that all sources of one drain use the same; it
// is less than the time between the last two drains.
const sharedReadNS = 5_000_000

// NewJobUse returns sources of waiting time, bytes, memory and the use of others, for the processes that cpu
// knows. What cannot be read has no reading, never 0. written returns what they have written to files so far.
func NewJobUse(proc string, p peek.Reader, cpu *JobCPU, now func() int64) (list []counter.Source,
	written func() Written) {
	u := &jobUse{proc: proc, peek: p, cpu: cpu, now: now, procs: map[int]*processUse{}, buf: make([]byte, maxStat),
		meanwhile: newOtherUse(proc)}
	list = []counter.Source{
		&useSource{use: u, file: "schedstat", tally: &u.waits,
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
	return list, func() Written { return u.written }
}

// useHz is the nominal rate of readings.
const useHz = 1

// update reads all known processes if a reading is due.
func (u *jobUse) update() {
	now := u.now()
	if now < u.nextNS && (!u.cpu.readAll || now-u.doneNS < sharedReadNS) {
		return
	}
	dt := now - u.atNS
	u.atNS = now
	u.unseen.startReading(dt)
	living := u.listLiving()
	u.dropEnded()
	before := u.memory
	u.memory, u.threads = 0, 0
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
	took := min(u.now()-now, lookNS+processNS*int64(len(living))+threadNS*u.threads)
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

// sumBytes sums the bytes of all processes. The sums never decrease, because for a moment an ended child's
// bytes are not in its parent's account yet.
func (u *jobUse) sumBytes() {
	now, appended := u.gone, u.appended
	for _, p := range u.procs {
		now.read += p.moved.read
		now.wrote += p.moved.wrote
		now.gross += p.moved.gross
		appended += p.growth.appended
	}
	u.read, u.wrote = max(u.read, now.read), max(u.wrote, now.wrote)
	u.written = Written{u.atNS, max(u.written.Bytes, now.gross-min(appended, now.gross))}
}

// addWaits adds the time that the threads of a process waited for a CPU, and for storage, since the last reading dt ns
// ago.
func (u *jobUse) addWaits(pid int, p *processUse, dt uint64) {
	dir := filepath.Join(u.proc, strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	before := p.waits
	p.waits = make(map[int]threadTimes, len(threads)) // ids of threads that have ended are forgotten
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		b, err := rawcall.ReadRecord(filepath.Join(dir, t.Name(), "schedstat"), u.buf, maxStat)
		var now threadTimes
		if err == nil {
			now, err = parseSchedstat(b)
		}
		if !u.waits.count(err) {
			if was, known := before[id]; known { // or all that it waited would count again
				p.waits[id] = was
			}
			continue
		}
		u.threads++
		was, known := before[id]
		if now.waitedNS >= was.waitedNS && now.ranNS >= was.ranNS {
			u.waitNS += now.waitedNS - was.waitedNS
			u.unseen.see(threadTimes{ranNS: now.ranNS - was.ranNS, waitedNS: now.waitedNS - was.waitedNS}, !known)
			if known {
				now.idleNS = u.addStorageWait(filepath.Join(dir, t.Name()), was.idleNS+idleTime(was, now, dt))
			}
		}
		p.waits[id] = now
	}
	for id := range before {
		if _, still := p.waits[id]; !still {
			u.unseen.ended++
		}
	}
}

// idleTime returns for how long of dt a thread neither ran nor waited for a CPU, in ns.
func idleTime(was, now threadTimes, dt uint64) uint64 {
	return dt - min(dt, now.ranNS-was.ranNS+now.waitedNS-was.waitedNS)
}

// leastIdleNS is the idle time of a thread below which its state is not read: a thread that computes costs no second
// file.
const leastIdleNS = 10_000_000

// addStorageWait adds the idle time of a thread to the waiting for storage if its state is that of a task that waits
// for storage (D). It returns the idle time that is still to be attributed: all of it while the thread runs or waits
// for a CPU, none once its state was read.
func (u *jobUse) addStorageWait(dir string, idleNS uint64) uint64 {
	if idleNS < leastIdleNS {
		return idleNS
	}
	b, err := rawcall.ReadRecord(filepath.Join(dir, "stat"), u.buf, maxStat)
	if err != nil {
		return idleNS
	}
	t, err := parseTimes(b)
	if err != nil || t.state == 'R' {
		return idleNS
	}
	if t.state == 'D' {
		u.storageNS += idleNS
	}
	return 0
}

// parseSchedstat parses the first two fields of a schedstat, in ns: running, and runnable but not running.
//
//	1280256 37976 12
func parseSchedstat(b []byte) (threadTimes, error) {
	var n [2]uint64
	if !cutNumbers(b, n[:]) {
		return threadTimes{}, errUnexpectedFormat
	}
	return threadTimes{ranNS: n[0], waitedNS: n[1]}, nil
}

// readBytes reads the bytes that a process and its waited-for children read and wrote. It uses the guarded
// reader, because a process in an exec blocks its readers for as long as its files do.
func (u *jobUse) readBytes(pid int, p *processUse) {
	b, err := u.peek.Ask(peek.ProcRequest{File: peek.IO, PID: pid, Max: maxStat})
	var now bytesMoved
	if err == nil {
		now, err = parseIO(b)
	}
	if u.moves.count(err) {
		p.growth.update(u.proc, pid, now.gross-min(p.moved.gross, now.gross), u.buf)
		p.moved = now
	}
}

// EndedCounters returns the counters of an ended process that was not waited for yet, from its schedstat and
// io: waiting time, and bytes including those of its waited-for children. Texts that cannot be parsed are left
// out.
func EndedCounters(schedstat, io []byte) []run.Counter {
	var out []run.Counter
	add := func(name, unit string, v uint64) {
		out = append(out, run.Counter{Name: name, Unit: unit, Scope: "job", Total: float64(v)})
	}
	if times, err := parseSchedstat(schedstat); err == nil {
		add(run.CPUWait, "ns", times.waitedNS)
	}
	if moved, err := parseIO(io); err == nil {
		add("proc_read_bytes", "bytes", moved.read)
		add("proc_write_bytes", "bytes", moved.wrote)
	}
	return out
}

// parseIO parses /proc/PID/io.
func parseIO(b []byte) (bytesMoved, error) {
	read, okR := findKey(b, "read_bytes")
	wrote, okW := findKey(b, "write_bytes")
	back, _ := findKey(b, "cancelled_write_bytes")
	if !okR || !okW {
		return bytesMoved{}, errUnexpectedFormat
	}
	return bytesMoved{read: read, wrote: wrote - min(back, wrote), gross: wrote}, nil
}

// resident is the memory of a process in bytes, without mapped files.
type resident struct{ anonymous, shared, highest uint64 }

// readMemory returns the memory of a process, and in grown by how much its peak exceeds its present memory;
// grown is 0 if the peak did not rise since the last reading.
func (u *jobUse) readMemory(pid int, p *processUse) (m resident, grown uint64) {
	b, err := rawcall.ReadRecord(filepath.Join(u.proc, strconv.Itoa(pid), "status"), u.buf, maxStat)
	if err == nil {
		m, err = parseResident(b)
	}
	if !u.sizes.count(err) {
		return resident{}, 0
	}
	u.meanwhile.allowCPUs(b)
	if now := m.anonymous + m.shared; m.highest > p.highest && m.highest > now {
		grown = m.highest - now
	}
	p.highest = max(p.highest, m.highest)
	return m, grown
}

// parseResident parses /proc/PID/status; a zombie lacks these lines and has no memory.
func parseResident(b []byte) (resident, error) {
	if !bytes.Contains(b, []byte("State:")) {
		return resident{}, errUnexpectedFormat
	}
	kb := func(key string) uint64 {
		v, _ := findKey(b, key)
		return min(v, 1<<50) << 10
	}
	m := resident{anonymous: kb("RssAnon"), shared: kb("RssShmem")}
	if high, file := kb("VmHWM"), kb("RssFile"); high > file {
		m.highest = high - file
	}
	return m, nil
}

// useSource is the source of one kind of values of a jobUse.
type useSource struct {
	use      *jobUse
	file     string
	tally    *readOutcomes
	columns  []profile.Column
	values   func([]uint64)
	givenNS  int64 // time of the last passed reading; absentNS is that of the last drain without any
	absentNS int64
	counts   [2]uint64
}

var _ counter.Source = (*useSource)(nil)

// Columns returns the source's columns.
func (s *useSource) Columns() []profile.Column { return s.columns }

// Lanes returns 1: the job.
func (s *useSource) Lanes() int { return 1 }

// PeriodNS returns 0: no record is due at a fixed time.
func (s *useSource) PeriodNS() int64 { return 0 }

// EveryNS returns 0: it is read when the rings are drained.
func (s *useSource) EveryNS() int64 { return 0 }

// Start does nothing: the kernel counts anyway.
func (s *useSource) Start() error { return nil }

// Stop does nothing.
func (s *useSource) Stop() error { return nil }

// Close closes the file that the source keeps open.
func (s *useSource) Close() error { return s.use.meanwhile.stat.close() }

// Sources returns, for the run's metadata, the name of each column and the file that it is read from.
func (s *useSource) Sources() (list []run.CounterSource) {
	for _, c := range s.columns {
		list = append(list, run.CounterSource{Name: c.Name, Event: s.file, PMU: "proc", Config: "/proc/PID/" + s.file,
			Scope: "job", Hz: useHz})
	}
	return list
}

// Notes returns a note if the file could not be read of some processes.
func (s *useSource) Notes() []note.Note {
	switch t := s.tally; {
	case t.succeeded == 0 && t.failed > 0:
		return []note.Note{note.New(note.NeverRead,
			"/proc/PID/%s of the job's processes could never be read: its values are missing",
			s.file)}
	case t.failed > 0:
		return []note.Note{note.New(note.ReadFailed,
			"/proc/PID/%s of the job's processes: %d of %d readings failed and are missing",
			s.file, t.failed,
			t.succeeded+t.failed)}
	}
	return nil
}

// Drain passes a reading to the sink if there is a new one and any process could be read. All of the first
// reading is the job's: counts begin at 0.
func (s *useSource) Drain(to counter.Sink) error {
	s.use.update()
	if s.tally.succeeded == 0 {
		s.absentNS = s.use.atNS
		return nil
	}
	if s.givenNS == s.use.atNS {
		return nil
	}
	if s.givenNS == 0 {
		if s.absentNS == 0 || s.absentNS >= s.use.atNS {
			s.absentNS = s.use.atNS - 1
		}
		to.Read(0, s.absentNS, s.counts[:len(s.columns)])
	}
	s.givenNS = s.use.atNS
	s.values(s.counts[:len(s.columns)])
	to.Read(0, s.givenNS, s.counts[:len(s.columns)])
	return nil
}
