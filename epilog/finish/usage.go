package finish

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// usage is what files take of the spool.
type usage struct {
	bytes int64 // in disk blocks
	files int   // inodes
	runs  int   // run directories and kept reports
}

func (u usage) plus(o usage) usage {
	return usage{u.bytes + o.bytes, u.files + o.files, u.runs + o.runs}
}

func (u usage) minus(o usage) usage {
	return usage{u.bytes - o.bytes, u.files - o.files, u.runs - o.runs}
}

// exceeded says whether a spool that is over its bounds by u is over any of them.
func (u usage) exceeded() bool { return u.bytes > 0 || u.files > 0 || u.runs > 0 }

// relieves says whether removing u helps a spool that is over its bounds by over.
func (u usage) relieves(over usage) bool {
	return u.bytes > 0 && over.bytes > 0 || u.files > 0 && over.files > 0 || u.runs > 0 && over.runs > 0
}

// filesPerRun bounds the inodes of the spool by its number of runs. A run directory has up to 13.
const filesPerRun = 16

// bounds returns what the spool may take. A file system with a fixed number of inodes gives at most half of them. Free
// blocks and inodes do not count: other accounts may use them up.
func (f Finisher) bounds() usage {
	most := usage{bytes: int64(f.Config.Spool.MaxGB * 1e9), files: filesPerRun * f.Config.Spool.MaxRuns,
		runs: f.Config.Spool.MaxRuns}
	var st unix.Statfs_t
	if unix.Statfs(f.Spool, &st) == nil && fixedInodes(st) && st.Files > 0 {
		most.files = min(most.files, int(st.Files/2))
	}
	return most
}

// fixedInodes says whether the number of inodes was chosen when the file system was made or mounted.
func fixedInodes(st unix.Statfs_t) bool {
	return uint32(st.Type) == unix.EXT4_SUPER_MAGIC || uint32(st.Type) == unix.TMPFS_MAGIC
}

// candidate is something in the node's spool that may be removed for room.
type candidate struct {
	path string
	usage
	age time.Duration
}

// measure sums up what the files below path take; what vanishes meanwhile counts 0. The age is that of the youngest of
// them. Files of other accounts, which versions before 2026-11-27 left in the reports, count for neither: their owners
// can give them any size and time.
func measure(path string) candidate {
	c := candidate{path: path}
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
