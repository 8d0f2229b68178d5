package address

import (
	"encoding/binary"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A ring that fills as fast as it is emptied wakes the reader each time; a ring whose task has ended no longer
// does.
func TestWakeUpsOfAFullRing(t *testing.T) {
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	must(t, err)
	defer unix.Close(stop)
	var full, gone [2]int
	must(t, unix.Pipe2(full[:], unix.O_CLOEXEC))
	must(t, unix.Pipe2(gone[:], unix.O_CLOEXEC))
	must(t, unix.Close(gone[1]))
	for _, fd := range []int{full[0], full[1], gone[0]} {
		defer unix.Close(fd)
	}
	_, err = unix.Write(full[1], []byte("x"))
	must(t, err)
	b := &ringFullSignal{signals: make(chan struct{}, 1), ended: make(chan struct{})}
	fds := []unix.PollFd{{Fd: int32(stop), Events: unix.POLLIN}, {Fd: int32(full[0]), Events: unix.POLLIN},
		{Fd: int32(gone[0]), Events: unix.POLLIN}}
	began := time.Now()
	go b.wait(fds)
	const rings = 6
	for range rings {
		<-b.signals
	}
	// The first comes at once.
	if took := time.Since(began); took < (rings-1)*minSignalGapMS*time.Millisecond {
		t.Errorf("%d rings in %v", rings, took)
	}
	_, err = unix.Write(stop, binary.NativeEndian.AppendUint64(nil, 1))
	must(t, err)
	<-b.ended
	if fds[1].Fd != int32(full[0]) || fds[2].Fd != -1 {
		t.Errorf("waits on %d and %d", fds[1].Fd, fds[2].Fd)
	}
}
