package note

// Notes on the agent itself.
const (
	BudgetExceeded Code = "budget_exceeded" // sampling costs more than its budget, and nothing more can be left out
	Suspended      Code = "suspended"       // the job was stopped from outside for a time; that time is left out
	AddressesEnded Code = "addresses_ended" // sampling of code addresses ended during the run: its rest has none
	// processes of other users mapped and started programs so often that their records were left out for a time
	NeighborStorm Code = "neighbor_storm"
	// reading a process of the job hung; no other process was read after it
	Unreadable  Code = "process_unreadable"
	InsideJob   Code = "agent_inside_job" // the agent was started inside the job's own cgroup and could not leave it
	SizeLowered Code = "size_lowered"     // the profile had grown too large: samples were merged from then on
)
