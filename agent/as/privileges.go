package as

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Self returns the account of this process, without supplementary groups.
func Self() Account { return Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())} }

// Args returns the account as arguments of a child: uid, gid and groups, which BecomeAccount parses.
func (a Account) Args() []string {
	out := []string{strconv.FormatUint(uint64(a.UID), 10), strconv.FormatUint(uint64(a.GID), 10)}
	for _, g := range a.Groups {
		out = append(out, strconv.FormatUint(uint64(g), 10))
	}
	return out
}

// parseArgs parses the arguments that Args returns. Fewer than two are an error, as is the number that the kernel takes
// for "no change".
func parseArgs(args []string) (Account, error) {
	var ids []uint32
	for _, s := range args {
		id, err := strconv.ParseUint(s, 10, 32)
		if err == nil && id == math.MaxUint32 {
			err = errNoID
		}
		if err != nil {
			return Account{}, fmt.Errorf("internal error, please report it: a child process was started with the "+
				"account arguments %.40q, want numbers: UID GID [GROUP ...]: %w", strings.Join(args, " "), err)
		}
		ids = append(ids, uint32(id))
	}
	if len(ids) < 2 {
		return Account{}, fmt.Errorf("internal error, please report it: a child process was started with the account "+
			"arguments %.40q, want UID GID [GROUP ...]", strings.Join(args, " "))
	}
	return Account{UID: ids[0], GID: ids[1], Groups: ids[2:]}, nil
}

var errNoID = errors.New("4294967295 means \"no change\" and is no id")

// Limits are the resource limits of a child. Every child leaves no core dump and creates files with umask 022.
type Limits struct {
	// FileBytes limits the size of a file that it writes; with 0 it can write to no file.
	FileBytes uint64
	// MemoryBytes and CPUSeconds limit its memory and CPU time; 0 means unlimited. Addresses that Go reserves
	// before it begins, more than a gigabyte, are not counted.
	MemoryBytes, CPUSeconds uint64
	// MayStart permits it to start programs.
	MayStart bool
	// DieWithParent lets the kernel kill the child when its parent ends. Otherwise a child that the account has
	// stopped would stay for ever, since it uses no CPU time.
	DieWithParent bool
}

// BecomeAccount gives this process the rights of the account in args, permanently, and applies the limits. If the
// process already has the account's user id, its ids and groups stay as they are. It is the first thing that a child
// does. The account cannot trace the process at any moment.
func BecomeAccount(args []string, l Limits) error {
	a, err := parseArgs(args)
	if err != nil {
		return err
	}
	if err := l.apply(); err != nil {
		return err
	}
	if !a.IsCurrent() {
		if err = setIDs(a, l); err != nil {
			err = fmt.Errorf("%w: this needs root, or CAP_SETUID and CAP_SETGID", err)
		}
	} else if l.DieWithParent {
		err = dieWithParent()
	}
	if err == nil {
		err = makeUndumpable()
	}
	if err != nil {
		return fmt.Errorf("take the rights of this account (gid %d): %w", a.GID, err)
	}
	return nil
}

// BecomeForFiles gives this thread the rights of the account's uid and gid to files, without those of its
// supplementary groups, permanently, while it keeps root's right to read about processes: see setfsuid(2),
// which removes the capabilities for files. It also makes the process undumpable and sets its limit for written
// files to 0 bytes. If the account is root, or this process is not root, the rights stay as they are and only
// the limits are applied.
func BecomeForFiles(args []string) error {
	a, err := parseArgs(args)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := (Limits{MayStart: true}).apply(); err != nil { // the number of processes binds no root
		return err
	}
	if os.Geteuid() != 0 || a.UID == 0 {
		return nil
	}
	// Of this thread only, which is what setfsuid changes.
	if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); e != 0 {
		return fmt.Errorf("take the file rights of uid %d: setgroups: %w: this needs CAP_SETGID", a.UID, e)
	}
	_, _ = unix.SetfsgidRetGid(int(a.GID))
	_, _ = unix.SetfsuidRetUid(int(a.UID))
	if now, err := unix.SetfsuidRetUid(-1); err != nil || now != int(a.UID) {
		return fmt.Errorf("take the file rights of uid %d: setfsuid left the rights of uid %d in force: this needs "+
			"CAP_SETUID",
			a.UID, now)
	}
	return makeUndumpable() // a change of rights has opened it
}

// BecomeTracer does what BecomeForFiles does, and drops all capabilities except that to trace processes: of
// all threads or, in a program with cgo, of this thread. The user ids stay, so the account can neither stop
// nor kill this process while it holds one of the account's threads. The process ends with the thread that started it.
// BecomeTracer locks the caller to its OS thread and, as root, gives that thread real-time priority.
func BecomeTracer(args []string) error {
	raisePriority()
	if err := BecomeForFiles(args); err != nil {
		return err
	}
	var now [2]unix.CapUserData
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&head, &now[0]); err != nil {
		return fmt.Errorf("read the capabilities of this process: %w", err)
	}
	const trace = 1 << unix.CAP_SYS_PTRACE
	kept := [2]unix.CapUserData{{Effective: now[0].Effective & trace, Permitted: now[0].Permitted & trace}}
	if err := setCapabilities(&head, &kept); err != nil {
		return fmt.Errorf("drop all capabilities except CAP_SYS_PTRACE: %w", err)
	}
	if err := makeUndumpable(); err != nil {
		return err
	}
	return dieWithParent() // the changes above cancel an earlier call
}

