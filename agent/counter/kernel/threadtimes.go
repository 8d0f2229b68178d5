package kernel

import (
	"os"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
)

// threadTimes are the CPU time and the run_delay of a thread, in ns, and for how long it neither ran nor waited for a
// CPU since its state was last read.
type threadTimes struct{ ranNS, waitedNS, idleNS uint64 }

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
