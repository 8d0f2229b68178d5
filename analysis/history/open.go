package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3" // the driver; no other package imports it
	"golang.org/x/sys/unix"
)

// DB is an open history. It is safe for use by several goroutines; many
// processes may have the same file open.
type DB struct {
	sql      *sql.DB
	path     string
	journal  Journal
	patience time.Duration
	pack     packer
	schema   schema
	known    *idCache
	// unlocked checks at the end a history that is read without locks; nil for others.
	unlocked *Unlocked
}

// Open opens the history at path for reading and writing. It creates the file
// (0600) and missing directories (0700), and brings an older schema up to date.
func Open(ctx context.Context, path string) (*DB, error) {
	return OpenWithPatience(ctx, path, patience)
}

// OpenWithPatience is like Open, but waits at most patience, rounded to milliseconds, for each lock that
// another process holds. Work that no lock delays is not limited.
func OpenWithPatience(ctx context.Context, path string, patience time.Duration) (*DB, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(path); err != nil {
		return nil, explain(path, "open", err)
	}
	if err := create(path); err != nil {
		return nil, explain(path, "create", err)
	}
	journal, err := journalFor(filepath.Dir(path))
	if err != nil {
		return nil, explain(path, "open", err)
	}
	return openWith(ctx, path, journal, patience)
}

// openWith opens an existing file, upgrades it to the newest schema and sets the given journal.
func openWith(ctx context.Context, path string, journal Journal, patience time.Duration) (*DB, error) {
	db, err := connect(path, patience, url.Values{"mode": {"rw"}})
	if err != nil {
		return nil, explain(path, "open", err)
	}
	if err := db.prepare(ctx, journal); err != nil {
		db.sql.Close() // the first error is returned
		return nil, explain(path, "open", err)
	}
	return db, nil
}

// OpenReadOnly opens the history at path for reading. It changes nothing, so
// it refuses a file whose schema is older than this program's. A missing file
// is an fs.ErrNotExist.
//
// An account that may read the history but not write to its directory cannot lock it, because SQLite creates files
// there. It reads the history as Unlocked does, waiting unlockedPatience for a writer. Close then returns
// ErrBeingWritten if the history was written meanwhile.
func OpenReadOnly(ctx context.Context, path string) (*DB, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, err
	}
	if _, err := stat(path); err != nil {
		return nil, explain(path, "open", err)
	}
	end := time.Now().Add(unlockedPatience)
	for {
		db, err := openLocked(ctx, path)
		if !lacksWritePermission(path, err) {
			return db, explain(path, "open", err)
		}
		unlocked, err := OpenUnlocked(ctx, path)
		if err == nil {
			unlocked.DB.unlocked = unlocked
			return unlocked.DB, nil
		}
		if !errors.Is(err, ErrBeingWritten) {
			return nil, err
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return nil, fmt.Errorf("history %s: open: %w", path, errUnfinished)
		}
		time.Sleep(unlockedRetry)
	}
}

// unlockedPatience is how long a reader without write permission waits for a writer, which stores a run within a
// second, and unlockedRetry the time between two attempts.
const unlockedPatience, unlockedRetry = 3 * time.Second, 100 * time.Millisecond

// errUnfinished is the ErrBeingWritten of a history that stays in that state.
var errUnfinished = fmt.Errorf("%w; if this stays, its last writer was killed: the account that owns it must store "+
	"another run or call jobgait-epilog --ingest, or let you write to its directory", ErrBeingWritten)

// openLocked opens the history for reading with SQLite's locks.
func openLocked(ctx context.Context, path string) (*DB, error) {
	db, err := connect(path, patience, url.Values{"mode": {"ro"}, "_query_only": {"true"}})
	if err != nil {
		return nil, err
	}
	if err := db.readable(ctx); err != nil {
		db.sql.Close() // the first error is returned
		return nil, err
	}
	return db, nil
}

// lacksWritePermission reports whether SQLite could not open or repair its files beside the history because this
// account may not write to the directory.
func lacksWritePermission(path string, err error) bool {
	var e sqlite3.Error
	if !errors.As(err, &e) || e.Code != sqlite3.ErrCantOpen && e.Code != sqlite3.ErrReadonly &&
		e.Code != sqlite3.ErrPerm {
		return false
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return unix.Access(filepath.Dir(path), unix.W_OK) != nil
}

// absolute returns the absolute form of a path. It fails if the working directory was removed.
func absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("history %s: open: find the working directory: %w: name an absolute path", path, err)
	}
	return abs, nil
}

// stat returns the information of the file that a path or a link leads to. It refuses anything but a regular
// file before it is opened: a pipe waits for its writer, a device has no end.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("the path is a directory: name a file in it, such as history.db")
	case !info.Mode().IsRegular():
		return nil, errors.New("the path is a pipe, a socket or a device: name a regular file")
	}
	return info, nil
}

