package summary

import (
	"fmt"
	"strings"
)

// RunKey names one run: an execution of a job. A requeue is a new run. It is
// fixed when the Prolog runs, stored in the node's run directory, and never
// recomputed: Slurm tells Prolog and Epilog of one run different restart counts.
type RunKey struct {
	Cluster string `json:"cluster"`
	JobID   int64  `json:"job_id"`
	// Restart is the restart count as the Prolog saw it.
	Restart int `json:"restart"`
	// SLUID is Slurm's lasting id of the run (26.05 and later), else "".
	SLUID string `json:"sluid,omitempty"`
	// Sub counts `jobgait run` inside one batch job from 1; 0 otherwise.
	Sub int `json:"sub,omitempty"`
}

// String returns the key as one path element of letters, digits, '.', '_' and
// '-': it names the run's directory and files.
func (k RunKey) String() string {
	id := fmt.Sprintf("%d.r%d", k.JobID, k.Restart)
	if k.SLUID != "" {
		id = fmt.Sprintf("%d.%s", k.JobID, k.SLUID)
	}
	if k.Sub > 0 {
		id = fmt.Sprintf("%s.run%d", id, k.Sub)
	}
	return pathElement(k.Cluster) + "-" + id
}

// pathElement maps what is not safe in a file name to '_'.
func pathElement(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, s)
	s = strings.TrimLeft(s, ".-")
	if s == "" {
		return "cluster"
	}
	return s
}
