package job

// ScriptOptions are the options that a batch script requests from its scheduler. nil, 0 and "" mean not
// requested.
type ScriptOptions struct {
	// Directives is the number of option lines in the script.
	Directives   int
	Name         string
	App, Size    string // jobgait's own labels
	Nodes, Tasks int
	LimitS       *float64
	MemoryBytes  *float64 // on each node
	// Interpreter reports that the first line begins with "#!"; without it, and with DOS line ends, the
	// scheduler rejects the script.
	Interpreter, DOSLineEnds bool
	// Heterogeneous reports that the options are those of the first of several components.
	Heterogeneous bool
}
