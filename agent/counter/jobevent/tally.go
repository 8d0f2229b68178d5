package jobevent

import (
	"encoding/binary"
	"errors"
)

// eventTotal is the total count of one event, over all times that it was opened.
type eventTotal struct {
	total                   uint64
	count, enabled, running uint64 // as last read
}

// add adds the increase since the last reading to the total, and returns for how many ns the event was enabled
// and counted since then. A count that had the PMU for part of the time is scaled by enabled / running, as perf
// stat does. Decreasing values count as no increase: the times of several tasks are summed while they run.
func (t *eventTotal) add(count, enabled, running uint64) (wanted, ran uint64) {
	wanted, ran = increase(enabled, t.enabled), increase(running, t.running)
	d := increase(count, t.count)
	// The two times are not read at the same nanosecond.
	if ran > 0 && ran+ran/1000+1000 < wanted {
		d = uint64(min(float64(d)*float64(wanted)/float64(ran), 1<<62))
	}
	t.total += d
	t.count, t.enabled, t.running = max(count, t.count), max(enabled, t.enabled), max(running, t.running)
	return wanted, ran
}

// increase returns now less was, 0 if it decreased.
func increase(now, was uint64) uint64 {
	if now <= was {
		return 0
	}
	return now - was
}

// restart prepares for a newly opened event, whose count begins at 0; the total is kept.
func (t *eventTotal) restart() { t.count, t.enabled, t.running = 0, 0, 0 }

var errRead = errors.New("the kernel returned fewer bytes than the format of perf_event_open(2) needs")

// parseOne parses what read(2) returns for a single event: count, enabled, running.
func parseOne(b []byte) (count, enabled, running uint64, err error) {
	if len(b) < 24 {
		return 0, 0, 0, errRead
	}
	return binary.NativeEndian.Uint64(b), binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:]), nil
}

// parseGroup parses what read(2) returns for a group's leader: the number of events, enabled, running, and
// their counts.
func parseGroup(b []byte, counts []uint64) (enabled, running uint64, err error) {
	if len(b) < 24+8*len(counts) || binary.NativeEndian.Uint64(b) != uint64(len(counts)) {
		return 0, 0, errRead
	}
	for i := range counts {
		counts[i] = binary.NativeEndian.Uint64(b[24+8*i:])
	}
	return binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:]), nil
}
