package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"jobgait/reports/job"

	"github.com/spf13/cobra"

	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
)

func importCommand(getenv func(string) string) *cobra.Command {
	var path string
	var dry bool
	c := &cobra.Command{
		Use:   "import DIR",
		Short: "rebuild a history from reports in JSON",
		Long: "import puts the runs of all reports jobgait-*.json below DIR into the history,\n" +
			"the oldest first, as far as reports have them; a run that is there stays as it\n" +
			"is, so that a second import changes nothing. Not in reports:\n" + job.Lacking + ".\n" +
			"A report is believed as far as the account of its file: one of somebody else's\n" +
			"run is refused, unless the file is yours or root's. Links are not followed.\n" +
			"Exit status 1 if a report was refused.",
		Args: wants(1, 1, "a directory with reports"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneHistory(path, "import"); err != nil {
				return err
			}
			if path == "" {
				cfg, err := settings(getenv)
				if err != nil {
					return err
				}
				path = cfg.History.Path
			}
			i := newImporting(float64(time.Now().UnixNano()) / 1e9)
			return i.all(cmd.Context(), args[0], path, dry, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&path, "history", "", "history database (default: the configured one)")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say how many there are")
	return c
}

// importing is one import.
type importing struct {
	now     float64 // UTC epoch seconds
	most    int     // reports
	owners  owners
	refused map[string]refusal
	seen    atomic.Int64
}

// refusal is how many files were refused for a reason, and the first of them.
type refusal struct {
	files int
	first string
	why   error
}

// mostReports bounds an import: 100 million bytes of names.
const mostReports = 1_000_000

func newImporting(now float64) *importing {
	return &importing{now: now, most: mostReports, owners: owners{}, refused: map[string]refusal{}}
}

// found is a report that can be read.
type found struct {
	path  string
	start float64
}

// all imports what is below dir into the history at path.
func (i *importing) all(ctx context.Context, dir, path string, dry bool, out, complain io.Writer) error {
	shown := workingOn(complain, func() string { return fmt.Sprintf("reading reports, %d so far", i.seen.Load()) })
	list, err := i.find(ctx, dir)
	shown.done()
	if err != nil {
		return err
	}
	if dry {
		fmt.Fprintf(out, "%d reports can be imported\n", len(list))
		return i.complain(complain)
	}
	if len(list) > 0 {
		slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(a.start, b.start) })
		if err := i.put(ctx, list, path, out, complain); err != nil {
			return errors.Join(err, i.complain(complain))
		}
	} else {
		fmt.Fprintf(out, "no report jobgait-*.json to import below %s\n", dir)
	}
	return i.complain(complain)
}

// find looks for reports and reads each: its start is the order to put them in, since
// the first good run of an application says what a step of it is.
func (i *importing) find(ctx context.Context, dir string) ([]found, error) {
	var list []found
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && path != dir:
			return nil
		case err != nil && path == dir:
			return err
		case err != nil:
			i.refuse(path, errUnreadable, err)
			return nil
		case e.IsDir():
			return i.enter(path, path == dir)
		case !e.Type().IsRegular() || !isReport(e.Name()):
			return nil
		case len(list) >= i.most:
			return fmt.Errorf("more than %d reports below %s: import a part of it", i.most, dir)
		}
		i.seen.Add(1)
		if s, ok := i.read(path); ok {
			list = append(list, found{path, s.Start})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for reports: %w", err)
	}
	return list, nil
}

// isReport is whether a file is named as reports in JSON are.
func isReport(name string) bool {
	return strings.HasPrefix(name, "jobgait-") && strings.HasSuffix(name, ".json")
}

// put puts what was found into the history and looks at each series.
func (i *importing) put(ctx context.Context, list []found, path string, out, complain io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory of the history: %w", err)
	}
	db, err := openOwn(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var put atomic.Int64
	shown := workingOn(complain, func() string { return fmt.Sprintf("importing, %d of %d reports", put.Load(), len(list)) })
	newest, added, there, gone := application.Newest{}, 0, 0, 0
	for _, f := range list {
		put.Add(1)
		s, ok := i.read(f.path)
		if !ok {
			gone++
			continue
		}
		var at string
		if at, err = filepath.Abs(f.path); err != nil {
			break
		}
		s, err = application.Put(ctx, db, s, history.Ingest{ReportDir: filepath.Dir(at), Source: at, NowS: i.now, Absent: true})
		switch {
		case err == nil:
			added++
		case errors.Is(err, history.ErrThere):
			there++
		case errors.Is(err, history.ErrUnfit):
			i.refuse(f.path, history.ErrUnfit, err)
			err = nil
			continue
		}
		if err != nil && !errors.Is(err, history.ErrThere) {
			break
		}
		if err = newest.AddPast(ctx, db, s); err != nil {
			break
		}
	}
	// Also of what was there: an import that was killed had not come to it.
	err = errors.Join(err, newest.Review(context.WithoutCancel(ctx), db, 0))
	shown.done()
	fmt.Fprintf(out, "%d runs imported into %s, %d were there, %d reports changed or went meanwhile\n", added, path, there, gone)
	if added > 0 {
		fmt.Fprintf(out, "not in reports: %s\n", job.Lacking)
	}
	return err
}

// refuse counts a file under a reason.
func (i *importing) refuse(path string, kind, why error) {
	r := i.refused[kind.Error()]
	if r.files++; r.files == 1 {
		r.first, r.why = path, why
	}
	i.refused[kind.Error()] = r
}

// complain says what was refused, a line a reason.
func (i *importing) complain(complain io.Writer) error {
	kinds := make([]string, 0, len(i.refused))
	for kind := range i.refused {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		r := i.refused[kind]
		fmt.Fprintf(complain, "jobgait: refused %d: %s, such as %s (%s)\n", r.files, kind, note.Clean(r.first, math.MaxInt16), note.Clean(r.why.Error(), 300))
	}
	if len(kinds) > 0 {
		return status(1)
	}
	return nil
}
