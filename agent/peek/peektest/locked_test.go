package peektest

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// A process that reads the command line of the locked process hangs until the lock is released.
func TestReaderOfALockedProcessHangs(t *testing.T) {
	l := Start(t, 65534)
	read := make(chan struct{})
	go func() {
		_, _ = os.ReadFile("/proc/" + strconv.Itoa(l.Cmd.Process.Pid) + "/environ")
		_, _ = os.ReadFile("/proc/" + strconv.Itoa(l.Cmd.Process.Pid) + "/maps")
		close(read)
	}()
	select {
	case <-read:
		t.Error("it did not hang")
	case <-time.After(300 * time.Millisecond):
	}
	l.Free()
	<-read
}

// A process that opens a file in a hanging directory hangs until the directory is released.
func TestReaderOfAHangingDirectoryHangs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system here")
	}
	dir := t.TempDir()
	free := MountHanging(t, dir)
	looked := make(chan struct{})
	go func() {
		_, _ = os.Lstat(filepath.Join(dir, "file"))
		close(looked)
	}()
	select {
	case <-looked:
		t.Error("it did not hang")
	case <-time.After(300 * time.Millisecond):
	}
	free()
	<-looked
}
