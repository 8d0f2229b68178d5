package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/configs"
	"jobgait/epilog/archive"
)

// pruneCommand returns the verb prune.
func pruneCommand(getenv func(string) string) *cobra.Command {
	var path string
	var dry bool
	var keep history.Keep
	c := &cobra.Command{
		Use:   "prune",
		Short: "remove data from the history that is older than the site keeps",
		Long: "prune removes data from the history by its age, in days after the end of a run:\n" +
			"the settings in [keep] or the flags give the limits; 0 keeps data forever. It\n" +
			"locks the history for a tenth of a second at a time. It may be interrupted and\n" +
			"continues with the next call. The view days keeps the daily sums of removed\n" +
			"runs. If keep.copy names a file, the history is then copied to it and the copy\n" +
			"is checked. If the site archives profiles ([collect] archive), the oldest runs\n" +
			"are removed there, too.",
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := requireOneHistory(path, "prune"); err != nil {
				return err
			}
			cfg, err := prunedSettings(getenv)
			if err != nil {
				return err
			}
			to := cfg.Keep.Copy
			if path != "" {
				to = "" // the copy is that of the site's history
			}
			for _, f := range []struct {
				name string
				days *int
				set  int
			}{{"profiles", &keep.Profiles, cfg.Keep.Profiles}, {"nodes", &keep.Nodes, cfg.Keep.Nodes},
				{"functions", &keep.Functions, cfg.Keep.Functions},
				{"runs", &keep.Runs, cfg.Keep.Runs}, {"ingest", &keep.Ingest, cfg.Keep.Ingest}} {
				if !cmd.Flags().Changed(f.name) {
					*f.days = f.set
				}
				if *f.days < 0 {
					return usageError{fmt.Errorf("invalid --%s %d: want a number of days, 0 or more", f.name, *f.days)}
				}
			}
			err = prune(cmd.Context(), cmp.Or(path, cfg.History.Path), to, keep, dry, cmd.OutOrStdout())
			if path == "" && !dry { // the archive is that of the site's history
				err = errors.Join(err, trimArchive(cfg.Collect, cmd.OutOrStdout()))
			}
			return err
		},
	}
	c.Flags().StringVar(&path, "history", "", "use this history database (default: the configured one)")
	c.Flags().BoolVar(&dry, "dry-run", false, "only print how much would be removed")
	c.Flags().IntVar(&keep.Profiles, "profiles", 0,
		"keep data of the pictures in reports this many days (default: keep.profiles)")
	c.Flags().IntVar(&keep.Nodes, "nodes", 0, "keep the values of each node this many days (default: keep.nodes)")
	c.Flags().IntVar(&keep.Functions, "functions", 0, "keep the code that ran this many days (default: keep.functions)")
	c.Flags().IntVar(&keep.Runs, "runs", 0, "keep whole runs this many days (default: keep.runs)")
	c.Flags().IntVar(&keep.Ingest, "ingest", 0,
		"keep the times at which records were stored this many days (default: keep.ingest)")
	return c
}

// prunedSettings returns the site's settings or, if the site has no history on this host and the user has one
// of `jobgait run`, the settings of `jobgait run`.
func prunedSettings(getenv func(string) string) (configs.Config, error) {
	cfg, err := settings(getenv)
	if err != nil {
		return cfg, err
	}
	if _, err := os.Stat(cfg.History.Path); !errors.Is(err, fs.ErrNotExist) {
		return cfg, nil
	}
	own, err := settings(configs.WithOneMachine(getenv))
	if err != nil {
		return cfg, nil
	}
	if _, err := os.Stat(own.History.Path); err != nil {
		return cfg, nil
	}
	return own, nil
}

// prune prunes one history, prints what was removed, and copies the history to the file to unless that is "".
// With dry it only prints.
func prune(ctx context.Context, path, to string, keep history.Keep, dry bool, out io.Writer) error {
	if _, err := os.Stat(path); err != nil { // opening it for writing would create it
		return fmt.Errorf("there is no history to prune: %w: name one with --history", err)
	}
	db, err := history.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	verb := "taken away"
	if dry {
		verb = "to look at"
	}
	err = db.Prune(ctx, keep, float64(time.Now().UnixNano())/1e9, dry, func(p history.Pruned) {
		what := "run"
		if p.Kind == "ingest" {
			what = "row"
		}
		fmt.Fprintf(out, "%-9s  older than %s: %s %s\n", p.Kind, quantity.Plural(p.Days, "day"),
			quantity.Plural(p.Runs, what), verb)
	})
	if err != nil || dry {
		return err
	}
	if err := db.Tidy(ctx); err != nil {
		return err
	}
	return copyHistory(ctx, db, to, out)
}

// trimArchive removes the profiles that exceed collect.archive_days or collect.archive_gb, and prints their
// number. Root trims only an archive that no other account can change.
func trimArchive(c configs.Collect, out io.Writer) error {
	if c.Archive == "" {
		return nil
	}
	if err := rejectForeignArchive(c.Archive); err != nil {
		return err
	}
	removed, err := archive.Trim(c.Archive, c.ArchiveDays, int64(c.ArchiveGB*1e9), time.Now())
	fmt.Fprintf(out, "archive    %s taken away\n", quantity.Plural(removed, "run"))
	return err
}

// copyHistory replaces the previous copy of the history in the file to by a new, consistent one; it does
// nothing if to is "".
func copyHistory(ctx context.Context, db *history.DB, to string, out io.Writer) error {
	if to == "" {
		return nil
	}
	next := to + ".next"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the old temporary copy of the history: %w", err)
	}
	if err := db.Copy(ctx, next); err != nil {
		return err
	}
	if err := os.Rename(next, to); err != nil {
		return fmt.Errorf("replace the old copy of the history: %w", err)
	}
	fmt.Fprintf(out, "copied to %s, and the copy is sound\n", to)
	return nil
}
