// Package acl lets one user read a file that another account, this one, owns. A path, a user and rights come
// in; the path gets a POSIX ACL. It exists because root must not depend on a file that a user owns: its owner
// can grow it, set its times and hold a lease on it. It needs no privilege on files of this account, and
// returns ErrNoACL if the file system does not support ACLs.
package acl

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Rights of one user to a path.
const (
	Read  uint16 = 4
	Enter uint16 = 1 // of a directory
	Write uint16 = 2 // of a socket: to connect
)

// ErrNoACL is returned if the file system does not support POSIX ACLs.
var ErrNoACL = errors.New("the file system keeps no POSIX ACL: mount it with ACL support")

// Tags of a POSIX ACL as the kernel takes it (include/uapi/linux/posix_acl.h and
// posix_acl_xattr.h): version 2, then entries of tag, rights and id, little endian.
const (
	version  = 2
	userObj  = 0x01
	user     = 0x02
	groupObj = 0x04
	mask     = 0x10
	other    = 0x20
	noID     = 0xFFFFFFFF
	xattr    = "system.posix_acl_access"
)

// Allow gives one user rights to a path and removes the rights of all other users and groups. The owner gets
// these rights and may read and write. It does not follow links. It returns ErrNoACL if the file system does
// not keep the ACL.
func Allow(path string, uid int, rights uint16) error {
	acl := binary.LittleEndian.AppendUint32(nil, version)
	for _, e := range []struct {
		tag, rights uint16
		id          uint32
	}{{userObj, rights | Read | Write, noID}, {user, rights, uint32(uid)}, {groupObj, 0, noID}, {mask, rights, noID},
		{other, 0, noID}} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.rights)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	err := unix.Lsetxattr(path, xattr, acl, 0)
	if errors.Is(err, unix.ENOTSUP) {
		return ErrNoACL
	}
	if err != nil {
		return fmt.Errorf("set an ACL that lets user %d read %s: %w", uid, path, err)
	}
	got := make([]byte, len(acl)+1)
	if n, err := unix.Lgetxattr(path, xattr, got); err != nil || n != len(acl) {
		why := ErrNoACL
		if err != nil {
			why = fmt.Errorf("%w (%w)", ErrNoACL, err)
		}
		return fmt.Errorf("set an ACL that lets user %d read %s: reading it back returned another ACL: %w", uid, path, why)
	}
	return nil
}
