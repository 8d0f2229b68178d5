// Package scaling fits how a metric grows with one parameter of a run (nodes,
// tasks, a size of the user's own), says whether one law holds over all of it
// and, where not, between which points it changes; and what to measure next.
//
// In: series of runs, each a parameter value, a number, and what is known of
// day or node and of cost. Comparable makes them from a history. Out: one
// Result for each series, in the order of the input, and its JSON. Nothing is
// read from files or clocks.
//
// Laws are in performance model normal form, f = c + sum c_k p^i_k log2(p)^j_k.
// Paper is Ilyas, Calotoiu and Wolf, "Off-Road Performance Modeling", section 3:
// the window whose ratio is formed must lie in 0.1 to 0.5, errors are those in
// sample, exactly 0.1 is homogeneous, patterns that are neither three ones nor
// four are segmented but not located, several changes are found by recursion.
// ExtraP is the Basic modeler of Extra-P 4.2.5, from three points on. Likelihood
// is the default: errors relative to the value, one law, from a space richer than
// that of segments, weighed against two or more. It first leaves out bad runs
// and names them: runs far from agreeing repetitions, and single runs, up to one
// in nine, that no law explains together with all others. Where points are too
// few to tell a bad run from a change, predictions allow for both.
//
// Predictions of the default method average over every start of the last law,
// over laws of one term on a fine grid and sums of two, over noise that grows,
// shrinks or does neither, and disturbed runs. Their interval is that of one new
// run; law_lo and law_hi leave the scatter out. At a measured size it is bounded
// by what its runs allow, and below a change the law from before applies.
// ExpectedByChance is how many of a list chance alone
// would cut. MEASURED.md has the figures; tables_test.go prints them.
//
// What the package refuses to say: a model below three points (five for the
// default), a change below five or six, or where a value is not positive, the
// place of a change between points that were not measured, anything at a
// parameter that is not positive. Efficiency is given where strong or weak
// scaling is declared and never guessed. Values of 15 orders of magnitude, a
// lone extreme, thousands of points: a note says what the result is worth.
package scaling
