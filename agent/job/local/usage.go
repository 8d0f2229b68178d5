package local

import (
	"context"

	"jobgait/agent/job"
)

// Usage is unknown: no accounting runs beside `jobgait run`.
func (Standalone) Usage(context.Context, string) (job.Usage, error) {
	return job.Usage{}, job.ErrNotAsked
}
