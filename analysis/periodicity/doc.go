// Package periodicity finds the periods of a profile: how long one iteration of
// the main loop takes, where the iterations lie, and how sure that is.
//
// In comes a set of series on one grid; out come periods with their instances,
// shorter periods inside them (children), the cycle that they go through
// (macros), and notes that say why others, or all, were refused. It is what
// Phase-TA (III-A) does, by another way: the paper cuts windows and compares all
// pairs (DetectPaper), Detect acquires a period once and follows it.
//
//   - source.go, column.go, project.go: what to look at. A group of columns (code
//     pages) is one vector-valued series, of which the deviation from the mean
//     shares is used: how many samples a slot has says who else had the CPU.
//   - axis.go, spread.go, agree.go, axes.go: the same code along the job's CPU time, on four
//     grids; one decision between them and wall time, reported in wall time.
//   - lag.go, detrend.go, fft.go: candidates are peaks of the
//     autocorrelation at every level of decimation.
//   - template.go, track.go, gain.go, fit.go: a template is followed by dynamic
//     programming; its four parts may move against each other at a price.
//   - rank.go, fold.go, child.go: which of several lags is the period.
//   - null.go: permuted blocks of the same samples have to be beaten.
//   - follow.go, boundary.go, detect.go, shape.go: it is followed through the
//     profile, what was found in two places is joined, the rest is searched again.
//   - wholerun.go, phase.go: where that finds nothing, the autocorrelation of the code of the
//     whole run, at a lag and its multiples; cycles are followed by their phase.
//   - fraction.go, alternation.go: halves and thirds of a cycle that are refused or joined.
//   - choose.go, clock.go, alias.go, excerpt.go: of many columns, what most agree on,
//     near-copies once, clocks of the machine and shares of the CPU not at all, and
//     sensors that a driver refreshes where another clock agrees.
//   - lanes_amd64.go, *.s: loops over all points, eight at a time with AVX2.
//
// Confidence is the product of Parts. Of the periods of real programs with a confidence of .8 or more 14 of 15
// were right, of those with .6 to .8 15 of 23 (MEASURED.md).
//
// It refuses to name a period shorter than 2.5 samples or longer than a third of
// the profile, seen fewer than three times, covering less than 5 %, that chance
// gives as well, or that a clock of the machine explains (clock.go).
//
// 45 minutes of one column take 0.1 s of CPU time, of 18 with both axes 0.4 (MEASURED.md);
// 24 hours of one 0.5 s.
package periodicity
