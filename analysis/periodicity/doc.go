// Package periodicity finds the periods of a profile: how long one iteration of
// the main loop takes, where the iterations lie, and how sure that is.
//
// In comes a set of series on one grid; out come periods with their instances,
// shorter periods inside them (children), the cycle that they go through
// (macros), and notes that say why others, or all, were refused. It is what
// Phase-TA (III-A) does, by another way: the paper cuts windows and compares all
// pairs (DetectPaper), Detect acquires a period once and follows it.
//
//   - source.go, column.go, project.go: what to look at. The columns of a group
//     (code pages) are one vector-valued series: at 1 kHz a slot holds five
//     address samples, and single pages then show doubles of the period or
//     nothing. Of counts the deviation from the mean shares is used: how many
//     there are in a slot says who else had the CPU.
//   - lag.go, detrend.go, fft.go, butterfly.go: candidates are peaks of the
//     autocorrelation, summed over the components, in two lengths of window at
//     every level of decimation. Noise adds to lag 0 only and is taken out of the
//     normalisation. (The paper's normalised difference is 2 (1 - r).)
//   - template.go, track.go, gain.go, fit.go: a template is followed by dynamic
//     programming; its four parts may move against each other at a price.
//   - rank.go, fold.go, child.go: which of several lags is the period. A multiple
//     is one that loses next to nothing when it is folded; of an inner and an
//     outer loop the one that is worth more on the same stretch is the period.
//   - null.go: the same search over permuted blocks of the same samples has to be
//     beaten, the more clearly the more columns there are.
//   - follow.go, boundary.go, detect.go: what was found is followed through the
//     whole profile, in segments after each of which the template is made anew;
//     what stays uncovered is searched again.
//   - shape.go, linkage.go: two shapes of one length are parted by exact single
//     linkage under a cut over the means of up to 16 instances; one loop that
//     was found in two places is joined.
//   - lanes_amd64.go, *.s: the loops over all points, eight at a time where the
//     processor has AVX2, with the results of the loops in Go bit by bit.
//   - choose.go, clock.go, excerpt.go: of many columns, the period that most of
//     them agree on, near-copies counted once, periods of clocks not at all.
//
// Confidence is explained * regular * support * agreed (Parts): explained = 1 -
// distance/0.6 with the noise taken out, regular = 1 - CV of the lengths, support =
// (1 - exp(-n/10)) (1 - exp(-coverage/0.1)), agreed = the share of the votes of many
// columns that agree. In the real profiles below no wrong period reached 0.8
// (Confident).
//
// It refuses to name a period shorter than 2.5 samples or longer than a third of
// the profile, one that is seen fewer than three times, that covers less than 5 %
// of the profile, that chance gives as well, or that a clock of the machine
// explains: columns of /proc below 0.5 s, and with more than one column a period
// below ten samples that is in step with the sampling or round (1, 2, 2.5, 5 times
// a power of ten), or a longer round one that keeps time, unless half of the
// columns, three or more, or the code pages show it.
//
// Measured with Default. Synthetic profiles with known truth (33 cases, period
// within 2 %, coverage within 0.10, F1 of the samples 0.85): 462 of 462 on the
// fourteen draws that the thresholds were chosen on, 165 of 165 on five others,
// 162 of 165 on five more and 63 of 66 on the last two, no period in a profile
// without one. Of 200 sets of 64 independent columns of 30
// s without a period (sixteen kinds: noise of all colours, walks, bursts, steps,
// dips and spikes at random times) two gave one, seen 9 and 21 times, and one of
// 200 others, seen 7 times; of ten sets of 5 min none did.
//
// Real profiles of 8 to 77 columns at 5 ms (software counters and code pages at 4
// kHz), no column named; the log's median and what came first, in ms:
//
//	application               log     found   confidence
//	CoMD, 2 ranks             35.2    34.6    .66
//	LAMMPS melt, 1 rank       222.5   225.0   .90
//	LAMMPS melt, 2 ranks      137.5   139.0   .58
//	LULESH 30, 1 rank         14.2    14.4    .55
//	icoFoam 170               153.4   159.7   .47 (from 220 to 140 in the run)
//	icoFoam 64, modelled IPC  26.7    25.7    .39
//	icoFoam, one competitor   187.5   165.9   .73 (30 % of the run)
//	icoFoam, heavy load       360.7   none
//	miniAMR (10 to 1100)      1083    51.7    .40
//
// CPU time of the process from a file of float32: 45 minutes of a loop like NEMO's
// 0.04 s, HPCG's 0.07, OpenFOAM's 0.04 (quiet machine, best of 5), 26 MB, of which
// Detect takes half; with a load of 14 to 20 on two CPUs 0.055, 0.081 and 0.055
// (best of 11), and there without the lanes 0.086, 0.139 and 0.069. 24 hours of them (once) 0.23,
// 0.31 and 0.24, 126 MB; 24 hours without a period 0.20, 93 MB, the file being 69 MB
// of that. 24 hours of 18 columns, from memory, 2.8 to 2.9.
//
// Known weaknesses. Loops of less than three samples are found as a multiple of
// two to five iterations (12 ms as 60 ms), which nothing tells from a longer
// loop; a note says so. A loop of 50, 100 or 250 ms with a jitter of 0.2 % (100 ms:
// 0.6 %) that only one of 18 columns shows is taken for a clock. An inner loop
// that fills three quarters of the time may come instead of the outer one (6 of 10
// draws of another generator were right). Two independent loops on one node can
// give a multiple of both. Beside other work on the same CPUs, lengths of single
// iterations are off by up to 20 %.
package periodicity