// create creates missing directories and, if there is no file, an empty one, which is an empty database. SQLite
// creates its files beside it with the same mode.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if _, err := stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect opens a file with the settings of every connection.
func connect(path string, patience time.Duration, options url.Values) (*DB, error) {
	if err := checkOwner(path); err != nil {
		return nil, err
	}
	options.Set("_busy_timeout", strconv.FormatInt(min(busyTimeout, patience).Milliseconds(), 10))
	options.Set("_foreign_keys", "true")
	options.Set("_synchronous", "FULL") // after storing a run its record may be removed, so the run must be on the disk
	options.Set("_stmt_cache_size", "64")
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}
	pool, err := sql.Open("sqlite3", dsn.String())
	if err != nil {
		return nil, err
	}
	// One connection is enough: programs run a few statements and exit.
	pool.SetMaxOpenConns(1)
	return &DB{sql: pool, path: path, patience: patience, schema: currentSchema(), known: &idCache{}}, nil
}

// prepare upgrades the open file to a history of the newest version, drops statistics of ANALYZE and sets the
// journal mode. It changes nothing before it has checked that the file is a history.
func (db *DB) prepare(ctx context.Context, journal Journal) error {
	var v int
	err := db.retryWhileLocked(ctx, func() (err error) {
		if v, err = db.version(ctx, db.sql); err != nil || v != 0 {
			return err
		}
		// Has an effect before the first table only: nothing changes if
		// another process has just made the tables.
		_, err = db.sql.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL")
		return err
	})
	if err == nil && v != db.schema.version() {
		err = db.migrate(ctx)
	}
	if err == nil {
		err = db.addMissing(ctx)
	}
	if err != nil {
		return err
	}
	if err := db.forgetStatistics(ctx); err != nil {
		return err
	}
	return db.setJournal(ctx, journal)
}

// forgetStatistics drops the statistics of an ANALYZE. Indexes and queries are designed so that SQLite plans
// them well without: with the statistics that PRAGMA optimize takes (400 rows of each index) it walked all runs
// of a million, user by user, for the newest 200 (12 s; 2.5 ms without) and for those of a week (7 s; 1 ms).
func (db *DB) forgetStatistics(ctx context.Context) error {
	var found bool
	err := db.retryWhileLocked(ctx, func() error {
		return db.sql.QueryRowContext(ctx, "SELECT count(*) > 0 FROM sqlite_master WHERE name = 'sqlite_stat1'").Scan(&found)
	})
	if err != nil || !found {
		return err
	}
	return db.write(ctx, func(tx *sql.Conn) error {
		_, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4")
		return err
	})
}

// setJournal changes the journal mode if it differs. The mode is stored in the file, so that this happens once
// for each history.
func (db *DB) setJournal(ctx context.Context, want Journal) error {
	return db.retryWhileLocked(ctx, func() error {
		if err := db.sql.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&db.journal); err != nil {
			return err
		}
		if db.journal != want {
			if err := db.sql.QueryRowContext(ctx, "PRAGMA journal_mode = "+string(want)).Scan(&db.journal); err != nil {
				return err
			}
		}
		_, err := db.sql.ExecContext(ctx, fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", logPages))
		return err
	})
}

// logPages is the number of pages in the log, 32 MB, at which it is moved into the file: 64 runs change 1,000
// pages of a history of ten million, the default, and half of them are those that the 64 before changed.
const logPages = 8000

// Close closes the history. The last process to close it moves the log into the file. For a history that OpenReadOnly
// reads without locks, ErrBeingWritten means that what was read is invalid.
func (db *DB) Close() error {
	if unlocked := db.unlocked; unlocked != nil {
		db.unlocked = nil
		return unlocked.Close(nil)
	}
	if err := db.sql.Close(); err != nil {
		return explain(db.path, "close", err)
	}
	return nil
}

// write runs f in one transaction, again if another process held the lock.
func (db *DB) write(ctx context.Context, f func(*sql.Conn) error) error {
	return db.retryWhileLocked(ctx, func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return db.transact(context.WithoutCancel(ctx), f) // statements are ended by their context, not it
	})
}

// transact runs f in a transaction on one connection, without a transaction of database/sql, which starts a
// goroutine for every query: a seventh of the time of a put. It commits if f returns no error, otherwise it
// rolls back.
func (db *DB) transact(ctx context.Context, f func(*sql.Conn) error) error {
	tx, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer tx.Close()
	// BEGIN IMMEDIATE takes the write lock at once: a transaction that began with a read could no longer write
	// once another process has written.
	if _, err := tx.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	stored := false
	defer func() {
		if !stored {
			_, _ = tx.ExecContext(ctx, "ROLLBACK") // SQLite may have done so itself
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "COMMIT")
	stored = err == nil
	return err
}
