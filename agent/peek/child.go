package peek

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/rawcall"
)

// Child reads through a child process, which it starts at the first question. One goroutine uses it. The zero
// value answers nothing.
type Child struct {
	child   as.Child
	verb    string
	process *os.Process
	to      int // descriptors of the two pipes
	from    int
	in      []byte // what has come and is no whole answer yet
	seq     uint32
	since   int64 // when the open question was sent, 0 if no question is open
	lost    error // why no further question is sent
	cpuNS   int64
	// patience is nanoseconds that are waited.
	patience Allowance
	now      func() int64
}

// A question takes some 30 us, and on a node whose CPUs are all taken as long as a
// process waits for one. The child is given up after lostNS: a page that a file system
// of the network brings takes less. A fifth of the time at most is spent on waiting,
// and no more than waitMost at once (an eighth of a second with what is earned in it),
// which is some 3000 questions where CPUs are free: while the agent waits nothing is
// written, and a kill -9 costs that. What is not answered by then is answered too late.
const (
	lostNS   = 10e9
	waitPerS = 2e8
	waitMost = 1e8
)

var (
	errLate = errors.New("a process blocks its readers for too long")
	errLost = errors.New("a process blocks its readers: no further process is read")
)

// NewChild makes a Child of a program that has the verb: jobgait-agent. The account is
// the job's.
func NewChild(program string, account as.Account) *Child {
	return &Child{child: as.Child{Program: program, Account: account}, verb: as.Peek, to: -1, from: -1,
		patience: Allowance{PerS: waitPerS, Most: waitMost}, now: rawcall.Now}
}

// Lost is whether the child was left behind, or could not be started.
func (c *Child) Lost() bool { return c.lost != nil }

// CPU is what the child has used of CPU time, in nanoseconds.
func (c *Child) CPU() int64 { return c.cpuNS }

// Ask asks the child, and waits a little.
func (c *Child) Ask(q ProcQuestion) ([]byte, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	began := c.now()
	wait := c.patience.Left(began)
	if wait <= 0 {
		return nil, errLate
	}
	defer func() { c.patience.Spend(c.now() - began) }()
	c.seq++
	if n, err := unix.Write(c.to, q.encode(c.seq)); n != questionBytes {
		return nil, c.give(fmt.Errorf("ask: %w", err))
	}
	c.since = began
	return c.await(began + wait)
}

// ready starts the child, and takes the answer that came too late.
func (c *Child) ready() error {
	switch {
	case c.lost != nil:
		return c.lost
	case c.child.Program == "":
		return errLost
	case c.process == nil:
		if err := c.start(); err != nil {
			c.lost = err
			return err
		}
	}
	if c.since == 0 {
		return nil
	}
	if _, err := c.await(0); err == nil || !errors.Is(err, errLate) {
		return c.lost
	}
	if c.now()-c.since > lostNS {
		return c.give(errLost)
	}
	return errLate
}

// await returns the answer to the last question, errLate if it is not there at a
// time.
func (c *Child) await(until int64) ([]byte, error) {
	for {
		a, rest, ok, err := cutAnswer(c.in)
		if err != nil {
			return nil, c.give(err)
		}
		if ok {
			c.in = append(c.in[:0:0], rest...)
			if a.seq != c.seq {
				continue
			}
			c.since, c.cpuNS = 0, a.cpuNS
			if !a.ok {
				return nil, os.ErrNotExist
			}
			return a.text, nil
		}
		if err := c.receive(until); err != nil {
			return nil, err
		}
	}
}

// receive takes what the child has said, and waits for it until a time.
func (c *Child) receive(until int64) error {
	wait := max(0, until-c.now())
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(c.from), Events: unix.POLLIN}}, int((wait+999_999)/1e6))
	switch {
	case errors.Is(err, unix.EINTR):
		return nil
	case err != nil:
		return c.give(fmt.Errorf("wait for an answer: %w", err))
	case n == 0:
		return errLate
	}
	buf := make([]byte, 1<<16)
	n, err = unix.Read(c.from, buf)
	switch {
	case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		return nil
	case n <= 0:
		return c.give(fmt.Errorf("the reader of processes has ended: %w", cmp.Or(err, errGarbled)))
	}
	c.in = append(c.in, buf[:n]...)
	return nil
}

// start begins the child with two pipes and /dev/null.
func (c *Child) start() error {
	var to, from [2]int
	if err := unix.Pipe2(to[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("start the reader of processes: %w", err)
	}
	if err := unix.Pipe2(from[:], unix.O_CLOEXEC); err != nil {
		_ = unix.Close(to[0])
		_ = unix.Close(to[1])
		return fmt.Errorf("start the reader of processes: %w", err)
	}
	in, out := os.NewFile(uintptr(to[0]), "questions"), os.NewFile(uintptr(from[1]), "answers")
	defer in.Close()
	defer out.Close()
	c.to, c.from = to[1], from[0]
	var err error
	c.process, err = c.child.Start(c.verb, in, out)
	for _, fd := range []int{c.to, c.from} {
		if err == nil {
			err = unix.SetNonblock(fd, true)
		}
	}
	if err != nil {
		c.shut()
		return fmt.Errorf("start the reader of processes: %w", err)
	}
	return nil
}

// give abandons the child without waiting: it may hang in the kernel.
func (c *Child) give(why error) error {
	c.lost = why
	if c.process != nil {
		_ = c.process.Kill()
	}
	c.shut()
	return why
}

// shut closes the pipes, which ends the child where it can end.
func (c *Child) shut() {
	for _, fd := range []int{c.to, c.from} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	c.to, c.from, c.in = -1, -1, nil
}

// Close ends the child. It does not wait for it.
func (c *Child) Close() error {
	c.shut()
	if c.lost == nil {
		c.lost = os.ErrClosed
	}
	if c.process == nil {
		return nil
	}
	return c.process.Release()
}
