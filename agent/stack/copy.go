package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/rawcall"
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
	// maxUnpolled limits how long a thread that stops late stays stopped: the copier kills itself if it does not poll
	// the threads that did not stop in time for so long, because the reader of its answers makes it wait.
	maxUnpolled = 2 * time.Second
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
	Skipped CopyProblem = "skipped" // it was not tried, for the reason that a note or an error gives
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
	// Stack has the bytes from the address StackAt upwards: from the red zone below the stack pointer or, if that cannot
	// be read, from the stack pointer.
	Stack   []byte `json:"stack,omitempty"`
	StackAt uint64 `json:"stack_at,omitempty"`
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
	runtime.GOMAXPROCS(2)  // one for this thread, which never leaves it while it waits, and one for the guard
	preferShortSlices()
	debug.SetGCPercent(-1) // collected between two stops only
	c := copier{proc: "/proc", uid: q.UID, until: time.Now().Add(time.Duration(q.ForMS) * time.Millisecond),
		buffer: make([]byte, StackBytes), kill: killSelf}
	out := json.NewEncoder(r.Out)
	answer := func(t ThreadCopy) error {
		if err := out.Encode(t); err != nil {
			return err
		}
		c.collectGarbage(len(t.Stack))
		return nil
	}
	for _, pid := range q.PIDs[:min(len(q.PIDs), MaxProcesses)] {
		if err := c.copyProcess(pid, answer); err != nil {
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
	// buffer receives a stack while its thread is stopped.
	buffer []byte
	// stuck are seized threads that did not stop in time. unpolled calls kill maxUnpolled after the last poll
	// of them; it is nil without any.
	stuck    []int
	unpolled *time.Timer
	// kill ends this process: killSelf, except in tests.
	kill func()
	// garbage is the number of bytes of stacks that were copied since the last garbage collection.
	garbage int
}

// maxGarbage is the number of bytes of copied stacks after which garbage is collected. A copy and its encoding take
// some four times as much memory.
const maxGarbage = 16 << 20

// collectGarbage collects garbage, while no thread is stopped, if maxGarbage bytes were copied since it last did.
// copied is the size of the last stack.
func (c *copier) collectGarbage(copied int) {
	if c.garbage += copied; c.garbage > maxGarbage {
		runtime.GC()
		c.garbage = 0
	}
}

// copyProcess copies at most MaxThreads threads of a process, the main thread first. It calls handle with every
// copy, also those of threads with a CopyProblem, and then with one that has Done set.
func (c *copier) copyProcess(pid int, handle func(ThreadCopy) error) error {
	tids := threadsOf(c.proc, pid)
	why := c.refusal(pid)
	if len(tids) == 0 {
		tids, why = []int{pid}, Gone
	}
	for _, tid := range tids[:min(len(tids), MaxThreads)] {
		c.releaseLate()
		t := describe(c.proc, pid, tid)
		t.Threads, t.Trouble = len(tids), why
		switch {
		case why != "":
		case time.Now().After(c.until):
			t.Trouble = Late
		default:
			c.copyThread(&t)
		}
		c.releaseLate() // the reader of the answers may keep this process waiting
		if err := handle(t); err != nil {
			return err
		}
	}
	return handle(ThreadCopy{PID: pid, Done: true})
}

// refusal returns why a process must not be stopped, "" if it may.
func (c *copier) refusal(pid int) CopyProblem {
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
func (c *copier) copyThread(t *ThreadCopy) {
	guard := time.AfterFunc(runnableFor+blockedFor+maxHeld, c.kill)
	defer guard.Stop()
	if err := ptrace(unix.PTRACE_SEIZE, t.TID, 0, 0); err != nil {
		t.Trouble = troubleOf(err)
		return
	}
	// From here on no other thread can get its number.
	if s, ok := readStatus(c.proc, t.TID); !ok || s.uid != c.uid || s.main != t.PID {
		t.Trouble = Foreign
		c.letGo(t.TID)
		return
	}
	memory := openMemory(c.proc, t.PID)
	defer memory.close()
	if err := ptrace(unix.PTRACE_INTERRUPT, t.TID, 0, 0); err != nil {
		t.Trouble = troubleOf(err)
		c.stuck = append(c.stuck, t.TID)
		return
	}
	status, since, why := c.awaitStop(t.TID)
	if why == Stuck {
		t.Trouble = Stuck
		c.stuck = append(c.stuck, t.TID)
		c.copyAsleep(t, memory)
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
		t.StackAt, n = c.readStack(memory, registers[thisMachine().sp])
	}
	// A signal that arrived first is delivered as if the thread had not been stopped.
	_ = ptrace(unix.PTRACE_DETACH, t.TID, 0, uintptr(signalOf(status)))
	t.HeldNS = rawcall.Now() - since
	t.Stack = bytes.Clone(c.buffer[:n])
	if err != nil {
		t.Trouble = troubleOf(err)
	}
}

// letGo lets a seized thread continue that is not copied: seized threads stop at every signal, and the kernel lets go
// only those that have stopped.
func (c *copier) letGo(tid int) {
	if ptrace(unix.PTRACE_INTERRUPT, tid, 0, 0) == nil {
		if status, _, why := c.awaitStop(tid); why == "" {
			_ = ptrace(unix.PTRACE_DETACH, tid, 0, uintptr(signalOf(status)))
			return
		}
	}
	c.stuck = append(c.stuck, tid)
}

// readStack reads a stack into the buffer, and returns the address of its first byte and its size.
func (c *copier) readStack(memory processMemory, sp uint64) (at uint64, n int) {
	at = sp - thisMachine().redZone
	if n = memory.read(at, c.buffer); n == 0 {
		at, n = sp, memory.read(sp, c.buffer)
	}
	return at, n
}

// The interval of the polls for a stop, which doubles from firstPollNS to longestPollNS: a thread that runs stops
// within some microseconds, one that waits for a CPU when it gets one.
const firstPollNS, longestPollNS = 20_000, 100_000

// awaitStop waits until a seized thread has stopped; since is a time (CLOCK_MONOTONIC ns) at which it had not stopped
// yet. why is Stuck if it does not stop, Gone if it ended, and else "".
func (c *copier) awaitStop(tid int) (status unix.WaitStatus, since int64, why CopyProblem) {
	began, pause := rawcall.Now(), int64(firstPollNS)
	since = began
	for {
		polledNS := rawcall.Now()
		stopped, err := pollStop(tid, &status)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil, stopped && !status.Stopped():
			return status, since, Gone
		case stopped:
			return status, since, ""
		}
		since = polledNS
		c.releaseLate()
		waited := time.Duration(polledNS - began)
		if waited > runnableFor || waited > blockedFor && stateOf(c.proc, tid) != "R" {
			return status, since, Stuck
		}
		sleepInKernel(pause)
		pause = min(2*pause, longestPollNS)
	}
}

// releaseLate lets threads continue that stopped later than copyThread waited for them. A thread that does not stop
// stays seized, and is released when this process ends.
func (c *copier) releaseLate() {
	c.stuck = slices.DeleteFunc(c.stuck, func(tid int) bool {
		var status unix.WaitStatus
		stopped, err := pollStop(tid, &status)
		if stopped && status.Stopped() {
			_ = ptrace(unix.PTRACE_DETACH, tid, 0, uintptr(signalOf(status)))
		}
		return stopped || err != nil
	})
	switch {
	case len(c.stuck) == 0 && c.unpolled != nil:
		c.unpolled.Stop()
		c.unpolled = nil
	case len(c.stuck) > 0 && c.unpolled != nil:
		c.unpolled.Reset(maxUnpolled)
	case len(c.stuck) > 0:
		c.unpolled = time.AfterFunc(maxUnpolled, c.kill)
	}
}

// copyAsleep copies stack pointer, program counter and stack of a thread that sleeps in the kernel and does not
// stop.
func (c *copier) copyAsleep(t *ThreadCopy, memory processMemory) {
	sp, pc, ok := whereAsleep(c.proc, t.PID, t.TID)
	if !ok {
		return
	}
	m := thisMachine()
	t.State, t.WaitsIn = "D", describe(c.proc, t.PID, t.TID).WaitsIn
	t.Registers = make([]uint64, m.registers)
	t.Registers[m.sp], t.Registers[m.pc] = sp, pc
	t.Known = 1<<m.sp | 1<<m.pc
	at, n := c.readStack(memory, sp)
	t.StackAt, t.Stack = at, bytes.Clone(c.buffer[:n])
}

// troubleOf returns the CopyProblem for an error of ptrace(2).
func troubleOf(err error) CopyProblem {
	if errors.Is(err, unix.ESRCH) {
		return Gone
	}
	return Denied
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
