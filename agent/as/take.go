package as

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Self is the account of this process.
func Self() Account { return Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())} }

// Args are the account as arguments of a child, which Take reads.
func (a Account) Args() []string {
	out := []string{strconv.FormatUint(uint64(a.UID), 10), strconv.FormatUint(uint64(a.GID), 10)}
	for _, g := range a.Groups {
		out = append(out, strconv.FormatUint(uint64(g), 10))
	}
	return out
}

func parseArgs(args []string) (Account, error) {
	var ids []uint32
	for _, s := range args {
		id, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return Account{}, fmt.Errorf("account %.40q: %w", strings.Join(args, " "), err)
		}
		ids = append(ids, uint32(id))
	}
	if len(ids) < 2 {
		return Account{}, errors.New("invalid account: want uid, gid and groups")
	}
	return Account{UID: ids[0], GID: ids[1], Groups: ids[2:]}, nil
}

// Limits are what a child may use. All of them leave no core and write their files
// for others to read.
type Limits struct {
	// FileBytes is the size of the largest file that it may write.
	FileBytes uint64
	// MemoryBytes and CPUSeconds are what it may use of these; 0 for no limit.
	// Addresses that Go reserves before it begins, more than a gigabyte, are not counted.
	MemoryBytes, CPUSeconds uint64
	// Starts is whether it may start programs.
	Starts bool
	// Bound means that the child is killed when its parent ends. The account can stop a child, and one that is
	// stopped uses up no CPU time: nothing else would end it.
	Bound bool
}

// Take gives this process the rights of the account that Args named, for good: the
// first thing that a child does. At no moment can the account trace it.
func Take(args []string, l Limits) error {
	a, err := parseArgs(args)
	if err != nil {
		return err
	}
	if err := l.hold(); err != nil {
		return err
	}
	if !a.Current() {
		err = take(a, l)
	} else if l.Bound {
		err = bind()
	}
	if err == nil {
		err = shut()
	}
	if err != nil {
		return fmt.Errorf("become uid %d: %w", a.UID, err)
	}
	return nil
}

// TakeFiles gives this thread the account's rights to files, beside root's to ask about processes, and no way
// back: see setfsuid(2), which takes the capabilities of files away. If the account is root, or this process is
// not root, the rights stay as they are.
func TakeFiles(args []string) error {
	a, err := parseArgs(args)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := (Limits{Starts: true}).hold(); err != nil { // the number of processes binds no root
		return err
	}
	if os.Geteuid() != 0 || a.UID == 0 {
		return nil
	}
	// Of this thread only, which is what setfsuid changes.
	if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); e != 0 {
		return fmt.Errorf("take the rights to files of uid %d: setgroups: %w", a.UID, e)
	}
	_, _ = unix.SetfsgidRetGid(int(a.GID))
	_, _ = unix.SetfsuidRetUid(int(a.UID))
	if now, err := unix.SetfsuidRetUid(-1); err != nil || now != int(a.UID) {
		return fmt.Errorf("take the rights to files of uid %d: those of %d stay", a.UID, now)
	}
	return shut() // a change of rights has opened it
}

// TakeTracer does what TakeFiles does, and gives up all capabilities of all threads but that to trace processes. The
// user ids stay: the account can neither stop nor kill what holds one of its threads.
func TakeTracer(args []string) error {
	if err := TakeFiles(args); err != nil {
		return err
	}
	var now [2]unix.CapUserData
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&head, &now[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	const trace = 1 << unix.CAP_SYS_PTRACE
	kept := [2]unix.CapUserData{{Effective: now[0].Effective & trace, Permitted: now[0].Permitted & trace}}
	if err := setCapabilities(&head, &kept); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return shut()
}

// setCapabilities sets those of all threads, where Go made them, else of this one.
func setCapabilities(head *unix.CapUserHeader, to *[2]unix.CapUserData) error {
	head.Pid = 0
	_, _, e := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(head)),
		uintptr(unsafe.Pointer(&to[0])), 0)
	if e == unix.ENOTSUP {
		return unix.Capset(head, &to[0])
	}
	if e != 0 {
		return e
	}
	return nil
}

