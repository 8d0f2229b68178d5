// Package periods prints what `jobgait periods` found in a file of anybody's
// samples: as JSON of the schema jobgait.periods/1, as text, and as one SVG
// picture that needs nothing else.
//
// A set of series, what the detector found in it and the notes of the reader come
// in. Lists are never null, what is not known is null. Times in JSON are those of
// the file; text and picture count from the first sample. Values of a shape are in
// the units of the input: what the reader took off a column to keep it exact is
// added again here.
//
// It refuses to promise: low regions of a shape are called opportunities, and the
// slope of a short run is printed with its interval or not at all.
package periods
