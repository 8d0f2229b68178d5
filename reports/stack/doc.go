// Package stack merges the call stacks of a job's tasks and prints them.
//
// Tasks with the stacks of their threads come in (agent/stack); groups of tasks that do the same go out, as JSON
// (jobgait.stack/1) and as text. Two stacks are equal if they agree from the outermost function down to the call that
// left the program's own code: MPI_Allreduce is one place, wherever inside the library a rank polls. Calls agree if
// their source lines do, or without debug information their places in the file; where a task computes in a
// function, any place in it is the same.
//
// A group is odd if others wait in MPI or OpenMP and it does not; if it is stopped and others are not; or if it is
// at most half as large as the largest group. Of two tasks in two different collectives neither is odd. The package
// does not claim that an odd task is the cause of a hang.
package stack
