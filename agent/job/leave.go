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

// LeaveCgroup moves this process out of the cgroup of a Slurm job, in every
// hierarchy. A hook under PrologFlags=RunInJob runs inside the job's extern step,
// and so does what it starts: its CPU time and memory are the job's, and it is
// killed with it. It returns whether there was anything to leave; an error means
// that it had to stay.
func LeaveCgroup(proc string) (inside bool, err error) {
	text, err := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	if err != nil {
		return false, nil // a kernel without cgroups
	}
	jobs := jobsOf(cgroup.Parse(text))
	if len(jobs) == 0 {
		return false, nil
	}
	mountinfo, err := os.ReadFile(filepath.Join(proc, "self", "mountinfo"))
	mounts := cgroup.ParseMounts(mountinfo)
	for _, m := range jobs {
		if err == nil {
			err = leave(mounts, m, os.Getpid())
		}
	}
	return true, err
}

// jobsOf returns the memberships that are a Slurm job's.
func jobsOf(ms []cgroup.Membership) (jobs []cgroup.Membership) {
	for _, m := range ms {
		if _, ok := cgroup.Locate(m.Path); ok {
			jobs = append(jobs, m)
		}
	}
	return jobs
}

// leave moves a process, in one hierarchy, to the first directory above Slurm's
// own that takes it. In v2 that is mostly the root, since a cgroup whose
// children have controllers takes no processes; where not even that one does, as
// in a container, a cgroup of our own is made beside Slurm's.
func leave(mounts []cgroup.Mount, m cgroup.Membership, pid int) error {
	err := errors.New("its hierarchy is not mounted")
	for _, mount := range mounts {
		if !mount.Of(m) {
			continue
		}
		for _, group := range outside(m.Path) {
			if dir, ok := mount.Path(group); ok {
				if err = enter(dir, pid); err == nil {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("leave cgroup %s: %w", m.Path, err)
}

// ownGroup is the cgroup made where no other will do. It stays: another agent may
// just have entered it.
const ownGroup = "jobgait.agents"

// outside returns the groups above Slurm's directory, nearest first, then one
// of our own beside it.
func outside(group string) (groups []string) {
	place, ok := cgroup.Locate(group)
	if !ok {
		return nil
	}
	top := path.Dir(place.Dir) // Slurm's directory, or in v1 the user's below it
	for top != "/" && within(top) {
		top = path.Dir(top)
	}
	beside := path.Join(top, ownGroup)
	for ; top != "/"; top = path.Dir(top) {
		groups = append(groups, top)
	}
	return append(groups, "/", beside)
}

// within tells whether a job in this directory would be taken for Slurm's.
func within(dir string) bool {
	_, ok := cgroup.Locate(path.Join(dir, "job_1"))
	return ok
}

// enter puts a process into a cgroup, which is made if it is our own.
func enter(dir string, pid int) error {
	if filepath.Base(dir) == ownGroup {
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
