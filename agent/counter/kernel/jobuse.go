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

// jobUse is what the job's processes have used beside CPU time, in one look at those
// that JobCPU knows: for how long their threads were runnable and not running, bytes
// that went to storage and came from it, and memory.
//
// Waiting is run_delay of each thread (/proc/PID/task/TID/schedstat); of one that ends,
// what it waited since the last look is lost. Bytes are those of /proc/PID/io, where a
// parent that waits for a child has the child's from then on. Memory is anonymous of all
// and shared of the one that has most of it: those of one job mostly share the same. What
// a process had more between two looks its VmHWM tells.
type jobUse struct {
	proc string
	peek peek.Reader
	cpu  *JobCPU
	now  func() int64
	// nextNS is when there is to be another look, atNS when the last one began, doneNS when it ended.
	nextNS, atNS, doneNS int64
	procs                map[int]*used
	buf                  []byte
	// gone sums the bytes of ended processes that no member has waited for.
	gone                bytesMoved
	waitNS, read, wrote uint64
	threads             int64 // in the last look
	memory, peak        uint64
	waits, moves, sizes tally
	meanwhile           meanwhile
}

// used is one process: its threads' run_delay by id, its bytes and its largest memory.
type used struct {
	start   uint64
	waits   map[int]uint64
	moved   bytesMoved
	highest uint64
}

// bytesMoved are bytes read from storage, and written to it.
type bytesMoved struct{ read, wrote uint64 }

// tally is how many processes let a file be read, and how many did not.
type tally struct{ had, lacked int64 }

func (t *tally) count(err error) bool {
	if err == nil {
		t.had++
		return true
	}
	if !errors.Is(err, os.ErrNotExist) && !gone(err) { // that one has ended
		t.lacked++
	}
	return false
}

// What a look costs is some 10 us a process and 5 us a thread. It is made twice a second,
// or so seldom that it takes a two hundredth of the time.
const (
	useNS    = 400_000_000
	useShare = 200
	// What a look can cost, several times what it does cost: on a crowded machine most
	// of the time that it takes is others', and looks are needed there.
	lookNS, processNS, threadNS = 500_000, 100_000, 20_000
)

// apartNS is less than the time between the last two drains: all sources of one drain share a look.
const apartNS = 5_000_000

