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
		{"[X], [!], [i]", "an error: the run did not do what it was meant to; a warning: something cost or may cost time, " +
			"memory or results; a piece of information"},
		{"cycle", "what repeats in the run, often one or several time steps of the program; the period is how long one " +
			"takes"},
		{"pattern A, B", "cycles that look alike; a job may have several"},
		{"varies by", "the scatter of single cycles: their standard deviation, in percent of the mean"},
		{"95 % interval", "contains the mean length of a cycle with a probability of 95 %"},
		{"share, periodic", "the part of the run inside such cycles; periodic is the share of all patterns together"},
		{"confidence", "0 to 1: how well the pattern explains the samples, how regular it is, how much of the run " +
			"supports it and whether other counters agree; from 0.8 on a period is reported as it is, from 0.6 with likely, " +
			"below with perhaps. Where code was sampled, a period is not reported below " +
			quantity.Hundredths(periodicity.LeastConfidenceOfSampledCode) + "; elsewhere not below " +
			quantity.Hundredths(periodicity.LeastConfidence(1)) + " with one counter, and not below " +
			quantity.Hundredths(periodicity.LeastConfidence(manyColumns)) +
			" with sixteen, because more counters show periods by chance more often"},
		{"before, after cycles", "before the first recognized cycle and after the last one: start-up and " +
			"clean-up of the program, or cycles that were not recognized, as when other work used the CPUs; " +
			"a checkpoint is a pause between cycles that returns at regular distances; in the loop, not followed: cycles " +
			"ran but could not be told apart"},
		{"aperiodic", "no repetition was found; RHYTHM says why, JSON and the history name the reason by a code"},
		{"by perf, by samples", "CPU time measured by the kernel's counters (perf), and by samples of running code"},
		{"NEXT", "the one thing to do next, for the first finding that can be acted on"},
		{"TIME", "the elapsed time divided by what its tasks did: each moment belongs to the tasks that computed, waited " +
			"for a CPU or for storage, in proportion to their numbers; asleep is the rest, in which all " +
			"waited for something else (in brackets: what). On several nodes it is the mean. " +
			"Where not all of the run was sampled, it says which part"},
		{"PROGS, PARTS", "the main programs; the parts of a run without cycles that differ"},
		{"LIMIT, USUAL", "the elapsed time and the time limit; the median elapsed time of earlier runs like this one"},
		{"CPU, MEM, I/O", "what the run used; the bar is full if it used all that it was given, but shows the course of " +
			"memory that grew all the time. (no file cache): files that the kernel keeps in memory are not counted"},
		{"busy CPUs", "how many CPUs the job kept busy at a time; a full line means all that it was given on a node"},
		{"tasks waiting", "tasks of the run that waited for a CPU, ready to run: others used them, or the run " +
			"had more tasks than CPUs"},
		{"CYCLE, RUNS", "one cycle, its period and the name of the curve; elapsed times of earlier runs, then of this " +
			"one; SIZES shows how the time changes with the number of nodes or another parameter"},
		{"code page #1", "or page #1: 4 KB of the program or a library, numbered in the order of appearance: how " +
			"often it runs shows the rhythm; = names the function with most of its samples, if it is known"},
		{"own code", "the program, and libraries that jobgait does not know; communication is MPI and the layers " +
			"below it, including waiting there with a busy CPU"},
		{"~81 %", "a rough share of the CPU time: code was sampled fewer than " + quantity.Count(int(exactHz)) +
			" times in a second of CPU time, as on a cluster"},
		{"unnamed code", "functions of a library whose names are not known, in one line"},
		{"GPU active", "the part of the time, from when the run opened the GPU to its end, in which a kernel ran on it " +
			"according to its driver; how much of the GPU the kernel used is not known. Slowed means by a power cap or " +
			"heat. GPUs are numbered as the scheduler names them on each node"},
		{"low stretch", "a part of each cycle in which the CPUs have little to do"},
		{"salvaged", "the agent on that node did not end normally; the report shows what it had written until then"},
		{"missing", "times at which no sample could be taken"},
		{"changed then", "what differed from the first slower or faster run on: it need not be the cause"},
		{"pass, watch, changed", "the state of a history in `jobgait changes --json`: no change; the newest runs " +
			"differ, which is not confirmed yet; a confirmed change. `jobgait watch` shows a running job"},
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
