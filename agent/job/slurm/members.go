package slurm

import (
	"bytes"
	"strings"

	"jobgait/agent/cgroup"
	"jobgait/agent/job"
	"jobgait/agent/peek"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Owns reports whether a process belongs to the run. The first of these rules that applies decides:
//
//   - the cgroup path names a job: this one, or another;
//   - an ancestor is slurmstepd, "slurmstepd: [<id>.<step>]": this job's, or another's;
//   - the process has the job's user and SLURM_JOB_ID=<id> in its environment.
//
// Cgroup and user are checked first: titles of programs other than slurmstepd are never read, and environments
// of other users only if the first two rules assign the process to this job.
//
// With several slurmd on one host the job has processes of several nodes on it: a process whose cgroup or
// environment names another node, or whose environment names another cluster, does not belong to this run.
func (Scheduler) Owns(l *job.ProcessSnapshot, p *job.ProcessEntry, r job.Run) bool {
	place, placed := cgroup.Job(l.Cgroups(p.PID))
	mine, foreign := compareCgroup(place, placed, r)
	if foreign {
		return false
	}
	// From the parent on: with several slurmd a slurmstepd does not say whose
	// node it serves, and it is Slurm's, not the job's.
	if !mine {
		for q := range l.Ancestors(p.Parent()) {
			id, ok := jobOfTitle(stepdTitle(l, q, r.Job.UID))
			if !ok {
				continue
			}
			if id != r.Key.JobID {
				return false
			}
			mine = true
			break
		}
	}
	if !mine && (!l.MayBelongTo(p.PID, r.Job.UID) || l.UID(p.PID) != r.Job.UID) {
		return false
	}
	env := slurmEnviron(l, p.PID)
	if differs(env["SLURMD_NODENAME"], r.Node) || differs(env["SLURM_CLUSTER_NAME"], r.Key.Cluster) {
		return false
	}
	return mine || env["SLURM_JOB_ID"] == r.Key.JobID.String()
}

// compareCgroup compares the job in a process's cgroup path with the run: mine if it is this run, foreign if it
// is another. An SLUID decides nothing if the Prolog did not receive the job's SLUID.
func compareCgroup(p cgroup.PathIdentity, placed bool, r job.Run) (mine, foreign bool) {
	switch {
	case !placed:
		return false, false
	case differs(p.Node, r.Node):
		return false, true
	case p.SLUID != "" && r.Key.SLUID == "":
		return false, false
	case p.SLUID != "":
		mine = p.SLUID == r.Key.SLUID
	default:
		mine = p.JobID == r.Key.JobID
	}
	return mine, !mine
}

// differs reports whether both names are set and different.
func differs(found, expected string) bool { return found != "" && expected != "" && found != expected }

// slurmEnviron returns the variables of Slurm and the number of threads in the environment of a process.
func slurmEnviron(l *job.ProcessSnapshot, pid int) map[string]string {
	return l.Environ(pid, "SLURM_", "SLURMD_NODENAME=", job.ThreadsVariable+"=")
}

// slurmstepd is the name of Slurm's own process in a job; some distributions append to it.
const slurmstepd = "slurmstepd"

// IsSchedulerProgram reports whether a program is slurmstepd.
func (Scheduler) IsSchedulerProgram(program string) bool {
	return strings.HasPrefix(program, slurmstepd)
}

// stepdTitle returns the command line of a slurmstepd, nil for other processes. It is cached once it names a
// job, because processes share ancestors. Any process can set its title and name, so only processes of root or
// of the job's own user, as whom slurmd may run, are read, and only if slurmstepd is their executable: sudo runs as
// root under any name and title, with the user's processes below it.
func stepdTitle(l *job.ProcessSnapshot, p *job.ProcessEntry, user int) []byte {
	if p.Title != nil || !p.HasNamePrefix(slurmstepd) {
		return p.Title
	}
	if uid := l.UID(p.PID); uid != 0 && uid != user {
		p.Title = []byte{}
		return nil
	}
	text := l.CommandLine(p.PID)
	if _, ok := jobOfTitle(text); !ok {
		return text
	}
	if program := l.Program(p.PID); program != peek.NoProgram && !(Scheduler{}).IsSchedulerProgram(program) {
		text = []byte{}
	}
	p.Title = text
	return text
}

// jobOfTitle returns the job id in the title of a slurmstepd, "slurmstepd: [17.batch]"; false for other texts.
func jobOfTitle(cmdline []byte) (run.JobID, bool) {
	rest, ok := bytes.CutPrefix(cmdline, []byte(slurmstepd+": ["))
	if !ok {
		return 0, false
	}
	digits, _, ok := bytes.Cut(rest, []byte("."))
	if !ok {
		return 0, false
	}
	id, err := run.ParseJobID(string(digits))
	return id, err == nil
}

// Describe returns the job's details from SLURM_ variables of those of its processes that have this job's id. Those of
// the batch script are preferred, because a step has its own name and number of tasks. On another node than the job's
// first, name and number of tasks of a step are left out.
func (Scheduler) Describe(l *job.ProcessSnapshot, pids []int, r job.Run) job.Details {
	var batch, step job.Details
	for _, pid := range pids {
		env := slurmEnviron(l, pid)
		if env["SLURM_JOB_ID"] != r.Key.JobID.String() {
			continue
		}
		d := fromEnviron(env)
		if r.GPUs != nil {
			d.GPUs = gpuSharing(env)
		}
		if env["SLURM_STEP_ID"] == "" && env["SLURM_STEPID"] == "" {
			batch = batch.Or(d)
		} else {
			step = step.Or(d)
		}
	}
	if nodes, err := expandNodeList(r.Job.NodeList); err == nil && len(nodes) > 1 && !r.IsFirst(nodes) {
		// The batch script is on the first node: what that node finds is
		// the job's name and size, what a step here is called is not.
		step.Name, step.NTasks = "", nil
	}
	return batch.Or(step)
}

// fromEnviron returns the details in the environment of one of the job's processes.
func fromEnviron(env map[string]string) job.Details {
	d := job.Details{
		Name:        note.Clean(env["SLURM_JOB_NAME"], job.MaxText),
		QOS:         note.Clean(env["SLURM_JOB_QOS"], job.MaxText),
		Partition:   note.Clean(env["SLURM_JOB_PARTITION"], job.MaxText),
		ArrayJobID:  job.ParseBigCount(env["SLURM_ARRAY_JOB_ID"]),
		ArrayTaskID: job.ParseBigCount(env["SLURM_ARRAY_TASK_ID"]),
		NTasks:      job.ParsePositive(env["SLURM_NTASKS"]),
		CPUsPerTask: job.ParsePositive(env["SLURM_CPUS_PER_TASK"]),
		WorkDir:     job.CleanPath(env["SLURM_SUBMIT_DIR"]),
		Threads:     job.ParseThreads(env[job.ThreadsVariable]),
		// from 22.05 on; it does not follow a time limit that is changed later
		End: endOfLimit(job.ParseBigCount(env["SLURM_JOB_START_TIME"]), job.ParseBigCount(env["SLURM_JOB_END_TIME"])),
	}
	if d.NTasks == nil {
		d.NTasks = job.ParsePositive(env["SLURM_NPROCS"])
	}
	return d
}
