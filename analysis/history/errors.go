package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mattn/go-sqlite3"
)

// ErrNotFound is returned for a job that the history does not have.
var ErrNotFound = errors.New("the history has no such job: jobgait list shows its jobs")

// ErrUnfit is returned for a run that no history can store: putting it again fails again.
var ErrUnfit = errors.New("the history cannot store the run")

// Unavailable reports whether an error is due to the history and not to the run that was put: the history is
// locked, full, damaged or not writable. Other puts fail as well.
func Unavailable(err error) bool {
	var e sqlite3.Error
	return err != nil && !errors.Is(err, ErrUnfit) && (errors.As(err, &e) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded))
}

// markUnfit wraps errors with which SQLite refuses values in ErrUnfit.
func markUnfit(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrTooBig ||
		e.Code == sqlite3.ErrMismatch) {
		return fmt.Errorf("%w: a value is not a number or out of range: %w", ErrUnfit, err)
	}
	return err
}

// patience is how long a writer waits for other writers before it gives up. A run is put in a few milliseconds,
// so that 20 s is a queue of some thousand.
const patience = 20 * time.Second

// busyTimeout is how long SQLite itself waits for a lock. It is shorter than the patience because SQLite's
// waiting cannot be interrupted: the context is checked after each part.
const busyTimeout = time.Second

// retryWhileLocked runs f, again while another process holds the lock, until patience or the context ends.
// SQLite's own busy timeout does not cover every case: a change of the journal mode and the recovery of a log
// fail at once.
func (db *DB) retryWhileLocked(ctx context.Context, f func() error) error {
	end := time.Now().Add(db.patience)
	for {
		err := f()
		if !isBusy(err) || time.Now().After(end) {
			return err
		}
		// The pause is random, so that processes that collided do not collide again.
		pause := time.NewTimer(time.Millisecond + rand.N(10*time.Millisecond))
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("wait for the lock of the history: %w (%w)", ctx.Err(), err)
		case <-pause.C:
		}
	}
}

// Locked reports whether an error means that another process held the lock for longer than a writer waits.
func Locked(err error) bool { return isBusy(err) }

// isBusy reports whether an error means that another process holds the lock.
func isBusy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// explain wraps an error so that its line names the file and the action, and, if SQLite's text does not, says
// what to do.
func explain(path, action string, err error) error {
	if err == nil {
		return nil
	}
	if hint := hint(err); hint != "" {
		return fmt.Errorf("history %s: %s: %s: %w", path, action, hint, err)
	}
	return fmt.Errorf("history %s: %s: %w", path, action, err)
}

// explainRow wraps an error of a query for one row that every sound history has, named by what: if the row is missing,
// the file is damaged.
func explainRow(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("the file is damaged, it has no %s: restore a copy of it", what)
	}
	return fmt.Errorf("read the %s: %w", what, err)
}

// hint returns what to do about an error of SQLite, "" if its text says it.
func hint(err error) string {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code {
	case sqlite3.ErrNotADB:
		return "the file is not an SQLite database, or is damaged: move it away, or name another (--history, history.path)"
	case sqlite3.ErrCorrupt:
		return "the file is damaged and is no longer written: restore a copy of it, or move it away"
	case sqlite3.ErrFull:
		return "no room left on its file system: delete files there"
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "another process holds it too long: try again"
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth, sqlite3.ErrCantOpen:
		return "no permission for the file or its directory: run as the account that owns them"
	case sqlite3.ErrIoErr:
		return "the disk or file system failed: see the kernel's log (dmesg)"
	case sqlite3.ErrError:
		return "internal error, please report it"
	}
	return ""
}
