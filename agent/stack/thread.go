package stack

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/rawcall"
)

// maxProcFile limits what is read of a file in /proc, in bytes.
const maxProcFile = 1 << 16

// threadFile returns the trimmed content of a thread's file in /proc, "" if it cannot be read.
func threadFile(proc string, pid, tid int, name string) string {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "task", strconv.Itoa(tid), name), nil, maxProcFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// describe returns a thread's state and, unless it runs or is gone, the system call and the kernel function in which
// it sleeps, from /proc, without stopping it. What cannot be read is "". It may block in the file syscall, so only a
// child that can be killed calls it.
func describe(proc string, pid, tid int) ThreadCopy {
	t := ThreadCopy{PID: pid, TID: tid, State: stateOf(proc, tid)}
	if t.State == "R" || t.State == "" {
		return t
	}
	if number, _, ok := strings.Cut(threadFile(proc, pid, tid, "syscall"), " "); ok {
		t.WaitsIn = callName(number)
	}
	t.Channel = channelOf(proc, pid, tid)
	if t.WaitsIn == "restart_syscall" {
		t.WaitsIn = restartedCall(t.Channel)
	}
	return t
}

// betweenLooks is the time between the two looks at a thread in which a copier hangs.
const betweenLooks = 100 * time.Millisecond

// describeStuck returns a thread in which a copier hangs, with its state and the kernel function in which it sleeps. It
// looks twice and calls pause between: both are "" if they differ, because a short wait for a page or a file says
// nothing on why the copier hangs. It reads only stat and wchan, which take no lock that another thread may hold for
// ever: the copier may hang in the file syscall, and the caller must not.
func describeStuck(proc string, pid, tid int, pause func()) ThreadCopy {
	t := ThreadCopy{PID: pid, TID: tid, Threads: len(threadsOf(proc, pid)), State: stateOf(proc, tid),
		Channel: channelOf(proc, pid, tid), Trouble: Stuck}
	pause()
	if stateOf(proc, tid) != t.State || channelOf(proc, pid, tid) != t.Channel {
		t.State, t.Channel = "", ""
	}
	return t
}

// channelOf returns the kernel function in which a thread sleeps, "" if it runs or if that is unknown.
func channelOf(proc string, pid, tid int) string {
	if c := threadFile(proc, pid, tid, "wchan"); c != "0" {
		return c
	}
	return ""
}

// restartedCall returns the name of the system call that continues after an interruption, from the kernel
// function in which it sleeps.
func restartedCall(channel string) string {
	for part, call := range map[string]string{"nanosleep": "clock_nanosleep", "futex": "futex", "poll": "poll"} {
		if strings.Contains(channel, part) {
			return call
		}
	}
	return "restart_syscall"
}

// stateOf returns the letter of a thread's state, "" if it is gone.
func stateOf(proc string, tid int) string {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(tid), "stat"), nil, maxProcFile)
	if err != nil {
		return ""
	}
	i := bytes.LastIndexByte(b, ')') // a name may contain ')'
	if i < 0 || i+2 >= len(b) {
		return ""
	}
	return string(b[i+2 : i+3])
}

// NoUser is the owner of a process whose user ids differ: it runs a setuid program, whose memory its user may not read.
const NoUser = math.MaxUint32

// ownerAndTracer returns the user of a process, NoUser if its user ids differ, and the process that traces it, 0
// for none.
func ownerAndTracer(proc string, pid int) (uid uint32, tracer int, ok bool) {
	s, ok := readStatus(proc, pid)
	return s.uid, s.tracer, ok
}

// readStatus reads /proc/PID/status of a process or thread; ok is false if it is gone.
func readStatus(proc string, pid int) (s status, ok bool) {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "status"), nil, maxProcFile)
	if err != nil {
		return status{}, false
	}
	s = parseStatus(b)
	return s, s.ok
}

// status holds the parsed lines of /proc/PID/status: user, real group, the main thread, and the process that traces
// it.
type status struct {
	uid, gid     uint32
	main, tracer int
	ok           bool
}

// parseStatus parses the text of /proc/PID/status. uid is NoUser if the four user ids differ; ok is false without a
// valid line of user ids.
func parseStatus(b []byte) (s status) {
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) < 2 {
			continue
		}
		n, err := strconv.ParseUint(f[1], 10, 32)
		switch f[0] {
		case "Uid:": // real, effective, saved and file system id
			s.uid, s.ok = uint32(n), err == nil
			if slices.ContainsFunc(f[1:], func(id string) bool { return id != f[1] }) {
				s.uid = NoUser
			}
		case "Gid:":
			s.gid = uint32(n)
		case "Tgid:":
			s.main = int(n)
		case "TracerPid:":
			s.tracer = int(n)
		}
	}
	return s
}

// whereAsleep returns stack pointer and program counter of a thread that sleeps in the kernel.
func whereAsleep(proc string, pid, tid int) (sp, pc uint64, ok bool) {
	f := strings.Fields(threadFile(proc, pid, tid, "syscall"))
	if len(f) < 3 {
		return 0, 0, false
	}
	sp, err := strconv.ParseUint(f[len(f)-2], 0, 64)
	pc, perr := strconv.ParseUint(f[len(f)-1], 0, 64)
	return sp, pc, errors.Join(err, perr) == nil
}

// frozen reports whether a process is in a frozen cgroup of version 2 or 1.
func frozen(proc string, pid int) bool {
	dir := cgroup.DirsOfProcess(proc, pid)
	for controller, file := range map[string][2]string{
		"":        {"cgroup.events", "frozen 1"},
		"freezer": {"freezer.state", "FROZEN"},
	} {
		if d, ok := dir(controller); ok {
			b, _ := rawcall.ReadRecord(filepath.Join(d, file[0]), nil, maxProcFile)
			if bytes.Contains(b, []byte(file[1])) {
				return true
			}
		}
	}
	return false
}

var errRegisters = errors.New("the registers of the thread are not those of a 64-bit thread: its stack is not read")

// registerSet reads the general registers of a stopped thread into size bytes at to; errRegisters if the thread
// has another number of bytes, as a 32-bit one.
func registerSet(tid int, to unsafe.Pointer, size uintptr) error {
	const general = 1 // NT_PRSTATUS
	v := unix.Iovec{Base: (*byte)(to), Len: uint64(size)}
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GETREGSET, uintptr(tid), general,
		uintptr(unsafe.Pointer(&v)), 0, 0)
	if e != 0 {
		return fmt.Errorf("read the registers of thread %d: %w", tid, e)
	}
	if v.Len != uint64(size) {
		return errRegisters
	}
	return nil
}

// callName returns the name of the system call with this number if it is one of waitingCalls, else "system
// call" and the number; "" if the text is not a number.
func callName(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return ""
	}
	if name, ok := waitingCalls()[n]; ok {
		return name
	}
	return "system call " + number
}
