package job

import (
	"jobgait/analysis/note"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
)

// GlossaryEntry is a word used in reports and its meaning.
type GlossaryEntry struct{ Name, Text string }

// manyColumns is the number of counters in the example on confidence.
const manyColumns = 16

// Words returns the glossary of the report, in the order in which a report uses the words. It is printed at the
// end of the page and by `jobgait help report`.
func Words() []GlossaryEntry {
	return []GlossaryEntry{
		{"[X], [!], [i]", "an error: the run did not do what it was meant to; a warning: something took or may take time, " +
			"memory or results; an information"},
		{"cycle", "what repeats in the run, often one or several time steps of the program; the period is how long one " +
			"takes"},
		{"pattern A, B", "cycles that look alike; a job may have several"},
		{"varies by", "how much single cycles scatter: their standard deviation, in percent of the mean"},
		{"95 % interval", "where the mean length of a cycle lies"},
		{"share, periodic", "the part of the run inside such cycles; periodic is all patterns together"},
		{"confidence", "0 to 1: how well the pattern explains the samples, how regular it is, how much of the run " +
			"supports it and whether other counters agree; from 0.8 on a period is reported as it is, from 0.6 with likely, " +
			"below with perhaps. Where code was sampled, a period is not reported below " +
			quantity.Hundredths(periodicity.LeastConfidenceOfSampledCode) + "; elsewhere not below " +
			quantity.Hundredths(periodicity.LeastConfidence(1)) + " with one counter, and not below " +
			quantity.Hundredths(periodicity.LeastConfidence(manyColumns)) +
			" with sixteen, because chance has more tries there"},
		{"before, after cycles", "before the first cycle that was recognized and after the last one: start-up and " +
			"clean-up of the program, or cycles that were not recognized, as where other work takes the CPUs; " +
			"a checkpoint is a pause between cycles that returns at regular distances"},
		{"aperiodic", "nothing was found that repeats: RHYTHM says why; the JSON form and the history name the reason by a " +
			"code"},
		{"by perf, by samples", "CPU time as the kernel's counters (perf) have it, and as samples of running code have it"},
		{"CPU, MEM, I/O", "what the run used; the bar is full where it used all that it was given. Memory is that of its " +
			"processes: files that the kernel keeps in memory are not counted"},
		{"busy CPUs", "how many CPUs the job kept busy at a time; a full line over the run is all that it was given on a " +
			"node"},
		{"more wanted", "CPUs for which the run's tasks were ready to run and waited: others, or more tasks than CPUs of " +
			"its own, had them"},
		{"CYCLE, RUNS", "one cycle, its period and the name of the curve; elapsed times of earlier runs, then of this " +
			"one; SIZES is how the time changes with the number of nodes or the like"},
		{"code page #1", "4 KB of the program or one of its libraries, numbered as they appear: how often it runs shows " +
			"the rhythm; = names the function that most of its samples belong to, where that is known"},
		{"own code", "the program and the libraries that are not among the known ones; communication is MPI and what lies " +
			"below it, and who waits there with a busy CPU is in it"},
		{"unnamed code", "code of a library that has no name there; where it begins and ends is known, so that it is one " +
			"thing"},
		{"GPU active", "the part of the time, from when the run opened it to its end, in which some kernel ran on it, by " +
			"its driver: how much of the GPU that used " +
			"is not known; slowed is by a power cap or heat. GPUs are numbered as the scheduler names them on each node"},
		{"low stretch", "a part of each cycle in which the CPUs have little to do"},
		{"salvaged", "the agent on that node did not end in order; what it had written until then is here"},
		{"missing", "moments at which no sample could be taken"},
		{"changed then", "what was another at the first slower or faster run: at the same time, not necessarily the cause"},
		{"pass, watch, changed", "the state of a history in `jobgait changes --json`: no change; the newest runs " +
			"differ and it is not confirmed yet; a change is confirmed. The command `jobgait watch` is another thing: " +
			"it shows a run while it is running"},
	}
}

// NoPeriodWords returns an entry for each code that says why a run has no period.
func NoPeriodWords() []GlossaryEntry {
	var out []GlossaryEntry
	for _, r := range note.NoPeriodReasons() {
		out = append(out, GlossaryEntry{string(r.Code), "no period, because " + r.Clause})
	}
	return out
}
