package note

// What the stacks of a running job do not show.
const (
	StackDenied     Code = "stack_denied"     // the system does not allow the caller to inspect a process
	StackTraced     Code = "stack_traced"     // another program traces a process
	StackFrozen     Code = "stack_frozen"     // a process is frozen and was not stopped
	StackGone       Code = "stack_gone"       // a process ended while its stack was read
	StackIncomplete Code = "stack_incomplete" // a stack could not be followed to its outermost function
	StackThreads    Code = "stack_threads"    // threads that are not listed because they execute only library code
	StackPython     Code = "stack_python"     // tasks that run Python; its functions are not shown
	StackTasks      Code = "stack_tasks"      // processes of the job that are not tasks
	StackNodes      Code = "stack_nodes"      // nodes that returned no stacks
)
