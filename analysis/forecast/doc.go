// Package forecast predicts the next run of an application from its earlier ones: a
// quantity of completed runs in one shape, in time order, with the changes that are known by
// now, comes in; the distribution of the next value goes out, with its 95 % interval and the
// chance that it exceeds a limit.
//
// Only the newest regime gives the level; all regimes together give the scatter. The law of
// errors is a t distribution of logarithms. A share of runs that are disturbed is kept, so that a
// limit is not set below them.
//
// It refuses to predict from fewer than three runs, and where the newest runs differ so much
// that they had other inputs (Spread): then it says what is missing. It does not extrapolate to
// other shapes: scaling does.
package forecast
