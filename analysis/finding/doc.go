// Package finding determines what limited a run, what caused it and what to change. The facts of a run come in,
// nil for what was not measured; findings with sufficient evidence go out, in the order of a reader's interest:
// how the run ended, then by cost in core seconds (sortByCost), with doubts about the samples before the first finding
// that rests on samples. A slowdown says how much of it is waiting for CPUs. NextStep returns the one thing to do.
//
// rules.go is the table: code, level, what earns it, what to do about it. Codes are stable. Report.runFacts of
// reports/job fills RunFacts. Report.headStatements there adds the only line at the head that no rule decides, that of
// the rhythm.
//
// For GPUs it reports the time without work as the driver measured it. Memory use and differences between GPUs
// are shown elsewhere and not judged, because both may be intended.
//
// It finds nothing in what was not measured. It does not call a job crowded that waits for its own threads or
// had its nodes to itself, proposes no change without evidence, and omits what costs less than a tenth of the
// run or less than one core hour, unless it may do harm.
package finding
