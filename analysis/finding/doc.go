// Package finding says what limited a run, whose doing it was and what to change.
// What is known of a Run comes in, nil for what was not measured; the findings that
// its evidence earns go out, in the order in which a reader wants them: how it
// ended, then by what it cost, and what makes the samples doubtful before the first
// finding that rests on samples.
//
// rules.go is the table: code, level, what earns it. Codes are stable.
//
// Of GPUs it tells what drivers say of time without work; how much memory they used and
// that they differ is shown by others and not judged: both may be meant.
//
// It refuses to find anything in what was not measured, to call a job crowded that
// waits for its own threads or that nobody shared its nodes with, to propose a
// change that the evidence does not support as it is, and to speak of what
// costs less than a tenth of the run or less than one core hour unless it may harm.
package finding
