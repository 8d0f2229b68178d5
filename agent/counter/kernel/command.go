package kernel

// command is the process that `jobgait run` started and waits for, and its CPU time in the waiter's account:
// the sum from wait4 includes all that the command and its waited-for children used up to the end. Reading the
// processes themselves misses those that live between two readings.
type command struct {
	root, waiter int
	start        uint64 // of the waiter
	// waited is the waiter's CPU time of waited-for children, before its value while the command lived, which is
	// that of the Prolog. In ticks.
	waited, before uint64
	reported       bool // the command was reported
	// nameBeforeExec is the name of the process before its exec, while it still runs jobgait.
	nameBeforeExec string
}

// SetCommand sets the process that `jobgait run` waits for, before its exec. Its parent is the waiter, which is not a
// member and whose CPU time of waited-for children so far is not the command's. If one of the two cannot be read, no
// command is set.
func (j *JobCPU) SetCommand(root int) {
	t, short, err := readTimes(j.proc, root, j.buf)
	if err != nil {
		return
	}
	held := string(short)
	w, _, err := readTimes(j.proc, t.parent, j.buf)
	if err != nil {
		return
	}
	j.command = command{root: root, waiter: t.parent, start: w.start, waited: w.waited, before: w.waited,
		nameBeforeExec: held}
}

// hasStarted reports whether a process runs the job's program already, and not jobgait before the exec.
func (c *command) hasStarted(pid int, m *member) bool {
	return pid != c.root || m.short != c.nameBeforeExec
}

// readWaiter reads the waiter's account; it keeps the last value once the waiter is gone.
func (c *command) readWaiter(proc string, buf []byte) {
	if t, _, err := readTimes(proc, c.waiter, buf); err == nil && t.start == c.start {
		c.waited = t.waited
	}
}

// markAlive records that the command was alive after the waiter's account was read.
func (c *command) markAlive() { c.before = c.waited }

// finalTicks returns the CPU time, in ticks, that wait4 reported for the ended command: the growth of the waiter's
// account since the command was last seen alive. It is 0, and reported is false, if the waiter has not waited yet.
func (c *command) finalTicks(proc string, buf []byte) uint64 {
	c.readWaiter(proc, buf)
	c.reported = c.waited > c.before
	return c.waited - min(c.before, c.waited)
}
