// Package policy decides which jobs are watched. The settings, a run as the Prolog knows it and the user's wish
// go in; yes or no and the reason in words come out. The decision is a pure function of values that are equal
// on all nodes of a job, so the nodes agree without communication, and an Epilog that repeats it gets the same
// result. A user who said --jobgait=off is never watched, whatever the settings.
package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"jobgait/agent/job"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// Decide reports whether a run is watched, and the reason in words. The first rule that excludes the run
// decides: the user's opt-out, a job of root, jobgait's own account, watch.not_users, watch.not_partitions,
// watch.partitions, watch.min_nodes, watch.share.
func Decide(c configs.Config, r job.Run, optOut bool) (watch bool, reason string) {
	w, j := c.Watch, r.Job
	switch {
	case optOut:
		return false, "the user said --jobgait=off"
	case j.UID == 0 && !w.Root && r.RootPID == 0:
		return false, "jobs of root are not watched: watch.root"
	case j.User != "" && j.User == c.Collect.Account:
		return false, fmt.Sprintf("user %s is jobgait's own account, collect.account", j.User)
	case slices.Contains(w.NotUsers, j.User):
		return false, fmt.Sprintf("user %s is in watch.not_users", j.User)
	case slices.Contains(w.NotPartitions, j.Partition):
		return false, fmt.Sprintf("partition %s is in watch.not_partitions", j.Partition)
	case len(w.Partitions) > 0 && !slices.Contains(w.Partitions, j.Partition):
		return false, fmt.Sprintf("partition %s is not in watch.partitions", j.Partition)
	case j.NNodes < w.MinNodes:
		return false, fmt.Sprintf("the job has %s, less than watch.min_nodes = %d", quantity.Plural(j.NNodes, "node"),
			w.MinNodes)
	case jobFraction(r.Key.Cluster, r.Key.JobID) >= w.Share:
		return false, fmt.Sprintf("not drawn by watch.share = %g", w.Share)
	}
	return true, "watched"
}

// jobFraction returns a number in [0, 1) for a job that is the same on all nodes and evenly spread over jobs.
// It uses a cryptographic hash, because cheaper ones leave patterns for consecutive job ids.
func jobFraction(cluster string, id run.JobID) float64 {
	sum := sha256.Sum256([]byte(cluster + "\x00" + id.String()))
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}
