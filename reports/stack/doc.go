// Package stack groups the tasks of a job by the call stacks of their threads and prints the groups.
//
// Tasks with the stacks of their threads come in (agent/stack); groups of tasks that do the same go out
// (analysis/stacks), as JSON (jobgait.stack/1), as text, and as the record of a node. Two stacks are equal if they
// agree from the outermost function down to the call that left the program's own code: MPI_Allreduce is one place,
// wherever inside the library a rank polls. Calls agree if their source lines do, or without debug information their
// places in the file; where a task computes in a function, any place in it is the same. Other threads than the main
// one are listed where they are in the program's own code.
package stack
