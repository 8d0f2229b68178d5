package job

// Mail describes the job that a scheduler sends a mail about. "" means unknown.
type Mail struct {
	ID            string // as users see it: 123 or 123_7
	User, Cluster string
	// Over says whether the job has ended; only then a report exists.
	Over bool
}
