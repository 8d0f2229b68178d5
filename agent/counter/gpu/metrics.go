package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// metrics are the used fields of AMD's gpu_metrics file, as far as they are present.
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

// fieldLayout is the offset and length in bytes of a field, and the factor and divisor of its unit. The zero
// value means that the field does not exist.
type fieldLayout struct{ at, bytes, times, over int }

// layout is the field layout of one version of gpu_metrics, little-endian with C alignment (kgd_pp_interface.h
// of the kernel).
type layout struct{ energy, clock, power, busy fieldLayout }

// sizeOf15 is the length of version 1.5 with 32 JPEG engines; other lengths were drafts.
const sizeOf15 = 360

// layouts returns the layout of a version; false if it is unknown. Later contents of format 1 are lists of
// fields and not supported. Power of format 2 before 2.4 is omitted, because its unit, watts or milliwatts,
// depends on the board.
func layouts(format, content uint8, size int) (layout, bool) {
	switch {
	case format == 1 && content == 0:
		return layout{energy: fieldLayout{36, 4, 1, 1}, clock: fieldLayout{54, 2, 1, 1}, power: fieldLayout{34, 2, 1000, 1},
			busy: fieldLayout{28, 2, 1, 1}}, true
	case format == 1 && content <= 3:
		return layout{energy: fieldLayout{24, 8, 1, 1}, clock: fieldLayout{54, 2, 1, 1}, power: fieldLayout{22, 2, 1000, 1},
			busy: fieldLayout{16, 2, 1, 1}}, true
	case format == 1 && content == 4:
		return layout{energy: fieldLayout{24, 8, 1, 1}, clock: fieldLayout{240, 2, 1, 1}, power: fieldLayout{10, 2, 1000, 1},
			busy: fieldLayout{12, 2, 1, 1}}, true
	case format == 1 && content == 5 && size == sizeOf15:
		return layout{energy: fieldLayout{88, 8, 1, 1}, clock: fieldLayout{312, 2, 1, 1}, power: fieldLayout{10, 2, 1000, 1},
			busy: fieldLayout{12, 2, 1, 1}}, true
	case format == 1 && content == 6:
		return layout{energy: fieldLayout{16, 8, 1, 1}, clock: fieldLayout{264, 2, 1, 1}, power: fieldLayout{10, 2, 1000, 1},
			busy: fieldLayout{12, 2, 1, 1}}, true
	case format == 1 && (content == 7 || content == 8):
		return layout{energy: fieldLayout{24, 8, 1, 1}, clock: fieldLayout{296, 2, 1, 1}, power: fieldLayout{10, 2, 1000, 1},
			busy: fieldLayout{12, 2, 1, 1}}, true
	case format == 2 && content == 0:
		return layout{clock: fieldLayout{80, 2, 1, 1}, busy: fieldLayout{40, 2, 1, 1}}, true
	case format == 2 && content <= 3:
		return layout{clock: fieldLayout{76, 2, 1, 1}, busy: fieldLayout{28, 2, 1, 1}}, true
	case format == 2 && content == 4:
		return layout{clock: fieldLayout{76, 2, 1, 1}, power: fieldLayout{40, 2, 1, 1}, busy: fieldLayout{28, 2, 1, 100}},
			true
	case format == 3 && content == 0:
		return layout{clock: fieldLayout{174, 2, 1, 1}, power: fieldLayout{112, 4, 1, 1}, busy: fieldLayout{42, 2, 1, 1}},
			true
	}
	return layout{}, false
}

// Errors of gpu_metrics.
var (
	errShort   = errors.New("the AMD driver's file gpu_metrics is shorter than its header says: this reading is discarded")
	errVersion = errors.New("the AMD driver's file gpu_metrics has an unsupported version")
)

// parseMetrics parses the content of gpu_metrics. A field is absent if all its bits are set, or if it is a utilization
// above 100 %. It returns an error for an unknown version and for content that is shorter than its header says.
func parseMetrics(b []byte) (metrics, error) {
	if len(b) < 4 {
		return metrics{}, errShort
	}
	size := int(binary.LittleEndian.Uint16(b))
	m := metrics{version: [2]uint8{b[2], b[3]}}
	l, ok := layouts(b[2], b[3], size)
	if !ok {
		return metrics{}, fmt.Errorf("%w: it has %d.%d: update jobgait", errVersion, b[2], b[3])
	}
	if size > len(b) {
		return metrics{}, errShort
	}
	b = b[:size]
	m.energy, m.hasEnergy = l.energy.read(b)
	m.clockMHz, m.hasClock = l.clock.read(b)
	m.socketMW, m.hasPower = l.power.read(b)
	if m.busyPct, m.hasBusy = l.busy.read(b); m.busyPct > 100 {
		m.busyPct, m.hasBusy = 0, false
	}
	return m, nil
}

// read returns the field's value in its unit; false if it is absent.
func (p fieldLayout) read(b []byte) (v uint64, ok bool) {
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

// microjoules returns the energy in uJ; 64 bits hold 2^44 J.
func (m metrics) microjoules() uint64 {
	whole, part := m.energy>>16, m.energy&0xffff
	return whole*1e6 + part*1e6>>16
}
