package check

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// snapshots judges the directory of the users' own histories: it must be there, let
// through whoever knows his way, and keep ACLs.
func (n Node) snapshots() Finding {
	const subject = "snapshots"
	dir, account := n.Config.History.Snapshots, n.Config.Collect.Account
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return fail(subject, fmt.Sprintf("install -d -o %s -m 0711 %s", account, dir), "history.snapshots %s: %v: users cannot ask their history", dir, err)
	}
	switch {
	case st.Mode&0o022 != 0:
		return fail(subject, "chmod 0711 "+dir, "history.snapshots %s can be written by another account: nothing is published there", dir)
	case st.Mode&0o001 == 0:
		return fail(subject, "chmod 0711 "+dir, "history.snapshots %s lets no user through", dir)
	}
	if _, err := unix.Getxattr(dir, "system.posix_acl_access", nil); errors.Is(err, unix.ENOTSUP) {
		return fail(subject, n.set("[history] snapshots"), "the file system of history.snapshots %s keeps no POSIX ACL: nothing is published there", dir)
	}
	made, err := filepath.Glob(filepath.Join(dir, "[0-9]*"))
	if err != nil || len(made) == 0 {
		return ok(subject, "%s keeps ACLs", dir)
	}
	return ok(subject, "%s: of %d users", dir, len(made))
}
