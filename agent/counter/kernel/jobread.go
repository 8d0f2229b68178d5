package kernel

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/agent/peek"
	"jobgait/agent/rawcall"
)

// readDue reads new processes, then those whose turn it is, and updates the total, which never decreases. It
// reads at most maxPerDrain processes, or more while all that it read are stopped or idle; the first call reads
// all, and a call with readAll reads all for which readAllNS suffices.
func (j *JobCPU) readDue() {
	limit, end := maxPerDrain, int64(math.MaxInt64)
	if j.readAll {
		end = j.now() + readAllNS
	}
	if j.readAll || !j.begun {
		limit = math.MaxInt
		j.queue, j.unread = slices.Collect(maps.Keys(j.procs)), j.unread[:0]
	} else if len(j.queue) == 0 {
		j.queue = slices.AppendSeq(j.queue, maps.Keys(j.procs))
		rand.Shuffle(len(j.queue), func(a, b int) { j.queue[a], j.queue[b] = j.queue[b], j.queue[a] })
	}
	for n, stopped := 0, true; n < limit || stopped && n < maxStoppedPerDrain; n++ {
		if n%16 == 15 && j.now() > end {
			break
		}
		pid, ok := j.nextPID()
		if !ok {
			break
		}
		j.readProcess(pid)
		stopped = stopped && j.stoppedOrIdle(j.procs[pid])
	}
	j.begun = true
	if now := j.living + j.ended; now > j.prior+j.total {
		j.total = now - j.prior
	}
}

// nextPID removes and returns the process to read next: a new one, else the last of the queue.
func (j *JobCPU) nextPID() (pid int, ok bool) {
	from := &j.unread
	if len(*from) == 0 {
		from = &j.queue
	}
	n := len(*from)
	if n == 0 {
		return 0, false
	}
	pid = (*from)[n-1]
	*from = (*from)[:n-1]
	return pid, true
}

// readProcess reads the CPU time of one process and of its ended, waited-for children, and adds the increase to
// living; that of the process alone is also added to its program. It removes the process if it has ended or its id
// belongs to another one. It ignores a process that is not known.
func (j *JobCPU) readProcess(pid int) {
	was := j.procs[pid]
	if was == nil {
		return
	}
	if pid == j.command.root {
		j.command.readWaiter(j.proc, j.buf)
	}
	t, short, err := readTimes(j.proc, pid, j.buf)
	if err != nil || was.start != 0 && t.start != was.start {
		j.removeEnded(pid, was)
		return
	}
	if pid == j.command.root {
		j.command.markAlive()
	}
	if !j.begun {
		j.prior += t.own + t.waited
	}
	if was.program == "" || was.short != string(short) {
		was.short, was.program = string(short), ""
	}
	j.addProgramTicks(pid, was, int64(t.own-was.own))
	j.living += t.own + t.waited - was.own - was.waited
	was.times = t
	if j.children {
		j.addChildren(pid)
	}
}

// removeEnded removes an ended process. Its CPU time is in the account of its nearest living ancestor in the
// job, which is read again: ancestors between the two have ended and waited for it, else it would have got
// another parent. Without such an ancestor the time is added to ended.
func (j *JobCPU) removeEnded(pid int, was *member) {
	delete(j.procs, pid)
	if len(j.parentOf) >= maxParents {
		clear(j.parentOf)
	}
	j.parentOf[pid] = was.parent
	used := was.own + was.waited
	j.living -= used
	if pid == j.command.root {
		used = max(used, j.command.finalTicks(j.proc, j.buf))
	}
	heir, known := was.parent, true
	for n := 0; known && used > 0 && n < maxParents; n++ { // ids that came again may go round in a circle
		if j.readProcess(heir); j.procs[heir] != nil || heir == j.command.root && j.command.reported {
			return
		}
		heir, known = j.parentOf[heir]
	}
	j.ended += used
}

// maxParents limits the stored parents of ended processes.
const maxParents = 1 << 14

// maxPrograms limits the programs and scripts that are counted.
const maxPrograms = 256

// addProgramTicks adds CPU time of a process, in ticks, to its program and script. It ignores the time before the
// first drain, and new programs and scripts beyond maxPrograms.
func (j *JobCPU) addProgramTicks(pid int, m *member, ticks int64) {
	if !j.begun || ticks <= 0 {
		return
	}
	if m.program == "" {
		m.program = peek.ProgramOf(j.peek, pid)
		m.script = j.scriptOf(pid, m.program)
	}
	if _, ok := j.programs[m.program]; ok || len(j.programs) < maxPrograms {
		j.programs[m.program] += ticks
	}
	key := [2]string{m.program, m.script}
	if _, ok := j.scripts[key]; m.script != "" && (ok || len(j.scripts) < maxPrograms) {
		j.scripts[key] += ticks
	}
}

// maxCommand limits what is read of a command line, in bytes: the script comes early.
const maxCommand = 1 << 14

// scriptOf returns the script in the command line of an interpreter's process, "" if unknown.
func (j *JobCPU) scriptOf(pid int, program string) string {
	if !job.IsInterpreter(program) {
		return ""
	}
	text, err := j.peek.Ask(peek.ProcRequest{File: peek.Cmdline, PID: pid, Max: maxCommand})
	if err != nil || len(text) == 0 {
		return ""
	}
	name, interpreted := job.StartedProgram(strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"))
	if !interpreted {
		return ""
	}
	return name
}

// maxChildren limits what is read of a process's list of children, in bytes.
const maxChildren = 1 << 16

// addChildren adds the children of a process's main thread. Some kernels lack the file; then walks find them
// later.
func (j *JobCPU) addChildren(pid int) {
	id := strconv.Itoa(pid)
	b, err := rawcall.ReadList(filepath.Join(j.proc, id, "task", id, "children"), j.buf, maxChildren)
	if err != nil {
		return
	}
	for child, rest, ok := cutNumber(b); ok; child, rest, ok = cutNumber(rest) {
		if child < math.MaxInt32 && int(child) != os.Getpid() {
			j.Add(int(child))
		}
	}
}
