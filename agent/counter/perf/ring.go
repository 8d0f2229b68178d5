package perf

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ring is the memory that the kernel writes records of one event into. The kernel moves the head, the reader
// moves the tail; the records between them are unread.
type Ring struct {
	mem        []byte
	head, tail *uint64
	data       []byte // a power of two long
	whole      []byte // buffer for a record that wraps around the end
}

// MapRing maps a ring of 2^n pages of data for an event.
func MapRing(fd, pages int) (*Ring, error) {
	size := os.Getpagesize()
	mem, err := unix.Mmap(fd, 0, (1+pages)*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map a perf ring of %d pages: %w: if locked memory is the limit, raise "+
			"kernel.perf_event_mlock_kb", pages, err)
	}
	meta := (*unix.PerfEventMmapPage)(unsafe.Pointer(&mem[0]))
	r := newRing(mem[size:], &meta.Data_head, &meta.Data_tail)
	r.mem = mem
	return r, nil
}

// newRing returns a ring on this data and these positions.
func newRing(data []byte, head, tail *uint64) *Ring {
	return &Ring{head: head, tail: tail, data: data}
}

// Pages returns how many pages hold the given number of bytes: a power of two, at least 4.
func Pages(bytes int) int {
	n := 4
	for n*os.Getpagesize() < bytes {
		n *= 2
	}
	return n
}

// Drain calls take with every complete record, in the order of writing, and then frees their room. The body is
// valid only during the call. At a malformed record it drops this and all later records and returns an error.
func (r *Ring) Drain(take func(h Header, body []byte)) error {
	head, tail := atomic.LoadUint64(r.head), atomic.LoadUint64(r.tail)
	for tail != head {
		at := int(tail & uint64(len(r.data)-1))
		// Records are multiples of 8 bytes: a header never wraps.
		h, err := parseHeader(r.data[at:])
		if err != nil || uint64(h.Size) > head-tail {
			atomic.StoreUint64(r.tail, head)
			return fmt.Errorf("read the kernel's perf records at offset %d: %w: those in the buffer are discarded, "+
				"sampling goes on", tail,
				errRecord)
		}
		take(h, r.record(at, h.Size)[headerSize:])
		tail += uint64(h.Size)
	}
	atomic.StoreUint64(r.tail, tail)
	return nil
}

// record returns the record at an offset in one piece.
func (r *Ring) record(at, size int) []byte {
	if at+size <= len(r.data) {
		return r.data[at : at+size]
	}
	if len(r.whole) < size {
		r.whole = make([]byte, size)
	}
	n := copy(r.whole, r.data[at:])
	copy(r.whole[n:size], r.data)
	return r.whole[:size]
}

// Close unmaps the ring.
func (r *Ring) Close() error {
	if r.mem == nil {
		return nil
	}
	mem := r.mem
	r.mem, r.data = nil, nil
	return unix.Munmap(mem)
}
