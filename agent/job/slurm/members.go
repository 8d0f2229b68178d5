package slurm

import (
	"bytes"
	"strings"

	"jobgait/agent/cgroup"
	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Owns applies Slurm's rules, of which the first that speaks decides:
//
//   - the cgroup path names a job: this one, or another;
//   - an ancestor is slurmstepd, "slurmstepd: [<id>.<step>]": this job's, or another's;
//   - the process has the job's user and SLURM_JOB_ID=<id> in its environment.
//
// Cgroup and user are checked first: titles of programs other than slurmstepd and environments of other users
// are never read.
//
// With several slurmd on one host the job has processes of several nodes on it: a process whose cgroup or
// environment names another node does not belong to this run.
func (Scheduler) Owns(l *job.Look, p *job.Entry, r job.Run) bool {
	place, placed := cgroup.Job(l.Cgroups(p.PID))
	mine, foreign := judge(place, placed, r)
	if foreign {
		return false
	}
	// From the parent on: with several slurmd a slurmstepd does not say whose
	// node it serves, and it is Slurm's, not the job's.
	if !mine {
		for q := range l.Above(p.Parent()) {
			id, ok := stepd(title(l, q, r.Job.UID))
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
	if !mine && (!l.MayBe(p.PID, r.Job.UID) || l.UID(p.PID) != r.Job.UID) {
		return false
	}
	env := environ(l, p.PID)
	if other(env["SLURMD_NODENAME"], r.Node) || other(env["SLURM_CLUSTER_NAME"], r.Key.Cluster) {
		return false
	}
	return mine || env["SLURM_JOB_ID"] == r.Key.JobID.String()
}

// judge compares what the cgroup says with the run. An SLUID decides nothing if the Prolog did not get the
// job's SLUID; then the other rules decide.
func judge(p cgroup.PathIdentity, placed bool, r job.Run) (mine, foreign bool) {
	switch {
	case !placed:
		return false, false
	case other(p.Node, r.Node):
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

func other(found, expected string) bool { return found != "" && expected != "" && found != expected }

func environ(l *job.Look, pid int) map[string]string {
	return l.Environ(pid, "SLURM_", "SLURMD_NODENAME=", job.ThreadsVariable+"=")
}

// slurmstepd is the name of Slurm's own process in a job; some packages add to it.
const slurmstepd = "slurmstepd"

// Own tells whether a program is slurmstepd.
func (Scheduler) Own(program string) bool {
	return strings.HasPrefix(program, slurmstepd)
}

// title returns the command line of a slurmstepd, read once: processes share ancestors. That of one in the
// making is read again, until it says of which job. Any process can change its title or name, so only processes
// of root count, or those of the job's own user where slurmd runs as an ordinary user; no others are read.
func title(l *job.Look, p *job.Entry, user int) []byte {
	if p.Title != nil || !p.Named(slurmstepd) {
		return p.Title
	}
	if uid := l.UID(p.PID); uid != 0 && uid != user {
		p.Title = []byte{}
		return nil
	}
	text := l.CommandLine(p.PID)
	if _, ok := stepd(text); ok {
		p.Title = text
	}
	return text
}

// stepd returns the job id in the title of a slurmstepd, which writes
// "slurmstepd: [17.batch]" over its arguments.
func stepd(cmdline []byte) (run.JobID, bool) {
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

// Describe reads SLURM_ variables of the job's own processes. The batch script's are
// preferred: a step has its own name and number of tasks.
func (Scheduler) Describe(l *job.Look, pids []int, r job.Run) job.Details {
	var batch, step job.Details
	for _, pid := range pids {
		env := environ(l, pid)
		if env["SLURM_JOB_ID"] != r.Key.JobID.String() {
			continue
		}
		d := fromEnviron(env)
		if r.GPUs != nil {
			d.GPUs = sharing(env)
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

func fromEnviron(env map[string]string) job.Details {
	d := job.Details{
		Name:        note.Clean(env["SLURM_JOB_NAME"], job.MaxText),
		QOS:         note.Clean(env["SLURM_JOB_QOS"], job.MaxText),
		Partition:   note.Clean(env["SLURM_JOB_PARTITION"], job.MaxText),
		ArrayJobID:  job.BigCount(env["SLURM_ARRAY_JOB_ID"]),
		ArrayTaskID: job.BigCount(env["SLURM_ARRAY_TASK_ID"]),
		NTasks:      job.Positive(env["SLURM_NTASKS"]),
		CPUsPerTask: job.Positive(env["SLURM_CPUS_PER_TASK"]),
		WorkDir:     job.CleanPath(env["SLURM_SUBMIT_DIR"]),
		Threads:     job.Threads(env[job.ThreadsVariable]),
		End:         job.BigCount(env["SLURM_JOB_END_TIME"]), // from 22.05 on; a limit that is changed later is not told
	}
	if d.NTasks == nil {
		d.NTasks = job.Positive(env["SLURM_NPROCS"])
	}
	return d
}
