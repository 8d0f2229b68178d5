// Package pair says how two series of runs compare.
//
// In come two series of package changepoint and the rule by which their runs are paired (Join): by day, because
// the state of the machine was the same, or by scale, because the amount of work was. Out comes by how much the
// second takes longer than the first, with an interval and a chance, the changes of the ratio, how many more
// runs would show a difference that matters, a histogram of the ratios (Compare), and the history of the ratio
// with its levels (Ratio). If runs cannot be paired, all runs of one series are compared with all of the other
// (CompareSets).
//
// Logarithms of ratios are assumed to be normal with spikes on either side. The figures describe the runs since
// the ratio last changed. Intervals have a probability of .99 for pairs, .95 for sets; below ten pairs it is
// widened, and a note says so.
//
// It refuses to compare fewer than two pairs (note no_pairs) and gives no interval
// of sets that are too few for any difference to be significant (too_few_sets).
package pair
