package profile

import (
	"encoding/binary"

	"jobgait/analysis/anatomy"
)

// GPUWindows are windows of one GPU's utilization, as its driver buffers them: the end of each in ns of
// CLOCK_MONOTONIC, ascending, and the mean utilization over it in percent. A window begins where the previous
// one ends, unless windows between them are missing.
type GPUWindows struct {
	GPU     int // index among the job's GPUs on the node, from 0
	EndNS   []int64
	Percent []uint8
}

// Limits of windows: a frame has at most maxFrameWindows of one GPU, and a reader keeps at most maxWindows of
// all GPUs, nine days of one GPU with windows of 200 ms.
const (
	maxFrameWindows = 4096
	maxWindows      = 4 << 20
	maxGPU          = 63
	maxWindowUS     = int64(1) << 50 // after the base: 35 years
)

// WriteWindows writes the windows of each GPU in frames of their own, at most maxFrameWindows in one, because drivers
// deliver them too late for blocks. It stops at the first error. After Seal it writes nothing and returns nil.
func (w *Writer) WriteWindows(list []GPUWindows) error {
	for _, g := range list {
		for at := 0; at < len(g.EndNS) && !w.sealed; at += maxFrameWindows {
			to := min(at+maxFrameWindows, len(g.EndNS))
			part := GPUWindows{GPU: g.GPU, EndNS: g.EndNS[at:to], Percent: g.Percent[at:to]}
			w.buf = part.appendPayload(openFrame(w.buf[:0]), w.header.BaseNS)
			if err := w.writeFrame(windowsFrame); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendPayload appends the payload of a frame: GPU, number of windows, end of the first in us after the base
// (zigzag), the distance of each other end from the one before in us, and the percent of each window in one
// byte. All others are varints.
func (g GPUWindows) appendPayload(dst []byte, baseNS int64) []byte {
	dst = binary.AppendUvarint(dst, uint64(g.GPU))
	dst = binary.AppendUvarint(dst, uint64(len(g.EndNS)))
	last := int64(0)
	for i, end := range g.EndNS {
		us := (end - baseNS) / 1000
		if i == 0 {
			dst = binary.AppendVarint(dst, us)
		} else {
			dst = binary.AppendUvarint(dst, uint64(max(0, us-last)))
		}
		last = us
	}
	return append(dst, g.Percent...)
}

// decodeWindows decodes what appendPayload wrote; false for anything else. Ends are in us after the base.
func decodeWindows(payload []byte) (gpu int, endUS []int64, percent []byte, ok bool) {
	d := decoder{p: payload}
	gpu = d.countUpTo(maxGPU)
	n := d.countUpTo(maxFrameWindows)
	if d.bad || n == 0 || n > len(d.p) {
		return 0, nil, nil, false
	}
	at := d.varint()
	for i := range n {
		if i > 0 {
			step := d.uvarint()
			if step > uint64(maxWindowUS) {
				return 0, nil, nil, false
			}
			at += int64(step)
		}
		if at > maxWindowUS || at < -maxWindowUS {
			return 0, nil, nil, false
		}
		endUS = append(endUS, at)
	}
	percent = d.bytes(n)
	for _, p := range percent {
		if p > 100 {
			return 0, nil, nil, false
		}
	}
	return gpu, endUS, percent, !d.bad && len(d.p) == 0
}

// keepWindows decodes the payload of a frame with windows of one GPU's utilization and stores them: the end of
// each in seconds since the run began, and the mean utilization over it, from 0 to 1. It drops windows that do
// not end after the previous window of the same GPU, and all beyond the first maxWindows. It returns false if
// the payload is malformed.
func (r *Reader) keepWindows(payload []byte) bool {
	gpu, ends, percent, ok := decodeWindows(payload)
	if !ok {
		return false
	}
	for len(r.windows) <= gpu {
		r.windows = append(r.windows, nil)
	}
	begin := float64(r.header.BaseNS-r.header.RunNS) / 1e9
	for i, us := range ends {
		if r.windowCount >= maxWindows {
			break
		}
		end := begin + float64(us)/1e6
		if list := r.windows[gpu]; len(list) > 0 && end <= list[len(list)-1].EndS {
			continue
		}
		r.windows[gpu] = append(r.windows[gpu], anatomy.Window{EndS: end, Mean: float64(percent[i]) / 100})
		r.windowCount++
	}
	return true
}
