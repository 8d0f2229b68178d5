// Package peektest makes a process whose memory lock is held for ever, as any user can who may mount a FUSE
// file system, and as a dead network file system does by itself. It is for tests. The process maps a file a
// second time whose first page was requested and never arrives: the kernel then waits for that page with the
// lock held.
//
// The process has a child. MountHanging makes a whole file system of that kind.
//
// Free ends everything that waits.
package peektest

import (
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

// env is the variable that makes the test program the process that locks itself; its value is the path of the
// file.
const env = "JOBGAIT_TEST_LOCKED"

// Main must be called first by TestMain of a package that makes such processes. In the process that Start
// starts it becomes the hanging process and never returns; in all others it returns at once.
func Main() {
	path := os.Getenv(env)
	if path == "" {
		return
	}
	// A search for the ancestors of a process passes this process.
	runtime.LockOSThread()
	child := exec.Command("/bin/sleep", "1000")
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
	// A thread requests the page and waits for it ...
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

// Locked is a process whose memory lock is held until Free.
type Locked struct {
	Cmd   *exec.Cmd
	fuse  *os.File
	mount string
}

// Start starts a process whose memory lock is held, so that reading its /proc files blocks, with a user's
// rights and more in its environment. It skips the test if that is not possible.
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
	l.fuse = mount(t, l.mount)
	t.Cleanup(l.Free)
	s := server{f: l.fuse, asked: make(chan struct{})}
	asked := s.asked
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
	case <-asked: // the page, which never comes
	case <-time.After(time.Minute):
		t.Fatal("no thread requested the page")
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

// program copies the test program into dir, lets every user execute the copy, and returns its path. cp writes
// it: processes that other tests start at that moment would inherit an own descriptor, and a file that is open
// for writing cannot be executed.
func program(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "locked")
	self, err := os.Executable()
	if err == nil {
		err = exec.Command("cp", self, path).Run()
	}
	if err == nil {
		err = os.Chmod(path, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// waits reports whether a thread of the process waits for the page in mmap(2).
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

// Free unmounts the file system, which ends all waiting, and kills the process.
func (l *Locked) Free() {
	_ = unix.Unmount(l.mount, unix.MNT_FORCE|unix.MNT_DETACH)
	_ = l.fuse.Close()
	if l.Cmd != nil && l.Cmd.Process != nil {
		_ = l.Cmd.Process.Kill()
		_ = l.Cmd.Wait()
	}
}
