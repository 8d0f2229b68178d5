// Package periods prints the result of `jobgait periods` for a file of samples: as JSON of the schema
// jobgait.periods/1, as text, and as one self-contained SVG picture.
//
// It takes a set of series, the detector's result and the reader's notes. In JSON lists are never null and
// unknown values are null. Times in JSON are those of the file; text and picture count from the first sample.
// Values of a shape are in the units of the input: offsets that the reader subtracted for precision are added
// again here.
//
// It promises nothing: low regions of a shape are called opportunities, and the slope of a short run is printed
// with its interval or not at all.
package periods
