package peektest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// MountHanging mounts a file system over dir that never answers, and returns a function that removes it; the end of the
// test removes it too. It skips the test where there is no FUSE.
func MountHanging(t testing.TB, dir string) (free func()) {
	t.Helper()
	free, _ = MountHangingAndNotify(t, dir)
	return free
}

// MountHangingAndNotify mounts the same file system as MountHanging. It also returns a channel that it closes at the
// first request: from then on not even a kill ends the process that waits.
func MountHangingAndNotify(t testing.TB, dir string) (free func(), asked <-chan struct{}) {
	t.Helper()
	f, first := mount(t, dir), make(chan struct{})
	go (&server{f: f, mute: true, asked: first}).serve()
	free = sync.OnceFunc(func() {
		_ = unix.Unmount(dir, unix.MNT_FORCE|unix.MNT_DETACH)
		_ = f.Close()
	})
	t.Cleanup(free)
	return free, first
}

// MountHangingReads mounts a file system over dir with one file, whose name is returned: it opens, and no read of it
// ends before the end of the test.
func MountHangingReads(t testing.TB, dir string) (file string) {
	t.Helper()
	f := mount(t, dir)
	go (&server{f: f}).serve()
	t.Cleanup(func() {
		_ = unix.Unmount(dir, unix.MNT_FORCE|unix.MNT_DETACH)
		_ = f.Close()
	})
	return filepath.Join(dir, "file")
}

// mount mounts a FUSE file system over dir and returns its device.
func mount(t testing.TB, dir string) *os.File {
	t.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	f := os.NewFile(uintptr(fd), "/dev/fuse")
	options := fmt.Sprintf("fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", fd)
	if err := unix.Mount("jobgait-test", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = f.Close()
		t.Skipf("no FUSE here: %v", err)
	}
	return f
}

// server answers for a file system of one file that has one page, which it never
// gives. See fuse(4) and linux/fuse.h.
type server struct {
	f     *os.File
	mute  bool // nothing is answered once the file system is there
	asked chan struct{}
	opens int
}

// Requests of the protocol that matter here.
const (
	opLookup, opForget, opGetattr, opOpen, opRead, opInit = 1, 2, 3, 14, 15, 26
)

// serve answers requests of the kernel until the file system is unmounted; it never answers a read, and if mute
// answers only the first handshake.
func (s *server) serve() {
	buf := make([]byte, 1<<17)
	for {
		n, err := s.f.Read(buf)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil || n < 40 {
			return // unmounted
		}
		op, unique, node := binary.NativeEndian.Uint32(buf[4:]), binary.NativeEndian.Uint64(buf[8:]),
			binary.NativeEndian.Uint64(buf[16:])
		switch {
		case s.mute && op != opInit, op == opRead:
			if s.asked != nil {
				close(s.asked)
				s.asked = nil
			}
		case op == opForget:
		default:
			body, code := s.answer(op, node)
			head := binary.NativeEndian.AppendUint32(nil, uint32(16+len(body)))
			head = binary.NativeEndian.AppendUint32(head, uint32(-int32(code)))
			_, _ = s.f.Write(append(binary.NativeEndian.AppendUint64(head, unique), body...))
		}
	}
}

// answer returns the reply to a request for a node of the file system, and the error code.
func (s *server) answer(op uint32, node uint64) (body []byte, code unix.Errno) {
	words := func(w ...uint64) (b []byte) {
		for _, v := range w {
			b = binary.NativeEndian.AppendUint64(b, v)
		}
		return b
	}
	half := func(lo, hi uint64) uint64 { return lo | hi<<32 }
	attr := func(node uint64) []byte {
		mode, size := uint64(unix.S_IFREG|0o444), uint64(4096)
		if node == 1 {
			mode, size = unix.S_IFDIR|0o755, 0
		}
		return words(node, size, 8, 0, 0, 0, 0, half(0, mode), half(1, 0), half(0, 0), half(4096, 0))
	}
	const valid = 3600
	switch op {
	case opInit:
		return words(half(7, 31), half(4096, 0), half(0, 4096), half(1, 1), 0, 0, 0, 0), 0
	case opLookup:
		return append(words(2, 0, valid, valid, 0), attr(2)...), 0
	case opGetattr:
		return append(words(valid, 0), attr(node)...), 0
	case opOpen:
		// Only the second is direct, which makes a mapping wait for pages that the first has requested.
		s.opens++
		keep, direct := uint64(2), uint64(min(s.opens-1, 1))
		return words(7, keep|direct), 0
	}
	return nil, unix.ENOSYS
}
