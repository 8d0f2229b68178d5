package address

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/peek"
	"jobgait/analysis/note"
)

// memory returns a descriptor on which rings can be mapped.
func memory(t *testing.T) int {
	t.Helper()
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	must(t, err)
	must(t, unix.Ftruncate(fd, 1<<22))
	return fd
}

// The request is reduced for an older kernel and for one that allows only user code. The records that a timer
// requests do not depend on that.
func TestEventAttributes(t *testing.T) {
	const records = unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask
	const always = unix.PerfBitDisabled | unix.PerfBitExcludeIdle | unix.PerfBitSampleIDAll | unix.PerfBitUseClockID
	for name, c := range map[string]struct {
		refused uint64 // a kernel that rejects this bit
		needed  uint64 // one that wants this
		root    int
		bits    uint64
		notes   int
	}{
		"all":           {bits: buildID},
		"no build ids":  {refused: buildID},
		"user only":     {needed: unix.PerfBitExcludeKernel, bits: buildID | unix.PerfBitExcludeKernel, notes: 1},
		"a command":     {root: 7, bits: buildID | unix.PerfBitInherit},
		"old, no right": {refused: buildID, needed: unix.PerfBitExcludeKernel, bits: unix.PerfBitExcludeKernel, notes: 1},
	} {
		var last, tracker unix.PerfEventAttr
		opened := 0
		s, err := New(func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
			want := -1
			if c.root != 0 {
				want = c.root
			}
			if pid != want || group != -1 {
				t.Errorf("%s: process %d, group %d", name, pid, group)
			}
			if a.Bits&c.refused != 0 {
				return -1, unix.EINVAL
			}
			if a.Bits&c.needed != c.needed {
				return -1, unix.EACCES
			}
			if opened++; a.Config == unix.PERF_COUNT_SW_DUMMY {
				tracker = *a
			} else {
				last = *a
			}
			return memory(t), nil
		}, SamplingParams{Peek: peek.Direct{Proc: t.TempDir()}, CPUs: []int{0, 1}, Rate: ChooseRate(1000, 2, 5e6),
			StepNS: 5e6, Root: c.root})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		recorder, wanted := tracker, 4 // a timer and a tracking event to try, and two timers
		if c.root != 0 {
			recorder, wanted = last, 3
		} else if last.Bits&(records|buildID) != 0 || tracker.Sample != 0 {
			t.Errorf("%s: a timer with bits %#x, tracking with a period of %d", name, last.Bits, tracker.Sample)
		} else if c.refused != 0 {
			wanted++ // a second timer, after tracking was refused
		}
		if extra := uint64(buildID | unix.PerfBitExcludeKernel | unix.PerfBitInherit); recorder.Bits&extra != c.bits ||
			recorder.Bits&(always|records) != always|records || last.Bits&always != always ||
			(recorder.Bits^last.Bits)&unix.PerfBitExcludeKernel != 0 {
			t.Errorf("%s: bits %#x, of the timer %#x", name, recorder.Bits, last.Bits)
		}
		if last.Sample_type != sampleType || last.Sample != 1e6 || last.Wakeup != 0 || opened != wanted {
			t.Errorf("%s: %+v, opened %d times", name, last, opened)
		}
		if n := s.Notes(); len(n) != c.notes || len(n) > 0 && n[0].Code != note.UserOnly {
			t.Errorf("%s: notes %v", name, n)
		}
		must(t, s.Close())
	}
	_, err := New(func(*unix.PerfEventAttr, int, int, int, int) (int, error) { return -1, unix.EACCES },
		SamplingParams{CPUs: []int{0}, Rate: ChooseRate(1000, 1, 5e6), StepNS: 5e6})
	if !perf.IsForbidden(err) {
		t.Errorf("forbidden: %v", err)
	}
}

// When records of processes may be lost, remembered processes become uncertain; when only samples are lost, they
// do not.
func TestLostRecordsMakeUsForget(t *testing.T) {
	for name, c := range map[string]struct {
		kind   uint32
		body   []byte
		gone   int64
		forget bool
	}{
		"records":     {unix.PERF_RECORD_LOST, body(uint64(1), uint64(5), uint64(3), uint64(0)), 5, true},
		"samples":     {unix.PERF_RECORD_LOST_SAMPLES, body(uint64(5), uint64(0), uint64(0)), 5, false},
		"bad mapping": {unix.PERF_RECORD_MMAP2, body(uint64(5)), 1, true},
		"bad sample":  {unix.PERF_RECORD_SAMPLE, body(uint64(5)), 1, false},
	} {
		fd := memory(t)
		ring, err := perf.MapRing(fd, 4)
		must(t, err)
		record := binary.NativeEndian.AppendUint32(nil, c.kind)
		record = binary.NativeEndian.AppendUint16(record, 0)
		record = append(binary.NativeEndian.AppendUint16(record, uint16(8+len(c.body))), c.body...)
		_, err = unix.Pwrite(fd, record, int64(os.Getpagesize()))
		must(t, err)
		const dataHead = 1024 // in perf_event_mmap_page
		_, err = unix.Pwrite(fd, binary.NativeEndian.AppendUint64(nil, uint64(len(record))), dataHead)
		must(t, err)
		s := &Sampler{table: newTable(peek.Direct{Proc: t.TempDir()}, only(3)), nextOnlineNS: 1 << 62,
			p: SamplingParams{Members: only(3)}, storm: newStorm(defaultStorm()), on: true,
			cpus: []*cpu{{fd: fd, tracker: -1, ring: ring}}}
		s.table.add(3, processEntry{member: true})
		var sink countertest.Sink
		for range 2 {
			must(t, s.Drain(&sink))
		}
		if n := sink.DrainedRecords + s.TakeSideRecords(); sink.Gone != c.gone || n != 1 || s.TakeSideRecords() != 0 ||
			(len(s.table.procs) == 0) != c.forget {
			t.Errorf("%s: %d lost of %d, %d processes remembered", name, sink.Gone, n, len(s.table.procs))
		}
		if name == "records" && s.storm.pauses > 0 { // of process 3
			t.Error("the job's own lost records count as a neighbor's storm")
		}
		must(t, s.Close())
	}
}

// The number of remembered files is bounded, however many a process has.
func TestFilesAreBounded(t *testing.T) {
	x := newIdentifier(peek.Direct{Proc: t.TempDir()})
	for i := range uint64(maxFiles + 10) {
		x.file(1, area{inode: inode{1, i + 1}}, 1)
	}
	if len(x.known) != maxFiles {
		t.Errorf("%d files are remembered", len(x.known))
	}
}
