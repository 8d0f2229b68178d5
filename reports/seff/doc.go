// Package seff prints the efficiency of one job in the lines, the order and the words of Slurm's contributed
// program seff, so that programs that parse seff's output can parse this output. It takes a job.Usage from the
// accounting or from a stored run, and adds lines after those of seff: the job's cycle, its first finding
// with what to do, what that cost, and where the report is.
//
// It prints "not measured" where seff would print 0 for unknown CPU time or memory. It prints no efficiency for
// a pending job.
package seff
