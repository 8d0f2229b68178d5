package address

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/peek"
)

// sampleType selects the fields of a sample, in this order. With SampleIDAll all other records end with the
// same pid, tid and time.
const sampleType = unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME

const trailerBytes = 16

var errRecord = errors.New("the kernel wrote a malformed perf record of code addresses: it is skipped, sampling " +
	"goes on")

// mode is the kind of code that ran when a sample was taken: user, kernel, or other (a guest's or unknown).
type mode uint8

const (
	userCode mode = iota
	kernelCode
	otherCode // a guest's, or unknown
)

// sample is one record of the timer: when, in which process and mode, and at which address.
type sample struct {
	time int64
	ip   uint64
	pid  int32
	mode mode
	tid  int32
}

// parseSample parses the body of a PERF_RECORD_SAMPLE.
func parseSample(h perf.Header, b []byte) (sample, error) {
	if len(b) < 24 {
		return sample{}, errRecord
	}
	s := sample{
		ip:   binary.NativeEndian.Uint64(b),
		pid:  int32(binary.NativeEndian.Uint32(b[8:])),
		tid:  int32(binary.NativeEndian.Uint32(b[12:])),
		time: int64(binary.NativeEndian.Uint64(b[16:])),
	}
	switch h.Misc & unix.PERF_RECORD_MISC_CPUMODE_MASK {
	case unix.PERF_RECORD_MISC_USER:
	case unix.PERF_RECORD_MISC_KERNEL, unix.PERF_RECORD_MISC_HYPERVISOR:
		s.mode = kernelCode
	default:
		s.mode = otherCode
	}
	return s, nil
}

// kind is the kind of a process event.
type kind uint8

const (
	mapped kind = iota // it mapped code
	forked             // it was created
	exited             // its main thread ended
	execed             // it began another program
)

// event is a record about a process, between the samples.
type event struct {
	time        int64
	kind        kind
	pid, parent int32
	area        area
	// name is the path of the file that was mapped, or the short name of a
	// process that began another program; build the file's build id in hex,
	// if the kernel gave it.
	name, build string
}

// parseEvent parses MMAP2, FORK, EXIT and COMM records. ok is false for records that change nothing here: of
// threads, renamings and data.
func parseEvent(h perf.Header, b []byte) (e event, ok bool, err error) {
	switch h.Type {
	case unix.PERF_RECORD_MMAP2:
		return parseMmap2(h, b)
	case unix.PERF_RECORD_FORK, unix.PERF_RECORD_EXIT:
		return parseTask(h, b)
	case unix.PERF_RECORD_COMM:
		if len(b) < 8+trailerBytes {
			return event{}, false, errRecord
		}
		e := event{kind: execed, pid: int32(binary.NativeEndian.Uint32(b)), time: trailerTime(b),
			name: textOf(b[8 : len(b)-trailerBytes])}
		return e, h.Misc&unix.PERF_RECORD_MISC_COMM_EXEC != 0, nil
	}
	return event{}, false, nil
}

// parseTask parses a FORK or EXIT record: pid, ppid, tid, ptid, time. ok is false for a new thread, which has
// its parent's pid, and for the end of a thread that is not the main one.
func parseTask(h perf.Header, b []byte) (event, bool, error) {
	if len(b) < 24 {
		return event{}, false, errRecord
	}
	e := event{
		pid:    int32(binary.NativeEndian.Uint32(b)),
		parent: int32(binary.NativeEndian.Uint32(b[4:])),
		time:   int64(binary.NativeEndian.Uint64(b[16:])),
	}
	thread := int32(binary.NativeEndian.Uint32(b[8:]))
	if h.Type == unix.PERF_RECORD_FORK {
		e.kind = forked
		return e, e.pid != e.parent, nil
	}
	e.kind = exited
	return e, e.pid == thread, nil
}

// parseMmap2 parses an MMAP2 record: pid, tid, addr, len, pgoff, 24 bytes of file identity, prot, flags, path.
// The identity is maj, min, ino, generation; or, with the BUILD_ID bit, a length and the build id. ok is false for a
// mapping that is not executable.
func parseMmap2(h perf.Header, b []byte) (event, bool, error) {
	const name = 64
	if len(b) < name+trailerBytes {
		return event{}, false, errRecord
	}
	e := event{kind: mapped, pid: int32(binary.NativeEndian.Uint32(b)), time: trailerTime(b)}
	start, length := binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:])
	e.area = area{start: start, end: start + length, offset: binary.NativeEndian.Uint64(b[24:])}
	if e.area.end < start || binary.NativeEndian.Uint32(b[56:])&unix.PROT_EXEC == 0 {
		return event{}, false, nil
	}
	e.name = textOf(b[name : len(b)-trailerBytes])
	if h.Misc&unix.PERF_RECORD_MISC_MMAP_BUILD_ID != 0 {
		id := b[36 : 36+min(int(b[32]), 20)]
		e.area.file, e.build = hashBuildID(id), hex.EncodeToString(id)
		return e, true, nil
	}
	if e.name == peek.VDSO {
		e.area.file = vdsoFile
		return e, true, nil
	}
	e.area.inode = inode{
		dev: unix.Mkdev(binary.NativeEndian.Uint32(b[32:]), binary.NativeEndian.Uint32(b[36:])),
		ino: binary.NativeEndian.Uint64(b[40:]),
	}
	return e, true, nil
}

// textOf returns the text before the first zero byte.
func textOf(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// recordPID returns the process in which a record that is no sample was written, from its end; 0 if it is too
// short.
func recordPID(b []byte) int32 {
	if len(b) < trailerBytes {
		return 0
	}
	return int32(binary.NativeEndian.Uint32(b[len(b)-trailerBytes:]))
}

// trailerTime returns the time at the end of a record.
func trailerTime(b []byte) int64 {
	return int64(binary.NativeEndian.Uint64(b[len(b)-8:]))
}
