package profile

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"
)

// slotRange is a range of slots: first included, end excluded.
type slotRange struct{ first, end int64 }

// slotExtent returns the slots of a block or overview, from the start of its payload alone; ok is false if they
// are malformed.
func slotExtent(payload []byte) (s slotRange, ok bool) {
	d := decoder{p: payload}
	d.byte()
	s.first = d.varint()
	s.end = s.first + int64(d.countUpTo(overviewSlots))
	return s, !d.bad && s.first >= 0 && s.first < maxSlot
}

// plan is the overviews that are read instead of their blocks, in order.
type plan []slotRange

// planOverviews returns the overviews within which the rate of code addresses does not change. It changes s.overviews.
func (s *survey) planOverviews(rates rates) plan {
	return slices.DeleteFunc(s.overviews, func(o slotRange) bool {
		i, _ := slices.BinarySearchFunc(rates, o.first+1, func(r rate, slot int64) int { return cmp.Compare(r.from, slot) })
		return i < len(rates) && rates[i].from < o.end
	})
}

// includes reports whether a block or overview is to be read: an overview if it is the next of the plan, which
// it then removes, and a block unless the next overview covers it. Call it in the order of the file.
func (p *plan) includes(kind byte, s slotRange) bool {
	if len(*p) == 0 {
		return kind == blockFrame
	}
	next := (*p)[0]
	if kind == blockFrame {
		return s.first < next.first || s.end > next.end
	}
	if s != next {
		return false
	}
	*p = (*p)[1:]
	return true
}

// decodeTask is a payload to decode on one of the CPUs, and its result.
type decodeTask struct {
	kind    byte
	payload []byte
	at      int64 // offset of the frame in the file
	length  int64 // of the frame
	decoder blockDecoder
	block   Block
	err     error
}

// decodePlanned yields the blocks and overviews of a plan, in order; each is valid until the next. Those that cannot be
// decoded count as lost. It decodes batches of them on all CPUs: a profile is read after its job, when the node has
// nothing else to do.
func (r *Reader) decodePlanned(p plan) iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		workers := min(runtime.GOMAXPROCS(0), maxWorkers)
		tasks := make([]decodeTask, blocksEach*workers)
		for i := range tasks {
			tasks[i].decoder.zstd = r.decoder.zstd
		}
		for n := len(tasks); n == len(tasks); {
			for n = 0; n < len(tasks) && r.nextPlanned(&tasks[n], &p); n++ {
			}
			var wait sync.WaitGroup
			for w := range workers {
				wait.Go(func() {
					for i := w; i < n; i += workers {
						t := &tasks[i]
						t.block, t.err = t.decoder.decode(t.payload, &r.header, t.kind == overviewFrame)
					}
				})
			}
			wait.Wait()
			for i := range tasks[:n] {
				t := &tasks[i]
				if t.err != nil {
					r.losses.addLost(t.at, t.length)
					r.losses.endPlace()
				} else if !yield(&t.block) {
					return
				}
			}
		}
	}
}

// maxWorkers and blocksEach (blocks for each worker) limit the memory of decodePlanned. Larger values are not
// faster, since one goroutine reads and consumes the blocks in order.
const maxWorkers, blocksEach = 8, 16

// nextPlanned puts the next block or overview that the plan includes into t, undecoded; false at the end of the file.
// It skips those that are not in the plan, and counts those with a malformed head as lost.
func (r *Reader) nextPlanned(t *decodeTask, p *plan) bool {
	for kind, payload := range r.sampleFrames() {
		if kind == binsFrame {
			r.ignoreFrame()
			continue
		}
		s, ok := slotExtent(payload)
		switch {
		case kind == overviewFrame && (!ok || s.end != r.nextSlot || !p.includes(kind, s)):
			r.ignoreFrame()
			continue
		case ok && kind == blockFrame && s.first >= r.nextSlot && !p.includes(kind, s):
			r.acceptUpTo(s.end)
			continue
		}
		head := &r.decoder.head
		if err := head.readHead(payload, &r.header, kind == overviewFrame); err != nil ||
			kind == blockFrame && head.First < r.nextSlot {
			r.rejectFrame()
			continue
		}
		r.acceptUpTo(s.end)
		r.updateQuanta(head)
		t.kind, t.payload = kind, append(t.payload[:0], payload...)
		t.at, t.length = r.window.at-r.frameBytes, r.frameBytes
		return true
	}
	return false
}
