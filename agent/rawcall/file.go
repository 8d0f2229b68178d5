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

// Pread reads from an offset on. An empty buffer reads nothing.
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

// Read reads from what gives at once what it has, or says that it has nothing: events of
// perf, and what does not block (no signal interrupts such a call). An empty buffer reads
// nothing.
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
// file first and costs 3.3 us; this call costs .28 us (BenchmarkNobody).
func Readable(fd int) bool {
	p, now := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}, unix.Timespec{}
	n, _, e := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return e == 0 && n == 1
}

// Close gives a descriptor back.
func Close(fd int) error {
	if _, _, e := unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0); e != 0 {
		return e
	}
	return nil
}

// ReadRecord reads a file that one call gives whole, as it does those of sys and
// most of proc: a call that gives less than there is room for is the last. At
// most max bytes are read, into buf as far as it reaches; what was read before
// an error is returned with it.
func ReadRecord(path string, buf []byte, max int) ([]byte, error) {
	return readFile(path, buf, max, true)
}

// ReadList reads a file to its end, where one call may give less than all.
func ReadList(path string, buf []byte, max int) ([]byte, error) {
	return readFile(path, buf, max, false)
}

// firstRoom is the size of the first buffer where the caller gave none: a page.
const firstRoom = 4096

func readFile(path string, buf []byte, max int, record bool) ([]byte, error) {
	fd, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer Close(fd)
	if buf = buf[:cap(buf)]; len(buf) == 0 {
		buf = make([]byte, min(firstRoom, max))
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

// Readlink returns where a symbolic link points to.
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
