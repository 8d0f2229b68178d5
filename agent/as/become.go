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

	"golang.org/x/sys/unix"
)

// Self is the account of this process. A child that is to Become another is started
// as Self: one that has the account from its first instruction on can be stopped and
// traced by it before it has shut the door.
func Self() Account { return Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())} }

// Args are the account as arguments of a child, which ParseArgs reads.
func (a Account) Args() []string {
	out := []string{strconv.FormatUint(uint64(a.UID), 10), strconv.FormatUint(uint64(a.GID), 10)}
	for _, g := range a.Groups {
		out = append(out, strconv.FormatUint(uint64(g), 10))
	}
	return out
}

// ParseArgs reads an account from arguments: uid, gid and groups.
func ParseArgs(args []string) (Account, error) {
	var ids []uint32
	for _, s := range args {
		id, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return Account{}, fmt.Errorf("account %.40q: %w", strings.Join(args, " "), err)
		}
		ids = append(ids, uint32(id))
	}
	if len(ids) < 2 {
		return Account{}, errors.New("no account: uid, gid and groups are wanted")
	}
	return Account{UID: ids[0], GID: ids[1], Groups: ids[2:]}, nil
}

// Limits of a child that only reads files and writes to a pipe: it starts nothing
// and makes no file. What Go reserves of addresses before it begins, more than a
// gigabyte, is not counted.
const (
	cpuSeconds   = 2
	addressBytes = 512 << 20
	// spareThreads are made before none can be: Go takes one when a read of a file
	// waits, and one each for the collection of memory and its own clock.
	spareThreads = 8
)

// Become gives this process the rights of the account for good, and no way to more:
// for a child that reads the account's files with a reader that they may break. It
// is undumpable before the account can reach it, so that what the account can do is
// stop and kill it. It is the first thing that the child does.
func (a Account) Become() error {
	if err := alone(); err != nil {
		return err
	}
	if !a.Current() {
		if err := take(a); err != nil {
			return fmt.Errorf("become uid %d: %w", a.UID, err)
		}
	}
	// Taking an account made it what fs.suid_dumpable says.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep others out: %w", err)
	}
	return nil
}

// alone shuts the process in: limits, the last turn for the CPU, no privilege.
func alone() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep others out: %w", err)
	}
	// 1 makes every process dumpable that takes an account.
	if b, err := os.ReadFile("/proc/sys/fs/suid_dumpable"); err == nil && string(bytes.TrimSpace(b)) == "1" {
		return errors.New("keep others out: fs.suid_dumpable is 1 here")
	}
	makeThreads()
	// Threads inherit it, and all of them are there already.
	_, _, e := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
	if e == unix.ENOTSUP { // built with cgo, as tests are
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("give up gaining privileges: %w", err)
		}
	} else if e != 0 {
		return fmt.Errorf("give up gaining privileges: %w", e)
	}
	reserved, err := addresses()
	if err != nil {
		return err
	}
	for what, limit := range map[int]uint64{unix.RLIMIT_NPROC: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0,
		unix.RLIMIT_CPU: cpuSeconds, unix.RLIMIT_AS: reserved + addressBytes} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the child: %w", err)
		}
	}
	return unix.Setpriority(unix.PRIO_PGRP, 0, 19)
}

// makeThreads makes threads that the runtime keeps.
func makeThreads() {
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

// take gives all threads the ids, groups first: afterwards it may not.
func take(a Account) error {
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
	return syscall.Setresuid(int(a.UID), int(a.UID), int(a.UID))
}
