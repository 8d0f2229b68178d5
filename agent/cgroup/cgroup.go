// Package cgroup finds the Slurm job of a process from its cgroup, and the cgroup directories of a job. The
// text of /proc/PID/cgroup and of /proc/self/mountinfo comes in; the job id or SLUID, the node name and the
// job's directory in each hierarchy go out. Only Finder and DirsOfProcess read files: a job's cgroup may appear
// after its Prolog, which Finder learns by inotify.
//
// It refuses paths that a user can make: a directory called job_7 counts only
// below one that Slurm names, and never below user.slice, which systemd delegates
// to users.
//
// The layouts, oldest first (man page cgroups(7) and Slurm's cgroup documents):
//
//	4:memory:/slurm/uid_1000/job_5/step_0/task_0             v1
//	4:memory:/slurm_n1/uid_1000/job_5/step_batch             v1, several slurmd on a host
//	0::/system.slice/slurmstepd.scope/job_5/step_0/user/task_0      v2
//	0::/system.slice/n1_slurmstepd.scope/job_5/step_batch/slurm     v2, several slurmd
//	0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0/user    v2 of Slurm 26.05, by SLUID
package cgroup

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Membership is one line of /proc/PID/cgroup: the process's cgroup in one hierarchy. The unified hierarchy (v2)
// has ID 0 and no controllers.
type Membership struct {
	ID          int
	Controllers []string
	Path        string
}

// Unified reports whether the membership is that of cgroup v2.
func (m Membership) Unified() bool { return m.ID == 0 && len(m.Controllers) == 0 }

// Parse parses the text of /proc/PID/cgroup. It skips lines that are not "id:controllers:/path", so that one
// invalid line does not hide the others.
func Parse(text []byte) []Membership {
	var ms []Membership
	for line := range bytes.Lines(text) {
		if m, ok := parseLine(strings.TrimSuffix(string(line), "\n")); ok {
			ms = append(ms, m)
		}
	}
	return ms
}

// parseLine parses one line of /proc/PID/cgroup; false if it is invalid.
func parseLine(line string) (Membership, bool) {
	id, rest, ok := strings.Cut(line, ":")
	if !ok {
		return Membership{}, false
	}
	// The path may hold colons, so only the first two separate.
	controllers, path, ok := strings.Cut(rest, ":")
	if !ok || !strings.HasPrefix(path, "/") {
		return Membership{}, false
	}
	n, err := strconv.Atoi(id)
	if err != nil || n < 0 {
		return Membership{}, false
	}
	m := Membership{ID: n, Path: strings.TrimSuffix(path, " (deleted)")}
	if controllers != "" {
		m.Controllers = strings.Split(controllers, ",")
	}
	return m, true
}

// DirsOfProcess reads the present cgroups of a process and returns a function that gives the directory for a v1
// controller, or of v2 for "". It serves commands of `jobgait run`, which have no cgroup of their own.
func DirsOfProcess(proc string, pid int) func(controller string) (dir string, ok bool) {
	dirs := map[string]string{}
	mounts, err := os.ReadFile(filepath.Join(proc, "self", "mountinfo"))
	text, errOf := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "cgroup"))
	if err == nil && errOf == nil {
		for _, s := range Parse(text) {
			for _, m := range ParseMounts(mounts) {
				if dir, ok := m.Path(s.Path); ok && m.ContainsMembership(s) {
					for _, c := range append(s.Controllers, "") {
						if (c == "") == s.Unified() && dirs[c] == "" {
							dirs[c] = dir
						}
					}
				}
			}
		}
	}
	return func(controller string) (string, bool) {
		dir, ok := dirs[controller]
		return dir, ok
	}
}
