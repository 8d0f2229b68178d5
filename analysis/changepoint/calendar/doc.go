// Package calendar learns, as runs arrive, on which weekdays runs take longer, and subtracts that before
// changes are searched, because weekends differ from working days. A pattern that is left in is noise, makes a
// run resemble the one before it, and looks like two levels that take turns.
//
// In come the logarithms of runs in time order, less the other known effects (slow nodes, machine), their days,
// and as runs arrive the changes that are committed by then (New, Learn). Out come the logarithms without the
// week (X), what was subtracted from each (Removed), and a note (Notes).
//
// The simplest form that holds is used: two days of seven that follow each other against the rest, at any phase
// (Student's t, the largest of seven); then every weekday by itself (F test). Runs of one day count once.
// Before weekdays are compared, the history is divided at committed changes and at one change that is not
// certain yet. A weekly pattern that began or ended is subtracted only from the runs during it. Nothing depends
// on later runs: changes committed before a weekly pattern was known remain. Days are UTC.
//
// It says nothing of histories of fewer than 20 days or twelve runs, and where the times of the runs contradict
// their days (a replay). Accuracy and cost are in MEASURED.md of package changepoint.
package calendar
