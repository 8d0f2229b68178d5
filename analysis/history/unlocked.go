package history

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// ErrBeingWritten is returned for a history that is not at rest: what a reader
// without locks would find there may be half of it.
var ErrBeingWritten = errors.New("another process is writing the history: try again")

// readUnlocked names the action in errors.
const readUnlocked = "read without a lock"

// Unlocked is a history read as it lies on the disk, as it was last written: for readers that must not disturb
// the writer. It takes no lock, never waits, creates no file beside the history and needs no write permission,
// so a writer that hangs does not block it. In return, it cannot read while a writer is active. It detects a
// writer by the file's size and time and by SQLite's files beside it. A client of a network file system sees
// these some seconds late, so a write within that time may go unnoticed.
type Unlocked struct {
	DB   *DB
	path string
	file fs.FileInfo
}

// OpenUnlocked opens the history at path for reading without locks. A missing
// file is an fs.ErrNotExist, one with a log or a journal an ErrBeingWritten: its
// last writer is at work, or was killed, and the next one will mend it.
func OpenUnlocked(ctx context.Context, path string) (*Unlocked, error) {
	fail := func(err error) (*Unlocked, error) { return nil, explain(path, readUnlocked, err) }
	// SQLite puts its log beside the file, not beside a link to it.
	path, err := filepath.EvalSymlinks(path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fail(err)
	}
	file, err := stat(path)
	if err != nil {
		return fail(err)
	}
	if err := atRest(path); err != nil {
		return fail(err)
	}
	// immutable: neither locks nor a look for a log.
	db, err := connect(path, patience, url.Values{"mode": {"ro"}, "immutable": {"1"}, "_query_only": {"true"}})
	if err != nil {
		return fail(err)
	}
	db.patience = 0
	s := &Unlocked{db, path, file}
	if err := db.readable(ctx); err != nil {
		err = s.checkUnchanged(err)
		db.sql.Close() // the first error is returned
		return fail(err)
	}
	return s, nil
}

// Written returns when the history was last written.
func (s *Unlocked) Written() time.Time { return s.file.ModTime() }

// Close closes the history and returns the final error of a read that ended with err: ErrBeingWritten if the
// history was written meanwhile, so that what was read is invalid.
func (s *Unlocked) Close(err error) error {
	err = s.checkUnchanged(err)
	return errors.Join(explain(s.path, readUnlocked, err), s.DB.Close())
}

// checkUnchanged returns err, or ErrBeingWritten if the file was replaced or changed since it was opened, or if a
// writer is active now.
func (s *Unlocked) checkUnchanged(err error) error {
	now, statErr := os.Stat(s.path)
	if statErr != nil {
		return errors.Join(err, statErr)
	}
	if !os.SameFile(now, s.file) || now.Size() != s.file.Size() || !now.ModTime().Equal(s.file.ModTime()) {
		return ErrBeingWritten
	}
	if moving := atRest(s.path); moving != nil {
		return moving
	}
	return err
}

// atRest returns ErrBeingWritten if a log or a journal that is not empty lies beside the file at path, nil otherwise:
// SQLite's log goes when the last of its users closes it, its journal with the transaction.
func atRest(path string) error {
	for _, beside := range []string{"-wal", "-journal"} {
		f, err := os.Lstat(path + beside)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if f.Size() > 0 {
			return ErrBeingWritten
		}
	}
	return nil
}
