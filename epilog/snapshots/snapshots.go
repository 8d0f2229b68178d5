// Package snapshots publishes to each user his own part of the history: a file that belongs to the service
// account and that the user may read by an ACL. The user cannot write it, because a file that a user can write
// is a risk for every other program that opens it; no other user may read it. The live history and the users
// with new runs go in; <directory>/<uid>/history.db comes out, each by temporary name and rename, so that open
// readers continue in the previous file.
//
// It refuses a directory that another account can change, and publishes nothing on a file system without ACLs.
package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/acl"
	"jobgait/analysis/history"
	"jobgait/configs"
)

// MinAge is the age that a snapshot must have before it is replaced: a user whose jobs end every second gets
// one every ten minutes.
const MinAge = 10 * time.Minute

// lookBack is how far before now Publish searches for users with new runs.
const lookBack = 7 * 24 * time.Hour

// Publish writes the snapshots that are due at the time now and returns their number. An error of one user does
// not stop the others, unless it affects all.
func Publish(ctx context.Context, db *history.DB, h configs.HistorySettings, now time.Time) (made int, failed error) {
	if h.Snapshots == "" {
		return 0, nil
	}
	if err := requirePrivateDir(h.Snapshots); err != nil {
		return 0, err
	}
	users, err := db.UsersSince(ctx, float64(now.Add(-lookBack).Unix()))
	if err != nil {
		return 0, err
	}
	for _, u := range users {
		to := h.SnapshotOf(u.UID)
		if u.UID <= 0 || !isDue(to, u.At, now) {
			continue
		}
		err := publish(ctx, db, u.UID, to)
		if err == nil {
			made++
			continue
		}
		failed = errors.Join(failed, fmt.Errorf(
			"write the history snapshot %s of user %d: %w: the user sees an older one or "+
				"none", to, u.UID, err))
		if errors.Is(err, acl.ErrNoACL) || errors.Is(err, unix.ENOSPC) || history.Unavailable(err) || ctx.Err() != nil {
			break
		}
	}
	return made, failed
}

// isDue reports whether the snapshot at path is to be written: the file is missing, or it is at least MinAge
// old and older than came, or its time is more than MinAge in the future. came is when a run of the user was
// last stored in the history, in UTC epoch seconds.
func isDue(path string, came float64, now time.Time) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return true
	}
	made := info.ModTime()
	return float64(made.UnixNano())/1e9 < came && now.Sub(made) >= MinAge || made.After(now.Add(MinAge))
}

// requirePrivateDir returns an error unless dir is a directory that only this account can write to.
func requirePrivateDir(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("check the directory %s of history.snapshots: %w: no snapshot is written", dir, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return fmt.Errorf("check the directory %s of history.snapshots: want a directory of uid %d that no other can "+
			"write to: "+
			"no snapshot is written: chown and chmod go-w it", dir, os.Geteuid())
	}
	return nil
}

// publish writes one user's snapshot and then renames it into place. Only this account can read the file until
// its ACL is set.
func publish(ctx context.Context, db *history.DB, uid int, to string) error {
	dir := filepath.Dir(to)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := requirePrivateDir(dir); err != nil {
		return err
	}
	if err := acl.Allow(dir, uid, acl.Read|acl.Enter); err != nil {
		return err
	}
	next := filepath.Join(dir, ".next.db")
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer func() { _ = os.Remove(next) }() // is renamed where all went well
	if err := db.Snapshot(ctx, uid, next); err != nil {
		return err
	}
	if err := acl.Allow(next, uid, acl.Read); err != nil {
		return err
	}
	return os.Rename(next, to)
}
