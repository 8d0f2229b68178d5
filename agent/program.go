package main

import (
	"cmp"
	"slices"
	"strings"

	"jobgait/agent/job/scheduler"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// starts is whether a program starts what a job's user means; an interpreter like python
// does not: it is what runs. It goes by the name of /proc/PID/exe, which is what links
// lead to: where several packages have a program it is mpirun.openmpi or mpiexec-mpich.
// What follows the first such mark is ignored in names that only a launcher has, and not
// in words that an application's name may begin with (time).
func starts(name string) bool {
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

// mainProgram returns the program with most samples; launchers and shells only
// if there is nothing else, the scheduler's own never, "" if there is nothing at all.
func mainProgram(samples map[string]int64, own func(program string) bool) string {
	best := ""
	for name := range samples {
		if name != peek.NoProgram && !own(name) && (best == "" || before(name, best, samples)) {
			best = name
		}
	}
	return best
}

func before(a, b string, samples map[string]int64) bool {
	if starts(a) != starts(b) {
		return starts(b)
	}
	return cmp.Or(cmp.Compare(samples[b], samples[a]), cmp.Compare(a, b)) < 0
}

// namesNS is how often the job's program is written to the profile if it changed: a kill loses what was learned
// since.
const namesNS = 10e9

func (a *agent) namePrograms(now int64) {
	if now < a.named {
		return
	}
	name := mainProgram(a.in.programs(), scheduler.OfRun(a.run).Own)
	if name == "" {
		return
	}
	a.named = now + namesNS
	if name != a.program {
		a.program = name
		a.changed(profile.Epoch{Kind: profile.ProgramKind, Text: name})
	}
	if script := a.in.script(name); script != a.script {
		a.script = script
		a.changed(profile.Epoch{Kind: profile.ScriptKind, Text: script})
	}
}
