package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
)

// turnsDir in the node's spool has a file for each user to whom a report is being delivered, locked meanwhile, and
// beside it the process of a delivery that had to be left behind. A file system of the user's own that never answers
// then holds one child process, however many of his jobs end.
const turnsDir = "delivering"

// errStillHangs keeps a report from a user's directories: a child that cannot be killed already waits for one of them.
var errStillHangs = errors.New("an earlier report for this user is still stuck in a file system that hangs")

// turn is the right to deliver to one user.
type turn struct {
	lock *os.File
	left string // path of the process that was left behind
}

// turnPoll is how often a delivery looks whether the one before it has ended.
const turnPoll = 20 * time.Millisecond

// turnOf waits until no other delivery to the user is under way on this node. The caller ends the turn.
func (f Finisher) turnOf(ctx context.Context, uid int) (turn, error) {
	dir := filepath.Join(f.Spool, turnsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return turn{}, fmt.Errorf("deliver in turn: %w", err)
	}
	path := filepath.Join(dir, strconv.Itoa(uid))
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return turn{}, fmt.Errorf("deliver in turn: %w", err)
	}
	t := turn{lock: lock, left: path + ".left"}
	for {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if ctx.Err() != nil || !errors.Is(err, unix.EWOULDBLOCK) {
			t.end()
			return turn{}, fmt.Errorf("deliver in turn: %w", errors.Join(err, ctx.Err()))
		}
		time.Sleep(turnPoll)
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // clearTurns removes files that were not used for a day
	if p, err := job.ReadProcess(t.left); err == nil {
		if p.Alive() {
			t.end()
			return turn{}, errStillHangs
		}
		_ = os.Remove(t.left) // the next delivery that hangs replaces it
	}
	return t, nil
}

// inTurn waits for the user's turn and has the child noted if it must be left behind. A spool that takes no file does
// not keep the report from its user.
func (f Finisher) inTurn(ctx context.Context, r job.Run, child *as.Child) (end func(), failed error) {
	if child.Account.Current() {
		return func() {}, nil
	}
	t, err := f.turnOf(ctx, r.Job.UID)
	if errors.Is(err, errStillHangs) || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		f.Log("job %d: %v", r.Key.JobID, err)
		return func() {}, nil
	}
	child.Left = func(pid int) {
		if err := t.leave(pid); err != nil {
			f.Log("job %d: %v", r.Key.JobID, err)
		}
	}
	return t.end, nil
}

// leave notes a child that was killed and left behind. One that ends soon is not in the way of the next delivery.
func (t turn) leave(pid int) error {
	p, err := job.Of(pid)
	if err != nil {
		return nil // it has ended
	}
	return p.WriteProcess(t.left)
}

// end lets the next delivery to the user begin. The kernel does so too where this process is killed.
func (t turn) end() { _ = t.lock.Close() }

// clearTurns removes the files of users to whom nothing was delivered for a day.
func (f Finisher) clearTurns() (failed error) {
	entries, err := os.ReadDir(filepath.Join(f.Spool, turnsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(f.Spool, turnsDir, e.Name())
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour && !leftAlive(path) {
			failed = errors.Join(failed, removeFile(path))
		}
	}
	return errors.Join(err, failed)
}

// leftAlive says whether the process that a file names is still there.
func leftAlive(path string) bool {
	p, err := job.ReadProcess(path)
	return err == nil && p.Alive()
}
