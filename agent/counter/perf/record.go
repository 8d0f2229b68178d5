package perf

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// Header is the first 8 bytes of every record.
type Header struct {
	Type uint32
	Misc uint16
	Size int
}

const headerSize = 8

var errRecord = errors.New("a record or count does not have the format of perf_event_open(2)")

// parseHeader parses a record's header. It returns errRecord if the size is not a multiple of 8 or is shorter
// than the header.
func parseHeader(b []byte) (Header, error) {
	if len(b) < headerSize {
		return Header{}, errRecord
	}
	h := Header{
		Type: binary.NativeEndian.Uint32(b),
		Misc: binary.NativeEndian.Uint16(b[4:]),
		Size: int(binary.NativeEndian.Uint16(b[6:])),
	}
	if h.Size < headerSize || h.Size%8 != 0 {
		return Header{}, errRecord
	}
	return h, nil
}

// Sample is a leader's record: all counts of its group at one time.
type Sample struct {
	TimeNS           int64
	Enabled, Running uint64
	// Counts has the leader's count first. It is valid until the next parse.
	Counts []uint64
}

// parseSample parses the body of a PERF_RECORD_SAMPLE with TIME and READ of a group: time, n, enabled, running,
// n counts. It stores the counts in counts.
func parseSample(body []byte, counts []uint64) (Sample, error) {
	if len(body) < 8 {
		return Sample{}, errRecord
	}
	s, err := parseGroup(body[8:], counts)
	s.TimeNS = int64(binary.NativeEndian.Uint64(body))
	return s, err
}

// parseGroup parses what read(2) of a group leader returns, into counts. It returns errRecord if there are more
// counts than room.
func parseGroup(b []byte, counts []uint64) (Sample, error) {
	if len(b) < 24 {
		return Sample{}, errRecord
	}
	n := binary.NativeEndian.Uint64(b)
	if n == 0 || n > uint64(len(counts)) || uint64(len(b)-24) < 8*n {
		return Sample{}, errRecord
	}
	counts = counts[:n]
	words := b[24 : 24+8*n]
	for i := range counts {
		counts[i] = binary.NativeEndian.Uint64(words)
		words = words[8:]
	}
	return Sample{
		Enabled: binary.NativeEndian.Uint64(b[8:]),
		Running: binary.NativeEndian.Uint64(b[16:]),
		Counts:  counts,
	}, nil
}

// LostRecords returns the number of lost records that a PERF_RECORD_LOST (id, lost) or PERF_RECORD_LOST_SAMPLES (lost)
// reports; 1 for a PERF_RECORD_THROTTLE, after which the kernel takes no sample until the next tick; 0 for
// other records.
func LostRecords(h Header, body []byte) int64 {
	at := -1
	switch h.Type {
	case unix.PERF_RECORD_THROTTLE:
		return 1
	case unix.PERF_RECORD_LOST:
		at = 8
	case unix.PERF_RECORD_LOST_SAMPLES:
		at = 0
	}
	if at < 0 || len(body) < at+8 {
		return 0
	}
	return int64(min(binary.NativeEndian.Uint64(body[at:]), 1<<40))
}
