package peektest

import (
	"os"
	"strconv"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// Who reads the command line of the process hangs until it is let go.
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
