// Package marks finds cycles whose length varies from one to the next: an SCF
// step that converges in eight or in fifteen iterations, a time step that now and
// then writes a file. They have no period; what repeats is an order of code.
//
// In comes CodeBins: how many samples every page of code had in bins of equal CPU
// time of the job, because other work on the node stretches wall time and hardly
// CPU time. Out come UnevenCycles: the marks, places on the CPU-time axis at which the
// run enters one state of its code, one a cycle. A state is a mixture of pages
// that the run keeps up for a while, found by hard EM of a hidden Markov model
// with a price for every switch, from many first guesses and on several scales.
// That the entries come more regularly than those of a process without memory is
// the evidence, in standard errors of the logarithm of that ratio.
//
// Neither Phase-TA nor other methods that measure periods treat such loops; the method is the project's own,
// and MEASURED.md has its measurements.
//
// It rejects fewer than nine marks, cycles below three bins of the finest scale, and a spread above .4 in the
// logarithm of the length, which cannot be distinguished from chance. A cycle has a confidence above .55 only
// after cross-validation (UnevenCycle.CrossChecked): the states learnt from each half of the run are as regular
// in the other half, which was not used to learn them. Even then it stays below .8: of such cycles in programs
// that were not used to develop the method, seven in ten matched a loop in the program's log.
package marks
