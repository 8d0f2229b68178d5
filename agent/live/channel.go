package live

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/acl"
	"jobgait/agent/job"
	"jobgait/agent/rawcall"
)

// Channel sends each state to its readers when the profile is written (every 0.25 to 0.75 s), where live.json
// is replaced every five seconds. It is a socket in the same directory. No other account can take its name, and
// only the user can open it. A pipe does not work: its reader holds the kernel's lock on the pipe while the
// bytes are copied. Their destination may be a page of the reader's own file system, so that the copy may take
// for ever, and a process that opens or writes the pipe waits uninterruptibly. The sender on a socket never
// waits: a reader that is too slow misses messages.
type Channel struct {
	fd      int
	uid     int
	readers []int
}

const (
	channelName = "cycles"
	// maxReaders limits the simultaneous readers; each takes sendBytes of the kernel's memory.
	maxReaders = 8
	sendBytes  = 64 << 10
	// maxSentCycles limits the recent cycles in a message.
	maxSentCycles = 16
)

// Listen creates the socket of the channel and allows the run's user to connect.
func (p *Location) Listen() (*Channel, error) {
	c := &Channel{uid: p.uid}
	err := withChannelPath(p.dir, func(path string) (err error) {
		if c.fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		_ = unix.Unlink(path) // of an agent that was killed
		// The mode of the socket before it has a name is that of the name.
		for _, step := range []func() error{
			func() error { return unix.Fchmod(c.fd, 0o600) },
			func() error { return unix.Bind(c.fd, &unix.SockaddrUnix{Name: path}) },
			func() error { return unix.Listen(c.fd, maxReaders) },
		} {
			if err := step(); err != nil {
				_ = unix.Close(c.fd)
				return err
			}
		}
		return allowUser(path, p.uid, acl.Read|acl.Write)
	})
	if err != nil {
		return nil, fmt.Errorf("open the socket %s: %w: jobgait watch --stream reads %s instead",
			filepath.Join(p.dir, channelName), job.Cause(err), Name)
	}
	return c, nil
}

// withChannelPath calls use with a path of the channel in dir that is short enough for a socket, through
// /proc/self/fd.
func withChannelPath(dir string, use func(path string) error) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return use("/proc/self/fd/" + strconv.Itoa(fd) + "/" + channelName)
}

// AcceptReaders accepts new readers, drops those that have disconnected, and reports whether any reader is
// connected. It accepts only some at a time, so that a reader that reconnects for ever cannot block it.
func (c *Channel) AcceptReaders() bool {
	if c == nil {
		return false
	}
	for i := 0; i < maxReaders && rawcall.Readable(c.fd); i++ {
		fd, _, err := unix.Accept4(c.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			break
		}
		if len(c.readers) == maxReaders || !c.acceptsUser(fd) {
			_ = unix.Close(fd)
			continue
		}
		c.readers = append(c.readers, fd)
	}
	c.readers = slices.DeleteFunc(c.readers, func(fd int) bool {
		p := []unix.PollFd{{Fd: int32(fd)}}
		_, err := unix.Poll(p, 0)
		return err == nil && p[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0 && unix.Close(fd) == nil
	})
	return len(c.readers) > 0
}

// acceptsUser reports whether a connected process belongs to the run's user or root. It closes the connection for
// reading and limits its send buffer to sendBytes; if that fails it returns false.
func (c *Channel) acceptsUser(fd int) bool {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && (int(who.Uid) == c.uid || who.Uid == 0) && unix.Shutdown(fd, unix.SHUT_RD) == nil &&
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBytes) == nil
}

// Send sends a state, without RecentS and with only the last maxSentCycles of Recent, to all readers, without
// waiting: a reader whose buffer is full misses it.
func (c *Channel) Send(s State) {
	s.RecentS, s.Recent = []float64{}, s.Recent[max(0, len(s.Recent)-maxSentCycles):]
	b, err := json.Marshal(s)
	if err != nil {
		return
	}
	for _, fd := range c.readers {
		_, _ = unix.SendmsgN(fd, b, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	}
}

// Close closes the socket and all connections.
func (c *Channel) Close() {
	if c == nil {
		return
	}
	for _, fd := range append(c.readers, c.fd) {
		_ = unix.Close(fd)
	}
}

// Subscriber is a client that receives the stream of live values of a channel.
type Subscriber struct {
	conn net.Conn
	buf  []byte
}

// Dial connects to the channel of the agent that writes the live.json at path. It returns an error if the agent
// has no channel.
func Dial(path string) (*Subscriber, error) {
	r := &Subscriber{buf: make([]byte, maxBytes)}
	err := withChannelPath(filepath.Dir(path), func(path string) (err error) {
		r.conn, err = net.DialTimeout("unixpacket", path, time.Second)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("connect to the agent's socket in %s: %w", filepath.Dir(path), job.Cause(err))
	}
	return r, nil
}

// Next waits for the next state and returns it; os.ErrDeadlineExceeded if none arrives within wait, and
// another error if the connection ends or the state is invalid.
func (r *Subscriber) Next(wait time.Duration) (State, error) {
	if err := r.conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return State{}, err
	}
	n, err := r.conn.Read(r.buf)
	if err != nil {
		return State{}, err
	}
	s, err := Decode(r.buf[:n])
	if err != nil {
		return State{}, fmt.Errorf("read the agent's socket: %w", err)
	}
	return s, nil
}

// Close closes the connection.
func (r *Subscriber) Close() { _ = r.conn.Close() }
