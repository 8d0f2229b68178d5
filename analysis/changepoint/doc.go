// Package changepoint says when the runs of one application in one shape changed speed, by how much, and what else
// changed then.
//
// In come histories (Series): runs in time order with one value each, their days, and where known recorded fields,
// nodes, and when each run began. Out come (Analysis) changes with place, effect and interval, how often chance alone
// would do the same, the level between changes, events of the machine, and notes.
//
// The place and detection of a reported change are final: the changes of the first part of a history are the first
// changes of the whole history. Effects, intervals, the end of a drift and whether a step is part of a drift or an
// excursion follow the runs that arrive. One exception: where more than one in ten runs of a machine are given in
// another order than they began (Series.Start), events of the machine are estimated from all runs, later ones too, and
// one more run may move any change.
//
// Paper is Albany Land-Ice, algorithms 1 to 3 (sections 3.1 to 3.3). Sequential, the default, keeps its order of events
// (one run at a time, begin again after a change) and replaces its t-test:
//
//  1. The loss of a run is bounded: an outlier costs a constant, runs that agree on a new level do not (scatter.Loss).
//     The evidence for a split is what two levels cost less than one, with noise estimated with earlier regimes and the
//     newest runs as prior (scan.go, noise.go), and what a recorded field or other series add.
//  2. Its evidence must exceed that of independent noise, of noise in which a run resembles the one before or those of
//     its day (dependence.go, day.go), and of two levels that alternate (alternation.go). Few runs may be outliers
//     (claim.go). It is placed at the most likely run, at any cadence; only runs of the same time, days for data of day
//     resolution, stay together (place.go).
//  3. A slow movement has one model, a ramp (ramp.go). Changes that one ramp explains are one entry, a drift; a long
//     stretch that a ramp explains better than steps is a creep, which replaces the entries in it. A level left and
//     found again within five runs is an excursion, whose ends are also judged as one.
//  4. Effects are refitted from up to 30 runs on each side (effect.go).
//  5. Taken out as runs arrive: shifts of the machine, slow nodes, weekdays, by the packages below.
//
// Files: analyse.go joins the steps, votinground.go and vote.go add the series of one user. Input: changepoint.go
// (Series), prepared.go, field.go. Scan: sequential.go (order), scan.go and episode.go (candidates), claim.go and
// verdict.go (testClaim, the decision), place.go, drift.go. Result: result.go, regime.go, effect.go, event.go,
// creep.go, spread.go, cause.go, metric.go, code.go. Newest runs: unconfirmed.go, worsening.go, levelincrease.go,
// detectable.go. False alarms: chance.go, siterate.go. The paper's method: paper.go.
//
// It does not report a change that correlated runs (note autocorrelated) or alternation between two levels (note
// two_levels) explain, and gives no rate of false alarms (nil) where either is nearly as likely. Of 1000 runs without a
// change .05 events are false if they are independent, .5 at correlation .5, .7 to 1.2 on two kinds of nodes that stay
// with .8. Of drawn changes F1 is .89 within a run and .90 within three, with fields .93 and .95 (MEASURED.md).
package changepoint
