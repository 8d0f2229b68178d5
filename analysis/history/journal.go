package history

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystems on which SQLite's write-ahead log must not be used, by their
// magic number (statfs(2)): readers and the writer share its index through
// mapped memory, which two hosts do not have in common. FUSE is among them
// because it hides what is behind it (sshfs, GlusterFS, DAOS).
var fileSystems = map[uint32]string{
	unix.NFS_SUPER_MAGIC:   "NFS",
	0x0BD00BD0:             "Lustre",
	0x47504653:             "GPFS",
	0x19830326:             "BeeGFS",
	0xAAD7AAEA:             "PanFS",
	0x20030528:             "OrangeFS",
	0x01161970:             "GFS2",
	0x01021997:             "9P",
	unix.CEPH_SUPER_MAGIC:  "Ceph",
	unix.OCFS2_SUPER_MAGIC: "OCFS2",
	unix.AFS_SUPER_MAGIC:   "AFS",
	unix.AFS_FS_MAGIC:      "AFS",
	unix.CODA_SUPER_MAGIC:  "Coda",
	unix.NCP_SUPER_MAGIC:   "NCP",
	unix.CIFS_SUPER_MAGIC:  "CIFS",
	unix.SMB2_SUPER_MAGIC:  "SMB2",
	unix.SMB_SUPER_MAGIC:   "SMB",
	unix.FUSE_SUPER_MAGIC:  "FUSE",
}

// NetworkFileSystem returns the name of the network file system that dir lies on,
// "" for one of this machine's own.
func NetworkFileSystem(dir string) (string, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return "", fmt.Errorf("find the type of the file system of %s: %w", dir, err)
	}
	return fileSystems[uint32(fs.Type)], nil
}

// Journal is SQLite's journal mode, by which transactions are atomic.
type Journal string

const (
	// WAL lets readers continue while another process writes. It works on one host only.
	WAL Journal = "wal"
	// Rollback works wherever file locks do; readers wait for the writer.
	Rollback Journal = "delete"
)

// journalFor returns the journal that the file system of dir allows.
func journalFor(dir string) (Journal, error) {
	network, err := NetworkFileSystem(dir)
	if network != "" {
		return Rollback, nil
	}
	return WAL, err
}
