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

var errRecord = errors.New("malformed perf record")

// parseHeader reads a header. A size that is no multiple of 8 or shorter than
// the header means that the reader is not at a record at all.
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

// parseSample reads the body of PERF_RECORD_SAMPLE with TIME and READ of a
// group: time, n, enabled, running, n counts.
func parseSample(body []byte, counts []uint64) (Sample, error) {
	if len(body) < 8 {
		return Sample{}, errRecord
	}
	s, err := parseGroup(body[8:], counts)
	s.TimeNS = int64(binary.NativeEndian.Uint64(body))
	return s, err
}

// parseGroup reads what read(2) of a group leader gives. There are as many counts
// as there were events at that moment, never more than there is room for.
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

// Lost returns how many records the kernel had no room for, as PERF_RECORD_LOST
// (id, lost) and PERF_RECORD_LOST_SAMPLES (lost) say, and 1 for
// PERF_RECORD_THROTTLE: it took none until the next tick. 0 for other records.
func Lost(h Header, body []byte) int64 {
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
