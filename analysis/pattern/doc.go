// Package pattern turns the instances of a period into its representative
// shape (Phase-TA III-C).
//
// A set of series and its periods come in; for every period the mean shape of
// one column goes out, with the 10th and 90th percentile over the instances.
// Every instance is resampled linearly to the mean length and aligned on its
// two boundaries; the paper's barycentre average needs an elastic alignment
// that 5 ms counts of a handful of samples cannot feed. The column is the one
// in which the shape stands out most from the counting noise of its mean.
//
// It does not report a shape finer than 512 points or one that belongs to no
// column: of a group of code pages one page is shown, by name and in counts.
package pattern
