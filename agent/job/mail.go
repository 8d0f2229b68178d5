package job

// Mail is what a scheduler says of the job that it sends a mail about. "" is unknown.
type Mail struct {
	ID            string // as users see it: 123 or 123_7
	User, Cluster string
	// Over is whether the job has ended: only then a report exists.
	Over bool
}
