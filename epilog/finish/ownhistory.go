package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/analysis/history"
)

// historyStuckFile in the node's spool is locked by a process that was abandoned while it waited for the history.
// The kernel keeps the lock until that process is gone, which no signal can achieve while its file system
// hangs. Meanwhile no other process of this node opens the history, so that one process is stuck and not one for
// each job.
const historyStuckFile = "history.stuck"

// historyLimit bounds the use of the history where the context has no deadline.
const historyLimit = time.Hour

// withHistory opens this node's history for writing, passes it to use and closes it; if no history exists and
// create is false, it does nothing. If the history is marked as stuck, withHistory returns an errHangs at
// once. If ctx ends and the history does not return, because its file system hangs, withHistory leaves it and
// returns an errHangs. What is left behind may still run: use must change only what it returns.
func withHistory[T any](ctx context.Context, f Finisher, create bool, use func(*history.DB) (T, error)) (T, error) {
	var none T
	path := f.Config.History.Path
	if f.isHistoryStuck() {
		return none, fmt.Errorf("cannot use the history %s: another process hangs in it: %w", path, errHangs)
	}
	value, err := runWithLimit(ctx, historyLimit, func(ctx context.Context) (T, error) {
		if !create {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return none, nil
			}
		}
		db, err := f.openHistory(ctx)
		if err != nil {
			return none, err
		}
		value, err := use(db)
		return value, errors.Join(err, db.Close())
	})
	if errors.Is(err, errHangs) {
		err = errors.Join(fmt.Errorf("cannot use the history %s: %w", path, err), f.markHistoryStuck())
	}
	return value, err
}

// isHistoryStuck reports whether a process of this node is stuck in the history.
func (f Finisher) isHistoryStuck() bool {
	if f.Spool == "" {
		return false
	}
	lock, err := job.OpenPlain(filepath.Join(f.Spool, historyStuckFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = lock.Close() }()
	return errors.Is(unix.Flock(int(lock.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// markHistoryStuck marks this process as stuck in the history for as long as it exists. If another process has
// done so, one mark suffices.
func (f Finisher) markHistoryStuck() error {
	if f.Spool == "" {
		return nil
	}
	fd, err := unix.Open(filepath.Join(f.Spool, historyStuckFile),
		unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("mark the history as stuck, without which more processes may hang: open %s: %w",
			filepath.Join(f.Spool, historyStuckFile), err)
	}
	// Processes that check hold the lock for a moment.
	for range 20 {
		if err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err != nil {
		_ = unix.Close(fd)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	return err // the descriptor stays open with this process
}
