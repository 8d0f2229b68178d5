package kernel

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// file is a file of proc, sys or a cgroup that is read repeatedly. It is held open and read from its beginning
// into one buffer: a reading of /proc/loadavg takes 1.2 us, against 11.6 us with open and close
// (BenchmarkFileHeldOpen), and allocates nothing.
type file struct {
	path string
	fd   int // -1 = not open
	buf  []byte
	// record marks a file whose content comes with one read, lines one of short lines; others are read to their
	// end.
	record, lines bool
	// hangs marks a file whose reading may never end: it is read by ordinary system calls, so that the Go runtime
	// runs other goroutines meanwhile.
	hangs bool
}

// One read of a list returns at most a page, in whole lines. A read that returns less than the smallest page by
// more than a line is the last.
const (
	pageLeast = 4096
	maxLine   = 1024
)

// maxFile limits what is read of one file, in bytes: /proc/stat of 1000 CPUs has 100 KiB.
const maxFile = 1 << 20

// newRecord returns a file that one read returns completely: any value of sys, and most files of proc.
func newRecord(path string) *file {
	return &file{path: path, fd: -1, buf: make([]byte, 4096), record: true}
}

// newList returns a file with a line for each of many items, read in several reads.
func newList(path string) *file { return &file{path: path, fd: -1, buf: make([]byte, 4096)} }

// newLines returns a list file whose lines are all shorter than maxLine.
func newLines(path string) *file {
	return &file{path: path, fd: -1, buf: make([]byte, 2*4096), lines: true}
}

// read returns the file's present content, at most its first maxFile bytes, valid until the next read. After an
// error the next read opens it again: a cgroup may be removed and created again.
func (f *file) read() ([]byte, error) {
	if f.fd < 0 {
		fd, err := f.open()
		if err != nil {
			return nil, err
		}
		f.fd = fd
	}
	n := 0
	for {
		if n == len(f.buf) {
			if n >= maxFile {
				return f.buf, nil
			}
			f.buf = append(f.buf, make([]byte, n)...)
		}
		got, err := f.pread(n)
		if err != nil {
			_ = f.close()
			return nil, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		n += got
		if got == 0 || f.record && n < len(f.buf) || f.lines && got < pageLeast-maxLine && n < len(f.buf) {
			return f.buf[:n], nil
		}
	}
}

// open opens the file and returns its descriptor.
func (f *file) open() (int, error) {
	if !f.hangs {
		return rawcall.Open(f.path)
	}
	fd, err := unix.Open(f.path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: f.path, Err: err}
	}
	return fd, nil
}

// pread reads from an offset into the buffer.
func (f *file) pread(at int) (int, error) {
	if !f.hangs {
		return rawcall.Pread(f.fd, f.buf[at:], at)
	}
	for {
		if n, err := unix.Pread(f.fd, f.buf[at:], int64(at)); !errors.Is(err, unix.EINTR) {
			return max(n, 0), err
		}
	}
}

// close closes the file, if open.
func (f *file) close() error {
	if f.fd < 0 {
		return nil
	}
	fd := f.fd
	f.fd = -1
	return rawcall.Close(fd)
}

// closeAll closes files and returns their errors.
func closeAll(files ...*file) error {
	var all error
	for _, f := range files {
		all = errors.Join(all, f.close())
	}
	return all
}

// NumberFile is a file with one number that is read repeatedly.
type NumberFile struct{ f *file }

// NewNumber returns the NumberFile of a file, which the first Read opens.
func NewNumber(path string) NumberFile { return NumberFile{newRecord(path)} }

// NewFirmwareNumber returns a number that a device's firmware provides. Reading it may hang with the firmware;
// use it in a Meter with Hangs set.
func NewFirmwareNumber(path string) NumberFile {
	f := newRecord(path)
	f.hangs = true
	return NumberFile{f}
}

// Path returns the file's path.
func (n NumberFile) Path() string { return n.f.path }

// Read returns the file's present number.
func (n NumberFile) Read() (uint64, error) {
	b, err := n.f.read()
	if err != nil {
		return 0, err
	}
	v, _, ok := cutNumber(b)
	if !ok {
		return 0, &fs.PathError{Op: "parse", Path: n.f.path, Err: errUnexpectedFormat}
	}
	return v, nil
}

// Close closes the file.
func (n NumberFile) Close() error { return n.f.close() }

// CloseAll closes numbers and returns their errors.
func CloseAll(numbers []NumberFile) error {
	var all error
	for _, n := range numbers {
		all = errors.Join(all, n.Close())
	}
	return all
}
