package kernel

import (
	"bytes"
	"path/filepath"
	"strings"

	"jobgait/agent/rawcall"
)

// maxStoppedPerDrain limits the processes that one drain reads while all of them are stopped, so that the stop
// of a job of some hundred processes, and its continuation, are detected at once. Reading stopped processes
// disturbs no program.
const maxStoppedPerDrain = 1024

// littleTicks is the CPU time, in ticks, below which a sleeping process does not work for the job: the sleep of
// Slurm's extern step, or a shell that waits for its only command.
const littleTicks = 5

// stoppedOrIdle reports whether a process is stopped, or does not show whether the job is: it has ended, hardly
// works, or is the scheduler's, which is never stopped.
func (j *JobCPU) stoppedOrIdle(m *member) bool {
	switch {
	case m == nil, m.state == 'T', m.state == 'Z', m.state == 'X':
		return true
	}
	return m.state == 'S' && m.own < littleTicks || j.schedulers != nil && j.schedulers(m.short)
}

// SetSchedulerPrograms sets the function that reports whether a program is the scheduler's, not the job's.
func (j *JobCPU) SetSchedulerPrograms(own func(program string) bool) { j.schedulers = own }

// Stopped reports whether the job was stopped from outside at the last drain: all of its working processes were
// stopped, as by the SIGSTOP of scontrol suspend.
func (j *JobCPU) Stopped() bool {
	stopped := false
	for _, m := range j.procs {
		if !j.stoppedOrIdle(m) {
			return false
		}
		stopped = stopped || m.state == 'T'
	}
	return stopped
}

// UsedNS returns the CPU time of the job in ns, as of the last drain.
func (j *JobCPU) UsedNS() uint64 { return j.total * tick }

// Frozen returns a function that reports whether the job's cgroup is frozen (cgroup.events of v2, freezer.state of
// v1) or, on v2, all of its steps are (stepsFrozen), and one that closes its file. A frozen process does not have the
// state of a stopped one. On v2 scontrol suspend freezes what users run in each step, job_N/step_*/user, and nothing
// above it (Slurm 24.11).
func (j JobCgroup) Frozen() (frozen func() bool, stop func() error) {
	if j.v2 {
		p := j.filesOf("", "cgroup.events")
		return func() bool {
			v, err := p.readKey("frozen")
			return err == nil && v == 1 || j.stepsFrozen()
		}, p.close
	}
	p := j.filesOf("freezer", "freezer.state")
	return func() bool {
		b, err := p.read(0)
		return err == nil && strings.TrimSpace(string(b)) == "FROZEN"
	}, p.close
}

// stepsFrozen reports whether all steps of a job that have users' processes are frozen. It is called only for a
// job that used no CPU time since the last check or was stopped at it.
func (j JobCgroup) stepsFrozen() bool {
	dir, ok := j.dir("")
	if !ok {
		return false
	}
	steps, err := filepath.Glob(filepath.Join(dir, "step_*", "user", "cgroup.events"))
	if err != nil {
		return false
	}
	frozen := 0
	for _, path := range steps {
		b, err := rawcall.ReadRecord(path, nil, maxStat)
		switch {
		case err != nil || bytes.Contains(b, []byte("populated 0\n")):
		case bytes.Contains(b, []byte("frozen 1\n")):
			frozen++
		default:
			return false
		}
	}
	return frozen > 0
}

// States of a process: running or waiting for a CPU; in an uninterruptible wait in the kernel, mostly for a
// file system; stopped by a debugger.
const (
	Runnable = 'R'
	Blocked  = 'D'
	Traced   = 't'
)

// HasState reports whether any process of the job was in this state at its last reading.
func (j *JobCPU) HasState(state byte) bool {
	for _, m := range j.procs {
		if m != nil && m.state == state {
			return true
		}
	}
	return false
}
