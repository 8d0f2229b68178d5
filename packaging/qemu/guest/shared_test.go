package guest

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/analysis/note"
)

// shared is what the counters said while others used the PMU too.
type shared struct {
	span
	Turns uint64  `json:"turns"`
	Share float64 `json:"share"` // of the time that it was to count, instructions did
	// Rivals is what the others counted of instructions meanwhile, scaled.
	Rivals []float64   `json:"rivals"`
	Codes  []note.Code `json:"codes"`
}

// rivals are more counters than the PMU has (six besides the cycle counter).
const rivals = 12

// measureShared counts while as many others as make the kernel give each of
// them a part of the time.
func measureShared() (any, error) {
	c, err := openCounters(perf.Open)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	others, err := openAlone(make([]uint64, rivals))
	if err != nil {
		return nil, err
	}
	defer closeAll(others)
	const n = 3 * turns
	sh := shared{Turns: n}
	sink, err := counted(c, func() error {
		before, err := readAlone(others)
		if err != nil {
			return err
		}
		spin(n)
		after, err := readAlone(others)
		for i := range after {
			sh.Rivals = append(sh.Rivals, float64(after[i].count-before[i].count)*
				float64(after[i].enabled-before[i].enabled)/float64(after[i].running-before[i].running))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := spanOf(c, sink, 0)
	if err != nil {
		return nil, err
	}
	sh.span = s
	sh.Share, err = shareOf(c, sink)
	for _, n := range c.Notes() {
		sh.Codes = append(sh.Codes, n.Code)
	}
	return sh, err
}

// reading is what a single event says.
type reading struct{ count, enabled, running uint64 }

// openAlone counts instructions of the CPU by single events, each with different bits.
func openAlone(settings []uint64) (fds []int, err error) {
	for _, bits := range settings {
		a := retired()
		a.Bits |= bits
		a.Read_format = unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING
		fd, err := perf.Open(&a, -1, 0, -1, 0)
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

func readAlone(fds []int) (all []reading, err error) {
	b := make([]byte, 24)
	for _, fd := range fds {
		if _, err := unix.Read(fd, b); err != nil {
			return nil, err
		}
		all = append(all, reading{binary.NativeEndian.Uint64(b), binary.NativeEndian.Uint64(b[8:]),
			binary.NativeEndian.Uint64(b[16:])})
	}
	return all, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

func shareOf(c *perf.Counters, sink *countertest.Sink) (float64, error) {
	i, err := columnOf(c, "instructions")
	if err != nil || sink.Enabled[i] == 0 {
		return 1, err
	}
	return float64(sink.Running[i]) / float64(sink.Enabled[i]), nil
}

// retired is INST_RETIRED by its number in the ARM architecture.
func retired() unix.PerfEventAttr {
	return unix.PerfEventAttr{Type: unix.PERF_TYPE_RAW, Size: unix.PERF_ATTR_SIZE_VER5, Config: 0x08}
}
