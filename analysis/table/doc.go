// Package table reads files of numbers that people and other tools made.
//
// Text comes in. One of three things goes out: runs in time for package changepoint
// (ReadRuns), measurements at sizes for package scaling (ReadMeasurements), samples on a
// regular grid for package periodicity (ReadSamples), each with how the file was
// understood (Reading) and with notes on what was put right.
//
// The formats are known by content: CSV with or without a header (commas, semicolons,
// tabs, bars or blanks; quotes; # comments; decimal commas beside another separator),
// JSON lines of series, JSON objects of one run or measurement each in lines or in a list,
// Extra-P's text, JSON, JSON Lines and Talpas forms, and the results of benchmark tools
// (ReadRuns and ReadMeasurements list them). NaN and Infinity in JSON are accepted as
// Python writes them. Raw little-endian float32 is read as samples.
//
// A column is known by its name (see timeNames, valueNames, parameterNames), else by
// what it holds, or is named by Columns. There is one parser of numbers (cells.number)
// and one of times (parseTime).
//
// Every error names the input and the line. An input that ends in the middle of its last
// line, or of a packed file, is read up to there; Reading.Cut says so. Memory is bounded
// by Limits.
//
// The package does not unpack, and does not guess: 1/2/2024 is an error.
package table
