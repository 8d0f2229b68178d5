package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mattn/go-sqlite3"
)

// ErrNotFound is returned for a job that the history does not have.
var ErrNotFound = errors.New("no such job in the history")

// ErrUnfit is returned for a run that no history can take: putting it again
// fails again.
var ErrUnfit = errors.New("the run cannot be stored")

// Unavailable is whether an error is the history's and not that of what was put:
// locked, full, damaged or not to be written. What else is put fails as well.
func Unavailable(err error) bool {
	var e sqlite3.Error
	return err != nil && !errors.Is(err, ErrUnfit) && (errors.As(err, &e) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded))
}

// unfit marks what SQLite refuses because of the values.
func unfit(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrTooBig ||
		e.Code == sqlite3.ErrMismatch) {
		return fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	return err
}

// patience is how long a writer waits for others before it gives up. A whole
// run is put in a few milliseconds; 20 s is a queue of some thousand.
const patience = 20 * time.Second

// busyTimeout is how long SQLite itself waits for a lock. It is a part of the patience because SQLite's waiting
// cannot be interrupted: the context is checked after each part.
const busyTimeout = time.Second

// patiently runs f again while another process holds the lock, until patience
// or the context ends. SQLite's own busy timeout does not cover every case: a
// change of the journal mode and the recovery of a log fail at once.
func (db *DB) patiently(ctx context.Context, f func() error) error {
	end := time.Now().Add(db.patience)
	for {
		err := f()
		if !isBusy(err) || time.Now().After(end) {
			return err
		}
		// Apart from each other, so that those who collided do not again.
		pause := time.NewTimer(time.Millisecond + rand.N(10*time.Millisecond))
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("%w (%w)", ctx.Err(), err)
		case <-pause.C:
		}
	}
}

// Locked is whether somebody held the history for longer than a writer waits.
func Locked(err error) bool { return isBusy(err) }

func isBusy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// explain wraps an error so that its one line names the file, what was being
// done, and, where SQLite's words do not say it, what to do.
func explain(path, action string, err error) error {
	if err == nil {
		return nil
	}
	if hint := hint(err); hint != "" {
		return fmt.Errorf("history %s: %s: %s: %w", path, action, hint, err)
	}
	return fmt.Errorf("history %s: %s: %w", path, action, err)
}

func hint(err error) string {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code {
	case sqlite3.ErrNotADB:
		return "not an SQLite database, or damaged; move it away or name another file as history.path"
	case sqlite3.ErrCorrupt:
		return "damaged; move it away or restore a copy, it is not written any more"
	case sqlite3.ErrFull:
		return "no room left on its file system"
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "another process holds it too long"
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth, sqlite3.ErrCantOpen:
		return "no permission for the file, or for its directory"
	}
	return ""
}
