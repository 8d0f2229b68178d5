// Package anatomy says which code the CPU time of a run consists of, within its
// cycles and outside of them. In come the functions, the places that they were hit
// at, counted for the whole run (16 bytes of code each), the samples of code pages
// slot by slot, and where the cycles lie. Out goes, for each pattern and for
// start-up, tail and what lies between, the CPU time by class of code, by library
// and by function; for a pattern with seconds a cycle, their interval, and 32 bins
// within the cycle.
//
// A sample in a page belongs to the page's functions as the counts of its places
// say. Pages alone would misname 16 to 82 % of samples; with places of 16 bytes it
// was 0.00 % of three applications, and the bins were 0.2 to 1.6 % off, of a noise of
// 7 to 14 % (against exact addresses, 32 bins). Hot pages come in parts: blocks of 256
// bytes and places of 16, each sample in one of them (columns.go). Functions that share
// a column have no bins. Where only CPU time shows the cycle the bins divide that.
//
// The interval comes from the scatter between cycles, in 16 stretches of the run so
// that noise that wanders over many cycles is in it; fewer than 8 cycles have none.
//
// Counters of others, as of GPUs, are put to the part of the cycle at which they grew
// (fold.go).
//
// What adds up: each split's classes, libraries and functions to its busy time, the
// splits to the busy time of all samples. A block of the profile lists its hottest
// pages only. The samples of its other pages are shared out to the code whose places
// have samples that no block lists (unlisted.go); what exceeds those is "unresolved".
// Code that is in no file is "unnamed". Nothing is reported of time in which
// nothing ran: who is blocked gives no sample, who spins does, in libraries of which
// Waits knows. The kernel is one class: its places are those where interrupts are
// let in again, not those that take long.
package anatomy
