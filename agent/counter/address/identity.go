package address

import (
	"encoding/hex"
	"errors"
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
	// pending are the files whose build id could not be read in time, each read again for a while.
	pending map[inode]pendingIdentity
}

// pendingIdentity says how often the build id of a file was requested, and when it is requested again, in ns.
type pendingIdentity struct {
	tries  int
	nextNS int64
}

// A build id that did not arrive in time is requested again at the next hit of the file, at most every identityRetryNS,
// and maxIdentityTries times in all. For a file that is hit all the time that takes 10 s: the reader of /proc files
// waits as long for a process.
const identityRetryNS, maxIdentityTries = 2e8, 50

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
	return &identifier{peek: p, known: map[inode]identity{}, pending: map[inode]pendingIdentity{}}
}

// file returns the identity of the file that a process has mapped at an area: its build id. The file may be on a
// hanging network file system, so the read is limited in time. If there is no answer in time, ok is false: the identity
// is not known yet, and later calls ask again. at is the time of the call in ns. If the file gives no build id or no
// answer in maxIdentityTries requests, or for more than maxFiles files, the identity is the hash of device and inode.
// Once known, the identity of an inode never changes, and the file is not read again.
func (x *identifier) file(pid int32, a area, at int64) (h identity, ok bool) {
	if h, ok := x.known[a.inode]; ok {
		return h, true
	}
	h = identity{hash: hashInode(a.inode)}
	if len(x.known) >= maxFiles {
		return h, true
	}
	wait, again := x.pending[a.inode]
	if again && at < wait.nextNS {
		return identity{}, false
	}
	id, err := x.peek.Ask(peek.ProcRequest{File: peek.MappedBuild, PID: int(pid), Max: maxID,
		Area: peek.Area{Start: a.start, End: a.end, Inode: a.inode.ino}})
	if errors.Is(err, peek.ErrTimeout) || errors.Is(err, peek.ErrBusy) {
		wait.tries++
		if wait.tries < maxIdentityTries && (again || len(x.pending) < maxFiles) {
			wait.nextNS = at + identityRetryNS
			x.pending[a.inode] = wait
			return identity{}, false
		}
	}
	if err == nil {
		h = identity{hashBuildID(id), hex.EncodeToString(id)}
	}
	delete(x.pending, a.inode)
	x.known[a.inode] = h
	return h, true
}

// build returns the build id of a process's executable in hex, else a hash of its size and time, "" if unknown.
func (x *identifier) build(pid int32) string {
	id, err := x.peek.Ask(peek.ProcRequest{File: peek.ProgramBuild, PID: int(pid), Max: 2 * maxID})
	if err != nil {
		return ""
	}
	return string(id)
}
