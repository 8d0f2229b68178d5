package jobevent

import (
	"encoding/binary"
	"errors"
)

// tally is one event's count so far, over all times it was opened.
type tally struct {
	total                   uint64
	count, enabled, running uint64 // as last read
}

// add takes what the event says now and returns for how long since the last
// time it was to count, and for how long it did. A count that had the PMU for
// part of the time is scaled by enabled / running, as perf stat does. Nothing
// runs backwards: the times of several tasks are added up while they run.
func (t *tally) add(count, enabled, running uint64) (wanted, ran uint64) {
	wanted, ran = since(enabled, t.enabled), since(running, t.running)
	d := since(count, t.count)
	// The two times are not read at the same nanosecond.
	if ran > 0 && ran+ran/1000+1000 < wanted {
		d = uint64(min(float64(d)*float64(wanted)/float64(ran), 1<<62))
	}
	t.total += d
	t.count, t.enabled, t.running = max(count, t.count), max(enabled, t.enabled), max(running, t.running)
	return wanted, ran
}

func since(now, was uint64) uint64 {
	if now <= was {
		return 0
	}
	return now - was
}

// again makes ready for a new event of the same column, which begins at 0.
func (t *tally) again() { t.count, t.enabled, t.running = 0, 0, 0 }

var errRead = errors.New("perf event returned too few bytes")

// parseOne reads what read(2) gives of a single event: count, enabled, running.
func parseOne(b []byte) (count, enabled, running uint64, err error) {
	if len(b) < 24 {
		return 0, 0, 0, errRead
	}
	return binary.NativeEndian.Uint64(b), binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:]), nil
}

// parseGroup reads what read(2) gives of a group's leader: the number of
// events, enabled, running, and their counts.
func parseGroup(b []byte, counts []uint64) (enabled, running uint64, err error) {
	if len(b) < 24+8*len(counts) || binary.NativeEndian.Uint64(b) != uint64(len(counts)) {
		return 0, 0, errRead
	}
	for i := range counts {
		counts[i] = binary.NativeEndian.Uint64(b[24+8*i:])
	}
	return binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:]), nil
}
