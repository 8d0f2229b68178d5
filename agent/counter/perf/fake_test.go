package perf

import (
	"encoding/binary"
	"jobgait/agent/counter/kernel"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fakeKernel is a machine in memory. It opens events, counts at known rates and writes records into the rings.
// Its clock advances only when a test advances it.
type fakeKernel struct {
	t       *testing.T
	roots   kernel.Roots
	clock   int64
	events  map[int]*fakeEvent // by descriptor
	offline map[int]bool
	// refuse is called at every open; slots is the number of hardware events that the PMU takes in a group, 0 =
	// any; held counters are used by others.
	refuse      func(a *unix.PerfEventAttr, cpu int) error
	slots, held int
	pinned      bool // they never let go
	// perMS is how often an event happens in a millisecond on each CPU.
	perMS func(a *unix.PerfEventAttr, cpu int) float64
	// lockable is how many pages a ring may have, 0 = any.
	lockable int
}

type fakeEvent struct {
	attr             unix.PerfEventAttr
	cpu              int
	siblings         []int
	on, dead         bool
	enabled, running float64 // ns
	counts           []float64
	due              int64
	head             uint64
}

func newFakeKernel(t *testing.T, files map[string]string) *fakeKernel {
	k := &fakeKernel{t: t, roots: tree(t, files), clock: 1_000_000_123, events: map[int]*fakeEvent{},
		offline: map[int]bool{},
		refuse:  func(*unix.PerfEventAttr, int) error { return nil },
		perMS:   func(a *unix.PerfEventAttr, cpu int) float64 { return float64(1000 * (1 + a.Config&0xff)) }}
	return k
}

// tree writes files below proc and sys of a new directory.
func tree(t testing.TB, files map[string]string) kernel.Roots {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return kernel.Roots{Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys")}
}

func (k *fakeKernel) set(name, text string) {
	path := filepath.Join(filepath.Dir(k.roots.Sys), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

func (k *fakeKernel) calls() syscalls {
	return syscalls{open: k.open, read: k.read, ioctl: k.ioctl, mmap: k.mmap, wait: k.advanceTo, period: k.period,
		now: func() int64 { k.clock += 500; return k.clock }}
}

func (k *fakeKernel) open(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
	if k.offline[cpu] {
		return -1, unix.ENODEV
	}
	if err := k.refuse(a, cpu); err != nil {
		return -1, err
	}
	leader := k.events[group]
	if leader != nil && a.Type == unix.PERF_TYPE_HARDWARE && k.slots > 0 && k.hardware(leader) >= k.slots {
		return -1, unix.EINVAL
	}
	fd, err := unix.MemfdCreate("event", unix.MFD_CLOEXEC)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := unix.Ftruncate(fd, 4<<20); err != nil {
		k.t.Fatal(err)
	}
	k.events[fd] = &fakeEvent{attr: *a, cpu: cpu}
	if leader != nil {
		leader.siblings = append(leader.siblings, fd)
		leader.counts = append(leader.counts, 0)
	}
	return fd, nil
}

func (k *fakeKernel) mmap(fd, pages int) (*Ring, error) {
	if k.lockable > 0 && pages > k.lockable {
		return nil, unix.EPERM
	}
	return MapRing(fd, pages)
}

func (k *fakeKernel) hardware(leader *fakeEvent) int {
	n := 0
	for _, fd := range leader.siblings {
		if e := k.events[fd]; e.attr.Type == unix.PERF_TYPE_HARDWARE {
			n++
		}
	}
	return n
}

// share is for which part of the time a group runs: it takes turns with those
// who hold counters.
func (k *fakeKernel) share(leader *fakeEvent) float64 {
	n := k.hardware(leader)
	switch {
	case k.slots == 0 || n == 0 || n+k.held <= k.slots:
		return 1
	case k.pinned:
		return 0
	}
	return 0.5
}

func (k *fakeKernel) ioctl(fd int, request uint, arg int) error {
	e := k.events[fd]
	switch request {
	case unix.PERF_EVENT_IOC_ENABLE:
		e.on, e.due = true, k.clock+int64(e.attr.Sample)
	case unix.PERF_EVENT_IOC_DISABLE:
		e.on = false
	}
	return nil
}

func (k *fakeKernel) period(fd int, ns int64) error {
	k.events[fd].due = k.clock + ns
	return nil
}

func (k *fakeKernel) read(fd int, b []byte) (int, error) {
	return copy(b, k.group(k.events[fd])), nil
}

// group is what read(2) gives, and a record holds.
func (k *fakeKernel) group(e *fakeEvent) []byte {
	words := []uint64{0, uint64(e.enabled), uint64(e.running), uint64(e.running)}
	for i, fd := range e.siblings {
		if _, open := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); open == nil {
			words = append(words, uint64(e.counts[i]))
		}
	}
	words[0] = uint64(len(words) - 3)
	return record(0, words...)[headerSize:]
}

// advance advances the clock by ns, in steps of 0.1 ms.
func (k *fakeKernel) advance(ns int64) { k.advanceTo(k.clock + ns) }

func (k *fakeKernel) advanceTo(end int64) {
	for k.clock < end {
		step := min(100_000, end-k.clock)
		k.clock += step
		for fd, e := range k.events {
			if e.on && !e.dead && !k.offline[e.cpu] && e.attr.Sample != 0 {
				k.count(fd, e, float64(step))
			}
		}
	}
}

func (k *fakeKernel) count(fd int, e *fakeEvent, ns float64) {
	e.enabled += ns
	run := ns * k.share(e)
	e.running += run
	for i, s := range e.siblings {
		e.counts[i] += run / 1e6 * k.perMS(&k.events[s].attr, e.cpu)
	}
	if k.clock < e.due {
		return
	}
	body := append(binary.NativeEndian.AppendUint64(nil, uint64(k.clock)), k.group(e)...)
	k.write(fd, e, unix.PERF_RECORD_SAMPLE, body)
	for e.due <= k.clock {
		e.due += int64(e.attr.Sample)
	}
}

// write writes a record to the ring that a reader may have mapped: the file is the same memory.
func (k *fakeKernel) write(fd int, e *fakeEvent, kind uint32, body []byte) {
	b := make([]byte, headerSize, headerSize+len(body))
	binary.NativeEndian.PutUint32(b, kind)
	binary.NativeEndian.PutUint16(b[6:], uint16(headerSize+len(body)))
	b = append(b, body...)
	page := int64(os.Getpagesize())
	size := page * int64(Pages(int(ringNS/int64(e.attr.Sample))*recordSize(len(e.siblings))))
	at := int64(e.head) % size
	n := min(int64(len(b)), size-at)
	unix.Pwrite(fd, b[:n], page+at)
	unix.Pwrite(fd, b[n:], page)
	e.head += uint64(len(b))
	const dataHead = 1024 // in perf_event_mmap_page
	unix.Pwrite(fd, binary.NativeEndian.AppendUint64(nil, e.head), dataHead)
}

// unplug takes a CPU away: its events are dead from then on.
func (k *fakeKernel) unplug(cpu int) {
	k.offline[cpu] = true
	for _, e := range k.events {
		e.dead = e.dead || e.cpu == cpu
	}
}

func (k *fakeKernel) plug(cpu int) { delete(k.offline, cpu) }

func (k *fakeKernel) counters(cpus []int) *Counters {
	k.t.Helper()
	c, err := newCounters(k.calls(), k.roots, cpus, 5e6)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { c.Close() })
	return c
}

// names are the columns in one line.
func names(c *Counters) string {
	var list []string
	for _, col := range c.Columns() {
		list = append(list, col.Name)
	}
	return strings.Join(list, " ")
}

func column(t *testing.T, c *Counters, name string) int {
	t.Helper()
	i := slices.IndexFunc(c.events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("there is no column %s", name)
	}
	return i
}
