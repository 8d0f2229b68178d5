// Package phase divides a run into start-up, loop, gaps and tail.
//
// The regions of the patterns come in; a table of phases goes out that follow
// each other without gap or overlap and cover the sampled time, with shares
// that add up to 1. A run without a pattern is one aperiodic phase: nothing is
// guessed about its structure. Breaks shorter than 1.5 periods are not phases.
package phase
