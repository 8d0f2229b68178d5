// Package stack groups the tasks of a job by the call stacks of their threads and prints the groups.
//
// Tasks with the stacks of their threads come in (agent/stack); groups of tasks that do the same go out
// (analysis/stacks), as JSON (jobgait.stack/1), as text, and as the record of a node. Two stacks are equal if
// they agree from the outermost function down to the call that left the program's own code: two ranks in
// MPI_Allreduce are equal, wherever inside the library they poll. Calls are equal if their source lines are, or
// without debug information their offsets in the file. If a task computes in a function, all places in that
// function are equal. Other threads than the main one are listed where they are in the program's own code.
package stack
