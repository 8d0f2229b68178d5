package address

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"

	"jobgait/agent/peek"
)

// hashBuildID names a file by its build id: the same on all nodes and in all
// runs.
func hashBuildID(id []byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte("build id\x00"))
	h.Write(id)
	return max(h.Sum64(), 1)
}

// hashInode names a file that has no build id: the same on one node.
func hashInode(n inode) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "inode\x00%d\x00%d", n.dev, n.ino)
	return max(h.Sum64(), 1)
}

// identifier finds out what the mapped files are, each once: an answer stays
// even if a later one could be better, because one page must not have two keys.
type identifier struct {
	peek  peek.Reader
	known map[inode]identity
}

// identity is the name of a file, and its build id in hexadecimal digits, "" if it
// has none.
type identity struct {
	hash  uint64
	build string
}

const (
	maxFiles = 1 << 14
	maxID    = 64 // bytes of a build id
)

func newIdentifier(p peek.Reader) *identifier {
	return &identifier{peek: p, known: map[inode]identity{}}
}

// file returns which file that of an area of a process is. The file may lie on a
// network file system that hangs, or be of the user's own making: the asking is
// bounded, and one that does not answer is named without its build id.
func (x *identifier) file(pid int32, a area) identity {
	if h, ok := x.known[a.inode]; ok {
		return h
	}
	h := identity{hash: hashInode(a.inode)}
	if len(x.known) >= maxFiles {
		return h
	}
	id, err := x.peek.Ask(peek.ProcQuestion{File: peek.MappedBuild, PID: int(pid), Max: maxID,
		Area: peek.Area{Start: a.start, End: a.end, Inode: a.inode.ino}})
	if err == nil {
		h = identity{hashBuildID(id), hex.EncodeToString(id)}
	}
	x.known[a.inode] = h
	return h
}

// build returns what tells one build of a process's executable from another: its
// build id in hex, else a hash of its size and time. "" is not known.
func (x *identifier) build(pid int32) string {
	id, err := x.peek.Ask(peek.ProcQuestion{File: peek.ProgramBuild, PID: int(pid), Max: 2 * maxID})
	if err != nil {
		return ""
	}
	return string(id)
}
