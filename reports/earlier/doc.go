// Package earlier compares a run with the earlier runs that a history has: of the
// same application and size, of other sizes, and of others on the same machine.
//
// What analysis/application found in them comes in; the sections of a job's report
// on changes of speed and on scaling go out. It decides nothing: the analyses do.
package earlier
