package address

import (
	"testing"

	"jobgait/agent/peek"
)

// A thread waits if a fiftieth of its samples outside the kernel are in libraries that wait and none are in code that
// works, by maps as by records. Each sample is returned once.
func TestThreadsThatWait(t *testing.T) {
	tb := newTable(peek.Direct{Proc: t.TempDir()}, nil)
	s := Sampler{table: tb}
	const mpi, own, openmp, libc = 0x10000, 0x20000, 0x30000, 0x40000
	tb.apply(event{kind: execed, pid: 10, name: "app"})
	for start, name := range map[uint64]string{mpi: "/usr/lib/libopen-pal.so.40.30.2", own: "/home/u/app",
		openmp: "/usr/lib/libgomp.so.1", libc: "/usr/lib/libc.so.6"} {
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
	if !s.UsesMPI() {
		t.Error("a mapping of libopen-pal is not MPI")
	}
	hit(10, mpi, userCode, 60)
	hit(10, 0, kernelCode, 40)
	hit(11, own, userCode, 7) // two thirds of its time in MPI
	hit(11, mpi, userCode, 14)
	hit(12, 0, kernelCode, 2)
	hit(13, mpi, userCode, 5) // it yields its CPU in a loop
	hit(13, libc, userCode, 5)
	hit(13, 0, kernelCode, 30)
	hit(15, libc, userCode, 30) // it copies
	hit(15, 0, kernelCode, 3)
	hit(14, openmp, userCode, 9)
	want := WaitingTasks{InMPI: 140, InOpenMP: 9, Others: 56, Working: 7}
	if got := s.TakeWaitSamples(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := s.TakeWaitSamples(); got != (WaitingTasks{}) {
		t.Errorf("%+v counted twice", got)
	}
	// From here on threads 10 and 13 have only kernel samples, as happens by chance; 13 keeps having only these.
	hit(10, 0, kernelCode, 20)
	hit(13, 0, kernelCode, 20)
	if got := s.TakeWaitSamples(); got != (WaitingTasks{InMPI: 40}) {
		t.Errorf("%+v, although threads waited before", got)
	}
	for range 12 {
		hit(13, 0, kernelCode, 20)
		s.TakeWaitSamples()
	}
	hit(13, 0, kernelCode, 20)
	if got := s.TakeWaitSamples(); got != (WaitingTasks{Others: 20}) {
		t.Errorf("%+v, although the thread has been in the kernel alone for long", got)
	}
	for thread := range int32(maxThreads + 100) {
		hit(thread+1, mpi, userCode, 1)
	}
	if n := len(tb.waiting); n > maxThreads+1 {
		t.Errorf("%d threads", n)
	}
	if n := len(tb.waitingPages); n != 2 {
		t.Errorf("%d pages of waiting, want two", n)
	}
	for page := range tb.waitingPages {
		if !s.IsWaitingPage(page) || s.IsWaitingPage(page+1) {
			t.Errorf("page %x waits: %v, the next one: %v", page, s.IsWaitingPage(page), s.IsWaitingPage(page+1))
		}
	}
}