// spareThreads are made before none can be: Go takes one when a read of a file waits,
// and one each for the collection of memory and its own clock.
const spareThreads = 8

// hold sets the limits. The process is undumpable from here on: only root can trace it or read its memory.
func (l Limits) hold() error {
	if err := shut(); err != nil {
		return err
	}
	if err := noPrivileges(); err != nil {
		return err
	}
	unix.Umask(0o022)
	limits := map[int]uint64{unix.RLIMIT_FSIZE: l.FileBytes, unix.RLIMIT_CORE: 0}
	if !l.Starts {
		makeThreads()
		limits[unix.RLIMIT_NPROC] = 0
	}
	if l.CPUSeconds > 0 {
		limits[unix.RLIMIT_CPU] = l.CPUSeconds
	}
	if l.MemoryBytes > 0 {
		reserved, err := addresses()
		if err != nil {
			return err
		}
		limits[unix.RLIMIT_AS] = reserved + l.MemoryBytes
	}
	for what, limit := range limits {
		var now unix.Rlimit
		if unix.Getrlimit(what, &now) == nil {
			limit = min(limit, now.Max)
		}
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the child: %w", err)
		}
	}
	return nil
}

// noPrivileges keeps the process from gaining any.
func noPrivileges() error {
	if err := prctl(unix.PR_SET_NO_NEW_PRIVS, 1); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return nil
}

// prctl does it to all threads, where Go made them (with cgo to this one, and what comes
// of it).
func prctl(option int, value uintptr) error {
	_, _, e := syscall.AllThreadsSyscall(unix.SYS_PRCTL, uintptr(option), value, 0)
	if e == unix.ENOTSUP {
		return unix.Prctl(option, value, 0, 0, 0)
	}
	if e != 0 {
		return e
	}
	return nil
}

// bind has the kernel kill this process when the thread that started it ends; a change
// of the effective id undoes it. Who has ended already reads nothing of what we write.
func bind() error {
	if err := prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL)); err != nil {
		return fmt.Errorf("set the parent-death signal: %w", err)
	}
	out := []unix.PollFd{{Fd: 1}}
	if _, err := unix.Poll(out, 0); err == nil && out[0].Revents&unix.POLLERR != 0 {
		return errors.New("the parent process has ended")
	}
	return nil
}

// shut makes the process undumpable.
func shut() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the child undumpable: %w", err)
	}
	return nil
}

// makeThreads makes threads that the runtime keeps. One of them computes at a time,
// from here on: with two of them the runtime can be about to make another when this
// returns (seen once in 65 starts on a busy machine), and none can be made then.
func makeThreads() {
	runtime.GOMAXPROCS(1)
	var all, held sync.WaitGroup
	all.Add(spareThreads)
	held.Add(spareThreads)
	for range spareThreads {
		go func() {
			defer all.Done()
			runtime.LockOSThread()
			held.Done()
			held.Wait() // each on a thread of its own
			runtime.UnlockOSThread()
		}()
	}
	all.Wait()
}

// addresses is the size of this process's address space.
func addresses() (uint64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("limit the child: %w", err)
	}
	first, _, _ := bytes.Cut(b, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	return pages * uint64(os.Getpagesize()), err
}

// take gives all threads the ids, groups first: afterwards it may not. A change of the
// effective id makes the process as dumpable as fs.suid_dumpable says, which may be
// altogether, and unbinds it. So the real and the saved id stay root's, which keeps the
// account from tracing it (ptrace(2): all three must be the tracer's) and from stopping
// it (kill(2): one of these two must be the sender's), until both are seen to.
func take(a Account, l Limits) error {
	groups := make([]int, len(a.Groups))
	for i, g := range a.Groups {
		groups[i] = int(g)
	}
	if err := syscall.Setgroups(groups); err != nil {
		return err
	}
	if err := syscall.Setresgid(int(a.GID), int(a.GID), int(a.GID)); err != nil {
		return err
	}
	if err := syscall.Setresuid(-1, int(a.UID), -1); err != nil {
		return err
	}
	if err := shut(); err != nil {
		return err
	}
	if l.Bound {
		if err := bind(); err != nil {
			return err
		}
	}
	return syscall.Setresuid(int(a.UID), int(a.UID), int(a.UID))
}
