package finish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"jobgait/epilog/health"
)

// siteHours is the period before now, in hours, that the site's aggregates cover.
const siteHours = 24

// WriteSite writes aggregates of the last siteHours of the history for the node_exporter, if
// health.site_textfile names a directory. It does nothing if this host has no history.
func (f Finisher) WriteSite(ctx context.Context) error {
	if f.Config.Health.SiteTextfile == "" {
		return nil
	}
	if _, err := os.Stat(f.Config.History.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := f.openHistory(ctx)
	if err != nil {
		return err
	}
	a, err := db.Aggregates(ctx, epoch(time.Now().Add(-siteHours*time.Hour)))
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return health.WriteSite(f.Config.Health.SiteTextfile, a, siteHours)
}
