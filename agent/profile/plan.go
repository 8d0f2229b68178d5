package profile

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"
)

// slots are those from first up to end.
type slots struct{ first, end int64 }

// extent is the slots of a payload, and nothing else of it.
func extent(payload []byte) (s slots, ok bool) {
	d := decoder{p: payload}
	d.byte()
	s.first = d.varint()
	s.end = s.first + int64(d.count(overviewSlots))
	return s, !d.bad && s.first >= 0 && s.first < maxSlot
}

// plan are the overviews that are read instead of their blocks, in order.
type plan []slots

// plan has the overviews within which the rate of code addresses does not change.
func (s *survey) plan(rates rates) plan {
	return slices.DeleteFunc(s.overviews, func(o slots) bool {
		i, _ := slices.BinarySearchFunc(rates, o.first+1, func(r rate, slot int64) int { return cmp.Compare(r.from, slot) })
		return i < len(rates) && rates[i].from < o.end
	})
}

// has reports whether the block or overview of some slots is to be read. Call it for overviews in order.
func (p *plan) has(kind byte, s slots) bool {
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

// task is a payload that is to be decoded.
type task struct {
	kind    byte
	payload []byte
	at      int64 // of the frame in the file
	length  int64 // of the frame
	decoder blockDecoder
	block   Block
	err     error
}

// planned calls yield with the blocks and overviews of a plan, in order. It takes
// some and has all CPUs decode them: a profile is read when its job is over, on a
// node that has nothing else to do.
func (r *Reader) planned(p plan) iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		workers := min(runtime.GOMAXPROCS(0), mostWorkers)
		tasks := make([]task, blocksEach*workers)
		for i := range tasks {
			tasks[i].decoder.zstd = r.decoder.zstd
		}
		for n := len(tasks); n == len(tasks); {
			for n = 0; n < len(tasks) && r.take(&tasks[n], &p); n++ {
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
					r.salvage.skip(t.at, t.length)
					r.salvage.resume()
				} else if !yield(&t.block) {
					return
				}
			}
		}
	}
}

// mostWorkers and blocksEach bound the memory of planned, and are enough: beyond
// them nothing is faster, since one goroutine reads and takes the blocks in order.
const mostWorkers, blocksEach = 8, 16

// take takes the next payload of a plan whose head makes sense; false at the end.
func (r *Reader) take(t *task, p *plan) bool {
	for kind, payload := range r.sampled() {
		if kind == binsFrame {
			r.pass()
			continue
		}
		s, ok := extent(payload)
		switch {
		case kind == overviewFrame && (!ok || s.end != r.next || !p.has(kind, s)):
			r.pass()
			continue
		case ok && kind == blockFrame && s.first >= r.next && !p.has(kind, s):
			r.accept(s.end)
			continue
		}
		head := &r.decoder.head
		if err := head.read(payload, &r.header, kind == overviewFrame); err != nil ||
			kind == blockFrame && head.First < r.next {
			r.refuse()
			continue
		}
		r.accept(s.end)
		r.coarsest(head)
		t.kind, t.payload = kind, append(t.payload[:0], payload...)
		t.at, t.length = r.window.at-r.length, r.length
		return true
	}
	return false
}
