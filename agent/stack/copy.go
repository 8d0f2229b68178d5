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

// Bounds of one copying.
const (
	// StackBytes is the most that is copied of one stack.
	StackBytes = 128 << 10
	// MaxThreads is how many threads of one process are copied: the main thread and 16 others.
	MaxThreads = 17
	// MaxProcesses is how many processes of a node are copied.
	MaxProcesses = 512
	// blockedFor is how long a thread that sleeps uninterruptibly is waited for, runnableFor one that waits for a CPU.
	blockedFor  = 100 * time.Millisecond
	runnableFor = time.Second
	// heldAtMost ends the copier when reading the memory of a stopped thread takes longer: the owner of a process can
	// hold its memory lock for ever.
	heldAtMost = 200 * time.Millisecond
)

// CopyQuestion names the processes to copy.
type CopyQuestion struct {
	PIDs []int  `json:"pids"`
	UID  uint32 `json:"uid"` // processes of another real user are not copied
	// ForMS is how many milliseconds all copying may take.
	ForMS int64 `json:"for_ms"`
}

// Trouble says why a thread has no registers.
type Trouble string

// The kinds of trouble.
const (
	Gone    Trouble = "gone"    // it ended meanwhile
	Denied  Trouble = "denied"  // the system does not let the caller look at it
	Foreign Trouble = "foreign" // it is of another user
	Traced  Trouble = "traced"  // another program traces it
	Frozen  Trouble = "frozen"  // its cgroup is frozen
	Late    Trouble = "late"    // no time was left
	Stuck   Trouble = "stuck"   // it sleeps uninterruptibly, or its memory is locked
)

// ThreadCopy is what the copier took of a thread. The last of a process has Done set and nothing else.
type ThreadCopy struct {
	PID  int  `json:"pid"`
	TID  int  `json:"tid"`
	Done bool `json:"done,omitempty"`
	// Threads is how many threads the process has.
	Threads int `json:"threads,omitempty"`
	// State is the letter of /proc/PID/stat before the thread was stopped.
	State string `json:"state,omitempty"`
	// WaitsIn is the system call in which the thread sleeps, "" if it runs.
	WaitsIn string `json:"waits_in,omitempty"`
	// Channel is the kernel function in which it sleeps, "" where it is not shown.
	Channel string `json:"channel,omitempty"`
	// Registers are numbered as DWARF does. Known has a bit for each that is set.
	Registers []uint64 `json:"registers,omitempty"`
	Known     uint64   `json:"known,omitempty"`
	// Stack are the bytes from the stack pointer on.
	Stack []byte `json:"stack,omitempty"`
	// HeldNS is how long the thread was stopped.
	HeldNS  int64   `json:"held_ns,omitempty"`
	Trouble Trouble `json:"trouble,omitempty"`
}

// ServeCopyStacks is the child that stops threads: it answers a CopyQuestion with ThreadCopies.
func ServeCopyStacks(_ context.Context, r as.Request) error {
	var q CopyQuestion
	if _, err := as.ReadQuestion(r.In, &q); err != nil {
		return err
	}
	runtime.LockOSThread() // a tracer is a thread
	c := copier{proc: "/proc", uid: q.UID, until: time.Now().Add(time.Duration(q.ForMS) * time.Millisecond),
		buffer: make([]byte, StackBytes)}
	out := json.NewEncoder(r.Out)
	for _, pid := range q.PIDs[:min(len(q.PIDs), MaxProcesses)] {
		if err := c.process(pid, func(t ThreadCopy) error { return out.Encode(t) }); err != nil {
			return err
		}
	}
	return nil
}

// copier copies threads. It is used by one OS thread.
type copier struct {
	proc  string
	uid   uint32
	until time.Time
	// buffer takes a stack while its thread is stopped: nothing is allocated then.
	buffer []byte
}

// process copies the threads of a process, the main thread first.
func (c copier) process(pid int, each func(ThreadCopy) error) error {
	tids := threadsOf(c.proc, pid)
	why := c.leaveAlone(pid)
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
			c.thread(&t)
		}
		if err := each(t); err != nil {
			return err
		}
	}
	return each(ThreadCopy{PID: pid, Done: true})
}

// leaveAlone returns why a process is not touched, "" if it may be.
func (c copier) leaveAlone(pid int) Trouble {
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

// thread stops a thread, fills its copy and lets it go.
func (c copier) thread(t *ThreadCopy) {
	guard := time.AfterFunc(runnableFor+blockedFor+heldAtMost, killSelf)
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
	status, since, why := c.await(t.TID)
	if why == Stuck {
		// It stays seized, and goes on, until this process ends.
		t.Trouble = Stuck
		c.asleep(t)
		return
	}
	if why != "" {
		t.Trouble = why
		return
	}
	guard.Reset(heldAtMost)
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

// await waits until a seized thread has stopped; since is the last time at which it was seen to go on.
func (c copier) await(tid int) (status unix.WaitStatus, since time.Time, why Trouble) {
	began, pause := time.Now(), 20*time.Microsecond
	for since = began; ; since = time.Now() {
		got, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil, got == tid && !status.Stopped():
			return status, since, Gone
		case got == tid:
			return status, since, ""
		}
		waited := time.Since(began)
		state := stateOf(c.proc, tid)
		if waited > blockedFor && state != "R" || waited > runnableFor {
			return status, since, Stuck
		}
		time.Sleep(pause)
		pause = min(2*pause, 200*time.Microsecond)
	}
}

// asleep copies what a thread shows that sleeps in the kernel and does not stop.
func (c copier) asleep(t *ThreadCopy) {
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

// killSelf ends this process, which lets all threads go.
func killSelf() { _ = unix.Kill(os.Getpid(), unix.SIGKILL) }

func troubleOf(err error) Trouble {
	if errors.Is(err, unix.ESRCH) {
		return Gone
	}
	return Denied
}

// readStack copies a stack from its pointer on into the buffer, as far as there is memory, and returns how many
// bytes it has. It reads /proc/PID/mem, which a kill interrupts: process_vm_readv waits for the memory lock without
// end.
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
		return fmt.Errorf("ptrace %#x of thread %d: %w", request, tid, e)
	}
	return nil
}

// threadsOf lists the threads of a process, the main thread first.
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
