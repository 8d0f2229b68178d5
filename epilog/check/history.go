package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/analysis/history"
)

// checkHistory checks that the history can be opened or created. If another host writes it, it checks instead how many
// job records wait for that host; s and lookErr are the result of inspecting the collection directory.
func (n Node) checkHistory(ctx context.Context, s SharedDirectory, lookErr error) Finding {
	const subject = "history"
	if n.Config.History.Ingest == "spool" {
		return n.checkIngest(s, lookErr)
	}
	path := n.Config.History.Path
	db, err := history.OpenReadOnly(ctx, path)
	switch {
	case err == nil:
		if err := db.Close(); err != nil {
			return failure(subject, "", "%v", err)
		}
		return passed(subject, "%s", path)
	case errors.Is(err, history.ErrOlder):
		return passed(subject, "%v", err)
	case errors.Is(err, fs.ErrPermission) && !isRoot():
		return notChecked(subject, rerunAsRoot, "%v", err)
	case !errors.Is(err, fs.ErrNotExist):
		return failure(subject, n.editCommand("[history] path"), "%v", err)
	}
	above, err := existingParent(filepath.Dir(path))
	if err == nil {
		err = unix.Access(above, unix.W_OK)
	}
	switch {
	case err == nil:
		return passed(subject, "no %s: the first run creates it", path)
	case !isRoot():
		return notChecked(subject, rerunAsRoot, "%s: %v", above, err)
	}
	return failure(subject, fmt.Sprintf("install -d %s", filepath.Dir(path)),
		"%s cannot be created: %s: %v", path, above, err)
}

// checkIngest checks whether some host writes job records into the history: the oldest waiting record must be younger
// than maxUnfinishedAge. s and lookErr are the result of inspecting the collection directory.
func (n Node) checkIngest(s SharedDirectory, lookErr error) Finding {
	const subject = "history"
	path := n.Config.History.Path
	last := "this node has no history"
	if info, err := os.Stat(path); err == nil {
		last = fmt.Sprintf("the history was last written %v ago", time.Since(info.ModTime()).Round(time.Second))
	}
	do := "systemctl enable --now jobgait-ingest.timer   # on the host of " + path
	oldest := time.Duration(s.OldestS * float64(time.Second)).Round(time.Minute)
	switch {
	case lookErr != nil || s.Trouble != "":
		return notChecked(subject, rerunAsRoot, "whether job records wait; %s", last)
	case oldest > maxUnfinishedAge:
		return failure(subject, do, "%d job records wait for the ingest, the first for %v; %s", s.Waiting, oldest, last)
	}
	if s.Failed > 0 {
		return warning(subject, fmt.Sprintf("ls -l %s/jobs/failed   # as %s", n.Config.Collect.Dir, n.Config.Collect.Account),
			"%d damaged job records were set aside; %s", s.Failed, last)
	}
	return passed(subject, "%d job records wait for the ingest; %s", s.Waiting, last)
}

// checkSnapshots checks the directory of the users' own histories: it must exist, be searchable by all and
// writable by its owner alone, and its file system must support ACLs.
func (n Node) checkSnapshots() Finding {
	const subject = "snapshots"
	dir, account := n.Config.History.Snapshots, n.Config.Collect.Account
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return failure(subject, fmt.Sprintf("install -d -o %s -m 0711 %s", account, dir),
			"history.snapshots %s: %v: users cannot query their history", dir, err)
	}
	switch {
	case st.Mode&0o022 != 0:
		return failure(subject, "chmod 0711 "+dir,
			"another account can write to history.snapshots %s: no snapshot is written there", dir)
	case st.Mode&0o001 == 0:
		return failure(subject, "chmod 0711 "+dir,
			"users cannot pass through the directory history.snapshots %s, so they cannot query their history", dir)
	}
	if _, err := unix.Getxattr(dir, "system.posix_acl_access", nil); errors.Is(err, unix.ENOTSUP) {
		return failure(subject, n.editCommand("[history] snapshots"),
			"the file system of history.snapshots %s supports no POSIX ACL: no snapshot is written there", dir)
	}
	made, err := filepath.Glob(filepath.Join(dir, "[0-9]*"))
	if err != nil || len(made) == 0 {
		return passed(subject, "%s keeps ACLs", dir)
	}
	return passed(subject, "%s: of %d users", dir, len(made))
}
