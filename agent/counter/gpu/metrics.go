package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// metrics is what AMD's driver says in gpu_metrics, as far as it says it.
type metrics struct {
	version   [2]uint8 // format and content
	energy    uint64   // in 2^-16 J, counts on
	hasEnergy bool
	clockMHz  uint64 // of the shaders, now
	hasClock  bool
	socketMW  uint64 // power of the board, mW
	hasPower  bool
	busyPct   uint64 // of the shaders
	hasBusy   bool
}

// place is where a field lies: its offset and its length in bytes, and with what it is
// to be multiplied, or divided. The zero value is: not there.
type place struct{ at, bytes, times, over int }

// layout is one version of gpu_metrics, little-endian, with the alignment of C: the
// kernel's kgd_pp_interface.h.
type layout struct{ energy, clock, power, busy place }

// sizeOf15 is the length of 1.5 with 32 engines for JPEG; others were drafts.
const sizeOf15 = 360

// layouts are those versions whose fields have a fixed place; a later content of format
// 1 is a list of fields and not read. Power of format 2 before 2.4 is in watts or in
// milliwatts, as the board likes, and not read either.
func layouts(format, content uint8, size int) (layout, bool) {
	switch {
	case format == 1 && content == 0:
		return layout{energy: place{36, 4, 1, 1}, clock: place{54, 2, 1, 1}, power: place{34, 2, 1000, 1},
			busy: place{28, 2, 1, 1}}, true
	case format == 1 && content <= 3:
		return layout{energy: place{24, 8, 1, 1}, clock: place{54, 2, 1, 1}, power: place{22, 2, 1000, 1},
			busy: place{16, 2, 1, 1}}, true
	case format == 1 && content == 4:
		return layout{energy: place{24, 8, 1, 1}, clock: place{240, 2, 1, 1}, power: place{10, 2, 1000, 1},
			busy: place{12, 2, 1, 1}}, true
	case format == 1 && content == 5 && size == sizeOf15:
		return layout{energy: place{88, 8, 1, 1}, clock: place{312, 2, 1, 1}, power: place{10, 2, 1000, 1},
			busy: place{12, 2, 1, 1}}, true
	case format == 1 && content == 6:
		return layout{energy: place{16, 8, 1, 1}, clock: place{264, 2, 1, 1}, power: place{10, 2, 1000, 1},
			busy: place{12, 2, 1, 1}}, true
	case format == 1 && (content == 7 || content == 8):
		return layout{energy: place{24, 8, 1, 1}, clock: place{296, 2, 1, 1}, power: place{10, 2, 1000, 1},
			busy: place{12, 2, 1, 1}}, true
	case format == 2 && content == 0:
		return layout{clock: place{80, 2, 1, 1}, busy: place{40, 2, 1, 1}}, true
	case format == 2 && content <= 3:
		return layout{clock: place{76, 2, 1, 1}, busy: place{28, 2, 1, 1}}, true
	case format == 2 && content == 4:
		return layout{clock: place{76, 2, 1, 1}, power: place{40, 2, 1, 1}, busy: place{28, 2, 1, 100}}, true
	case format == 3 && content == 0:
		return layout{clock: place{174, 2, 1, 1}, power: place{112, 4, 1, 1}, busy: place{42, 2, 1, 1}}, true
	}
	return layout{}, false
}

// Errors of gpu_metrics.
var (
	errShort   = errors.New("gpu_metrics is shorter than its header says")
	errVersion = errors.New("unknown version of gpu_metrics")
)

// parseMetrics reads the file. All bits set mean that a field is not there.
func parseMetrics(b []byte) (metrics, error) {
	if len(b) < 4 {
		return metrics{}, errShort
	}
	size := int(binary.LittleEndian.Uint16(b))
	m := metrics{version: [2]uint8{b[2], b[3]}}
	l, ok := layouts(b[2], b[3], size)
	if !ok {
		return metrics{}, fmt.Errorf("%w: %d.%d", errVersion, b[2], b[3])
	}
	if size > len(b) {
		return metrics{}, errShort
	}
	b = b[:size]
	m.energy, m.hasEnergy = l.energy.of(b)
	m.clockMHz, m.hasClock = l.clock.of(b)
	m.socketMW, m.hasPower = l.power.of(b)
	if m.busyPct, m.hasBusy = l.busy.of(b); m.busyPct > 100 {
		m.busyPct, m.hasBusy = 0, false
	}
	return m, nil
}

// of reads a field.
func (p place) of(b []byte) (v uint64, ok bool) {
	if p.bytes == 0 || p.at+p.bytes > len(b) {
		return 0, false
	}
	b = b[p.at:]
	none := ^uint64(0)
	switch p.bytes {
	case 2:
		v, none = uint64(binary.LittleEndian.Uint16(b)), 0xffff
	case 4:
		v, none = uint64(binary.LittleEndian.Uint32(b)), 0xffffffff
	default:
		v = binary.LittleEndian.Uint64(b)
	}
	if v == none {
		return 0, false
	}
	return v * uint64(p.times) / uint64(p.over), true
}

// microjoules is energy of gpu_metrics in uJ; 64 bits hold 2^44 J.
func (m metrics) microjoules() uint64 {
	whole, part := m.energy>>16, m.energy&0xffff
	return whole*1e6 + part*1e6>>16
}
