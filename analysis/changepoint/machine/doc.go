// Package machine tells what the machine did to all its jobs at one time, from runs
// of unrelated series, and takes that out of the runs of each.
//
// In come series of one or more machines: logarithms of their runs in the order in
// which they are judged, when each run began, and who owns them (MachineSeries). Out come
// for each what is taken out of its runs (Member.Shift), as the runs arrive
// (Member.Watch), a note where it is worth a line, and events: times at which the
// machine was faster or slower than it mostly is.
//
// A run is compared with the level of its own series so far; the shift at a run is
// what runs of at least five other series of two owners show near its start, never
// its own (leave one out), and the more it is believed the surer it is and the more
// series followed such shifts so far. Where runs began in the order in which they
// are judged, but for one in ten, nothing depends on runs to come but those of three
// later runs of the series; otherwise all runs are used.
//
// It says nothing of machines with five series or fewer, of series whose starts are
// not known, and of shifts below 1.5 %; what one owner's series show together may be
// his library and is not the machine's.
package machine
