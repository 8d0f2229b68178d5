package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// The system calls between stop and release are raw: when an ordinary one returns, this OS thread may have to wait
// until another goroutine leaves one of Go's processors.

// ptrace makes one request of ptrace(2).
func ptrace(request, tid int, addr, data uintptr) error {
	_, _, e := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), addr, data, 0, 0)
	if e != 0 {
		return fmt.Errorf("ptrace request %#x on thread %d: %w", request, tid, e)
	}
	return nil
}

// pollStop reports whether a traced thread has stopped or ended, with its status, and does not wait.
func pollStop(tid int, status *unix.WaitStatus) (bool, error) {
	var s int32
	got, _, e := unix.RawSyscall6(unix.SYS_WAIT4, uintptr(tid), uintptr(unsafe.Pointer(&s)),
		unix.WALL|unix.WNOHANG, 0, 0, 0)
	if e != 0 {
		return false, e
	}
	*status = unix.WaitStatus(s)
	return int(got) == tid, nil
}

// sleepInKernel lets this OS thread sleep. A signal ends it early.
func sleepInKernel(ns int64) {
	t := unix.NsecToTimespec(ns)
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}

// processMemory is the open file /proc/PID/mem, -1 if it cannot be opened.
type processMemory int

// openMemory opens the memory of a process.
func openMemory(proc string, pid int) processMemory {
	fd, err := rawcall.Open(filepath.Join(proc, strconv.Itoa(pid), "mem"))
	if err != nil {
		return -1
	}
	return processMemory(fd)
}

// close closes the file.
func (m processMemory) close() {
	if m >= 0 {
		_ = rawcall.Close(int(m))
	}
}

// read copies memory of the process from an address upwards into the buffer, as far as it is mapped, and returns the
// number of bytes copied. It reads /proc/PID/mem, because a kill of this process interrupts its wait for the memory
// lock of the other one. The same wait in process_vm_readv cannot be interrupted.
func (m processMemory) read(from uint64, buffer []byte) int {
	if m < 0 || from == 0 || from > 1<<62 {
		return 0
	}
	n := 0
	for n < len(buffer) {
		got, err := rawcall.Pread(int(m), buffer[n:], int(from)+n)
		if err != nil || got <= 0 {
			break
		}
		n += got
	}
	return n
}

// eventStop is PTRACE_EVENT_STOP, with which a seized thread stops when it is interrupted or in a group stop.
const eventStop = 128

// signalOf returns the signal for which a thread stopped, 0 if the interrupt or a group stop made it stop.
func signalOf(status unix.WaitStatus) unix.Signal {
	if int(status)>>16 == eventStop {
		return 0
	}
	return status.StopSignal()
}

// killSelf kills this process, which releases all stopped threads.
func killSelf() { _ = unix.Kill(os.Getpid(), unix.SIGKILL) }

// sliceNS is the time slice that the copying thread asks for if it has no real-time priority: less than the usual 1.4
// to 6 ms, so that the kernel (6.12 and later) lets it run soon after it wakes up, beside threads that compute. It
// computes for .1 ms at a time.
const sliceNS = 500_000

// preferShortSlices requests short time slices for this OS thread, and wake-ups without the usual delay of 50 us. A
// kernel that does not know these requests ignores them.
func preferShortSlices() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return
	}
	attr.Runtime = sliceNS
	_ = unix.SchedSetAttr(0, attr, 0)
}
