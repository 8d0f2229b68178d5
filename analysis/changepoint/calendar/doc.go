// Package calendar learns which weekdays take longer as runs arrive, and takes that
// out before changes are looked for: weekends differ from working days. A pattern
// that is left in is noise, makes a run resemble the one before it, and looks like
// two levels that take turns.
//
// In come the logarithms of runs in time order with what else is known taken out,
// their days, and as runs arrive the changes that are committed by then (New,
// Learn). Out come the logarithms without the week (X), what was taken out of each
// (Out), and a note (Notes).
//
// The simplest form that holds is used: two days of seven that follow each other
// against the rest, at any phase (Student's t, the largest of seven); then every
// weekday by itself (F test). Runs of one day count once. Committed changes, and
// one that is not sure yet, part the history before weekdays are compared. Where
// a pattern ended or began, it is taken out of its own runs only. Nothing depends on
// runs to come: what was committed before a week was known stands. Days are UTC.
//
// It says nothing of histories of fewer than 20 days or twelve runs, and where the
// clock of the runs denies the days (a replay). What it finds and costs stands in
// MEASURED.md of package changepoint.
package calendar
