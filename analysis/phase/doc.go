// Package phase divides a run into start-up, loop, gaps and tail.
package phase
