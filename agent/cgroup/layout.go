package cgroup

import (
	"path"
	"strconv"

	"jobgait/analysis/run"
)

// Identity identifies the job whose cgroup is searched.
type Identity struct {
	ID    run.JobID
	SLUID string // "" where Slurm has none
	// Node is the node's name, which slurmd built for several instances on a host puts into the path.
	Node string
	UID  int
}

// matches reports whether a path belongs to this job: by SLUID or job id, and by the node if the path names
// one.
func (j Identity) matches(p PathIdentity) bool {
	if p.Node != "" && p.Node != j.Node {
		return false
	}
	if p.SLUID != "" {
		return p.SLUID == j.SLUID
	}
	return p.JobID == j.ID && j.ID > 0
}

// layouts returns the paths, below the mount of a v1 or unified hierarchy, at which Slurm may put the job, the
// likeliest first.
func (j Identity) layouts(unified bool) []string {
	id := "job_" + j.ID.String()
	var dirs []string
	if !unified {
		uid := "uid_" + strconv.Itoa(j.UID)
		if j.Node != "" {
			dirs = append(dirs, path.Join("slurm_"+j.Node, uid, id))
		}
		return append(dirs, path.Join("slurm", uid, id))
	}
	scopes := []string{"slurmstepd.scope"}
	if j.Node != "" {
		scopes = []string{j.Node + "_slurmstepd.scope", "slurmstepd.scope"}
	}
	for _, scope := range scopes {
		if j.SLUID != "" {
			dirs = append(dirs, path.Join("system.slice", scope, j.SLUID))
		}
		dirs = append(dirs, path.Join("system.slice", scope, id))
	}
	return dirs
}
