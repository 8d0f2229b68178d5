package history

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// applicationID marks a file as a history of jobgait ("jgHi"), in the header field
// that SQLite keeps for it; file(1) shows it. Two others ("JGai", "jgai") mark those
// from before the first release: their versions are not the ones counted here.
const (
	applicationID = 0x6A674869
	trialID       = 0x4A476169
	secondTrialID = 0x6A676169
)

//go:embed schema.sql
var schemaText string

// schema is the SQL that creates a history, and the steps that upgrade one of an earlier version.
type schema struct {
	text string // schema.sql: it creates what does not exist
	// steps[i] leads from version i+1 to i+2: SQL for what schema.sql cannot say of
	// tables that are there, run before it and without the views.
	steps []string
}

// currentSchema returns the schema that this program writes. Columns that may be NULL, tables, indexes and
// columns of views are added to schema.sql and to nothing else: a history that lacks them gets them when it is
// opened to be written (missingparts.go). A change of something that exists needs a step: "DROP INDEX x" for an index,
// "DROP VIEW x" for a view that goes, "" for one that shows something else. A released step is never changed;
// no step was released so far.
func currentSchema() schema {
	return schema{text: schemaText, steps: []string{
		"", // prefixTables renames the tables
	}}
}

// version returns the number of the schema, as in PRAGMA user_version.
func (s schema) version() int { return 1 + len(s.steps) }

var viewHead = regexp.MustCompile(`(?m)^CREATE VIEW (?:IF NOT EXISTS )?(\w+) (?:\([\w, ]+\) )?AS$`)

// upgradeSQL returns the SQL that upgrades the tables of an earlier version; "" for version 0, an empty file.
func (s schema) upgradeSQL(from int) string {
	if from == 0 {
		return ""
	}
	return strings.Join(s.steps[from-1:], ";\n")
}

// createSQL returns the SQL that creates what does not exist; views must have been dropped.
func (s schema) createSQL() string {
	return fmt.Sprintf("%s\nPRAGMA application_id = %d; PRAGMA user_version = %d;", s.text, applicationID, s.version())
}

// remake drops the views of a history and upgrades it to this version, with the columns that were added without
// a version number. Views are dropped by name, so that views of an administrator stay.
func (db *DB) remake(ctx context.Context, tx *sql.Conn, from int) error {
	for _, view := range viewHead.FindAllStringSubmatch(db.schema.text, -1) {
		var there bool
		err := tx.QueryRowContext(ctx, "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'view' AND name = ?",
			view[1]).Scan(&there)
		if err == nil && there {
			_, err = tx.ExecContext(ctx, "DROP VIEW "+view[1])
		}
		if err != nil {
			return err
		}
	}
	if from == unprefixedVersion {
		if err := db.prefixTables(ctx, tx); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, db.schema.upgradeSQL(from)); err != nil {
		return err
	}
	left, err := db.missingParts(ctx, tx)
	if err != nil {
		return err
	}
	for _, l := range left {
		if l.add == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, l.add); err != nil {
			return fmt.Errorf("add %s to the schema of the history: %w", l.name, err)
		}
	}
	_, err = tx.ExecContext(ctx, db.schema.createSQL())
	return err
}

// rowQueryer is the interface of *sql.DB and *sql.Conn for queries of one row.
type rowQueryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the schema version of the history, 0 for an empty file, and
// refuses any other file.
func (db *DB) version(ctx context.Context, q rowQueryer) (int, error) {
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
	case id == trialID || id == secondTrialID:
		aside := filepath.Join(filepath.Dir(db.path), "before")
		return 0, fmt.Errorf("its schema predates the first release and is no longer supported: move it away "+
			"(mkdir %s && mv %s* %[1]s): the next run begins a new one, and jobgait reanalyse adds runs whose profiles "+
			"were kept", aside, db.path)
	case id != applicationID || v < 1:
		return 0, fmt.Errorf("the file is not a history of jobgait (application id %#x, version %d, want id %#x): "+
			"name another file (--history, history.path)", uint32(id), v, applicationID)
	case v > db.schema.version():
		return 0, fmt.Errorf("a newer jobgait wrote it (schema version %d, this one reads up to %d): "+
			"install that jobgait here, or name another file (--history, history.path)", v, db.schema.version())
	}
	return v, nil
}

// ErrOlder is returned when a history of an older version is opened read-only.
var ErrOlder = errors.New("an older jobgait wrote it")

// readable returns nil if the history has the schema version of this program and all of its tables, columns and
// views; missing indexes do not matter. It returns ErrOlder if the version is older or if one of these parts is
// missing, and another error if a newer program wrote the file or if it is no history.
func (db *DB) readable(ctx context.Context) error {
	return db.retryWhileLocked(ctx, func() error {
		v, err := db.version(ctx, db.sql)
		if want := db.schema.version(); err == nil && v < want {
			return fmt.Errorf("%w (schema version %d, this one reads %d): it is readable once the next run is stored",
				ErrOlder, v, want)
		}
		if err != nil {
			return err
		}
		left, err := db.missingParts(ctx, db.sql)
		left = slices.DeleteFunc(left, schemaPart.index) // costs time, and no answer
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%w (its schema has no %s): it is readable once the next run is stored", ErrOlder,
				left[0].name)
		}
		return err
	})
}

// migrate upgrades the history to this version in one transaction, which begins IMMEDIATE and reads the version
// again: another process may have migrated while this one waited for the lock.
func (db *DB) migrate(ctx context.Context) error {
	return db.write(ctx, func(tx *sql.Conn) error {
		v, err := db.version(ctx, tx)
		if err != nil || v == db.schema.version() {
			return err
		}
		if err := db.remake(ctx, tx, v); err != nil {
			return fmt.Errorf("migrate the history from schema version %d to %d: %w: the history is unchanged", v,
				db.schema.version(), err)
		}
		return nil
	})
}
