// Package peektest makes a process whose memory lock is held for ever, as any user
// can who may mount a FUSE file system, and as a dead network file system does by
// itself. It is for tests. A file whose first page is asked for and never comes is
// mapped a second time: the kernel then waits for that page with the lock held.
//
// The process has a child.
//
// It refuses to leave anything behind: whatever waits is let go by Free.
package peektest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// env tells the test program to be the process that locks itself; it holds the
// path of the file.
const env = "JOBGAIT_TEST_LOCKED"

// Main must be called first by TestMain of a package that makes such processes.
func Main() {
	path := os.Getenv(env)
	if path == "" {
		return
	}
	// Who looks for the ancestors of a process comes by here.
	runtime.LockOSThread()
	child := exec.Command("/bin/sleep", "1000")
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
	// The page is asked for by a thread that waits for it ...
	go func() { _, _ = os.ReadFile(path) }()
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		os.Exit(1)
	}
	// ... and then by a mapping, which waits with the lock held.
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err == nil {
		_, err = unix.Mmap(fd, 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE)
	}
	fmt.Fprintln(os.Stderr, "mapped after all:", err)
	os.Exit(1)
}

// Locked is such a process.
type Locked struct {
	Cmd   *exec.Cmd
	fuse  *os.File
	mount string
}

// Start makes the process with a user's rights and more in its environment. It skips
// the test where it cannot be made.
func Start(t testing.TB, uid uint32, more ...string) *Locked {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system here")
	}
	dir := open(t)
	l := &Locked{mount: filepath.Join(dir, "mount")}
	if err := os.Mkdir(l.mount, 0o755); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	l.fuse = os.NewFile(uintptr(fd), "/dev/fuse")
	options := fmt.Sprintf("fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", fd)
	if err := unix.Mount("jobgait-test", l.mount, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = l.fuse.Close()
		t.Skipf("no FUSE here: %v", err)
	}
	t.Cleanup(l.Free)
	s := server{f: l.fuse, asked: make(chan struct{})}
	go s.serve()
	l.Cmd = exec.Command(program(t, dir))
	l.Cmd.Env = append([]string{env + "=" + filepath.Join(l.mount, "file")}, more...)
	l.Cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	l.Cmd.Dir = "/"
	in, err := l.Cmd.StdinPipe()
	if err == nil {
		err = l.Cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.asked: // the page, which never comes
	case <-time.After(time.Minute):
		t.Fatal("nobody asked for the page")
	}
	_, _ = in.Write([]byte{1})
	for end := time.Now().Add(time.Minute); !waits(l.Cmd.Process.Pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Skip("this kernel does not wait with the lock held")
		}
	}
	return l
}

// open makes a directory that every user may enter.
func open(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "jobgait-locked-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// program is a copy of the test program that every user may execute.
func program(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "locked")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(path, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// waits is whether a thread of the process waits for the page in mmap(2).
func waits(pid int) bool {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/syscall")
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		if err == nil && strings.HasPrefix(string(text), strconv.Itoa(unix.SYS_MMAP)+" ") {
			return true
		}
	}
	return false
}

// Free lets everything go that waits, and ends the process.
func (l *Locked) Free() {
	_ = unix.Unmount(l.mount, unix.MNT_FORCE|unix.MNT_DETACH)
	_ = l.fuse.Close()
	if l.Cmd != nil && l.Cmd.Process != nil {
		_ = l.Cmd.Process.Kill()
		_ = l.Cmd.Wait()
	}
}

// server answers for a file system of one file that has one page, which it never
// gives. See fuse(4) and linux/fuse.h.
type server struct {
	f     *os.File
	asked chan struct{}
	opens int
}

// Requests of the protocol that matter here.
const (
	opLookup, opForget, opGetattr, opOpen, opRead, opInit = 1, 2, 3, 14, 15, 26
)

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
		op, unique, node := binary.NativeEndian.Uint32(buf[4:]), binary.NativeEndian.Uint64(buf[8:]), binary.NativeEndian.Uint64(buf[16:])
		switch op {
		case opRead:
			if s.asked != nil {
				close(s.asked)
				s.asked = nil
			}
		case opForget:
		default:
			body, code := s.answer(op, node)
			head := binary.NativeEndian.AppendUint32(nil, uint32(16+len(body)))
			head = binary.NativeEndian.AppendUint32(head, uint32(-int32(code)))
			_, _ = s.f.Write(append(binary.NativeEndian.AppendUint64(head, unique), body...))
		}
	}
}

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
		// Only the second is direct, which makes a mapping wait for pages
		// that the first has asked for.
		s.opens++
		keep, direct := uint64(2), uint64(min(s.opens-1, 1))
		return words(7, keep|direct), 0
	}
	return nil, unix.ENOSYS
}
