// Package application makes series of the stored runs of an application: what the
// history remembers comes in, histories for the change detector and series for the
// scaling models go out, and what those find goes back as rows of the history.
//
// A run that failed, was cancelled or timed out keeps its place and has no
// value: it says nothing about speed. A history is judged by step_s, the time of
// the application's own reference pattern, where most of its runs have one, and
// by elapsed time else; the other metrics support (one family a run). It refuses
// to mix shapes in a history of changes, and to vary more than one parameter in a
// scaling series.
package application
