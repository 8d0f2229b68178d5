package note

// What the agent does about itself.
const (
	BudgetExceeded Code = "budget_exceeded"    // sampling costs more than its share, and nothing is left to leave out
	Unreadable     Code = "process_unreadable" // a process of the job hung when it was looked at: no other was asked after it
	InsideJob      Code = "agent_inside_job"   // the agent was started inside the job's own cgroup and could not leave it
)
