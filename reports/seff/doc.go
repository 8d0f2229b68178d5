// Package seff prints the efficiency of one job in the lines, the order and the words of
// Slurm's contributed program seff, so that what parses seff's output parses this. A job.Usage
// comes in, of the accounting or of a stored run; lines go out, and behind them two that seff
// cannot print: the job's cycle and its first finding.
//
// It prints "not measured" where seff would print a 0 for unknown CPU time or memory. It refuses
// to print an efficiency of a job that is pending.
package seff
