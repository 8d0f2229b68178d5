package job

import (
	"context"

	"jobgait/analysis/run"
)

// Comment is a text to write into the accounting's comment of a job.
type Comment struct {
	JobID run.JobID
	// DisplayID is the id as users see it: 12, 12_3 of an array's task, 12+1 of a heterogeneous job's component.
	DisplayID string
	Text      string
	// Lower is the text without capital letters, for accounting systems that store none.
	Lower string
	// Missing says that the accounting had no comment of the job after the last call of SetComments.
	Missing bool
}

// Commenter is an accounting system that stores a comment for each job.
type Commenter interface {
	// WantsComments reports whether the settings enable writing comments.
	WantsComments() bool
	// SetComments writes comments of jobs whose comment is empty or begins with mark, by one call.
	SetComments(ctx context.Context, list []Comment, mark string) (CommentCounts, error)
}

// CommentCounts counts the jobs of a call of SetComments: those whose comment was written, and those that keep
// the comment of another tool.
type CommentCounts struct{ Written, Kept int }