// raisePriority locks the caller to its OS thread and gives that the lowest real-time priority, if this process may do
// so: a thread that computes stays stopped for milliseconds if the tracer waits for a CPU meanwhile. Other threads keep
// their priority.
func raisePriority() {
	runtime.LockOSThread()
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1,
		Flags: unix.SCHED_FLAG_RESET_ON_FORK}, 0)
}

// setCapabilities sets the capabilities of all threads or, in a program with cgo, of this thread.
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

// spareThreads is the number of threads created before the limit of processes is set to 0. The Go runtime needs
// one while a read of a file waits, and others for garbage collection and its monitor.
const spareThreads = 8

// apply sets the limits of this process and makes it undumpable: from then on only root can trace it or read
// its memory. It also forbids new privileges, sets the umask to 022 and, unless l.MayStart, starts the spare
// threads before it forbids to start processes. It raises no limit above its present hard limit.
func (l Limits) apply() error {
	if err := makeUndumpable(); err != nil {
		return err
	}
	if err := forbidPrivileges(); err != nil {
		return err
	}
	unix.Umask(0o022)
	limits := map[int]uint64{unix.RLIMIT_FSIZE: l.FileBytes, unix.RLIMIT_CORE: 0}
	if !l.MayStart {
		makeThreads()
		limits[unix.RLIMIT_NPROC] = 0
	}
	if l.CPUSeconds > 0 {
		limits[unix.RLIMIT_CPU] = l.CPUSeconds
	}
	if l.MemoryBytes > 0 {
		reserved, err := addressSpaceBytes()
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
			return fmt.Errorf("set resource limit %d of the child process to %d: %w", what, limit, err)
		}
	}
	return nil
}

// forbidPrivileges sets no_new_privs, so that the process can never gain privileges.
func forbidPrivileges() error {
	if err := prctl(unix.PR_SET_NO_NEW_PRIVS, 1); err != nil {
		return fmt.Errorf("set no_new_privs for the child process: %w", err)
	}
	return nil
}

// prctl calls prctl(2) in all threads or, in a program with cgo, in this thread.
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

// dieWithParent lets the kernel kill this process when the thread that started it ends; a change of the
// effective user id cancels that. It returns an error if the parent has already ended, which the closed output
// pipe shows.
func dieWithParent() error {
	if err := prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL)); err != nil {
		return fmt.Errorf("make the child process end with its parent: %w", err)
	}
	out := []unix.PollFd{{Fd: 1}}
	if _, err := unix.Poll(out, 0); err == nil && out[0].Revents&unix.POLLERR != 0 {
		return errors.New("the process that started this one has ended: this one ends too")
	}
	return nil
}

// makeUndumpable makes the process undumpable, so that only root can trace it or read its memory.
func makeUndumpable() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the child process undumpable: %w", err)
	}
	return nil
}

// makeThreads creates spareThreads threads, which the Go runtime keeps, and limits the runtime to one running
// thread. With two, the runtime can be about to create another thread when this returns (seen once in 65 starts
// on a busy machine), which then fails.
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

// addressSpaceBytes returns the size of this process's address space, in bytes.
func addressSpaceBytes() (uint64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("read the size of this process's address space: %w", err)
	}
	first, _, _ := bytes.Cut(b, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the size of this process's address space in /proc/self/statm: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}

// setIDs sets the account's groups, group id and user id in all threads, in this order, because it may not
// change groups later. A change of the effective id resets dumpability to fs.suid_dumpable and the parent-death
// signal. So the real and saved ids stay root's until both are set again: until then the account can neither
// trace the process (ptrace(2) requires that all three ids are the tracer's) nor stop it (kill(2) requires one
// of these two).
func setIDs(a Account, l Limits) error {
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
	if err := makeUndumpable(); err != nil {
		return err
	}
	if l.DieWithParent {
		if err := dieWithParent(); err != nil {
			return err
		}
	}
	if err := syscall.Setresuid(int(a.UID), int(a.UID), int(a.UID)); err != nil {
		return err
	}
	return checkIDs(a)
}

// checkIDs returns an error unless all user and group ids of this thread are the account's.
func checkIDs(a Account) error {
	uid, gid := int(a.UID), int(a.GID)
	ruid, euid, suid := unix.Getresuid()
	rgid, egid, sgid := unix.Getresgid()
	if [3]int{ruid, euid, suid} != [3]int{uid, uid, uid} || [3]int{rgid, egid, sgid} != [3]int{gid, gid, gid} {
		return fmt.Errorf("the ids are %d, %d, %d (user) and %d, %d, %d (group) after their change to %d and %d", ruid, euid,
			suid, rgid, egid, sgid, uid, gid)
	}
	return nil
}
