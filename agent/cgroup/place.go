package cgroup

import (
	"strings"

	"jobgait/analysis/run"
)

// PathIdentity is the Slurm job that a cgroup path names. Either JobID or SLUID is set.
type PathIdentity struct {
	JobID run.JobID
	SLUID string
	// Node is the node name that slurmd built for several instances on a host puts into the path, else "".
	Node string
	// Dir is the job's own directory, relative to the hierarchy's mount.
	Dir string
}

// Locate returns the job that a cgroup path belongs to; false for a path outside of Slurm's directories or with
// user.slice above them. The job nearest to the root counts, because the user may name directories below it.
func Locate(path string) (PathIdentity, bool) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part == "user.slice" {
			return PathIdentity{}, false
		}
		node, ok := slurmRoot(part)
		if !ok {
			continue
		}
		// v1 has uid_N between Slurm's directory and the job's.
		for j := i + 1; j < len(parts) && j <= i+2; j++ {
			p := PathIdentity{Node: node, Dir: strings.Join(parts[:j+1], "/")}
			if p.JobID, ok = jobDir(parts[j]); ok {
				return p, true
			}
			if j == i+1 && isSLUID(parts[j]) {
				p.SLUID = parts[j]
				return p, true
			}
			if !strings.HasPrefix(parts[j], "uid_") {
				break
			}
		}
		return PathIdentity{}, false
	}
	return PathIdentity{}, false
}

// Job returns the job of a process: that of its first membership in a Slurm job, and whether it has one.
func Job(ms []Membership) (PathIdentity, bool) {
	for _, m := range ms {
		if p, ok := Locate(m.Path); ok {
			return p, true
		}
	}
	return PathIdentity{}, false
}

// slurmRoot reports whether a directory name is that of Slurm's top directory, and returns the node name in it, ""
// without one.
func slurmRoot(dir string) (node string, ok bool) {
	switch {
	case dir == "slurm" || dir == "slurmstepd.scope":
		return "", true
	case strings.HasPrefix(dir, "slurm_"):
		return dir[len("slurm_"):], true
	case strings.HasSuffix(dir, "_slurmstepd.scope"):
		return strings.TrimSuffix(dir, "_slurmstepd.scope"), true
	}
	return "", false
}

// jobDir parses a directory name "job_N"; false for other names.
func jobDir(dir string) (run.JobID, bool) {
	digits, ok := strings.CutPrefix(dir, "job_")
	if !ok {
		return 0, false
	}
	id, err := run.ParseJobID(digits)
	return id, err == nil
}

// isSLUID reports whether s has the form of Slurm's SLUID, the job id that is never reused: 's' and 13 digits
// or capital letters. "system", the other name at that position, is no SLUID.
func isSLUID(s string) bool {
	if len(s) != 14 || s[0] != 's' {
		return false
	}
	for _, c := range s[1:] {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
