package note

// What the agent does about itself.
const (
	BudgetExceeded Code = "budget_exceeded"  // sampling costs more than its share, and nothing is left to leave out
	InsideJob      Code = "agent_inside_job" // the agent was started inside the job's own cgroup and could not leave it
)
