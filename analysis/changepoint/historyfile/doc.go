// Package historyfile reads histories of anybody's numbers: text comes in, series
// for package changepoint go out, with what the reader had to do to them.
//
// Two formats are known by their first character. Lines of JSON, one series each:
//
//	{"id":"a","t":[..],"y":[..],"start":[epoch s],"also":{"cpu_s":[..]},
//	 "meta":{"field":[..]},"nodes":[["n1","n2"],..]}
//
// of which all but t and y may be absent; app, shape, metric, unit, user and
// machine name the series if they are there. And CSV with a header, `#` comments
// and one run a line: a time, a value, and further columns. Those whose names
// end in _s and hold numbers only are further metrics of the runs; `start` is
// the epoch second at which a run began, `nodes` its nodes as Slurm lists them
// or separated by spaces; all others are metadata.
//
// A time is a day number, a date, RFC 3339 (the day is that of UTC), or epoch
// seconds if Options say so. null, nothing, NA and NaN are missing values.
//
// What is wrong with one series of several is a note on that series, which is
// then empty; what cannot be taken apart into series is an error with the
// file's name and the line. The reader bounds lines, runs and bytes: see Limits.
package historyfile
