package job

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"jobgait/agent/cgroup"
)

// LeaveCgroup moves this process out of the cgroup of a Slurm job, in every hierarchy. A hook under
// PrologFlags=RunInJob runs inside the job's extern step, and so does what it starts: its CPU time and memory
// are the job's, and it is killed with it. inside says whether the process was in a job's cgroup; an error
// means that it could not leave.
func LeaveCgroup(proc string) (inside bool, err error) {
	text, err := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	if err != nil {
		return false, nil // a kernel without cgroups
	}
	jobs := jobMemberships(cgroup.Parse(text))
	if len(jobs) == 0 {
		return false, nil
	}
	mountinfo, err := os.ReadFile(filepath.Join(proc, "self", "mountinfo"))
	mounts := cgroup.ParseMounts(mountinfo)
	for _, m := range jobs {
		if err == nil {
			err = leaveHierarchy(mounts, m, os.Getpid())
		}
	}
	return true, err
}

// jobMemberships returns the memberships in cgroups of Slurm jobs.
func jobMemberships(ms []cgroup.Membership) (jobs []cgroup.Membership) {
	for _, m := range ms {
		if _, ok := cgroup.Locate(m.Path); ok {
			jobs = append(jobs, m)
		}
	}
	return jobs
}

// leaveHierarchy moves a process, in one hierarchy, to the first cgroup above Slurm's that accepts it. In v2
// that is mostly the root, since a cgroup whose children have controllers accepts no processes. If the root
// does not accept it either, as in a container, a new cgroup beside Slurm's is created.
func leaveHierarchy(mounts []cgroup.Mount, m cgroup.Membership, pid int) error {
	err := errors.New("its cgroup hierarchy is not mounted: mount it")
	for _, mount := range mounts {
		if !mount.ContainsMembership(m) {
			continue
		}
		for _, group := range groupsOutsideJob(m.Path) {
			if dir, ok := mount.Path(group); ok {
				if err = joinGroup(dir, pid); err == nil {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("move the process out of the cgroup %s: %w", m.Path, err)
}

// agentsGroup is the name of the cgroup that is created if no other accepts the process. It is never removed,
// because another agent may just have entered it.
const agentsGroup = "jobgait.agents"

// groupsOutsideJob returns the cgroups above Slurm's directory, nearest first, up to the root, and last
// agentsGroup beside Slurm's directory. It returns nil for a cgroup outside of Slurm jobs.
func groupsOutsideJob(group string) (groups []string) {
	place, ok := cgroup.Locate(group)
	if !ok {
		return nil
	}
	top := path.Dir(place.Dir) // Slurm's directory, or in v1 the user's below it
	for top != "/" && looksLikeScheduler(top) {
		top = path.Dir(top)
	}
	beside := path.Join(top, agentsGroup)
	for ; top != "/"; top = path.Dir(top) {
		groups = append(groups, top)
	}
	return append(groups, "/", beside)
}

// looksLikeScheduler reports whether a job directory below dir would be recognized as the scheduler's.
func looksLikeScheduler(dir string) bool {
	_, ok := cgroup.Locate(path.Join(dir, "job_1"))
	return ok
}

// joinGroup moves a process into a cgroup, which it creates if it is agentsGroup.
func joinGroup(dir string, pid int) error {
	if filepath.Base(dir) == agentsGroup {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.Itoa(pid))
	return errors.Join(err, f.Close())
}
