package kernel

import (
	"os"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
)

// threadTimes are the CPU time and the run_delay of a thread, in ns, how often it got a CPU, and for how long it
// neither ran nor waited for a CPU since its state was last known. asleep is its state if it slept at the last
// reading, else 0.
type threadTimes struct {
	ranNS, waitedNS, runs, idleNS uint64
	asleep                        byte
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
				idleNS := was.idleNS + idleTime(was, now, dt)
				if now.stillAsleep(was) {
					now.asleep = was.asleep
					u.addSleep(now.asleep, idleNS)
				} else {
					now.idleNS, now.asleep = u.readSleep(filepath.Join(dir, t.Name()), idleNS)
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
}

// idleTime returns for how long of dt a thread neither ran nor waited for a CPU, in ns.
func idleTime(was, now threadTimes, dt uint64) uint64 {
	return dt - min(dt, now.ranNS-was.ranNS+now.waitedNS-was.waitedNS)
}

// leastIdleNS is the idle time of a thread below which its state is not read: a thread that computes costs no second
// file.
const leastIdleNS = 10_000_000

// readSleep reads the state of a thread and, if it sleeps, passes state and idle time to addSleep. It then returns 0
// and the state. Else it returns idleNS, which a later call adds, and 0: if the thread runs or waits for a CPU, if its
// state cannot be read, and, without reading it, below leastIdleNS.
func (u *jobUse) readSleep(dir string, idleNS uint64) (left uint64, asleep byte) {
	if idleNS < leastIdleNS {
		return idleNS, 0
	}
	b, err := rawcall.ReadRecord(filepath.Join(dir, "stat"), u.buf, maxStat)
	var t times
	if err == nil {
		t, err = parseTimes(b)
	}
	if !u.waits.count(err) || t.state == 'R' {
		return idleNS, 0
	}
	u.addSleep(t.state, idleNS)
	return 0, t.state
}

// addSleep adds the idle time of a thread to the waiting for storage if it waits for that (state D).
func (u *jobUse) addSleep(state byte, idleNS uint64) {
	if state == 'D' {
		u.storageNS += idleNS
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
