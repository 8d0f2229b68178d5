// Package stack prints which tasks of a job have the same call stack.
//
// Tasks with the stacks of their threads come in (agent/stack, which groups them); the groups of the job
// (analysis/stacks) go out as JSON (jobgait.stack/1) and as text.
package stack
