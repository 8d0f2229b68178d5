package kernel

// command is the process that `jobgait run` started and waits for, and what its own
// account says: the sum that wait4 gives it has all that the command and whoever it
// waited for has used, to the last moment, where a look at the processes themselves
// misses those that lived between two looks.
type command struct {
	root, waiter int
	start        uint64 // of the waiter
	// waited is what the waiter has waited for, before what it had while the
	// command lived: our own Prolog. In ticks.
	waited, before uint64
	told           bool // it was told of the command
	// held is what the process is called before its exec: until then it is ours.
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

// end returns what the waiter was told of the command when it waited for it.
func (c *command) end(proc string, buf []byte) uint64 {
	c.look(proc, buf)
	c.told = c.waited > c.before
	return c.waited - min(c.before, c.waited)
}
