// Package scaling says in words, a picture and JSON how metrics grow. Results of
// analysis/scaling come in with the series that they are of; a screen of text a
// series or a table of many, the JSON form jobgait.scaling/1, SVG files and the
// few lines and the picture that a job's report embeds go out.
//
// The first line is the verdict: the law that wins in the end (the term that
// grows fastest) and where one law gives way to another. A prediction never
// stands without its interval, a segment of too few points never without what
// is missing. A table of many series ends with how many of its changes chance
// alone would give, with the range that 95 of 100 such lists have, and with the
// change that they share.
//
// Numbers that there are not are null in JSON and "-" in print; none is NaN.
package scaling
