package profile

import (
	"encoding/binary"

	"jobgait/analysis/anatomy"
)

// GPUWindows are windows of one GPU's utilization, which its driver buffers: the end of
// each in ns of CLOCK_MONOTONIC, ascending, and the mean over it in percent. A window
// begins where the one before it ends, unless some are missing between.
type GPUWindows struct {
	GPU     int // counts the job's on the node
	EndNS   []int64
	Percent []uint8
}

// Windows of a profile have a frame for what came at once, up to maxFrameWindows of one
// GPU. A reader keeps mostWindows in all, 9 days of one GPU with windows of 200 ms.
const (
	maxFrameWindows = 4096
	mostWindows     = 4 << 20
	maxGPU          = 63
	maxWindowUS     = int64(1) << 50 // after the base: 35 years
)

// Windows writes windows. They come late, so that they are in no block.
func (w *Writer) Windows(list []GPUWindows) error {
	for _, g := range list {
		for at := 0; at < len(g.EndNS) && !w.sealed; at += maxFrameWindows {
			to := min(at+maxFrameWindows, len(g.EndNS))
			part := GPUWindows{GPU: g.GPU, EndNS: g.EndNS[at:to], Percent: g.Percent[at:to]}
			w.buf = part.append(openFrame(w.buf[:0]), w.header.BaseNS)
			if err := w.write(windowsFrame); err != nil {
				return err
			}
		}
	}
	return nil
}

// append appends the payload of a frame: GPU, number of windows, end of the first in us
// after the base (zigzag), how far each other end is behind the one before in us, and a
// byte for each window's percent. All others are varints.
func (g GPUWindows) append(dst []byte, baseNS int64) []byte {
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

// decodeWindows reads what append wrote; false for anything else. Ends are us after the base.
func decodeWindows(payload []byte) (gpu int, endUS []int64, percent []byte, ok bool) {
	d := decoder{p: payload}
	gpu = d.count(maxGPU)
	n := d.count(maxFrameWindows)
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

// keepWindows keeps those of a frame, in seconds since the run began.
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
		if r.windowCount >= mostWindows {
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
