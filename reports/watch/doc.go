// Package watch prints what is known of a run while it goes on: a few lines of text, the
// state as JSON, and a line of JSON for each cycle that ended (jobgait.cycle/1).
//
// The state that an agent writes (agent/live) and earlier runs of the application come
// in; text and JSON go out. It says when a run ends only where three earlier runs agree
// or the user says how many cycles it makes.
package watch
