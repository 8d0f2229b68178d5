package gpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"jobgait/analysis/note"
)

// record is one of jobgait-nvml's, as nvml/nvml.c writes it.
type record struct {
	kind, device uint16
	// begunNS and endedNS are CLOCK_MONOTONIC, cpuNS what the program has used.
	begunNS, endedNS, cpuNS int64
	status                  [16]uint8
	value                   [10]uint64
	text                    [80]byte // the bytes of value
}

const recordBytes = 128

// Kinds of records.
const (
	recHello = iota
	recDevice
	recReading
	recRefresh
	recFailed
	recName
)

// Values of a reading.
const (
	valEnergy = iota // mJ
	valKernel        // percent
	valUsed          // bytes
	valTotal
	valPowerCap // ns, and the three after it
	valSWThermal
	valHWThermal
	valPowerBrake
	valPCIeTX // bytes
	valPCIeRX
)

// What the library says of a value. Not asked is ours.
const (
	nvOK           = 0
	nvNotSupported = 3
	nvNoPermission = 4
	nvLost         = 15
	nvNotAsked     = 255
)

var errGarbled = errors.New("jobgait-nvml said what it does not say")

// cutRecord takes the first record off b; ok is false while it is not whole.
func cutRecord(b []byte) (r record, rest []byte, ok bool, err error) {
	if len(b) < recordBytes {
		return record{}, b, false, nil
	}
	order := binary.NativeEndian
	r = record{kind: order.Uint16(b[4:]), device: order.Uint16(b[6:]),
		begunNS: int64(order.Uint64(b[8:])), endedNS: int64(order.Uint64(b[16:])), cpuNS: int64(order.Uint64(b[24:]))}
	copy(r.status[:], b[32:])
	copy(r.text[:], b[48:])
	for i := range r.value {
		r.value[i] = order.Uint64(b[48+8*i:])
	}
	if order.Uint32(b) != recordBytes || r.kind > recName || r.begunNS < 0 || r.endedNS < r.begunNS || r.cpuNS < 0 {
		return record{}, nil, false, errGarbled
	}
	return r, b[recordBytes:], true, nil
}

// words are a text of the record from a byte on.
func (r *record) words(from int) string {
	b, _, _ := bytes.Cut(r.text[from:], []byte{0})
	return note.Clean(string(b), len(r.text))
}

// said is a status in words.
func said(status uint8) string {
	switch status {
	case nvNotSupported:
		return "the board does not support it"
	case nvNoPermission:
		return "it may not be read"
	case nvLost:
		return "the GPU is lost"
	}
	return fmt.Sprintf("the library's error %d", status)
}
