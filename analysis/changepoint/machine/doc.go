// Package machine estimates by how much the machine was slower or faster for all its jobs at one time, from
// runs of unrelated series, and subtracts that shift from the runs of each series.
//
// In come series of one or more machines: logarithms of their runs in the order in
// which they are judged, when each run began, and who owns them (MachineSeries). Out come
// for each what is taken out of its runs (Member.Shift), as the runs arrive
// (Member.Watch), a note where it is worth a line, and events: times at which the
// machine was faster or slower than it mostly is.
//
// A run is compared with the level of its own series so far; the shift at a run is what runs of at least five
// other series of two owners show near its start, never its own (leave one out). The more certain the estimate
// is, and the more closely series followed such shifts so far, the larger is the part of it that is applied. If
// at least nine in ten runs began in the order in which they are given, an estimate depends on later runs only
// through revision, until three later runs of the series have arrived; otherwise all runs are used.
//
// It says nothing of machines with five series or fewer, of series whose starts are not known, and of shifts
// below 1.5 %; a shift that only series of one owner share may come from a library of that user and is not
// attributed to the machine.
package machine
