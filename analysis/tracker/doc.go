// Package tracker follows the loop of a job while it runs, one sample at a time:
// what periodicity finds afterwards, and Phase-TA (V-B, VI) on the fly.
//
// In come samples of some columns at a fixed step, and now and then a period that
// periodicity found in the last 1, 10 or 100 minutes of them; out come the
// boundaries of cycles, where the next one is expected and how sure that is, and
// the state: none, in_cycle, left_loop, stalled, suspended or ended.
//
//   - memory.go: the last minutes, the input of detection.
//   - loop.go: what is learned of a period: which mixtures of the columns change
//     with its phase, their template, and how well its own cycles match it.
//   - fold.go: the template, and how much of a window is explained by it.
//   - pulse.go: a matched filter of one loop; its maxima are the boundaries.
//   - expectedlow.go: stretches of a cycle at a low level of activity, announced from the last boundary, and recognized
//     by an excerpt of the pattern when they come.
//   - tracker.go: of several loops the one that holds.
//   - pursuit.go: when detection runs, and how its result is used.
//   - stall.go: when the silence of a loop is a hang.
//
// A loop is reported after three of its cycles in a row were seen, the last of them after it was learned.
// Memory is constant: 1 MB for a minute's worth at 200 Hz, per scale, of 20 columns; a sample takes less than 1
// us (MEASURED.md).
//
// It reports no period that detection did not find, and does not call a loop stalled while the processes run
// code of their own: the program has then entered another part.
package tracker
