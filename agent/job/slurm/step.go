package slurm

import (
	"os"
	"slices"
	"strconv"

	"jobgait/analysis/summary"
)

// Step is the command that runs a program once more in a running job, on its first
// node, beside what the job runs; nil where there is no srun, or within a step already.
// Nobody's PATH decides which srun that is.
func (Scheduler) Step(getenv func(string) string, id summary.JobID, program ...string) []string {
	sruns := []string{"/usr/bin/srun", "/usr/local/bin/srun", "/opt/slurm/bin/srun"}
	at := slices.IndexFunc(sruns, func(p string) bool { st, err := os.Stat(p); return err == nil && st.Mode().IsRegular() })
	if at < 0 || getenv("SLURM_STEP_ID") != "" {
		return nil
	}
	return append([]string{sruns[at], "--overlap", "--jobid", strconv.FormatInt(int64(id), 10),
		"--nodes=1", "--ntasks=1", "--quiet", "--immediate=10"}, program...)
}
