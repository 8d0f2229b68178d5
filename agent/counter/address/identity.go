package address

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
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

// pageKey names one page of a file. It mixes both with the finalizer of
// SplitMix64 and keeps clear of the keys that have a meaning of their own.
func pageKey(file, offset uint64) uint64 {
	x := file + (offset/4096+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	if x <= profile.AnonymousPage {
		x += 1 << 32
	}
	return x
}

// identifier finds out what the mapped files are, each once: an answer stays
// even if a later one could be better, because one page must not have two keys.
type identifier struct {
	proc  string
	known map[inode]uint64
	busy  chan struct{}
	limit time.Duration
	// patience is nanoseconds that are waited for files.
	patience allowance
}

// A mapped file may lie on a network file system that hangs, so a file is
// opened on the side, for so long, and by so many at a time. One of the user's
// own making answers when the user likes, just in time each time: in all a tenth of
// the time is spent on waiting, and half a second at once.
const (
	waitPerS, waitMost = 1e8, 5e8
	openLimit          = 50 * time.Millisecond
	openers            = 4
	maxFiles           = 1 << 14
)

func newIdentifier(proc string) *identifier {
	return &identifier{proc: proc, known: map[inode]uint64{}, busy: make(chan struct{}, openers), limit: openLimit,
		patience: allowance{perS: waitPerS, most: waitMost}}
}

// file returns the name of the file of an area of a process.
func (x *identifier) file(pid int32, a area) uint64 {
	if a.file != 0 {
		return a.file
	}
	if h, ok := x.known[a.inode]; ok {
		return h
	}
	h := hashInode(a.inode)
	if len(x.known) >= maxFiles {
		return h
	}
	if id := x.ask(func() ([]byte, error) { return x.open(pid, a) }); id != nil {
		h = hashBuildID(id)
	}
	x.known[a.inode] = h
	return h
}

// build returns what tells one build of a process's executable from another: its
// build id in hex, else a hash of its size and time. "" is not known.
func (x *identifier) build(pid int32) string {
	return string(x.ask(func() ([]byte, error) {
		f, err := os.Open(filepath.Join(x.proc, strconv.Itoa(int(pid)), "exe"))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if id, err := readBuildID(f); err == nil {
			return hex.AppendEncode(nil, id), nil
		}
		st, err := f.Stat()
		if err != nil || !st.Mode().IsRegular() {
			return nil, errOther
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %d", st.Size(), st.ModTime().UnixNano())
		return fmt.Appendf(nil, "file-%016x", h.Sum64()), nil
	}))
}

// ask reads a file on the side, or gives up and returns nil.
func (x *identifier) ask(read func() ([]byte, error)) []byte {
	began := perf.Now()
	if !x.patience.may(began) {
		return nil
	}
	defer func() { x.patience.spend(perf.Now() - began) }()
	select {
	case x.busy <- struct{}{}:
	default:
		return nil // all are stuck
	}
	answer := make(chan []byte, 1)
	go func() {
		defer func() {
			// The file is the user's: whatever it does to the
			// reader, the agent must go on.
			if recover() != nil {
				answer <- nil
			}
			<-x.busy
		}()
		id, err := read()
		if err != nil {
			id = nil
		}
		answer <- id
	}()
	timer := time.NewTimer(x.limit)
	defer timer.Stop()
	select {
	case id := <-answer:
		return id
	case <-timer.C:
		return nil
	}
}

// open opens the mapped file itself through map_files, which needs privilege,
// else by its path inside the process's root.
func (x *identifier) open(pid int32, a area) ([]byte, error) {
	dir := filepath.Join(x.proc, strconv.Itoa(int(pid)))
	f, err := openRegular(filepath.Join(dir, "map_files", fmt.Sprintf("%x-%x", a.start, a.end)), a.inode.ino)
	if err != nil {
		path, perr := mappedPath(filepath.Join(dir, "maps"), a)
		if perr != nil {
			return nil, perr
		}
		f, err = openRegular(filepath.Join(dir, "root")+path, a.inode.ino)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBuildID(f)
}

var errOther = errors.New("not the mapped file")

// openRegular opens a file that must be a regular one with that inode number.
// It is held before it is looked at, and opened for reading after: whatever the
// user puts in its place, nothing but a regular file is ever opened, which a
// device or a pipe might notice. The device is not compared: btrfs and overlayfs
// give two numbers for one.
func openRegular(path string, ino uint64) (*os.File, error) {
	held, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(held)
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Ino != ino {
		return nil, errOther
	}
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", held), os.O_RDONLY|unix.O_NONBLOCK, 0)
}

// mappedPath looks up the path of an area; it is used once and not kept.
func mappedPath(maps string, a area) (string, error) {
	f, err := os.Open(maps)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxMaps))
	for lines.Scan() {
		line := lines.Bytes()
		b, _, err := parseMapsLine(line)
		if err != nil || b.start > a.start || b.end <= a.start {
			continue
		}
		if i := bytes.IndexByte(line, '/'); i >= 0 {
			return string(line[i:]), nil
		}
	}
	return "", errOther
}
