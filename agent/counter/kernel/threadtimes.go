package kernel

import (
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
	"jobgait/analysis/run"
)

// threadTimes are the CPU time and the run_delay of a thread, in ns, how often it got a CPU, and for how long it
// neither ran nor waited for a CPU since its state was last known. asleep is its state if it slept at the last
// reading, else 0, and cause what it then waited for, "" unless it is a main thread. firstNS and lastNS are when it was
// first and last read.
type threadTimes struct {
	ranNS, waitedNS, runs, idleNS uint64
	asleep                        byte
	cause                         run.SleepCause
	firstNS, lastNS               uint64
}

// stillAsleep reports whether a thread sleeps as it did at the reading before, since it got no CPU in between.
func (t threadTimes) stillAsleep(before threadTimes) bool {
	return before.asleep != 0 && t.runs == before.runs && t.ranNS == before.ranNS
}

// addWaits adds the time that the threads of a process waited for a CPU, and for storage, since the last reading dt ns
// ago. A thread that was not read before has waited for a CPU since its start; its waiting for storage is not known.
// A thread that cannot be read now keeps its last values.
func (u *jobUse) addWaits(pid int, p *processUse, dt uint64) {
	dir := filepath.Join(u.proc, strconv.Itoa(pid), "task")
	threads, err := rawcall.ReadNames(dir)
	if err != nil {
		return
	}
	before := p.waits
	p.waits = make(map[int]threadTimes, len(threads)) // ids of threads that have ended are forgotten
	for _, name := range threads {
		id, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := rawcall.ReadRecord(filepath.Join(dir, name, "schedstat"), u.buf, maxStat)
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
		u.activeNS = max(u.activeNS, now.ranNS+now.waitedNS)
		was, known := before[id]
		now.firstNS, now.lastNS = uint64(u.atNS), uint64(u.atNS)
		if known {
			now.firstNS = was.firstNS
		}
		if now.waitedNS >= was.waitedNS && now.ranNS >= was.ranNS {
			u.waitNS += now.waitedNS - was.waitedNS
			u.unseen.see(threadTimes{ranNS: now.ranNS - was.ranNS, waitedNS: now.waitedNS - was.waitedNS}, !known)
			if known {
				idleNS := was.idleNS + idleTime(was, now, dt)
				if now.stillAsleep(was) {
					now.asleep, now.cause = was.asleep, was.cause
					u.addSleep(now, idleNS)
				} else {
					u.readSleep(filepath.Join(dir, name), &now, idleNS, id == pid)
				}
			}
		}
		p.waits[id] = now
	}
	for id := range before {
		if _, still := p.waits[id]; !still {
			u.unseen.ended++
		}
	}
	u.endThreads(p.program, before, p.waits)
}

// idleTime returns for how long of dt a thread neither ran nor waited for a CPU, in ns.
func idleTime(was, now threadTimes, dt uint64) uint64 {
	return dt - min(dt, now.ranNS-was.ranNS+now.waitedNS-was.waitedNS)
}

// leastIdleNS is the idle time of a thread below which its state is not read: a thread that computes costs no second
// file.
const leastIdleNS = 10_000_000

// readSleep reads the state of a thread and, if it sleeps, sets asleep of t, and for a main thread cause, and passes
// the idle time to addSleep. Else it stores idleNS in t, which a later call adds: if the thread runs or waits for a
// CPU, if its state cannot be read, and, without reading it, below leastIdleNS.
func (u *jobUse) readSleep(dir string, t *threadTimes, idleNS uint64, isMain bool) {
	if t.idleNS = idleNS; idleNS < leastIdleNS {
		return
	}
	b, err := rawcall.ReadRecord(filepath.Join(dir, "stat"), u.buf, maxStat)
	var read times
	if err == nil {
		read, err = parseTimes(b)
	}
	if !u.waits.count(err) || read.state == 'R' {
		return
	}
	t.idleNS, t.asleep = 0, read.state
	if isMain && t.asleep == 'S' {
		t.cause = readCause(dir, u.buf)
	}
	u.addSleep(*t, idleNS)
}

// addSleep adds the idle time of a thread to the waiting for storage if it waits for that (state D), and to the sleep
// of its cause if that is known.
func (u *jobUse) addSleep(t threadTimes, idleNS uint64) {
	if t.asleep == 'D' {
		u.storageNS += idleNS
	}
	if t.cause != "" {
		u.sleeps[t.cause] += idleNS
	}
}

// parseSchedstat parses a schedstat: ns running, ns runnable but not running, and how often the thread got a CPU.
//
//	1280256 37976 12
func parseSchedstat(b []byte) (threadTimes, error) {
	var n [3]uint64
	if !cutNumbers(b, n[:]) {
		return threadTimes{}, errUnexpectedFormat
	}
	return threadTimes{ranNS: n[0], waitedNS: n[1], runs: n[2]}, nil
}
