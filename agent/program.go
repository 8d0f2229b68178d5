package main

import "jobgait/agent/peek"

// launcher tells whether a program only starts the one the user means. An
// interpreter like python does not: it is what runs.
func launcher(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ksh", "zsh", "tcsh", "csh", "busybox", "env", "time", "timeout", "numactl", "taskset", "sleep",
		"mpirun", "mpiexec", "mpiexec.hydra", "hydra_pmi_proxy", "orterun", "orted", "prterun", "prte", "prted",
		"srun", "slurmstepd":
		return true
	}
	return false
}

// mainProgram returns the program with most samples; launchers and shells only
// if there is nothing else, "" if there is nothing at all.
func mainProgram(samples map[string]int64) string {
	best := ""
	for name := range samples {
		if name != peek.NoProgram && (best == "" || better(name, best, samples)) {
			best = name
		}
	}
	return best
}

func better(a, b string, samples map[string]int64) bool {
	la, lb := launcher(a), launcher(b)
	switch {
	case la != lb:
		return lb
	case samples[a] != samples[b]:
		return samples[a] > samples[b]
	}
	return a < b
}
