// Package league runs real applications under `jobgait run` and compares what jobgait
// says of them with the times at which their own logs say that a step was done. It has no code but tests.
//
// In come programs of the distribution with small inputs (inputs/) or examples that their
// packages install (application_test.go). Each runs for half a minute twice a round, once
// alone and once beside a busy loop on every CPU. Lines of its output get a time stamp as they
// come; those that match a level of the application, such as a time step, are its marks. Out
// comes a table of verdicts (verdict_test.go) for runs that got at least .85 of a CPU per rank
// (quiet), for others (crowded) and for programs that have no loop (control), and how many
// claims of which confidence were right: see MEASURED.md.
//
// `make -C packaging league` runs TestLeague as root; TestLive, a part of `make test`, runs two applications.
// Each run's outcome, marks and report, and its profile are files in a cache directory: a
// league that was interrupted continues where it stopped, and -again applies today's analysis
// to the profiles of earlier runs. A run that failed is reported and left out; the next league
// repeats it.
//
// On a machine that others use the result means little: `quiet` is then crowded, since the
// table classifies a run by the CPU that it got. The log decides what is right, so a level that the
// code has and does not log counts as wrong.
package league
