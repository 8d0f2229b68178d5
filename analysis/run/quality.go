package run

// Quality describes how complete and how expensive the samples of a run are.
type Quality struct {
	// Scope names the processes that were sampled: "job", all of the job; "task", the
	// command and its children; "proc", what files below /proc show; "none", no agent
	// ran.
	Scope string `json:"scope"`
	CPUs  int    `json:"cpus"`
	// RateHz is the rate of the grid, AddressHz that of code addresses per
	// CPU; 0 where there were none.
	RateHz    float64 `json:"rate_hz"`
	AddressHz float64 `json:"address_hz"`
	// Samples is the number of slots of the grid, Missing those of which
	// more than 1 % may lie in another slot, LostRecords the records that the kernel reported as dropped.
	Samples     int64 `json:"samples"`
	Missing     int64 `json:"missing"`
	LostRecords int64 `json:"lost_records"`
	Blocks      int   `json:"blocks"`
	// Sealed is false when the agent did not end the profile itself.
	Sealed bool `json:"sealed"`
	// AgentCPUS is the CPU time of the agent itself in seconds, OverheadPct
	// that and the interrupts it caused, as a share of the node's CPUs.
	AgentCPUS   float64 `json:"agent_cpu_s"`
	OverheadPct float64 `json:"overhead_pct"`
	// GPUReaderS is what of AgentCPUS reading the GPUs took, GPUReaderStartS what of that
	// starting the reader and loading the driver's library did.
	GPUReaderS      float64 `json:"gpu_reader_cpu_s,omitempty"`
	GPUReaderStartS float64 `json:"gpu_reader_start_s,omitempty"`
	// PrologS and EpilogS are how long the hooks kept the node from the job and from the next one, in seconds: the
	// longest Prolog of the nodes, and the Epilog of the node that wrote the report; nil where unknown.
	PrologS *float64 `json:"prolog_s,omitempty"`
	EpilogS *float64 `json:"epilog_s,omitempty"`
	// BudgetPct is the limit of OverheadPct; InterruptNS is the assumed cost of one
	// record on the CPU that it interrupts. 0 where unknown.
	BudgetPct   float64         `json:"budget_pct,omitempty"`
	InterruptNS float64         `json:"interrupt_ns,omitempty"`
	Sources     []CounterSource `json:"sources"`
}

// CounterSource records how one counter was read, or why it was not.
type CounterSource struct {
	Name   string `json:"name"`
	Event  string `json:"event,omitempty"`
	PMU    string `json:"pmu,omitempty"`
	Config string `json:"config,omitempty"` // type and config of a perf event, or the file that is read
	Scope  string `json:"scope,omitempty"`
	// Hz is how often it was read a second; 0 = once in every step of the grid.
	Hz     float64 `json:"hz,omitempty"`
	Absent string  `json:"absent,omitempty"` // reason; "" = it was read
	// Uncertain is the part of the count that lies in gaps between the records of a
	// CPU: its amount is known, its step of the grid is not. 0 = none or unknown.
	Uncertain float64 `json:"uncertain,omitempty"`
}
