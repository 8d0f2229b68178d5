package main

import (
	"slices"

	"jobgait/agent/counter/kernel"
)

// launchers are programs that start the one the user means. An interpreter like
// python is not among them: it is what runs.
var launchers = []string{
	"sh", "bash", "dash", "ksh", "zsh", "tcsh", "csh", "busybox", "env", "time", "timeout", "numactl", "taskset",
	"mpirun", "mpiexec", "mpiexec.hydra", "hydra_pmi_proxy", "orterun", "orted", "prterun", "prte", "prted",
	"srun", "slurmstepd", "sleep", kernel.NoProgram,
}

// mainProgram returns the program with most samples; launchers and shells only
// if there is nothing else, "" if there is nothing at all.
func mainProgram(samples map[string]int64) string {
	best := ""
	for name := range samples {
		if name != kernel.NoProgram && (best == "" || better(name, best, samples)) {
			best = name
		}
	}
	return best
}

func better(a, b string, samples map[string]int64) bool {
	la, lb := slices.Contains(launchers, a), slices.Contains(launchers, b)
	switch {
	case la != lb:
		return lb
	case samples[a] != samples[b]:
		return samples[a] > samples[b]
	}
	return a < b
}
