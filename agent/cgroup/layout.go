package cgroup

import (
	"path"
	"strconv"

	"jobgait/analysis/run"
)

// Identity is whose cgroup is looked for.
type Identity struct {
	ID    run.JobID
	SLUID string // "" where Slurm has none
	// Node is the node's name, which builds for several slurmd put into
	// the path.
	Node string
	UID  int
}

// is tells whether a place is this job's. A build for several slurmd names the
// node; one that does not, has one slurmd.
func (j Identity) is(p PathIdentity) bool {
	if p.Node != "" && p.Node != j.Node {
		return false
	}
	if p.SLUID != "" {
		return p.SLUID == j.SLUID
	}
	return p.JobID == j.ID && j.ID > 0
}

// layouts returns where, below the mount of a hierarchy, Slurm would put the
// job: the places that are known without asking a process, the surer ones
// first.
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
