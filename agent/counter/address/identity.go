package address

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"

	"jobgait/agent/peek"
)

// hashBuildID returns a file's key from its build id, which is equal on all nodes and in all runs.
func hashBuildID(id []byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte("build id\x00"))
	h.Write(id)
	return max(h.Sum64(), 1)
}

// hashInode returns the key of a file without a build id, which is equal only on one node.
func hashInode(n inode) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "inode\x00%d\x00%d", n.dev, n.ino)
	return max(h.Sum64(), 1)
}

// identifier identifies mapped files, each once: the first result is kept even if a later one could be better,
// because one page must not have two keys.
type identifier struct {
	peek  peek.Reader
	known map[inode]identity
}

// identity is the key of a file, and its build id in hexadecimal digits, "" if it has none.
type identity struct {
	hash  uint64
	build string
}

const (
	maxFiles = 1 << 14
	maxID    = 64 // bytes of a build id
)

// newIdentifier returns an identifier that reads files through p.
func newIdentifier(p peek.Reader) *identifier {
	return &identifier{peek: p, known: map[inode]identity{}}
}

// file returns the identity of the file that a process has mapped at an area: its build id. The file may be on a
// hanging network file system, so the read is limited in time. If it gives no build id, or for more than maxFiles
// files, the identity is the hash of device and inode. Each inode is read once, and its identity never changes.
func (x *identifier) file(pid int32, a area) identity {
	if h, ok := x.known[a.inode]; ok {
		return h
	}
	h := identity{hash: hashInode(a.inode)}
	if len(x.known) >= maxFiles {
		return h
	}
	id, err := x.peek.Ask(peek.ProcRequest{File: peek.MappedBuild, PID: int(pid), Max: maxID,
		Area: peek.Area{Start: a.start, End: a.end, Inode: a.inode.ino}})
	if err == nil {
		h = identity{hashBuildID(id), hex.EncodeToString(id)}
	}
	x.known[a.inode] = h
	return h
}

// build returns the build id of a process's executable in hex, else a hash of its size and time, "" if unknown.
func (x *identifier) build(pid int32) string {
	id, err := x.peek.Ask(peek.ProcRequest{File: peek.ProgramBuild, PID: int(pid), Max: 2 * maxID})
	if err != nil {
		return ""
	}
	return string(id)
}
