package note

// What the stacks of a running job do not show.
const (
	StackDenied     Code = "stack_denied"     // the system does not let the caller look at a process
	StackTraced     Code = "stack_traced"     // another program traces a process
	StackFrozen     Code = "stack_frozen"     // a process is frozen: it was left alone
	StackGone       Code = "stack_gone"       // a process ended while its stack was read
	StackIncomplete Code = "stack_incomplete" // a stack could not be followed to its outermost function
	StackThreads    Code = "stack_threads"    // threads that are not listed: they are in libraries only
	StackPython     Code = "stack_python"     // tasks that run Python, whose Python functions are not shown
	StackTasks      Code = "stack_tasks"      // processes of the job that are no tasks
	StackNodes      Code = "stack_nodes"      // nodes that gave no stacks
)
