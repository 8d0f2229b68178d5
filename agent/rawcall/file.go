package rawcall

import (
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Open opens a file for reading; children do not inherit it.
func Open(path string) (fd int, err error) {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	cwd := unix.AT_FDCWD
	for {
		r, _, e := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(cwd), uintptr(unsafe.Pointer(p)), unix.O_RDONLY|unix.O_CLOEXEC,
			0, 0, 0)
		switch e {
		case 0:
			return int(r), nil
		case unix.EINTR:
		default:
			return -1, &fs.PathError{Op: "open", Path: path, Err: e}
		}
	}
}

// Pread reads from an offset of a file into b. An empty buffer reads nothing.
func Pread(fd int, b []byte, offset int) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		r, _, e := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
			uintptr(offset), 0, 0)
		switch e {
		case 0:
			return int(r), nil
		case unix.EINTR:
		default:
			return 0, e
		}
	}
}

// Read reads from a descriptor that never blocks, such as a perf event, into b. An empty buffer reads nothing.
func Read(fd int, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	r, _, e := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if e != 0 {
		return 0, e
	}
	return int(r), nil
}

// Readable reports whether data can be read, or a connection accepted. An accept without a connection creates a
// file first and costs 3.3 us; this call costs .28 us (BenchmarkNoConnection).
func Readable(fd int) bool { return ReadableWithin(fd, 0) }

// ReadableWithin does what Readable does, and waits for it up to waitNS, or until a signal. The wait must be short,
// because no other goroutine runs meanwhile.
func ReadableWithin(fd int, waitNS int64) bool {
	p, wait := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}, unix.NsecToTimespec(waitNS)
	n, _, e := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&wait)), 0, 0, 0)
	return e == 0 && n == 1
}

// Write writes b to a descriptor that never blocks. It may write only a part.
func Write(fd int, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	r, _, e := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if e != 0 {
		return 0, e
	}
	return int(r), nil
}

// ReadNames returns the names of the entries of a directory in its order, without "." and "..".
func ReadNames(path string) (names []string, err error) {
	fd, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer Close(fd)
	var b [8192]byte
	for {
		n, _, e := unix.RawSyscall(unix.SYS_GETDENTS64, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if e != 0 {
			return names, &fs.PathError{Op: "read the directory", Path: path, Err: e}
		}
		if n == 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(b[:n], -1, names)
	}
}

// Close closes a descriptor.
func Close(fd int) error {
	if _, _, e := unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0); e != 0 {
		return e
	}
	return nil
}

// ReadRecord reads a file whose content comes with one call, as files of sys and most of proc do: a call that
// fills less than the buffer is the last. It reads at most max bytes, into buf if it is large enough. With an
// error it returns what was read before.
func ReadRecord(path string, buf []byte, max int) ([]byte, error) {
	return readFile(path, buf, max, true)
}

// ReadList does what ReadRecord does for a file of which one call may return only a part: it reads to the end
// of the file.
func ReadList(path string, buf []byte, max int) ([]byte, error) {
	return readFile(path, buf, max, false)
}

// firstBufferBytes is the size of the first buffer if the caller passes none: a page.
const firstBufferBytes = 4096

// readFile reads at most max bytes of a file, to its end or, if record is set, until a call does not fill the
// buffer. It reads into buf, which it replaces if buf is too small.
func readFile(path string, buf []byte, max int, record bool) ([]byte, error) {
	fd, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer Close(fd)
	if buf = buf[:cap(buf)]; len(buf) == 0 {
		buf = make([]byte, min(firstBufferBytes, max))
	}
	for n := 0; ; {
		if n == len(buf) && n < max {
			buf = append(buf, make([]byte, min(n, max-n))...)
		}
		room := min(len(buf), max) - n
		got, err := Pread(fd, buf[n:n+room], n)
		n += got
		if err != nil {
			return buf[:n], &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if got == 0 || record && got < room {
			return buf[:n], nil
		}
	}
}

// Readlink returns the target of a symbolic link.
func Readlink(path string) (string, error) {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: path, Err: err}
	}
	var b [unix.PathMax]byte
	cwd := unix.AT_FDCWD
	n, _, e := unix.RawSyscall6(unix.SYS_READLINKAT, uintptr(cwd), uintptr(unsafe.Pointer(p)),
		uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0)
	if e != 0 {
		return "", &fs.PathError{Op: "readlink", Path: path, Err: e}
	}
	return string(b[:n]), nil
}

// Owner returns the user id of a file's owner, -1 if it is unknown.
func Owner(path string) int {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return -1
	}
	var st unix.Statx_t
	cwd := unix.AT_FDCWD
	if _, _, e := unix.RawSyscall6(unix.SYS_STATX, uintptr(cwd), uintptr(unsafe.Pointer(p)), 0, unix.STATX_UID,
		uintptr(unsafe.Pointer(&st)), 0); e != 0 {
		return -1 // before Linux 4.11
	}
	return int(st.Uid)
}