// NewJobUse reads below proc what processes that cpu knows have used, in as many
// sources: what cannot be read has no reading, never 0.
func NewJobUse(proc string, p peek.Reader, cpu *JobCPU, now func() int64) []counter.Source {
	u := &jobUse{proc: proc, peek: p, cpu: cpu, now: now, procs: map[int]*used{}, buf: make([]byte, maxStat),
		meanwhile: newMeanwhile(proc)}
	return []counter.Source{
		&useSource{use: u, file: "schedstat", tally: &u.waits,
			columns: []profile.Column{{Name: "proc_wait", Unit: "ns", Scope: "job", Hz: useHz}},
			values:  func(c []uint64) { c[0] = u.waitNS }},
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
}

// useHz is how often a look is made, at least where there are few processes.
const useHz = 1

// look looks if it is time.
func (u *jobUse) look() {
	now := u.now()
	if now < u.nextNS && (!u.cpu.whole || now-u.doneNS < apartNS) {
		return
	}
	dt := now - u.atNS
	u.atNS = now
	living := u.living()
	u.forget()
	before := u.memory
	u.memory, u.threads = 0, 0
	shared, above := uint64(0), uint64(0)
	for n, pid := range living {
		if u.cpu.whole && n%16 == 15 && u.now()-now > wholeNS { // the memory of all is not known
			u.memory, shared, above = before, 0, 0
			break
		}
		p := u.procs[pid]
		u.wait(pid, p)
		u.bytes(pid, p)
		m, grown := u.size(pid, p)
		if !u.cpu.command.begun(pid, u.cpu.procs[pid]) {
			p.highest = 0
			continue
		}
		u.memory += m.anonymous
		shared = max(shared, m.shared)
		above = max(above, grown)
	}
	u.memory += shared
	u.peak = max(u.peak, u.memory+above)
	u.sum()
	u.meanwhile.look(u.cpu.total*tick, u.waitNS, dt)
	took := min(u.now()-now, lookNS+processNS*int64(len(living))+threadNS*u.threads)
	u.nextNS, u.doneNS = now+max(useNS, useShare*took), u.now()
}

// living returns the job's processes, parents before their children, so that a child's bytes are never counted
// twice, once from the child and once from its parent.
func (u *jobUse) living() []int {
	var pids []int
	for pid, m := range u.cpu.procs {
		if m == nil || m.start == 0 {
			continue // not read yet
		}
		if p := u.procs[pid]; p == nil || p.start != m.start {
			u.procs[pid] = &used{start: m.start, waits: map[int]uint64{}}
		}
		pids = append(pids, pid)
	}
	slices.SortFunc(pids, func(a, b int) int {
		return cmp.Or(cmp.Compare(u.cpu.procs[a].start, u.cpu.procs[b].start), cmp.Compare(a, b))
	})
	return pids
}

// forget removes ended processes. If no living ancestor is a member, no account that we read includes their
// bytes, so these are kept in gone.
func (u *jobUse) forget() {
	for pid, p := range u.procs {
		if m := u.cpu.procs[pid]; m != nil && m.start == p.start {
			continue
		}
		delete(u.procs, pid)
		heir, known := u.cpu.heirs[pid]
		for n := 0; known && u.cpu.procs[heir] == nil && n < maxHeirs; n++ {
			heir, known = u.cpu.heirs[heir]
		}
		if !known {
			u.gone.read += p.moved.read
			u.gone.wrote += p.moved.wrote
		}
	}
}

// sum adds up bytes. A sum is never less than it was: of a child that has ended and is
// not in its parent's account yet nothing is seen for a moment.
func (u *jobUse) sum() {
	now := u.gone
	for _, p := range u.procs {
		now.read += p.moved.read
		now.wrote += p.moved.wrote
	}
	u.read, u.wrote = max(u.read, now.read), max(u.wrote, now.wrote)
}

// wait adds what the threads of a process waited since the last look.
func (u *jobUse) wait(pid int, p *used) {
	dir := filepath.Join(u.proc, strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	before := p.waits
	p.waits = make(map[int]uint64, len(threads)) // ids of threads that have ended are forgotten
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		b, err := rawcall.ReadRecord(filepath.Join(dir, t.Name(), "schedstat"), u.buf, maxStat)
		var now uint64
		if err == nil {
			now, err = parseRunDelay(b)
		}
		if !u.waits.count(err) {
			if was, known := before[id]; known { // or all that it waited would count again
				p.waits[id] = was
			}
			continue
		}
		u.threads++
		if was := before[id]; now >= was {
			u.waitNS += now - was
		}
		p.waits[id] = now
	}
}

// parseRunDelay returns the second field of a schedstat, in ns: runnable and not running.
//
//	1280256 37976 12
func parseRunDelay(b []byte) (uint64, error) {
	var n [2]uint64
	if !cutNumbers(b, n[:]) {
		return 0, errFormat
	}
	return n[1], nil
}

// bytes reads what a process and the children that it has waited for have moved. The guarded reader does it: a
// process in an exec blocks readers for as long as its files do.
func (u *jobUse) bytes(pid int, p *used) {
	b, err := u.peek.Ask(peek.ProcQuestion{File: peek.IO, PID: pid, Max: maxStat})
	var now bytesMoved
	if err == nil {
		now.read, now.wrote, err = parseIO(b)
	}
	if u.moves.count(err) {
		p.moved = now
	}
}

// Account is what a process used up to its end, and of what it read and wrote also
// the children that it waited for, from its schedstat and io before it is waited for;
// without what is not understood.
func Account(schedstat, io []byte) []run.Counter {
	var out []run.Counter
	add := func(name, unit string, v uint64) {
		out = append(out, run.Counter{Name: name, Unit: unit, Scope: "job", Total: float64(v)})
	}
	if ns, err := parseRunDelay(schedstat); err == nil {
		add("proc_wait", "ns", ns)
	}
	if read, wrote, err := parseIO(io); err == nil {
		add("proc_read_bytes", "bytes", read)
		add("proc_write_bytes", "bytes", wrote)
	}
	return out
}

// parseIO reads /proc/PID/io. What was written and taken back before it was on the
// disk was never written.
func parseIO(b []byte) (read, wrote uint64, err error) {
	read, okR := findKey(b, "read_bytes")
	wrote, okW := findKey(b, "write_bytes")
	back, _ := findKey(b, "cancelled_write_bytes")
	if !okR || !okW {
		return 0, 0, errFormat
	}
	return read, wrote - min(back, wrote), nil
}

// resident is memory of a process, without what is mapped of files.
type resident struct{ anonymous, shared, highest uint64 }

// size returns the memory of a process, and what it had more since the last look.
func (u *jobUse) size(pid int, p *used) (m resident, grown uint64) {
	b, err := rawcall.ReadRecord(filepath.Join(u.proc, strconv.Itoa(pid), "status"), u.buf, maxStat)
	if err == nil {
		m, err = parseResident(b)
	}
	if !u.sizes.count(err) {
		return resident{}, 0
	}
	u.meanwhile.may(b)
	if now := m.anonymous + m.shared; m.highest > p.highest && m.highest > now {
		grown = m.highest - now
	}
	p.highest = max(p.highest, m.highest)
	return m, grown
}

// parseResident reads /proc/PID/status; a zombie has none of these lines, and no memory.
func parseResident(b []byte) (resident, error) {
	if !bytes.Contains(b, []byte("State:")) {
		return resident{}, errFormat
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

// useSource gives one kind of what jobUse knows.
type useSource struct {
	use     *jobUse
	file    string
	tally   *tally
	columns []profile.Column
	values  func([]uint64)
	given   int64 // when there was a reading, asked when there was none yet
	asked   int64
	counts  [2]uint64
}

var _ counter.Source = (*useSource)(nil)

func (s *useSource) Columns() []profile.Column { return s.columns }
func (s *useSource) Lanes() int                { return 1 }
func (s *useSource) PeriodNS() int64           { return 0 }
func (s *useSource) EveryNS() int64            { return 0 }
func (s *useSource) Start() error              { return nil }
func (s *useSource) Stop() error               { return nil }
func (s *useSource) Close() error              { return s.use.meanwhile.stat.close() }

// Sources tell what is read.
func (s *useSource) Sources() (list []run.CounterSource) {
	for _, c := range s.columns {
		list = append(list, run.CounterSource{Name: c.Name, Event: s.file, PMU: "proc", Config: "/proc/PID/" + s.file,
			Scope: "job", Hz: useHz})
	}
	return list
}

// Notes tell of processes that did not let the file be read.
func (s *useSource) Notes() []note.Note {
	switch t := s.tally; {
	case t.had == 0 && t.lacked > 0:
		return []note.Note{note.New(note.NeverRead, "%s of the job's processes could never be read", s.file)}
	case t.lacked > 0:
		return []note.Note{note.New(note.ReadFailed, "%s of the job's processes: %d of %d readings failed", s.file, t.lacked,
			t.had+t.lacked)}
	}
	return nil
}

// Drain gives a reading if there was a look since the last one, and any process could
// be read. What the first one has is the job's: it counts from 0.
func (s *useSource) Drain(to counter.Sink) error {
	s.use.look()
	if s.tally.had == 0 {
		s.asked = s.use.atNS
		return nil
	}
	if s.given == s.use.atNS {
		return nil
	}
	if s.given == 0 {
		if s.asked == 0 || s.asked >= s.use.atNS {
			s.asked = s.use.atNS - 1
		}
		to.Read(0, s.asked, s.counts[:len(s.columns)])
	}
	s.given = s.use.atNS
	s.values(s.counts[:len(s.columns)])
	to.Read(0, s.given, s.counts[:len(s.columns)])
	return nil
}
