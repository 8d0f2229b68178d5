package cgroup

import (
	"strings"

	"jobgait/analysis/run"
)

// PathIdentity is what a path says of a Slurm job. Either JobID or SLUID is set.
type PathIdentity struct {
	JobID run.JobID
	SLUID string
	// Node is the node name that builds for several slurmd on a host put
	// into the path, else "".
	Node string
	// Dir is the job's own directory, relative to the hierarchy's mount.
	Dir string
}

// Locate returns the job that a path belongs to. The job nearest to the root
// counts: what is below it is the user's to name.
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

// Job returns the job of a process from its memberships: the first that names
// one, and whether there was any.
func Job(ms []Membership) (PathIdentity, bool) {
	for _, m := range ms {
		if p, ok := Locate(m.Path); ok {
			return p, true
		}
	}
	return PathIdentity{}, false
}

// slurmRoot tells whether a directory is Slurm's own top directory, and the
// node name in it.
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

func jobDir(dir string) (run.JobID, bool) {
	digits, ok := strings.CutPrefix(dir, "job_")
	if !ok {
		return 0, false
	}
	id, err := run.ParseJobID(digits)
	return id, err == nil
}

// isSLUID tells whether s looks like Slurm's lasting job id: 's' and thirteen
// digits of base 32, written as digits and capitals. "system", the other name
// found in that place, is not.
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
