package history

import (
	"path/filepath"
	"testing"
)

func TestNetworkFileSystems(t *testing.T) {
	for name, magic := range map[string]uint32{"NFS": 0x6969, "Lustre": 0x0BD00BD0, "GPFS": 0x47504653,
		"BeeGFS": 0x19830326, "CIFS": 0xFF534D42, "FUSE": 0x65735546} {
		if got := fileSystems[magic]; got != name {
			t.Errorf("%s is called %q", name, got)
		}
	}
	for _, magic := range []uint32{0xEF53, 0x58465342, 0x01021994, 0x9123683E} { // ext4, XFS, tmpfs, Btrfs
		if got := fileSystems[magic]; got != "" {
			t.Errorf("%#x is %s", magic, got)
		}
	}
	if _, err := journalFor(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing directory has a file system")
	}
}

// TestRollbackJournal is a history on a network file system, once moved there
// from a local disk, where it had a write-ahead log.
func TestRollbackJournal(t *testing.T) {
	local := openFixture(t)
	if local.journal != WAL {
		t.Skipf("the temporary directory is on a network file system: journal %s", local.journal)
	}
	if err := local.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := openWith(t.Context(), local.path, Rollback, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.journal != Rollback {
		t.Errorf("journal is %s", db.journal)
	}
	mustPut(t, db, oneNode(5), Ingest{})
	if left, _ := filepath.Glob(db.path + "-*"); len(left) > 0 {
		t.Errorf("files of a write-ahead log: %v", left)
	}
	if runs, err := db.Runs(t.Context(), Query{}); len(runs) != len(fixture())+1 || err != nil {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}
