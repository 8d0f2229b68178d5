package profile

import (
	"iter"
	"runtime"
)

// mostWorkers is how many blocks are decoded at once: more leave no work to
// share, since one goroutine reads, checks and takes the blocks in order.
const mostWorkers = 8

// task is a block on its way through a worker.
type task struct {
	payload []byte
	kind    byte
	arena   arena
	block   Block
	err     error
	at      int64 // of the frame in the file
	done    chan struct{}
}

// eachParallel calls yield with every block of the rest, in order, while other
// CPUs decode the ones that follow. Of blocks that have an overview it gives
// that instead, if it is wanted. A profile is read when its job is over,
// on a node that has nothing else to do. Memory is that of two blocks per worker.
func (r *Reader) eachParallel(wanted []slots) iter.Seq[*Block] {
	workers := min(runtime.GOMAXPROCS(0), mostWorkers)
	return func(yield func(*Block) bool) {
		todo := make(chan *task, 2*workers) // holds all there are: sending never waits
		defer close(todo)
		h := r.Header()
		for range workers {
			go decodeTasks(todo, &h)
		}
		r.inOrder(todo, &wanted, yield)
	}
}

func decodeTasks(todo <-chan *task, h *Header) {
	for t := range todo {
		t.block, t.err = decodePayload(t.payload, h, &t.arena, t.kind == overviewFrame)
		t.done <- struct{}{}
	}
}

// inOrder hands blocks out to be decoded and gives them to yield as they come in
// the file.
func (r *Reader) inOrder(todo chan<- *task, wanted *[]slots, yield func(*Block) bool) {
	ring := make([]*task, cap(todo))
	for i := range ring {
		ring[i] = &task{done: make(chan struct{}, 1)}
	}
	begun, taken := 0, 0
	for more := true; more || taken < begun; {
		if more && begun-taken < len(ring) {
			if more = r.begin(ring[begun%len(ring)], wanted); more {
				todo <- ring[begun%len(ring)]
				begun++
			}
			continue
		}
		t := ring[taken%len(ring)]
		taken++
		<-t.done
		if t.err != nil {
			r.salvage.skip(t.at, int64(len(t.payload)+frameSize))
			r.salvage.resume()
		} else if !yield(&t.block) {
			return
		}
	}
}

// begin takes the next block whose head makes sense, but does not decode it, or
// the next overview that is wanted.
func (r *Reader) begin(t *task, wanted *[]slots) bool {
	err := r.eachFrame(func(kind byte, payload []byte) (next int64, v verdict) {
		b := &r.arena.head
		if b.overview = kind == overviewFrame; b.overview {
			if !wantedNext(wanted, payload) {
				return 0, passed
			}
		} else if next, ok := summedUp(*wanted, payload); ok && next > r.next {
			return next, passed
		} else if err := b.read(payload, &r.header); err != nil || b.First < r.next {
			return 0, refused
		} else {
			r.coarsest(b)
			next = b.First + int64(b.N)
		}
		t.payload, t.kind = append(t.payload[:0], payload...), kind
		t.at = r.window.at - int64(len(payload)+frameSize)
		return next, taken
	})
	return err == nil
}

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

// summedUp is whether a block is one of those that the next wanted overview is
// of, and which slot follows it.
func summedUp(wanted []slots, payload []byte) (next int64, ok bool) {
	if len(wanted) == 0 {
		return 0, false
	}
	s, ok := extent(payload)
	return s.end, ok && s.first >= wanted[0].first && s.end <= wanted[0].end
}

// wantedNext is whether an overview is the next one that is wanted, and takes it
// off the list.
func wantedNext(wanted *[]slots, payload []byte) bool {
	s, ok := extent(payload)
	if !ok || len(*wanted) == 0 || s != (*wanted)[0] {
		return false
	}
	*wanted = (*wanted)[1:]
	return true
}
