package kernel

// command is the process that `jobgait run` started and waits for, and what its own account says: the sum from
// wait4 includes everything that the command and the children it waited for have used, up to the end. Reading
// the processes themselves misses those that lived between two readings.
type command struct {
	root, waiter int
	start        uint64 // of the waiter
	// waited is what the waiter has waited for, before what it had while the
	// command lived: our own Prolog. In ticks.
	waited, before uint64
	told           bool // the command was reported
	// held is the name of the process before its exec: until then it runs our program.
	held string
}

// Command tells that a process is waited for by its parent, which is not a member.
func (j *JobCPU) Command(root int) {
	t, short, err := readTimes(j.proc, root, j.buf)
	if err != nil {
		return
	}
	held := string(short)
	w, _, err := readTimes(j.proc, t.parent, j.buf)
	if err != nil {
		return
	}
	j.command = command{root: root, waiter: t.parent, start: w.start, waited: w.waited, before: w.waited, held: held}
}

// begun is whether a process is the job's already.
func (c *command) begun(pid int, m *member) bool { return pid != c.root || m.short != c.held }

// look reads the waiter's account, which stays as it was once the waiter is gone.
func (c *command) look(proc string, buf []byte) {
	if t, _, err := readTimes(proc, c.waiter, buf); err == nil && t.start == c.start {
		c.waited = t.waited
	}
}

// lives tells that the command did, after the look.
func (c *command) lives() { c.before = c.waited }

// end returns the CPU time that wait4 reported for the command.
func (c *command) end(proc string, buf []byte) uint64 {
	c.look(proc, buf)
	c.told = c.waited > c.before
	return c.waited - min(c.before, c.waited)
}
