// Package stacks says which tasks of a job do the same, by their call stacks.
//
// Records of groups come in, one of each node; groups of the whole job go out, and sentences about them: what most
// tasks wait for, and which rank is elsewhere. Package agent/stack makes the groups of a node from its threads.
//
// A group is odd if others wait in MPI or OpenMP and it does not; if it is stopped and others are not; or if it is
// at most half as large as the largest group. Of two tasks in two different collectives neither is odd. The package
// does not claim that an odd task is the cause of a hang.
package stacks
