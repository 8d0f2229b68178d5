// Package html holds what all pages and pictures of jobgait share: the style sheet, the script that shows
// values under the pointer, the content security policy, a chart with its caption, and a sheet of pictures as
// one SVG file.
//
// It takes SVG elements of package plot and texts, and makes parts of self-contained pages. It does not depend
// on runs.
package html
