// Package watch prints the state of a running job: a few lines of text, the state as JSON, and a line of JSON
// for each cycle that ended (jobgait.cycle/1).
//
// It takes the state that an agent writes (agent/live) and earlier runs of the application. It predicts the end
// of a run only if three earlier runs agree or the user gives the number of cycles.
package watch
