package finish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"jobgait/epilog/health"
)

// siteHours is the time that the site's aggregates are of.
const siteHours = 24

// WriteSite writes the aggregates of the history for the node_exporter, where the settings name a directory for
// them. A history that is not here is not made.
func (f Finisher) WriteSite(ctx context.Context) error {
	if f.Config.Health.SiteTextfile == "" {
		return nil
	}
	if _, err := os.Stat(f.Config.History.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := f.history(ctx)
	if err != nil {
		return err
	}
	a, err := db.Aggregates(ctx, epoch(time.Now().Add(-siteHours*time.Hour)))
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return health.WriteSite(f.Config.Health.SiteTextfile, a, siteHours)
}
