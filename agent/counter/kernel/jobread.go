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

// look reads new processes, then those whose turn it is.
func (j *JobCPU) look() {
	most, end := atOnce, int64(math.MaxInt64)
	if j.whole {
		end = j.now() + wholeNS
	}
	if j.whole || !j.begun {
		most = math.MaxInt
		j.queue, j.fresh = slices.Collect(maps.Keys(j.procs)), j.fresh[:0]
	} else if len(j.queue) == 0 {
		j.queue = slices.AppendSeq(j.queue, maps.Keys(j.procs))
		rand.Shuffle(len(j.queue), func(a, b int) { j.queue[a], j.queue[b] = j.queue[b], j.queue[a] })
	}
	for n, stopped := 0, true; n < most || stopped && n < atOnceStopped; n++ {
		if n%16 == 15 && j.now() > end {
			break
		}
		pid, ok := j.turn()
		if !ok {
			break
		}
		j.read(pid)
		stopped = stopped && j.still(j.procs[pid])
	}
	j.begun = true
	if now := j.living + j.ended; now > j.prior+j.total {
		j.total = now - j.prior
	}
}

// turn returns the process to read next: one that is new, else the last of the
// queue.
func (j *JobCPU) turn() (pid int, ok bool) {
	from := &j.fresh
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

// read looks at one process. Time of children that ended and were waited for is
// in their parent's.
func (j *JobCPU) read(pid int) {
	was := j.procs[pid]
	if was == nil {
		return
	}
	if pid == j.command.root {
		j.command.look(j.proc, j.buf)
	}
	t, short, err := readTimes(j.proc, pid, j.buf)
	if err != nil || was.start != 0 && t.start != was.start {
		j.gone(pid, was)
		return
	}
	if pid == j.command.root {
		j.command.lives()
	}
	if !j.begun {
		j.prior += t.own + t.waited
	}
	if was.program == "" || was.short != string(short) {
		was.short, was.program = string(short), ""
	}
	j.credit(pid, was, int64(t.own-was.own))
	j.living += t.own + t.waited - was.own - was.waited
	was.times = t
	if j.children {
		j.follow(pid)
	}
}

// gone adds the CPU time of an ended process to its nearest living ancestor that belongs to the job. Ancestors
// between the two have ended; they waited for the process (wait(2)), else it would have got another parent, so its
// time is in the account of that ancestor's children. Without such an ancestor the time is added to ended.
func (j *JobCPU) gone(pid int, was *member) {
	delete(j.procs, pid)
	if len(j.heirs) >= maxHeirs {
		clear(j.heirs)
	}
	j.heirs[pid] = was.parent
	used := was.own + was.waited
	j.living -= used
	if pid == j.command.root {
		used = max(used, j.command.end(j.proc, j.buf))
	}
	heir, known := was.parent, true
	for n := 0; known && used > 0 && n < maxHeirs; n++ { // ids that came again may go round in a circle
		if j.read(heir); j.procs[heir] != nil || heir == j.command.root && j.command.told {
			return
		}
		heir, known = j.heirs[heir]
	}
	j.ended += used
}

// maxHeirs bounds what is remembered of processes that are gone.
const maxHeirs = 1 << 14

// maxPrograms bounds what a job can make us keep.
const maxPrograms = 256

func (j *JobCPU) credit(pid int, m *member, ticks int64) {
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

// maxCommand bounds what is read of a command line: what is run comes early.
const maxCommand = 1 << 14

// scriptOf asks a process of an interpreter what that runs.
func (j *JobCPU) scriptOf(pid int, program string) string {
	if !job.Interprets(program) {
		return ""
	}
	text, err := j.peek.Ask(peek.ProcQuestion{File: peek.Cmdline, PID: pid, Max: maxCommand})
	if err != nil || len(text) == 0 {
		return ""
	}
	name, interpreted := job.Started(strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"))
	if !interpreted {
		return ""
	}
	return name
}

// maxChildren bounds what is read of one process's list of children.
const maxChildren = 1 << 16

// follow adds the children of a process, those of the main thread. Some kernels
// have no such file; the walk finds them later.
func (j *JobCPU) follow(pid int) {
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
