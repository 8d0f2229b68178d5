package address

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// ringFullSignal waits in a goroutine for a ring to be half full.
type ringFullSignal struct {
	stop    int // an eventfd that ends the waiting, -1 while no goroutine waits
	signals chan struct{}
	ended   chan struct{}
}

// HalfFull returns a channel that signals when a ring is half full and should be drained early. A shell that
// starts short programs as fast as it can writes 0.75 MB a second and CPU, mostly mappings; without the signal
// it lost 2,600 records in one second. An error means that there will be no signal.
func (s *Sampler) HalfFull() (<-chan struct{}, error) {
	if s.signal == nil {
		s.signal = &ringFullSignal{stop: -1, signals: make(chan struct{}, 1)}
		if err := s.startSignal(); err != nil {
			return nil, err
		}
	}
	return s.signal.signals, nil
}

// startSignal starts waiting on the rings of the present CPUs, if HalfFull was called.
func (s *Sampler) startSignal() error {
	if s.signal == nil {
		return nil
	}
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("arrange to be woken by the perf rings of code addresses: %w: bursts of records may be lost", err)
	}
	fds := []unix.PollFd{{Fd: int32(stop), Events: unix.POLLIN}}
	for _, c := range s.cpus {
		if c.fd >= 0 {
			fds = append(fds, unix.PollFd{Fd: int32(c.fd), Events: unix.POLLIN})
		}
	}
	s.signal.stop, s.signal.ended = stop, make(chan struct{})
	go s.signal.wait(fds)
	return nil
}

// stopSignal stops the waiting goroutine, before descriptors are closed.
func (s *Sampler) stopSignal() error {
	if s.signal == nil || s.signal.stop < 0 {
		return nil
	}
	stop := s.signal.stop
	s.signal.stop = -1
	if _, err := unix.Write(stop, binary.NativeEndian.AppendUint64(nil, 1)); err != nil {
		return fmt.Errorf("stop waiting for the perf rings of code addresses: %w: sampling goes on", err)
	}
	<-s.signal.ended
	return unix.Close(stop)
}

// minSignalGapMS is the least time between two signals: a thread that does nothing but rename itself fills a
// ring as fast as the agent can drain it. Normal work fills half a ring of 128 KiB in 90 ms.
const minSignalGapMS = 20

// wait sends a signal each time a ring is half full, until it is stopped or poll fails. It removes
// descriptors whose task has ended from fds.
func (b *ringFullSignal) wait(fds []unix.PollFd) {
	defer close(b.ended)
	for {
		if _, err := unix.Poll(fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return
		}
		if fds[0].Revents != 0 {
			return
		}
		full := false
		for i, f := range fds {
			full = full || f.Revents&unix.POLLIN != 0
			if f.Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0 {
				fds[i].Fd = -1 // its task has ended: poll would report it for ever
			}
		}
		if full {
			select {
			case b.signals <- struct{}{}:
			default:
			}
			// The kernel reports the next filling after the pause.
			sleepUnlessStopped(fds[:1])
		}
	}
}

// sleepUnlessStopped waits for minSignalGapMS, or until the stop descriptor is readable. Signals, which the Go
// runtime sends itself, do not end the wait.
func sleepUnlessStopped(stop []unix.PollFd) {
	for end := time.Now().Add(minSignalGapMS * time.Millisecond); ; {
		left := int(time.Until(end)/time.Millisecond) + 1
		if n, err := unix.Poll(stop, left); n > 0 || !errors.Is(err, unix.EINTR) || !time.Now().Before(end) {
			return
		}
	}
}
