// Package scaling reports in text, pictures and JSON how metrics scale. It takes results of analysis/scaling
// with their series and writes a screen of text per series or a table of many, the JSON form jobgait.scaling/1,
// SVG files, and the lines and the picture in a job's report.
//
// The first line is the verdict: the law that dominates at large sizes (the term that grows fastest), and where
// one law changes into another. A prediction is always printed with its interval, a segment of too few points
// always with the missing measurements. A table of many series ends with the number of changes expected by
// chance, its range in 95 of 100 such lists, and the change that the series share.
//
// Missing numbers are null in JSON and "-" in text; no number is NaN.
package scaling
