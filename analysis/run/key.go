package run

import (
	"fmt"
	"strings"
	"unicode"
)

// LocalCluster is the prefix of the cluster name that `jobgait run` uses; the name of
// the machine follows.
const LocalCluster = "local:"

// Key names one run: an execution of a job. A requeue is a new run. It is
// fixed when the Prolog runs, stored in the node's run directory, and never
// recomputed: Slurm gives the Prolog and the Epilog of one run different restart counts.
type Key struct {
	Cluster string `json:"cluster"`
	JobID   JobID  `json:"job_id"`
	// Restart is the restart count as the Prolog saw it.
	Restart int `json:"restart"`
	// SLUID is Slurm's lasting id of the run (26.05 and later), else "".
	SLUID string `json:"sluid,omitempty"`
	// Sub counts `jobgait run` inside one batch job from 1; 0 otherwise.
	Sub int `json:"sub,omitempty"`
}

// String returns the key as one path element of letters, digits, '.', '_' and '-', which names the run's directory and
// files: CLUSTER-JOBID.rRESTART, or CLUSTER-JOBID.SLUID if the run has a SLUID, with .runSUB behind it if Sub is not 0.
func (k Key) String() string {
	id := fmt.Sprintf("%d.r%d", k.JobID, k.Restart)
	if k.SLUID != "" {
		id = fmt.Sprintf("%d.%s", k.JobID, PathElement(k.SLUID, unnamed))
	}
	if k.Sub > 0 {
		id = fmt.Sprintf("%s.run%d", id, k.Sub)
	}
	return PathElement(k.Cluster, unnamed) + "-" + id
}

// Bounds of a key's parts. Slurm's cluster names have 40 letters at most and its
// SLUIDs 14.
const (
	maxCluster = 64
	maxSLUID   = 64
	maxCount   = 1 << 30
)

// unnamed stands in a file name for a part of a key without a usable character.
const unnamed = "cluster"

// Valid returns an error for a key that no Prolog can have made. Callers check every key
// that they read from a place where another account can write.
func (k Key) Valid() error {
	switch {
	case k.JobID <= 0:
		return fmt.Errorf("invalid job id %d: want a positive number", k.JobID)
	case len(k.Cluster) > 4*maxCluster ||
		strings.ContainsFunc(k.Cluster, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("cluster name %.80q is invalid: want at most 64 printable characters", k.Cluster)
	case k.SLUID != "" && (len(k.SLUID) > maxSLUID || k.SLUID != PathElement(k.SLUID, unnamed)):
		return fmt.Errorf("SLUID %.80q is invalid: want \"s\" and 13 base-32 digits", k.SLUID)
	case k.Restart < 0 || k.Restart > maxCount || k.Sub < 0 || k.Sub > maxCount:
		return fmt.Errorf("restart count %d or subrun %d is invalid: want 0 to %d", k.Restart, k.Sub, maxCount)
	}
	return nil
}
