// Package scaling fits how a metric grows with one parameter of a run (nodes,
// tasks, a size of the user's own), says whether one law holds over all of it
// and, where not, between which points it changes; and what to measure next.
//
// In: series of runs, each a parameter value, a number, and what is known of
// day or node and of cost. Comparable makes them from a history. Out: one
// Result for each series, in the order of the input, and its JSON. Nothing is
// read from files or clocks; formats has the readers.
//
// Laws are in performance model normal form, f = c + sum c_k p^i_k log2(p)^j_k.
// Paper is Ilyas, Calotoiu and Wolf, "Off-Road Performance Modeling", section 3:
// the window whose ratio is formed must lie in 0.1 to 0.5, errors are those in
// sample, exactly 0.1 is homogeneous, patterns that are neither three ones nor
// four are segmented but not located, several changes are found by recursion.
// ExtraP is the Basic modeler of Extra-P 4.2.5, from three points on; its
// exponents in 577 of 578 reference cases. Likelihood is the default: errors
// relative to the value, one law, from a space richer than that of segments,
// weighed against two or more; thresholds are the work of Program calibrate. At
// 5+5 points it finds .96 of the changes up to 5 % noise where Paper finds .93,
// and .93 at 10 and 15 % (Paper .84), with .0002 and .002 false.
//
// Predictions of the default method average over every start of the last law,
// over laws of one term on a fine grid and sums of two, over noise that grows,
// shrinks or does neither, and disturbed runs. Their interval is that of one new
// run: .95 of them hold at 1, 2 and 4 times the largest p, .89 in the weakest
// family; law_lo and law_hi leave the scatter out. The other methods have no
// predictions. How many of a list chance alone would cut, ExpectedByChance tells. MEASURED.md has the figures.
//
// What the package refuses to say: a model below three points (five for the
// default), a change below five or six, or where a value is not positive, the
// place of a change between points that were not measured, anything at a
// parameter that is not positive. Efficiency is given where strong or weak
// scaling is declared and never guessed. Values of 15 orders of magnitude, a
// lone extreme, thousands of points: a note says what the result is worth.
package scaling
