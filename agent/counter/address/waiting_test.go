package address

import (
	"testing"

	"jobgait/agent/peek"
)

// A thread waits if half of its samples are in a library that does, by maps as by
// records; what it has in the kernel and elsewhere beside is its way to wait. Nobody is
// counted unasked, and each once.
func TestThreadsThatWait(t *testing.T) {
	tb := newTable(peek.Direct{Proc: t.TempDir()}, nil)
	s := Sampler{table: tb}
	const mpi, own = 0x10000, 0x20000
	tb.apply(event{kind: execed, pid: 10, name: "app"})
	for start, name := range map[uint64]string{mpi: "/usr/lib/libopen-pal.so.40.30.2", own: "/home/u/app"} {
		tb.apply(event{kind: mapped, pid: 10, name: name,
			area: area{start: start, end: start + 0x1000, inode: inode{1, start}}})
	}
	hit := func(thread int32, ip uint64, m mode, n int) {
		for range n {
			if _, ok := tb.hit(sample{pid: 10, tid: thread, ip: ip, mode: m, time: 1}); !ok {
				t.Fatal("not the job's")
			}
		}
	}
	hit(10, mpi, userCode, 5)
	s.WatchWaiting(true)
	hit(10, mpi, userCode, 60)
	hit(10, 0, kernelCode, 40)
	hit(11, own, userCode, 7)
	hit(11, mpi, userCode, 3)
	hit(12, 0, kernelCode, 2)
	s.WatchWaiting(true) // no new beginning
	if waits, others := s.Waited(); waits != 100 || others != 12 {
		t.Errorf("%d wait, %d do not", waits, others)
	}
	if waits, others := s.Waited(); waits+others != 0 {
		t.Errorf("%d and %d counted twice", waits, others)
	}
	for thread := range int32(mostThreads + 100) {
		hit(thread+1, mpi, userCode, 1)
	}
	if n := len(tb.waiting); n > mostThreads+1 {
		t.Errorf("%d threads", n)
	}
	s.WatchWaiting(false)
	hit(10, mpi, userCode, 5)
	if waits, others := s.Waited(); waits+others != 0 {
		t.Errorf("%d and %d counted unasked", waits, others)
	}
	if n := len(tb.spins); n != 1 {
		t.Errorf("%d pages of waiting, want that of %x", n, mpi)
	}
	for page := range tb.spins {
		if !s.Waits(page) || s.Waits(page+1) {
			t.Errorf("page %x of those that wait is not one, or another is", page)
		}
	}
}
