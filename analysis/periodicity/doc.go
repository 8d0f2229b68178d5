// Package periodicity finds the periods of a profile: how long one iteration of
// the main loop takes, where the iterations lie, and how sure that is.
//
// In comes a set of series on one grid; out come periods with their instances,
// and notes that say why others, or all, were refused. It is what Phase-TA
// (III-A) does, by another way: the paper cuts windows and compares all pairs,
// this package acquires a period once and follows it.
//
//   - source.go: what to look at. The columns of a group (code pages) are one
//     vector-valued series: at 1 kHz a slot holds five address samples, and
//     single pages then show doubles of the period or nothing. Job scope comes
//     before node scope, and groups before single columns.
//   - project.go: columns in units of their counting noise, and the few
//     directions of them that hold more than noise.
//   - lag.go: candidates are peaks of the autocorrelation, summed over the
//     components, in two lengths of window at every level of decimation. Noise
//     adds to lag 0 only and is taken out of the normalisation. (The paper's
//     normalised difference is 2 (1 - r).)
//   - template.go, track.go, fit.go: a template is followed by dynamic
//     programming; its four parts may move against each other at a price.
//   - search.go: the shortest lag that explains nearly as much of the same
//     stretch is the period; doubles and triples lose here.
//   - null.go: the same search over permuted blocks of the same samples has to
//     be beaten by a margin.
//   - follow.go, detect.go: what was found is followed through the whole
//     profile, in chunks; what stays uncovered is searched again.
//
// Confidence is explained * regular * support: explained = 1 - distance/0.6 with
// the counting noise taken out, regular = 1 - CV of the lengths, support =
// 1 - exp(-n/10).
//
// It refuses to name a period shorter than 2.5 samples or longer than a third
// of the profile, one that is seen fewer than three times, that covers less than
// 5 % of the profile, that chance gives as well, or that a clock of the machine
// explains (columns of /proc below 0.5 s). Several loops within a factor of the
// noise of each other may be reported as one.
//
// Measured with Default. Real profiles are address counts of applications with
// logged iterations, thinned at random from 4 kHz per CPU; one draw each unless
// said. True period and found, in ms:
//
//	application            log (median)   2 kHz            1 kHz
//	LAMMPS melt, 1 rank    222.5          224.9            224.8
//	LAMMPS melt, 2 ranks   137.5          136.5            136.4
//	CoMD, 2 ranks          35.2           35.2             35.2
//	LULESH 30, 1 rank      14.2           14.5             14.1
//	icoFoam 170            153.4          163.3 and 142.2  160.7
//	LAMMPS, 1 rank, random excerpts of 6 to 10 s, within 5 % of the log:
//	                                      200 of 200       200 of 200
//
// LULESH at 4 kHz gives the double (27.7 ms): 2.84 samples a period is at the
// limit. icoFoam beside a competing process is found at 315 ms, the log has a
// median of 188 and a mean of 278. icoFoam 170 has a mean of 160.8: the periods
// here are means. miniAMR gives 104 ms at 2 kHz and 209 ms at 1 kHz over 54 % of
// the run, confidence 0.59, which its log neither confirms nor denies.
//
// Synthetic profiles with known truth (33 cases, period within 2 %, coverage
// within 0.10, F1 of the samples 0.85): 32 and 31 of 33 on two draws that were
// looked at, 30 on one that was not. The misses are two loops of equal length
// taken for one (twice), a half at 6 dB, and nested loops, a run of four
// periods and spikes on the third draw. Of 540 profiles without a period (busy
// loops, a mix of code, sleep, white and red noise, walks; 15 columns each) two
// gave one.
//
// LAMMPS with 2 ranks in 60 excerpts of 6 to 10 s at 1 kHz: 54 right, 5 without
// a period, one double; CoMD: 60 of 60. A day of 18 columns takes 15 s on a
// loaded core, 45 minutes 1.2 s. The thresholds were set while looking at these
// profiles and at other draws of the same kinds: expect a little less elsewhere.
//
// Known weaknesses, seen on real programs under jobgait's own agent: where other
// work shares the CPU, the scheduler's turns can be a period (openssl speed at a
// third of a CPU: 12.6 ms, confidence .88), and the lengths of stretched
// iterations are off by up to 20 %; periods near 12 ms are found as 60 ms, where
// they fit the grid; a loop of less than 40 ms that slows down by 30 % is given
// one length in between; a multiple of two independent loops, and a checkpoint
// cycle before its loop, can come first.
package periodicity
