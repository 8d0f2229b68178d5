// Package html has what all pages and pictures of jobgait share: the style sheet,
// the script that reads off values, the content security policy, a chart with its
// caption, and a sheet of pictures as one SVG file.
//
// SVG elements of package plot and words come in; parts of a page that needs
// nothing from outside itself go out. It knows nothing of runs.
package html
