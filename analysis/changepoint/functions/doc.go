// Package functions says in which functions of a program a change of its speed lies.
// The CPU time of each function in each run comes in, and where the change is; shifts
// go out, in seconds, whose sum is that of the program, each with its interval, and
// which function took the place of which.
//
// A function that is not listed in a run had little of it: if at most 20 % of the runs on one side of the
// change list it, its time there is 0; if 20 to 80 % do, it is not analysed. What vanished where another came,
// or grew by as much, was renamed, inlined or taken apart: that is one replacement, and neither of the two
// changed.
//
// It does not name a function whose shift is not significant after correction for the number of functions (a
// probability of 1 in 1000 for all of them together), and one with less than a tenth of the shift of the
// program, and any where all CPU time moved by less than 0.3 of what is to be explained.
package functions
