// Package plot draws SVG pictures. It takes numbers and labels and returns one SVG element as text, for use in
// an HTML page.
//
// Widths are percentages and heights are pixels, so that text keeps its size from a phone to a sheet of paper,
// unlike in a scaled viewBox. Only the data layer, which has no text, is in an inner viewBox that is stretched.
// The style is left to classes of the page's style sheet: the package writes no style, href or url(, because
// the page's content security policy and the frames of notebooks would break them.
//
// It never joins points across a missing value: a NaN ends a line.
package plot
