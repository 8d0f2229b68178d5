// Package pair says how two series of runs compare.
//
// In come two series of package changepoint and what brings their runs together
// (Join): the day, on which the machine was alike, or the scale, at which the work
// was. Out comes by how much the second takes longer than the first, with an
// interval and a chance, the changes of the ratio, how many more runs would show a
// difference that matters, a histogram of the ratios (Compare), and the history of
// the ratio with its levels (Ratio). Where nothing brings runs together all of one
// are held against all of the other (CompareSets).
//
// Logarithms of ratios are taken for normal with spikes on either side. Figures are
// of the runs since the ratio last changed. The interval is of .99 for pairs, .95 for
// sets; below ten pairs it is widened, and a note says so.
//
// It refuses to compare fewer than two pairs (note no_pairs) and gives no interval
// of sets that are too few for any difference to be significant (too_few_sets).
package pair
