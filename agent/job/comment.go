package job

import (
	"context"

	"jobgait/analysis/run"
)

// Comment is a text for the accounting's comment of a job.
type Comment struct {
	JobID run.JobID
	Text  string
	// Lower is another form of it without capital letters, for accountings that keep none.
	Lower string
}

// Commenter is an accounting that keeps a comment of each job.
type Commenter interface {
	// WantsComments reports whether the settings want jobgait to write comments.
	WantsComments() bool
	// SetComments writes comments of jobs whose comment is empty or begins with mark, by one call, and returns
	// how many it wrote.
	SetComments(ctx context.Context, list []Comment, mark string) (int, error)
}
