package note

// What the agent does about itself.
const (
	BudgetExceeded Code = "budget_exceeded" // sampling costs more than its share, and nothing is left to leave out
	Suspended      Code = "suspended"       // the job was stopped from outside for a time: that is left out
	AddressesEnded Code = "addresses_ended" // code addresses were given up during the run: its rest has none
	// other users' processes mapped and started programs so often that their records were left out for a time
	NeighborStorm Code = "neighbor_storm"
	// reading a process of the job hung: no other process was read after it
	Unreadable  Code = "process_unreadable"
	InsideJob   Code = "agent_inside_job" // the agent was started inside the job's own cgroup and could not leave it
	SizeLowered Code = "size_lowered"     // the profile had grown too large: samples were merged from then on
)
