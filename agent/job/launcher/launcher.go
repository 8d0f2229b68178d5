// Package launcher recognizes programs that only start the programs of a job.
package launcher

import (
	"slices"
	"strings"
)

// Is reports whether a program is a launcher or shell, which only starts the job's program. An
// interpreter like python is not. The name is that of /proc/PID/exe, which links resolve to, such as
// mpirun.openmpi or mpiexec-mpich, or that of /proc/PID/comm, which has its first 15 characters: in MPI launchers what
// follows the first "." or "-" is ignored.
func Is(name string) bool {
	family := name
	if i := strings.IndexAny(name, ".-"); i > 0 {
		family = name[:i]
	}
	return slices.Contains([]string{"mpirun", "mpiexec", "mpirun_rsh", "orterun", "orted", "prterun", "prun", "prte",
		"prted",
		"hydra_pmi_proxy", "hydra_bstrap_proxy", "hydra_bstrap_pr", "pmi_proxy", "srun"}, family) ||
		slices.Contains([]string{"sh", "bash", "dash", "ksh", "ksh93", "mksh", "zsh", "tcsh", "csh", "bsd-csh", "busybox",
			"coreutils",
			"env", "time", "timeout", "nice", "nohup", "numactl", "taskset", "sleep"}, name)
}
