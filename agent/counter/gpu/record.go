package gpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"jobgait/analysis/note"
)

// record is one record of jobgait-nvml, as nvml/nvml.c writes it.
type record struct {
	kind, device uint16
	// begunNS and endedNS are the times of the reading (CLOCK_MONOTONIC), cpuNS the program's CPU time so far.
	begunNS, endedNS, cpuNS int64
	status                  [recordValues]uint8
	value                   [recordValues]uint64
	text                    [8 * recordValues]byte // the bytes of value
}

const (
	recordBytes  = 256
	recordValues = 24
)

// Kinds of records.
const (
	recHello = iota
	recDevice
	recReading
	recRefresh
	recFailed
	recName
	recWindows
	recCost
	recFlushed
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
	valPower    // mW
	valReasons  // bits of nvmlClocksEventReasons
	valGraphics // 1/10000, and the four after it
	valSM
	valOccupancy
	valTensor
	valDRAM
	valGPMBegan // CLOCK_MONOTONIC: the five before are of the time since then
	valuesRead
)

// Status of a value: the library's, or one of the helper's own.
const (
	nvOK           = 0
	nvNotSupported = 3
	nvNoPermission = 4
	nvLost         = 15
	nvDivided      = 251
	nvBegins       = 252 // no value yet: counting begins with this reading
	nvNoNumber     = 253
	nvOther        = 254
	nvNotRead      = 255
)

var errGarbled = errors.New("jobgait-nvml sent a malformed record: install the jobgait-nvml of this agent's version")

// cutRecord decodes the first record in b and returns the bytes after it; ok is false while it is incomplete.
func cutRecord(b []byte) (r record, rest []byte, ok bool, err error) {
	if len(b) < recordBytes {
		return record{}, b, false, nil
	}
	order := binary.NativeEndian
	r = record{kind: order.Uint16(b[4:]), device: order.Uint16(b[6:]),
		begunNS: int64(order.Uint64(b[8:])), endedNS: int64(order.Uint64(b[16:])), cpuNS: int64(order.Uint64(b[24:]))}
	const values = 32 + recordValues
	copy(r.status[:], b[32:])
	copy(r.text[:], b[values:])
	for i := range r.value {
		r.value[i] = order.Uint64(b[values+8*i:])
	}
	if order.Uint32(b) != recordBytes || r.kind > recFlushed || r.begunNS < 0 || r.endedNS < r.begunNS || r.cpuNS < 0 {
		return record{}, nil, false, errGarbled
	}
	return r, b[recordBytes:], true, nil
}

// textAt returns the zero-terminated text in the record's values that begins at a byte.
func (r *record) textAt(from int) string {
	b, _, _ := bytes.Cut(r.text[from:], []byte{0})
	return note.Clean(string(b), len(r.text))
}

// window is the mean utilization of the driver over a stretch of time that ends at endNS
// of CLOCK_MONOTONIC, in percent.
type window struct {
	endNS   int64
	percent uint8
}

// windows returns the valid utilization windows of a record.
func (r *record) windows() (out []window) {
	for k := range min(r.value[0], (recordValues-1)/2) {
		end, percent := int64(r.value[1+2*k]), r.value[2+2*k]
		if end > 0 && end <= r.endedNS && percent <= 100 {
			out = append(out, window{end, uint8(percent)})
		}
	}
	return out
}

// statusText returns a status in words.
func statusText(status uint8) string {
	switch status {
	case nvNotSupported:
		return "the board does not support it"
	case nvNoPermission:
		return "permission denied"
	case nvLost:
		return "the GPU is lost"
	case nvDivided:
		return "the GPU is divided into instances by MIG, and what all of it does is not the job's own"
	case nvNoNumber:
		return "the driver returned a value that is not a count"
	case nvOther:
		return "NVIDIA's library returned an error that it does not document"
	}
	return fmt.Sprintf("NVIDIA's library returned its error %d (see nvmlReturn_t)", status)
}
