package peek

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// Direct reads in this process, and hangs if the read process wants it to: it is for the child, and for trees
// that are not the kernel's.
type Direct struct{ Proc string }

var errQuestion = errors.New("no such question")

// Ask reads the requested file.
func (d Direct) Ask(q ProcQuestion) ([]byte, error) {
	dir := filepath.Join(d.Proc, strconv.Itoa(q.PID))
	limit := min(max(q.Max, 0), maxAnswer)
	switch q.File {
	case Cmdline:
		return rawcall.ReadRecord(filepath.Join(dir, "cmdline"), nil, limit)
	case Environ:
		return rawcall.ReadRecord(filepath.Join(dir, "environ"), nil, limit)
	case IO:
		return rawcall.ReadRecord(filepath.Join(dir, "io"), nil, limit)
	case Maps:
		return rawcall.ReadList(filepath.Join(dir, "maps"), nil, limit)
	case Program:
		path, err := rawcall.Readlink(filepath.Join(dir, "exe"))
		return []byte(path), err
	case ProgramBuild:
		return programBuild(filepath.Join(dir, "exe"))
	case MappedBuild:
		return mappedBuild(dir, q.Area)
	}
	return nil, errQuestion
}

// programBuild returns what tells one build of a program from another.
func programBuild(exe string) ([]byte, error) {
	f, err := os.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if id, err := BuildID(f); err == nil {
		return hex.AppendEncode(nil, id), nil
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, errOther
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d", st.Size(), st.ModTime().UnixNano())
	return fmt.Appendf(nil, "file-%016x", h.Sum64()), nil
}

// mappedBuild opens the mapped file itself through map_files, which needs
// privilege, else by its path inside the process's root.
func mappedBuild(dir string, a Area) ([]byte, error) {
	f, err := OpenRegular(filepath.Join(dir, "map_files", fmt.Sprintf("%x-%x", a.Start, a.End)), OfInode(a.Inode))
	if err != nil {
		path, perr := mappedPath(filepath.Join(dir, "maps"), a)
		if perr != nil {
			return nil, perr
		}
		f, err = OpenRegular(filepath.Join(dir, "root")+path, OfInode(a.Inode))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return BuildID(f)
}

var errOther = errors.New("not the mapped file")

// OpenRegular opens a file that must be a regular one, and right by what the system
// says of it. It is held before it is looked at, and opened for reading after:
// whatever the user puts in its place, nothing but a regular file is ever opened,
// which a device or a pipe might notice.
func OpenRegular(path string, right func(unix.Stat_t) bool) (*os.File, error) {
	held, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(held)
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || !right(st) {
		return nil, errOther
	}
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", held), os.O_RDONLY|unix.O_NONBLOCK, 0)
}

// OfInode is right for a file of that inode number. The device is not compared:
// btrfs and overlayfs give two numbers for one.
func OfInode(ino uint64) func(unix.Stat_t) bool {
	return func(st unix.Stat_t) bool { return st.Ino == ino }
}

// mappedPath looks up the path of an area; it is used once and not kept.
func mappedPath(maps string, a Area) (string, error) {
	text, err := rawcall.ReadList(maps, nil, maxAnswer)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(text) {
		span, _, _ := bytes.Cut(line, []byte(" "))
		from, to, _ := bytes.Cut(span, []byte("-"))
		start, serr := strconv.ParseUint(string(from), 16, 64)
		end, eerr := strconv.ParseUint(string(to), 16, 64)
		if serr != nil || eerr != nil || start > a.Start || end <= a.Start {
			continue
		}
		if i := bytes.IndexByte(line, '/'); i >= 0 {
			return string(bytes.TrimSuffix(line[i:], []byte("\n"))), nil
		}
	}
	return "", errOther
}
