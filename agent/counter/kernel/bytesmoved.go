package kernel

import (
	"jobgait/agent/peek"
	"jobgait/analysis/run"
)

// bytesMoved are bytes read from storage, and written to it; gross includes writes that were cancelled because the file
// was truncated or removed before they reached storage.
type bytesMoved struct{ read, wrote, gross uint64 }

// sumBytes sums the bytes of all processes, living and ended, into read and wrote, and into written without what
// they appended to open files. It never lowers a sum, although for a moment an ended child's bytes are not in its
// parent's account yet.
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

// readBytes reads into p the bytes that a process and its waited-for children read and wrote, and by how much its open
// files grew. After an error p keeps its values. It uses the guarded reader, because a process in an exec blocks its
// readers for as long as its files do.
func (u *jobUse) readBytes(pid int, p *processUse) {
	b, err := u.peek.Ask(peek.ProcRequest{File: peek.IO, PID: pid, Max: maxStat})
	var now bytesMoved
	if err == nil {
		now, err = parseIO(b)
	}
	if u.moves.count(err) {
		u.descriptors += int64(p.growth.update(u.proc, pid, now.gross-min(p.moved.gross, now.gross), u.buf))
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

// parseIO parses /proc/PID/io: the bytes read from storage, and those written to it with (gross) and without cancelled
// writes.
func parseIO(b []byte) (bytesMoved, error) {
	read, okR := findKey(b, "read_bytes")
	wrote, okW := findKey(b, "write_bytes")
	back, _ := findKey(b, "cancelled_write_bytes")
	if !okR || !okW {
		return bytesMoved{}, errUnexpectedFormat
	}
	return bytesMoved{read: read, wrote: wrote - min(back, wrote), gross: wrote}, nil
}
