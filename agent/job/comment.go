package job

import (
	"context"

	"jobgait/analysis/run"
)

// Comment is a text to write into the accounting's comment of a job.
type Comment struct {
	JobID run.JobID
	Text  string
	// Lower is the text without capital letters, for accounting systems that store none.
	Lower string
}

// Commenter is an accounting system that stores a comment for each job.
type Commenter interface {
	// WantsComments reports whether the settings enable writing comments.
	WantsComments() bool
	// SetComments writes comments of jobs whose comment is empty or begins with mark, by one call, and returns
	// how many it wrote.
	SetComments(ctx context.Context, list []Comment, mark string) (int, error)
}
