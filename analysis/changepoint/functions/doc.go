// Package functions says in which functions of a program a change of its speed lies.
// The CPU time of each function in each run comes in, and where the change is; shifts
// go out, in seconds, whose sum is that of the program, each with its interval, and
// which function took the place of which.
//
// A function that is not listed in a run had little of it: it counts as nothing where
// it is missing on a whole side of the change, and is not judged where it comes and
// goes. What vanished where another came, or grew by as much, was renamed, inlined or
// taken apart: that is one replacement, and neither of the two changed.
//
// It refuses to name a function whose shift is not sure after all functions have been
// asked (a chance of 1 in 1000 for all of them together), and one with less than a
// tenth of the shift of the program, and any where all CPU time moved by less than 0.3
// of what is to be explained.
package functions
