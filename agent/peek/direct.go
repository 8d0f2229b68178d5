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

// Direct reads in this process, and hangs if the owner of the process that is read so wishes. It is for the
// child, and for test trees.
type Direct struct{ Proc string }

var errUnknownRequest = errors.New(
	"internal error, please report it: the request to read /proc has an unknown kind: it is ignored")

// Ask returns the content, link target or build id that q requests. Contents have at most q.Max bytes.
func (d Direct) Ask(q ProcRequest) ([]byte, error) {
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
		return programBuildID(filepath.Join(dir, "exe"))
	case MappedBuild:
		return mappedBuildID(dir, q.Area)
	}
	return nil, errUnknownRequest
}

// programBuildID returns the build id of a program in hex or, without one, "file-" and a hash of its size and
// time.
func programBuildID(exe string) ([]byte, error) {
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
		return nil, errNotMapped
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d", st.Size(), st.ModTime().UnixNano())
	return fmt.Appendf(nil, "file-%016x", h.Sum64()), nil
}

// mappedBuildID returns the build id, as raw bytes, of the file mapped at a. It opens the file through
// map_files, which needs privilege, else by its path inside the process's root directory.
func mappedBuildID(dir string, a Area) ([]byte, error) {
	f, err := OpenRegular(filepath.Join(dir, "map_files", fmt.Sprintf("%x-%x", a.Start, a.End)), HasInode(a.Inode))
	if err != nil {
		path, perr := mappedPath(filepath.Join(dir, "maps"), a)
		if perr != nil {
			return nil, perr
		}
		f, err = OpenRegular(filepath.Join(dir, "root")+path, HasInode(a.Inode))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return BuildID(f)
}

var errNotMapped = errors.New("the program file was replaced after the process had mapped it: the new file is not read")

// OpenRegular opens a regular file for which right, given its stat, returns true. It first opens the file by
// O_PATH, checks it, and then opens that same file for reading. So it never opens a device or a pipe, whatever
// the user puts in the file's place.
func OpenRegular(path string, right func(unix.Stat_t) bool) (*os.File, error) {
	held, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(held)
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || !right(st) {
		return nil, errNotMapped
	}
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", held), os.O_RDONLY|unix.O_NONBLOCK, 0)
}

// HasInode returns a check for OpenRegular that accepts this inode number. It ignores the device number,
// because btrfs and overlayfs show two for one file.
func HasInode(ino uint64) func(unix.Stat_t) bool {
	return func(st unix.Stat_t) bool { return st.Ino == ino }
}

// mappedPath returns the path of the file that is mapped at the address a.Start. maps is the path of the process's
// /proc/PID/maps. It returns errNotMapped if no file is mapped there.
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
	return "", errNotMapped
}
