package scope

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
)

// threads are those of a process: what one of them starts inherits its events
// only. One that waits before its exec has several if it is a Go program, and
// any of them may be the one that goes on.
func threads(proc string, pid int) []int {
	entries, err := os.ReadDir(filepath.Join(proc, strconv.Itoa(pid), "task"))
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	if err != nil || len(tids) == 0 {
		return []int{pid}
	}
	return tids
}

// threadEvent is an event that one thread of the command began with, and what
// was read of it last.
type threadEvent struct {
	fd                      int
	count, enabled, running uint64
	// still is in how many readings it stood still while that of another
	// thread moved on.
	still int
}

// After the exec all threads but one are gone, and with them 12 of 16 events of a
// Go program. One that stood still in stillAfter readings, 2 s at 25 Hz, is read
// every stillEvery-th time only, and always when the command has ended.
const (
	stillAfter = 50
	stillEvery = 16
)

// each opens an event for every thread, alone and not in a group: before Linux
// 6.13 groups that children inherit cannot be sampled, nor read before 4.13.
func (t *Task) each(open perf.Opener, a unix.PerfEventAttr) ([]threadEvent, error) {
	var events []threadEvent
	for _, tid := range t.threads {
		fd, err := open(&a, tid, -1, -1, 0)
		switch {
		case err == nil:
			events = append(events, threadEvent{fd: fd})
		case !errors.Is(err, unix.ESRCH):
			return nil, errors.Join(err, closeAll(events))
		}
	}
	if len(events) == 0 {
		return nil, unix.ESRCH
	}
	return events, nil
}

func closeAll(events []threadEvent) error {
	var all error
	for _, e := range events {
		all = errors.Join(all, unix.Close(e.fd))
	}
	return all
}

// sum adds up the threads' events of one column.
func (t *Task) sum(column int, over bool) (count, enabled, running uint64, err error) {
	moved := 0
	for i := range t.fds[column] {
		e := &t.fds[column][i]
		if over || e.still < stillAfter || t.readings%stillEvery == 0 {
			was := e.enabled
			if err := e.read(t.buf[:]); err != nil {
				return 0, 0, 0, err
			}
			if e.enabled != was {
				moved++
				e.still = -1
			}
		}
		count, enabled, running = count+e.count, enabled+e.enabled, running+e.running
	}
	if moved > 0 {
		for i := range t.fds[column] {
			t.fds[column][i].still++
		}
	}
	return count, enabled, running, nil
}

func (e *threadEvent) read(buf []byte) error {
	n, _, code := unix.RawSyscall(unix.SYS_READ, uintptr(e.fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if code != 0 {
		return code
	}
	count, enabled, running, err := parseOne(buf[:n])
	if err == nil {
		e.count, e.enabled, e.running = count, enabled, running
	}
	return err
}
