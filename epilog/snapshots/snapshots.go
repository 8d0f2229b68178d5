// Package snapshots publishes to each user his own part of the history: a file that
// belongs to the service account and that the user may read by an ACL. He cannot write
// it, because what a user can write is hostile to whoever else opens it; and nobody
// else may read it. The live history and the users of whom something came in go in;
// <directory>/<uid>/history.db come out, each by temporary name and rename, so that who
// reads one reads on in the one before.
//
// It refuses a directory that another account can change, and publishes nothing where
// the file system keeps no ACL.
package snapshots

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/analysis/history"
	"jobgait/configs"
)

// Every is how old a snapshot is at least before it is made anew: a user whose jobs end
// every second has one every ten minutes.
const Every = 10 * time.Minute

// since is how far back it is looked for what came in.
const since = 7 * 24 * time.Hour

// ErrNoACL is returned where the file system keeps no ACL.
var ErrNoACL = errors.New("its file system keeps no POSIX ACL")

// Publish makes the snapshots that are due at a time, and says how many. What fails for
// one user does not stop the others, unless it is the same for all.
func Publish(ctx context.Context, db *history.DB, h configs.History, now time.Time) (made int, failed error) {
	if h.Snapshots == "" {
		return 0, nil
	}
	if err := own(h.Snapshots); err != nil {
		return 0, err
	}
	users, err := db.CameSince(ctx, float64(now.Add(-since).Unix()))
	if err != nil {
		return 0, err
	}
	for _, u := range users {
		to := h.SnapshotOf(u.UID)
		if u.UID <= 0 || !due(to, u.At, now) {
			continue
		}
		err := publish(ctx, db, u.UID, to)
		if err == nil {
			made++
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("snapshot of user %d: %w", u.UID, err))
		if errors.Is(err, ErrNoACL) || errors.Is(err, unix.ENOSPC) || history.Unavailable(err) || ctx.Err() != nil {
			break
		}
	}
	return made, failed
}

// due is whether a snapshot is older than what came in, and old enough.
func due(path string, came float64, now time.Time) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return true
	}
	made := info.ModTime()
	return float64(made.UnixNano())/1e9 < came && now.Sub(made) >= Every || made.After(now.Add(Every))
}

// own refuses a directory that is not this account's alone.
func own(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("history.snapshots %s: %w", dir, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return fmt.Errorf("history.snapshots %s is no directory that this account alone can write", dir)
	}
	return nil
}

// publish makes one snapshot. Nobody but this account can read the file before the ACL
// is on it.
func publish(ctx context.Context, db *history.DB, uid int, to string) error {
	dir := filepath.Dir(to)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := own(dir); err != nil {
		return err
	}
	if err := LetRead(dir, uid, 5); err != nil {
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
	if err := LetRead(next, uid, 4); err != nil {
		return err
	}
	return os.Rename(next, to)
}

// Tags of a POSIX ACL as the kernel takes it (include/uapi/linux/posix_acl.h and
// posix_acl_xattr.h): version 2, then entries of tag, rights and id, little endian.
const (
	aclVersion = 2
	userObj    = 0x01
	user       = 0x02
	groupObj   = 0x04
	mask       = 0x10
	other      = 0x20
	nobody     = 0xFFFFFFFF
	aclName    = "system.posix_acl_access"
)

// LetRead gives one user, beside the owner, some of the rights of reading (4) and
// passing through (1) to a path, and nobody else any.
func LetRead(path string, uid int, rights uint16) error {
	acl := binary.LittleEndian.AppendUint32(nil, aclVersion)
	for _, e := range []struct {
		tag, rights uint16
		id          uint32
	}{{userObj, rights | 6, nobody}, {user, rights, uint32(uid)}, {groupObj, 0, nobody}, {mask, rights, nobody}, {other, 0, nobody}} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.rights)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	err := unix.Lsetxattr(path, aclName, acl, 0)
	if errors.Is(err, unix.ENOTSUP) {
		return fmt.Errorf("%s: %w", path, ErrNoACL)
	}
	if err != nil {
		return fmt.Errorf("let user %d read %s: %w", uid, path, err)
	}
	got := make([]byte, len(acl)+1)
	if n, err := unix.Lgetxattr(path, aclName, got); err != nil || n != len(acl) {
		return fmt.Errorf("%s: %w: it is not as it was set", path, errors.Join(ErrNoACL, err))
	}
	return nil
}
