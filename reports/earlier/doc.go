// Package earlier compares a run with the earlier runs in a history: runs of the same application and size, of
// other sizes, and of other users on the same machine.
//
// It takes the results of analysis/application and returns the sections of a job's report on changes of speed
// and on scaling. All judgements are made by the analyses.
package earlier
