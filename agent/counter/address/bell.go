package address

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// bell waits, on the side, for a ring to be half full.
type bell struct {
	stop  int // an eventfd that ends the waiting, -1 while no goroutine waits
	rung  chan struct{}
	ended chan struct{}
}

// Full returns a channel that signals when a ring is half full and should be drained early. A shell that starts
// short programs as fast as it can writes 0.75 MB a second and CPU, mostly mappings; without the signal it lost
// 2,600 records in one second. An error means that there will be no signal.
func (s *Sampler) Full() (<-chan struct{}, error) {
	if s.bell == nil {
		s.bell = &bell{stop: -1, rung: make(chan struct{}, 1)}
		if err := s.ringAgain(); err != nil {
			return nil, err
		}
	}
	return s.bell.rung, nil
}

// ringAgain waits on the present CPUs if Full was called.
func (s *Sampler) ringAgain() error {
	if s.bell == nil {
		return nil
	}
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("wait for rings: %w", err)
	}
	fds := []unix.PollFd{{Fd: int32(stop), Events: unix.POLLIN}}
	for _, c := range s.cpus {
		if c.fd >= 0 {
			fds = append(fds, unix.PollFd{Fd: int32(c.fd), Events: unix.POLLIN})
		}
	}
	s.bell.stop, s.bell.ended = stop, make(chan struct{})
	go s.bell.wait(fds)
	return nil
}

// silence stops the waiting, before descriptors are closed.
func (s *Sampler) silence() error {
	if s.bell == nil || s.bell.stop < 0 {
		return nil
	}
	stop := s.bell.stop
	s.bell.stop = -1
	if _, err := unix.Write(stop, binary.NativeEndian.AppendUint64(nil, 1)); err != nil {
		return fmt.Errorf("stop waiting for rings: %w", err)
	}
	<-s.bell.ended
	return unix.Close(stop)
}

// restMS is the least time between two rings: a thread that does nothing but
// rename itself fills a ring as fast as we can empty it. Honest work fills
// half a ring of 128 KiB in 90 ms.
const restMS = 20

// wait rings until it is stopped. The kernel tells of each filling once.
func (b *bell) wait(fds []unix.PollFd) {
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
			case b.rung <- struct{}{}:
			default:
			}
			// What fills next, the kernel tells afterwards.
			rest(fds[:1])
		}
	}
}

// rest waits for restMS, or for the descriptor that ends all. A signal, of which the
// runtime sends itself many, does not end it.
func rest(stop []unix.PollFd) {
	for end := time.Now().Add(restMS * time.Millisecond); ; {
		left := int(time.Until(end)/time.Millisecond) + 1
		if n, err := unix.Poll(stop, left); n > 0 || !errors.Is(err, unix.EINTR) || !time.Now().Before(end) {
			return
		}
	}
}
