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

// Child reads files of other processes through a child process, which it starts at the first request. Only one
// goroutine may use it. The zero value answers no request.
type Child struct {
	child     as.Child
	verb      string
	process   *os.Process
	to        int // descriptors of the two pipes
	from      int
	in        []byte // received bytes that are not a complete reply yet
	received  []byte // buffer of one read
	seq       uint32
	open      ProcRequest // the unanswered request
	openSince int64       // when it was sent, 0 without one
	late      []lateReply // replies that arrived after Ask had returned, the oldest first
	abandoned error       // why no further request is sent
	cpuNS     int64
	// waitBudget limits the time spent on waiting, in ns.
	waitBudget Allowance
	now        func() int64
}

// A request takes some 30 us, and longer on a node whose CPUs are all busy. The child is abandoned after
// abandonNS without a reply; a page from a network file system takes less. At most waitNSPerS of each second is
// spent on waiting, and at most maxWaitNS at once, which is some 3000 requests if CPUs are free: while the
// agent waits it writes nothing, which a kill -9 would lose. A request without a reply by then fails with
// ErrTimeout; its reply is returned if the request is repeated.
const (
	abandonNS  = 10e9
	waitNSPerS = 2e8
	maxWaitNS  = 1e8
)

// rawWaitNS is how long a wait for a reply keeps all other goroutines from running (package rawcall). Most replies come
// within it, and an ordinary wait costs more than the reply.
const rawWaitNS = 1e6

var (
	// ErrTimeout means that the child has not answered this request yet. ErrBusy means that the request was not sent,
	// because an earlier one is unanswered or too much time was spent on waiting. Both permit to ask again.
	ErrTimeout   = errors.New("reading the /proc files of a process took too long (its memory is locked): it is skipped")
	ErrBusy      = errors.New("the reader of /proc files has not answered an earlier request yet: this one was not sent")
	errAbandoned = errors.New("a process blocks readers of its /proc files: no further process is read")
)

// NewChild returns a Child that starts program, jobgait-agent, with the file rights of account, the job's user.
func NewChild(program string, account as.Account) *Child {
	return &Child{child: as.Child{Program: program, Account: account}, verb: as.Peek, to: -1, from: -1,
		waitBudget: Allowance{PerS: waitNSPerS, Most: maxWaitNS}, now: rawcall.Now}
}

// WasAbandoned reports whether the child was abandoned, closed or could not be started.
func (c *Child) WasAbandoned() bool { return c.abandoned != nil }

// Restart ends the child as Close does; the next request starts another one.
func (c *Child) Restart() {
	_ = c.Close() // never fails
	*c = *NewChild(c.child.Program, c.child.Account)
}

// CPU returns the CPU time of the child in ns, as of its last reply.
func (c *Child) CPU() int64 { return c.cpuNS }

// Ask sends a request to the child and waits for the reply, as long as the wait budget permits. If the same request
// was sent before and its reply has arrived since, it returns that. It returns os.ErrNotExist if the child could not
// read the file, ErrTimeout if this request was sent and has no reply yet, and ErrBusy if it was not sent, because
// another has no reply yet or the wait budget is spent. Other errors are final: the child was abandoned.
func (c *Child) Ask(q ProcRequest) ([]byte, error) {
	err := c.prepare()
	if a, ok := c.takeLate(q); ok {
		return a.content()
	}
	switch {
	case errors.Is(err, ErrBusy) && c.open == q:
		return nil, ErrTimeout
	case err != nil:
		return nil, err
	}
	began := c.now()
	wait := c.waitBudget.Remaining(began)
	if wait <= 0 {
		return nil, ErrBusy
	}
	defer func() { c.waitBudget.Spend(c.now() - began) }()
	c.seq++
	if n, err := rawcall.Write(c.to, q.encode(c.seq)); n != requestBytes {
		return nil, c.abandon(fmt.Errorf("send a request to the child that reads /proc: %w", err))
	}
	c.open, c.openSince = q, began
	a, err := c.await(began + wait)
	if err != nil {
		return nil, err
	}
	return a.content()
}

