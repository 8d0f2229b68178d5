package live

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// channelOf is a channel of a user's run, in a directory whose name is longer than a
// socket's may be.
func channelOf(t *testing.T, uid int) (*Channel, *Location) {
	t.Helper()
	top, err := os.MkdirTemp("", "jobgait-channel-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	dir := filepath.Join(top, strings.Repeat("long", 30))
	if err := errors.Join(os.Chmod(top, 0o711), os.Mkdir(dir, 0o711)); err != nil {
		t.Fatal(err)
	}
	p, err := MakeLocation(filepath.Join(dir, "live"), uid, "run")
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Listen()
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

// Several readers receive the same messages from when they connected; a reader that left receives nothing, and
// a closed channel says so.
func TestReadersAreNotified(t *testing.T) {
	c, p := channelOf(t, os.Getuid())
	if c.AcceptReaders() {
		t.Error("somebody reads")
	}
	var readers []*Subscriber
	for range 2 {
		r, err := Dial(p.Path())
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	if !c.AcceptReaders() {
		t.Fatal("no reader")
	}
	c.Send(State{Schema: Schema, At: time.Now(), Cycles: 7})
	for _, r := range readers {
		if s, err := r.Next(10 * time.Second); err != nil || s.Cycles != 7 {
			t.Fatalf("%+v, %v", s, err)
		}
		if _, err := r.Next(time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("reported twice: %v", err)
		}
	}
	readers[0].Close()
	if !c.AcceptReaders() || len(c.readers) != 1 {
		t.Fatalf("%d readers", len(c.readers))
	}
	c.Close()
	if _, err := readers[1].Next(10 * time.Second); !errors.Is(err, io.EOF) {
		t.Errorf("after its end: %v", err)
	}
	if _, err := Dial(p.Path()); err == nil {
		t.Error("a channel answers that is closed")
	}
	again, err := p.Listen() // as after a kill
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	r, err := Dial(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
}

// A reader that does not read blocks no writer and takes bounded memory; the number of readers is limited.
func TestSlowReadersAreNotWaitedFor(t *testing.T) {
	c, p := channelOf(t, os.Getuid())
	defer c.Close()
	slow, err := Dial(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	c.AcceptReaders()
	for n := range int64(5000) {
		c.Send(State{Schema: Schema, At: time.Now(), Cycles: n, Node: strings.Repeat("n", 1000)})
	}
	got := 0
	for {
		if _, err := slow.Next(100 * time.Millisecond); err != nil {
			break
		}
		got++
	}
	slow.Close()
	if got == 0 || got > 500 {
		t.Errorf("%d of 5000 messages were kept", got)
	}
	for range 3 * maxReaders {
		r, err := Dial(p.Path())
		if err != nil {
			break
		}
		defer r.Close()
		c.AcceptReaders()
	}
	if len(c.readers) != maxReaders {
		t.Errorf("%d readers", len(c.readers))
	}
}

// Only the job's user can connect to the channel, and only root can listen on it.
func TestTheChannelIsTheUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	const uid = 65534
	c, p := channelOf(t, uid)
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(filepath.Dir(p.Path()), channelName), &st); err != nil || st.Uid != 0 ||
		st.Mode&0o007 != 0 || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		t.Fatalf("%+v, %v", st, err)
	}
	for _, who := range []struct {
		uid  int
		told bool
	}{{uid, true}, {1234, false}} {
		done := make(chan error)
		var r *Subscriber
		go func() { // this thread is his, and is never given back
			runtime.LockOSThread()
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(who.uid), uintptr(who.uid),
				uintptr(who.uid)); errno != 0 {
				done <- errno
				return
			}
			var err error
			r, err = Dial(p.Path())
			done <- err
		}()
		err := <-done
		if told := c.AcceptReaders(); told != who.told {
			t.Errorf("uid %d is notified: %v, %v", who.uid, told, err)
		}
		if (err == nil) != who.told {
			t.Errorf("uid %d: %v", who.uid, err)
		}
		if r != nil {
			if _, err := r.conn.Write([]byte("hello")); err == nil {
				t.Error("somebody listens to the user")
			}
		}
		c.Close()
		c.readers = nil
		if c, err = p.Listen(); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
}
