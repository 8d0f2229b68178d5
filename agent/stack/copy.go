package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
)

// Limits of one copy.
const (
	// StackBytes limits what is copied of one stack.
	StackBytes = 128 << 10
	// MaxThreads limits the threads of one process that are copied: the main thread and 16 others.
	MaxThreads = 17
	// MaxProcesses limits the processes of a node that are copied.
	MaxProcesses = 512
	// blockedFor is how long to wait for a thread in uninterruptible sleep to stop, runnableFor for one that waits
	// for a CPU.
	blockedFor  = 100 * time.Millisecond
	runnableFor = time.Second
	// maxHeld limits how long a thread is stopped: the copier kills itself, which releases the thread, if reading
	// its memory takes longer, because the owner of a process can hold its memory lock for ever.
	maxHeld = 200 * time.Millisecond
)

// CopyQuestion names the processes to copy.
type CopyQuestion struct {
	PIDs []int  `json:"pids"`
	UID  uint32 `json:"uid"` // processes of another real user are not copied
	// ForMS is how many milliseconds all copying may take.
	ForMS int64 `json:"for_ms"`
}

// CopyProblem is the reason why a thread's registers could not be read.
type CopyProblem string

// The kinds of trouble.
const (
	Gone    CopyProblem = "gone"    // it ended meanwhile
	Denied  CopyProblem = "denied"  // the system denies the caller access to it
	Foreign CopyProblem = "foreign" // it is of another user
	Traced  CopyProblem = "traced"  // another program traces it
	Frozen  CopyProblem = "frozen"  // its cgroup is frozen
	Late    CopyProblem = "late"    // no time was left
	Stuck   CopyProblem = "stuck"   // it sleeps uninterruptibly, or its memory is locked
)

// ThreadCopy is the copy of a thread's registers and stack. After the last thread of a process comes one with
// only PID and Done set.
type ThreadCopy struct {
	PID  int  `json:"pid"`
	TID  int  `json:"tid"`
	Done bool `json:"done,omitempty"`
	// Threads is the number of threads of the process.
	Threads int `json:"threads,omitempty"`
	// State is the letter of /proc/PID/stat before the thread was stopped.
	State string `json:"state,omitempty"`
	// WaitsIn is the system call in which the thread sleeps, "" if it runs.
	WaitsIn string `json:"waits_in,omitempty"`
	// Channel is the kernel function in which it sleeps, "" if it is not shown.
	Channel string `json:"channel,omitempty"`
	// Registers are numbered as DWARF does. Known has a bit for each that is set.
	Registers []uint64 `json:"registers,omitempty"`
	Known     uint64   `json:"known,omitempty"`
	// Stack has the bytes from the stack pointer upwards.
	Stack []byte `json:"stack,omitempty"`
	// HeldNS is how long the thread was stopped.
	HeldNS  int64       `json:"held_ns,omitempty"`
	Trouble CopyProblem `json:"trouble,omitempty"`
}

// ServeCopyStacks is the main function of the child that stops threads: it answers a CopyQuestion with
// ThreadCopies. It leaves out the processes after the first MaxProcesses.
func ServeCopyStacks(_ context.Context, r as.Request) error {
	var q CopyQuestion
	if _, err := as.ReadRequest(r.In, &q); err != nil {
		return err
	}
	runtime.LockOSThread() // a tracer is a thread
	c := copier{proc: "/proc", uid: q.UID, until: time.Now().Add(time.Duration(q.ForMS) * time.Millisecond),
		buffer: make([]byte, StackBytes)}
	out := json.NewEncoder(r.Out)
	for _, pid := range q.PIDs[:min(len(q.PIDs), MaxProcesses)] {
		if err := c.copyProcess(pid, func(t ThreadCopy) error { return out.Encode(t) }); err != nil {
			return err
		}
	}
	return nil
}

// copier copies threads. Only one OS thread may use it.
type copier struct {
	proc  string
	uid   uint32
	until time.Time
	// buffer receives a stack while its thread is stopped, so that nothing is allocated then.
	buffer []byte
}

// copyProcess copies at most MaxThreads threads of a process, the main thread first. It calls each with every
// copy, also those of threads with a CopyProblem, and then with one that has Done set.
func (c copier) copyProcess(pid int, each func(ThreadCopy) error) error {
	tids := threadsOf(c.proc, pid)
	why := c.refusal(pid)
	if len(tids) == 0 {
		tids, why = []int{pid}, Gone
	}
	for _, tid := range tids[:min(len(tids), MaxThreads)] {
		t := describe(c.proc, pid, tid)
		t.Threads, t.Trouble = len(tids), why
		switch {
		case why != "":
		case time.Now().After(c.until):
			t.Trouble = Late
		default:
			c.copyThread(&t)
		}
		if err := each(t); err != nil {
			return err
		}
	}
	return each(ThreadCopy{PID: pid, Done: true})
}

// refusal returns why a process must not be stopped, "" if it may.
func (c copier) refusal(pid int) CopyProblem {
	uid, tracer, ok := ownerAndTracer(c.proc, pid)
	switch {
	case !ok:
		return Gone
	case uid != c.uid:
		return Foreign
	case tracer != 0:
		return Traced
	case frozen(c.proc, pid):
		return Frozen
	}
	return ""
}

