package kernel

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"jobgait/agent/rawcall"
)

// Written is what a job's processes had written to files at a reading: their write_bytes, including writes that were
// cancelled when a file was replaced, without what they appended to files that they keep open, such as logs and
// trajectories.
type Written struct {
	AtNS  int64 // CLOCK_MONOTONIC, 0 before the first reading
	Bytes uint64
}

// fileGrowth sums by how much the files grow that a process keeps open between bursts of writing.
type fileGrowth struct {
	appended uint64
	between  uint64               // bytes written between bursts since the last one: they count as written already
	open     map[int]filePosition // by descriptor, after the last burst
	writing  bool                 // at the last reading
}

// filePosition is where a process writes in a file.
type filePosition struct{ inode, at uint64 }

// leastGrowth is the number of bytes from which a process counts as writing; maxDescriptors limits the descriptors that
// are read.
const (
	leastGrowth    = 32 << 10
	maxDescriptors = 64
)

// update takes the number of bytes that a process has written since the last reading. While it writes, it adds by how
// much the files grew that it had open before; at the first reading after that it lists the open files. It returns the
// number of descriptors that it read: none of a process that does not write.
func (g *fileGrowth) update(proc string, pid int, wrote uint64, buf []byte) (descriptors int) {
	if wrote < leastGrowth && !g.writing {
		g.between += wrote
		return 0
	}
	now, descriptors := filePositions(filepath.Join(proc, strconv.Itoa(pid), "fdinfo"), buf)
	grown := uint64(0)
	for fd, was := range g.open {
		if p, still := now[fd]; still && p.inode == was.inode && p.at > was.at {
			grown += p.at - was.at
			g.open[fd] = p
		}
	}
	g.appended += min(wrote, grown-min(grown, g.between)) // a file may grow by a seek, or by another process
	g.between = 0
	if g.writing = wrote >= leastGrowth; !g.writing {
		g.open = now
	}
	return descriptors
}

// filePositions reads where a process writes in its open files, from its directory fdinfo. Files that are open only for
// reading or at position 0 are left out. It also returns the number of descriptors that it read.
func filePositions(dir string, buf []byte) (found map[int]filePosition, descriptors int) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, 0
	}
	names, _ := f.Readdirnames(maxDescriptors) // what could be read counts
	_ = f.Close()
	found = map[int]filePosition{}
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := rawcall.ReadRecord(filepath.Join(dir, name), buf, maxStat)
		if err != nil {
			continue
		}
		if p, ok := parsePosition(b); ok {
			found[fd] = p
		}
	}
	return found, len(names)
}

// parsePosition parses a file of /proc/PID/fdinfo; false for a file that is not open for writing or at position 0. The
// inode is 0 before Linux 5.14.
//
//	pos:	4096
//	flags:	0100001
//	mnt_id:	29
//	ino:	1835
func parsePosition(b []byte) (filePosition, bool) {
	at, ok := findKey(b, "pos")
	inode, _ := findKey(b, "ino")
	_, rest, found := bytes.Cut(b, []byte("flags:\t"))
	flags, _, _ := bytes.Cut(rest, []byte("\n"))
	mode, err := strconv.ParseUint(string(flags), 8, 64)
	return filePosition{inode, at}, ok && found && err == nil && at > 0 && mode&3 != 0
}
