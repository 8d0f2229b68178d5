// Package pattern turns the instances of a period into its representative
// shape (Phase-TA III-C), and says what of it is the same in other runs and on
// other nodes.
//
// A set of series and its periods come in; for every period the representative
// shape of one column goes out, with the 10th and 90th percentile over the
// instances, the within-group sum of squares, and the stretches at a low level
// (the paper's gray areas). The column is the one in which the shape stands out
// most from the counting noise of its mean.
//
//   - represent.go: instances are stretched to the mean length and averaged.
//   - elastic.go: where they are clear of noise and differ in more than noise,
//     they are aligned first. The paper's average pairs like samples, and noise
//     with like noise; here pairs are found on smoothed copies.
//   - lowregion.go: low is below the middle of the two classes that the shape's values
//     divide into best; a class that most of the period is in is divided again.
//     It is an opportunity: what a lower clock speed would cost there is not
//     measured.
//   - reference.go: step_s, the time of an application's loop in another run.
//     Shapes are compared after the best rotation, multiples and fractions up to
//     8 folded. A match at the reference's own speed wins over any that would be
//     a change.
//   - nodes.go: the nodes of one run, rotated to a common phase: the paper's rule
//     of 1 % of the mean for every pair, the odd node and where it differs, lag
//     of boundaries, stragglers.
//
// It does not report a shape finer than 512 points, or one that belongs to no
// column: of a group of code pages one page is shown, by name and in counts. It
// gives no step_s where no pattern is like the reference, and no lag without
// boundaries; a constant lag can be the clock's.
//
// The pattern of a 45-minute profile takes 5 ms of CPU time, a step_s 1 ms, 16 nodes 35 ms. MEASURED.md
// describes what its shapes and times were compared with.
package pattern
