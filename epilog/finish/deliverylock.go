package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
)

// deliveryLocksDir in the node's spool has a lock file for each user, held while a report is delivered to that
// user, and beside it the process of a delivery that had to be abandoned. So a user's file system that hangs
// holds one child process, however many of the user's jobs end.
const deliveryLocksDir = "delivering"

// leftSuffix ends the name of a file with the process of a child that had to be abandoned.
const leftSuffix = ".left"

// errStillHangs keeps a report from a user's directories: a child that cannot be killed already waits for one of them.
var errStillHangs = errors.New("an earlier report for this user is stuck in a file system that hangs")

// deliveryLock is the held lock that allows this process to deliver to one user.
type deliveryLock struct {
	lock     *os.File
	leftPath string // path of the process that was left behind
}

// deliveryPoll is the interval at which a delivery tries to lock a file that another delivery holds.
const deliveryPoll = 20 * time.Millisecond

// lockDelivery waits until no other delivery to the user runs on this node, and takes the user's lock, which
// the caller releases. It returns errStillHangs if an abandoned delivery to the user is still alive.
func (f Finisher) lockDelivery(ctx context.Context, uid int) (deliveryLock, error) {
	dir := filepath.Join(f.Spool, deliveryLocksDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return deliveryLock{}, fmt.Errorf("make the directory of delivery locks: %w", err)
	}
	path := filepath.Join(dir, strconv.Itoa(uid))
	t := deliveryLock{leftPath: path + leftSuffix}
	for {
		lock, err := tryLockFile(path, os.O_CREATE)
		if err == nil {
			t.lock = lock
			break
		}
		if ctx.Err() != nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return deliveryLock{}, fmt.Errorf("wait for another delivery to user %d: %w", uid, errors.Join(err, ctx.Err()))
		}
		time.Sleep(deliveryPoll)
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // pruneDeliveryLocks removes files that were not used for a day
	if p, err := job.ReadProcess(t.leftPath); err == nil {
		if p.Alive() {
			t.release()
			return deliveryLock{}, errStillHangs
		}
		_ = os.Remove(t.leftPath) // the next delivery that hangs replaces it
	}
	return t, nil
}

// lockForChild takes the user's delivery lock and makes the child record itself if it must be abandoned. end releases
// the lock. It fails if an abandoned delivery to the user is still alive, or if ctx ends. If the child's account is
// that of this process, or if the spool cannot hold the lock file, the delivery goes on without a lock.
func (f Finisher) lockForChild(ctx context.Context, r job.Run, child *as.Child) (end func(), failed error) {
	if child.Account.IsCurrent() {
		return func() {}, nil
	}
	t, err := f.lockDelivery(ctx, r.Job.UID)
	if errors.Is(err, errStillHangs) || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		f.Log("job %d: the report is delivered without the user's lock: %v", r.Key.JobID, err)
		return func() {}, nil
	}
	child.OnAbandoned = func(pid int) { f.recordLeft(t.leftPath, pid) }
	return t.release, nil
}

// errOthersHang keeps a child from starting that would wait for the same file system as one that is stuck.
var errOthersHang = errors.New(
	"an earlier process is still blocked in this file system: no new one starts before it ends")

// limitStuckChildren returns a guard for children that use one directory of a site: collect, history or archive. A
// child that had to be abandoned is recorded in the node's spool, and no other is started before it has ended.
func (f Finisher) limitStuckChildren(directory string) as.Guard {
	if f.Spool == "" {
		return as.Guard{}
	}
	path := filepath.Join(f.Spool, directory+leftSuffix)
	return as.Guard{
		MayStart: func() error {
			if leftAlive(path) {
				return errOthersHang
			}
			return nil
		},
		OnAbandoned: func(pid int) { f.recordLeft(path, pid) },
	}
}

// recordLeft records an abandoned child process in a file, so that later ones check whether it is still alive.
func (f Finisher) recordLeft(path string, pid int) {
	p, err := job.ProcessOf(pid)
	if err != nil {
		return // it has ended
	}
	if err := p.WriteProcess(path); err != nil {
		f.Log("process %d hangs in a file system and could not be recorded: %v: more processes may be started that hang too",
			pid, err)
	}
}

// release closes the lock file, so that the next delivery to the user can begin. The kernel does the same if
// this process is killed.
func (t deliveryLock) release() { _ = t.lock.Close() }

// tryLockFile opens a lock file with the given flags beside O_RDWR and locks it. It returns unix.EWOULDBLOCK if another
// process holds the lock, or if the file was removed or replaced meanwhile, so that two processes never hold locks of
// one path.
func tryLockFile(path string, flags int) (*os.File, error) {
	lock, err := job.OpenPlain(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLockOpen(lock, path); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// tryLockOpen locks an open lock file. It returns unix.EWOULDBLOCK if another process holds the lock, or if the file is
// no longer the one at path.
func tryLockOpen(lock *os.File, path string) error {
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	held, err := lock.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(path)
	if err != nil || !os.SameFile(held, named) {
		return unix.EWOULDBLOCK
	}
	return nil
}

// pruneDeliveryLocks removes the lock files of users to whom nothing was delivered for a day, with the record of an
// abandoned delivery, unless a delivery to the user runs or an abandoned one is still alive.
func (f Finisher) pruneDeliveryLocks() (failed error) {
	entries, err := os.ReadDir(filepath.Join(f.Spool, deliveryLocksDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		path := strings.TrimSuffix(filepath.Join(f.Spool, deliveryLocksDir, e.Name()), leftSuffix)
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) <= 24*time.Hour {
			continue
		}
		lock, err := tryLockFile(path, os.O_CREATE)
		if err != nil {
			if !errors.Is(err, unix.EWOULDBLOCK) {
				failed = errors.Join(failed, fmt.Errorf("remove an old delivery lock: %w", err))
			}
			continue
		}
		if !leftAlive(path + leftSuffix) {
			failed = errors.Join(failed, removeFile(path+leftSuffix), removeFile(path))
		}
		_ = lock.Close()
	}
	return errors.Join(err, failed)
}

// leftAlive reports whether the process recorded in a file is still alive.
func leftAlive(path string) bool {
	p, err := job.ReadProcess(path)
	return err == nil && p.Alive()
}