// copyThread stops a thread, fills its copy and lets it continue. If the thread does not stop, it sets the
// CopyProblem Stuck and copies only what copyAsleep can. It kills this process if the thread stays stopped for
// maxHeld.
func (c copier) copyThread(t *ThreadCopy) {
	guard := time.AfterFunc(runnableFor+blockedFor+maxHeld, killSelf)
	defer guard.Stop()
	if err := ptrace(unix.PTRACE_SEIZE, t.TID, 0, 0); err != nil {
		t.Trouble = troubleOf(err)
		return
	}
	if uid, _, ok := ownerAndTracer(c.proc, t.TID); !ok || uid != c.uid { // its number is its own from here on
		t.Trouble = Foreign
		return
	}
	if err := ptrace(unix.PTRACE_INTERRUPT, t.TID, 0, 0); err != nil {
		t.Trouble = troubleOf(err)
		return
	}
	status, since, why := c.awaitStop(t.TID)
	if why == Stuck {
		// It stays seized, and goes on, until this process ends.
		t.Trouble = Stuck
		c.copyAsleep(t)
		return
	}
	if why != "" {
		t.Trouble = why
		return
	}
	guard.Reset(maxHeld)
	registers, known, err := registersOf(t.TID)
	n := 0
	if err == nil {
		t.Registers, t.Known = registers, known
		n = c.readStack(t.PID, registers[thisMachine().sp])
	}
	// A signal that arrived first is delivered as if the thread had not been stopped.
	_ = ptrace(unix.PTRACE_DETACH, t.TID, 0, uintptr(signalOf(status)))
	t.HeldNS = int64(time.Since(since))
	t.Stack = bytes.Clone(c.buffer[:n])
	if err != nil {
		t.Trouble = troubleOf(err)
	}
}

// awaitStop waits until a seized thread has stopped; since is a time at which it had not stopped yet. why is Stuck if
// it does not stop, Gone if it ended, and else "".
func (c copier) awaitStop(tid int) (status unix.WaitStatus, since time.Time, why CopyProblem) {
	began, pause := time.Now(), 20*time.Microsecond
	since = began
	for {
		looked := time.Now()
		got, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil, got == tid && !status.Stopped():
			return status, since, Gone
		case got == tid:
			return status, since, ""
		}
		since = looked
		waited := time.Since(began)
		state := stateOf(c.proc, tid)
		if waited > blockedFor && state != "R" || waited > runnableFor {
			return status, since, Stuck
		}
		sleepInKernel(pause)
		pause = min(2*pause, 200*time.Microsecond)
	}
}

// sleepInKernel lets this OS thread sleep. It wakes up by itself, where time.Sleep needs another thread of this process
// to get a CPU first.
func sleepInKernel(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal ends it early
}

// copyAsleep copies stack pointer, program counter and stack of a thread that sleeps in the kernel and does not
// stop.
func (c copier) copyAsleep(t *ThreadCopy) {
	sp, pc, ok := whereAsleep(c.proc, t.PID, t.TID)
	if !ok {
		return
	}
	m := thisMachine()
	t.State, t.WaitsIn = "D", describe(c.proc, t.PID, t.TID).WaitsIn
	t.Registers = make([]uint64, m.registers)
	t.Registers[m.sp], t.Registers[m.pc] = sp, pc
	t.Known = 1<<m.sp | 1<<m.pc
	t.Stack = bytes.Clone(c.buffer[:c.readStack(t.PID, sp)])
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

// troubleOf returns the CopyProblem for an error of ptrace(2).
func troubleOf(err error) CopyProblem {
	if errors.Is(err, unix.ESRCH) {
		return Gone
	}
	return Denied
}

// readStack copies a stack from its pointer upwards into the buffer, as far as memory is mapped, and returns
// the number of bytes. It reads /proc/PID/mem, which a kill interrupts: process_vm_readv waits for the memory
// lock without end.
func (c copier) readStack(pid int, sp uint64) int {
	if sp == 0 || sp > 1<<62 {
		return 0
	}
	fd, err := unix.Open(filepath.Join(c.proc, strconv.Itoa(pid), "mem"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	n := 0
	for n < len(c.buffer) {
		got, err := unix.Pread(fd, c.buffer[n:], int64(sp)+int64(n))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || got <= 0 {
			break
		}
		n += got
	}
	return n
}

// ptrace makes one request of ptrace(2).
func ptrace(request, tid int, addr, data uintptr) error {
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), addr, data, 0, 0)
	if e != 0 {
		return fmt.Errorf("ptrace request %#x on thread %d: %w", request, tid, e)
	}
	return nil
}

// threadsOf lists the threads of a process, the main thread first; none if the process is gone.
func threadsOf(proc string, pid int) []int {
	entries, err := os.ReadDir(filepath.Join(proc, strconv.Itoa(pid), "task"))
	if err != nil {
		return nil
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	slices.Sort(tids)
	if i := slices.Index(tids, pid); i > 0 {
		tids = slices.Insert(slices.Delete(tids, i, i+1), 0, pid)
	}
	return tids
}
