package job

// ScriptOptions is what a batch script asks of its scheduler. nil, 0 and "" are not asked for.
type ScriptOptions struct {
	// Directives is how many lines of options the script has.
	Directives   int
	Name         string
	App, Size    string // jobgait's own labels
	Nodes, Tasks int
	LimitS       *float64
	MemoryBytes  *float64 // on each node
}
