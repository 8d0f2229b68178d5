package finish

import (
	"context"
	"fmt"
	"time"

	"jobgait/analysis/history"
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
	a, err := withHistory(ctx, f, false, func(db *history.DB) (*history.Aggregates, error) {
		a, err := db.Aggregates(ctx, epoch(time.Now().Add(-siteHours*time.Hour)))
		return &a, err
	})
	if err != nil {
		return fmt.Errorf("update the figures of health.site_textfile: %w: they stay as they were", err)
	}
	if a == nil {
		return nil
	}
	return health.WriteSite(f.Config.Health.SiteTextfile, *a, siteHours)
}
