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
	arena   arena
	block   Block
	err     error
	at      int64 // of the frame in the file
	done    chan struct{}
}

// eachParallel calls yield with every block of the rest, in order, while other
// CPUs decode the ones that follow. A profile is read when its job is over, on a
// node that has nothing else to do. Memory is that of two blocks per worker.
func (r *Reader) eachParallel() iter.Seq[*Block] {
	workers := min(runtime.GOMAXPROCS(0), mostWorkers)
	if workers < 2 {
		return r.each()
	}
	return func(yield func(*Block) bool) {
		todo := make(chan *task, 2*workers) // holds all there are: sending never waits
		defer close(todo)
		h := r.Header()
		for range workers {
			go decodeTasks(todo, &h)
		}
		r.inOrder(todo, yield)
	}
}

func decodeTasks(todo <-chan *task, h *Header) {
	for t := range todo {
		t.block, t.err = decodeBlock(t.payload, h, &t.arena)
		t.done <- struct{}{}
	}
}

// inOrder hands blocks out to be decoded and gives them to yield as they come in
// the file.
func (r *Reader) inOrder(todo chan<- *task, yield func(*Block) bool) {
	ring := make([]*task, cap(todo))
	for i := range ring {
		ring[i] = &task{done: make(chan struct{}, 1)}
	}
	begun, taken := 0, 0
	for more := true; more || taken < begun; {
		if more && begun-taken < len(ring) {
			if more = r.begin(ring[begun%len(ring)]); more {
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

// begin takes the next block whose head makes sense, but does not decode it.
func (r *Reader) begin(t *task) bool {
	err := r.eachFrame(func(payload []byte) (slots int64, ok bool) {
		b := &r.arena.head
		if err := b.read(payload, &r.header); err != nil || b.First < r.next {
			return 0, false
		}
		r.coarsest(b)
		t.payload = append(t.payload[:0], payload...)
		t.at = r.window.at - int64(len(payload)+frameSize)
		return b.First + int64(b.N), true
	})
	return err == nil
}
