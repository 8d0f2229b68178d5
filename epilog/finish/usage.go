package finish

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// usage is the space, inodes and runs that files take in the spool. As a difference to the bounds it may be
// negative.
type usage struct {
	bytes int64 // in disk blocks
	files int   // inodes
	runs  int   // run directories and kept reports
}

// plus returns the sum of two usages.
func (u usage) plus(o usage) usage {
	return usage{u.bytes + o.bytes, u.files + o.files, u.runs + o.runs}
}

// minus returns u less o; amounts may be negative.
func (u usage) minus(o usage) usage {
	return usage{u.bytes - o.bytes, u.files - o.files, u.runs - o.runs}
}

// exceeded reports whether any amount of u, by which the spool exceeds its bounds, is above 0.
func (u usage) exceeded() bool { return u.bytes > 0 || u.files > 0 || u.runs > 0 }

// relieves reports whether removing u reduces an amount by which the spool exceeds its bounds.
func (u usage) relieves(over usage) bool {
	return u.bytes > 0 && over.bytes > 0 || u.files > 0 && over.files > 0 || u.runs > 0 && over.runs > 0
}

// filesPerRun times spool.max_runs limits the inodes of the spool. A run directory has up to 13.
const filesPerRun = 16

// bounds returns the most that the spool may take: spool.max_gb, spool.max_runs, and inodes for that many runs,
// at most half of a file system's fixed number. Free blocks and inodes are not considered, because other
// accounts may use them up.
func (f Finisher) bounds() usage {
	limit := usage{bytes: int64(f.Config.Spool.MaxGB * 1e9), files: filesPerRun * f.Config.Spool.MaxRuns,
		runs: f.Config.Spool.MaxRuns}
	var st unix.Statfs_t
	if unix.Statfs(f.Spool, &st) == nil && fixedInodes(st) && st.Files > 0 {
		limit.files = min(limit.files, int(st.Files/2))
	}
	return limit
}

// fixedInodes reports whether the file system is ext4 or tmpfs, whose number of inodes is fixed when it is made
// or mounted.
func fixedInodes(st unix.Statfs_t) bool {
	return uint32(st.Type) == unix.EXT4_SUPER_MAGIC || uint32(st.Type) == unix.TMPFS_MAGIC
}

// spoolEntry is something in the node's spool that may be removed for room.
type spoolEntry struct {
	path string
	usage
	age time.Duration
}

// measure sums up the usage of the files below path; its age is that of the youngest file. Files that vanish
// meanwhile count 0. Files of other accounts, which versions before 2026-11-27 left in the reports, are
// ignored: their owners can give them any size and time.
func measure(path string) spoolEntry {
	c := spoolEntry{path: path}
	var youngest time.Time
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(st.Uid) != os.Geteuid() {
			return nil
		}
		if info.ModTime().After(youngest) {
			youngest = info.ModTime()
		}
		c.bytes += st.Blocks * 512
		c.files++
		return nil
	})
	c.age = time.Since(youngest)
	return c
}
