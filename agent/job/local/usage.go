package local

import (
	"context"

	"jobgait/agent/job"
)

// Usage returns job.ErrNotQueried: `jobgait run` has no accounting.
func (Standalone) Usage(context.Context, string) (job.Usage, error) {
	return job.Usage{}, job.ErrNotQueried
}
