// Package application makes the inputs of the change detector and of the scaling models from the stored runs of
// an application, and writes their results back to the history.
//
// A run that failed, was cancelled or timed out keeps its place and has no value: it says nothing about speed.
// The leading metric of a history is step_s, the time of the application's reference pattern, if most of its
// runs have one, else the elapsed time. The other metrics only support it: all metrics of one run count as one
// family of tests. It refuses to mix shapes in a history of changes, and to vary more than one parameter in a
// scaling series.
package application
