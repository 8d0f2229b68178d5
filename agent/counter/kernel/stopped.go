package kernel

import (
	"bytes"
	"path/filepath"
	"strings"

	"jobgait/agent/rawcall"
)

// atOnceStopped is how many processes one drain reads while all of them are stopped, so that a stopped job of
// some hundred processes, and its continuation, are seen at once. Reading stopped processes disturbs no
// program.
const atOnceStopped = 1024

// littleTicks is the CPU time of a process that does not work for the job: the
// sleep of Slurm's extern step, a shell that waits for the one command it was
// started with.
const littleTicks = 5

// still is whether a process is stopped, or says nothing of whether the job is. The
// scheduler's own lies in the job's cgroup and is never stopped.
func (j *JobCPU) still(m *member) bool {
	switch {
	case m == nil, m.state == 'T', m.state == 'Z', m.state == 'X':
		return true
	}
	return m.state == 'S' && m.own < littleTicks || j.schedulers != nil && j.schedulers(m.short)
}

// Apart tells which programs are the scheduler's, not the job's (job.Processes.Own).
func (j *JobCPU) Apart(own func(program string) bool) { j.schedulers = own }

// Stopped is whether the job is stopped from outside, as far as the last drain saw:
// each of its processes that works is, by SIGSTOP as of scontrol suspend.
func (j *JobCPU) Stopped() bool {
	stopped := false
	for _, m := range j.procs {
		if !j.still(m) {
			return false
		}
		stopped = stopped || m.state == 'T'
	}
	return stopped
}

// UsedNS is the CPU time of the job as of the last drain.
func (j *JobCPU) UsedNS() uint64 { return j.total * tick }

// Frozen returns what tells whether the kernel keeps the job's cgroup from running:
// cgroup.events of v2, freezer.state of v1. A frozen process is not in the state of
// one that was stopped. On v2 scontrol suspend freezes what users run in each step,
// job_N/step_*/user, and nothing above it (Slurm 24.11).
func (j JobCgroup) Frozen() (frozen func() bool, stop func() error) {
	if j.v2 {
		p := j.files("", "cgroup.events")
		return func() bool {
			v, err := p.key("frozen")
			return err == nil && v == 1 || j.stepsFrozen()
		}, p.close
	}
	p := j.files("freezer", "freezer.state")
	return func() bool {
		b, err := p.read(0)
		return err == nil && strings.TrimSpace(string(b)) == "FROZEN"
	}, p.close
}

// stepsFrozen reports whether all steps of a job that have users' processes are frozen. It is called only for a
// job that used no CPU time since the last reading.
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

// States of a process: it runs or waits for a CPU; it waits in the kernel for what cannot
// be interrupted, a file system mostly; a debugger holds it.
const (
	Runnable = 'R'
	Blocked  = 'D'
	Traced   = 't'
)

// In is whether a process of the job is in a state, as far as the last drain saw.
func (j *JobCPU) In(state byte) bool {
	for _, m := range j.procs {
		if m != nil && m.state == state {
			return true
		}
	}
	return false
}
