// Package plot draws SVG pictures. Numbers and labels come in, one SVG element
// goes out as text, to be put into an HTML page.
//
// Lengths across are percentages and heights are pixels: text keeps its size
// from a phone to a sheet of paper, which a scaled viewBox does not do. Only
// the data layer, which has no text, lies in an inner viewBox that is stretched.
// Looks are left to classes of the page's style sheet: the package writes no
// style, href or url(, because the page's content security policy, and the
// frames in which notebooks show it, would break them.
//
// It refuses to join points across a missing value: a NaN ends a line.
package plot
