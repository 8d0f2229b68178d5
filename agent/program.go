package main

import (
	"cmp"

	"jobgait/agent/job/launcher"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// mainProgram returns the program with most samples, a launcher or shell only if the job ran nothing else,
// never a program of the scheduler (own), and "" without any program.
func mainProgram(samples map[string]int64, own func(program string) bool) string {
	best := ""
	for name := range samples {
		if name != peek.NoProgram && !own(name) && (best == "" || preferProgram(name, best, samples)) {
			best = name
		}
	}
	return best
}

// preferProgram reports whether a is preferred to b as the job's main program: not a launcher, then more
// samples, then the name.
func preferProgram(a, b string, samples map[string]int64) bool {
	if launcher.Is(a) != launcher.Is(b) {
		return launcher.Is(b)
	}
	return cmp.Or(cmp.Compare(samples[b], samples[a]), cmp.Compare(a, b)) < 0
}

// mainPrograms are the job's main program and script as last written to the profile.
type mainPrograms struct {
	program, script string
	nextNS          int64 // when to determine them again, CLOCK_MONOTONIC
}

// programIntervalNS is the interval at which a changed main program is written to the profile; a kill loses
// what changed since.
const programIntervalNS = 10e9

// update determines the main program and script, at most every programIntervalNS, and returns the epochs of those
// that changed. own reports whether a program is the scheduler's.
func (p *mainPrograms) update(now int64, in *inputs, own func(program string) bool) (changes []profile.Epoch) {
	if now < p.nextNS {
		return nil
	}
	name := mainProgram(in.programs(), own)
	if name == "" {
		return nil
	}
	p.nextNS = now + programIntervalNS
	if name != p.program {
		p.program = name
		changes = append(changes, profile.Epoch{Kind: profile.ProgramKind, Text: name})
	}
	if script := in.script(name); script != p.script {
		p.script = script
		changes = append(changes, profile.Epoch{Kind: profile.ScriptKind, Text: script})
	}
	return changes
}

// recordPrograms writes the job's main program and script to the profile if they changed.
func (a *agent) recordPrograms(now int64) {
	for _, e := range a.programs.update(now, a.in, scheduler.ForRun(a.run).IsSchedulerProgram) {
		a.recordEpoch(e)
	}
}