// prepare starts the child if it does not run, and reads the late reply to an earlier request. It returns
// ErrBusy while that is missing, and abandons the child after abandonNS.
func (c *Child) prepare() error {
	switch {
	case c.abandoned != nil:
		return c.abandoned
	case c.child.Program == "":
		return errAbandoned
	case c.process == nil:
		if err := c.start(); err != nil {
			c.abandoned = err
			return err
		}
	}
	if c.openSince == 0 {
		return nil
	}
	a, err := c.await(0)
	switch {
	case err == nil:
		c.keepLate(a)
		return nil
	case !errors.Is(err, ErrTimeout):
		return err
	case c.now()-c.openSince > abandonNS:
		return c.abandon(errAbandoned)
	}
	return ErrBusy
}

// await returns the reply to the last request, or ErrTimeout if it has not arrived by the time until. It discards
// replies to other requests, and abandons a child that sends a malformed one.
func (c *Child) await(until int64) (reply, error) {
	for {
		a, rest, ok, err := cutReply(c.in)
		if err != nil {
			return reply{}, c.abandon(err)
		}
		if ok {
			c.in = append(c.in[:0:0], rest...)
			if a.seq != c.seq {
				continue
			}
			c.openSince, c.cpuNS = 0, a.cpuNS
			return a, nil
		}
		if err := c.receive(until); err != nil {
			return reply{}, err
		}
	}
}

// receive reads more bytes from the child into c.in. It waits for them until the given time and then returns
// ErrTimeout. After a signal it returns nil without bytes. It abandons a child that has ended.
func (c *Child) receive(until int64) error {
	wait := max(0, until-c.now())
	if !rawcall.ReadableWithin(c.from, min(wait, rawWaitNS)) {
		if wait = until - c.now(); wait <= 0 {
			return ErrTimeout
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(c.from), Events: unix.POLLIN}}, int((wait+999_999)/1e6))
		switch {
		case errors.Is(err, unix.EINTR):
			return nil
		case err != nil:
			return c.abandon(fmt.Errorf("wait for an answer of the child that reads /proc: %w", err))
		case n == 0:
			return ErrTimeout
		}
	}
	if c.received == nil {
		c.received = make([]byte, 1<<16)
	}
	n, err := rawcall.Read(c.from, c.received)
	switch {
	case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		return nil
	case n <= 0:
		return c.abandon(fmt.Errorf("the child that reads /proc has ended: %w", cmp.Or(err, errMalformedAnswer)))
	}
	c.in = append(c.in, c.received[:n]...)
	return nil
}

// start starts the child with two pipes and /dev/null.
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
		c.closePipes()
		return fmt.Errorf("start the reader of processes: %w", err)
	}
	return nil
}

// abandon kills the child and does not wait for it, because it may hang in the kernel. It returns why.
func (c *Child) abandon(why error) error {
	c.abandoned = why
	if c.process != nil {
		_ = c.process.Kill()
	}
	c.closePipes()
	return why
}

// closePipes closes the pipes, at which the child ends unless it hangs.
func (c *Child) closePipes() {
	for _, fd := range []int{c.to, c.from} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	c.to, c.from, c.in = -1, -1, nil
}

// Close ends the child by closing its pipes, or kills it if a request is unanswered: it may hang. It does not wait for
// it. The error is always nil.
func (c *Child) Close() error {
	c.closePipes()
	if c.abandoned == nil {
		c.abandoned = os.ErrClosed
	}
	if c.process == nil {
		return nil
	}
	if c.openSince != 0 {
		_ = c.process.Kill()
	}
	go func(p *os.Process) { _, _ = p.Wait() }(c.process) // else it remains as a zombie
	c.process = nil
	return nil
}
