package history

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

// applicationID marks a file as a history of jobgait ("JGai"), in the header
// field that SQLite keeps for it; file(1) shows it.
const applicationID = 0x4A476169

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the scripts in order: script i leads from version i to
// version i+1. They only ever go forward, and one that was released is never
// changed.
func migrations() ([]string, error) {
	entries, err := fs.ReadDir(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	scripts := make([]string, 0, len(entries))
	for i, e := range entries {
		var number int
		if _, err := fmt.Sscanf(e.Name(), "%04d_", &number); err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", e.Name(), i+1)
		}
		script, err := fs.ReadFile(migrationFiles, "migrations/"+e.Name())
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, string(script))
	}
	return scripts, nil
}

// errForeign and errNewer say whose file a database is, if not ours.
var (
	errForeign = errors.New("not a history of jobgait")
	errNewer   = errors.New("written by a newer jobgait")
)

// rower is what a *sql.DB, a *sql.Conn and a *sql.Tx have in common here.
type rower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the schema version of a history, 0 for an empty file, and
// refuses any other file.
func version(ctx context.Context, q rower, newest int) (int, error) {
	var id, v, objects int
	err := q.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_master)`).Scan(&id, &v, &objects)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && v == 0 && objects == 0:
		return 0, nil
	case id != applicationID || v < 1:
		return 0, fmt.Errorf("%w: found application id %#x, version %d, expected id %#x: "+
			"name another file as history.path", errForeign, uint32(id), v, applicationID)
	case v > newest:
		return 0, fmt.Errorf("%w: found schema version %d, expected at most %d: "+
			"use that jobgait, or name another file as history.path", errNewer, v, newest)
	}
	return v, nil
}

// migrate brings a history to the newest version, one transaction a step.
// Each begins IMMEDIATE and reads the version again: another process may have
// migrated while this one waited for the lock.
func migrate(ctx context.Context, db *DB, scripts []string) error {
	for {
		var v int
		err := db.patiently(ctx, func() (err error) {
			v, err = version(ctx, db.sql, len(scripts))
			return err
		})
		if err != nil || v == len(scripts) {
			return err
		}
		err = db.write(ctx, func(tx *sql.Tx) error {
			v, err := version(ctx, tx, len(scripts))
			if err != nil || v == len(scripts) {
				return err
			}
			if _, err := tx.ExecContext(ctx, scripts[v]); err != nil {
				return fmt.Errorf("migrate from version %d to %d: %w", v, v+1, err)
			}
			_, err = tx.ExecContext(ctx, fmt.Sprintf(
				"PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, v+1))
			return err
		})
		if err != nil {
			return err
		}
	}
}
