package check

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/epilog/as"
	"jobgait/epilog/collect"
)

// room is what a spool has to have free: a day's profile of eight counters.
const room = 100 << 20

// spool makes the node's part of the spool, as the Prolog would.
func (n Node) spool() Finding {
	const subject = "spool"
	dir := n.Config.Spool.Dir
	if err := job.MakeNodeDir(dir, n.Name); err != nil {
		return wrong(subject, "%v", err)
	}
	if kind, err := history.NetworkFileSystem(dir); err == nil && kind != "" {
		return wrong(subject, "%s lies on %s: spool.dir has to be this node's own, hooks must not wait for a network", dir, kind)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return wrong(subject, "%s: %v", dir, err)
	}
	free := int64(st.Bavail) * st.Bsize
	if free < room || st.Files > 0 && st.Ffree < 1000 {
		return wrong(subject, "%s is full: %d MB and %d files are free", dir, free>>20, st.Ffree)
	}
	if f, err := os.CreateTemp(job.NodeDir(dir, n.Name), ".check-"); err != nil {
		return wrong(subject, "%v", err)
	} else if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return wrong(subject, "%v", err)
	}
	return good(subject, "%s, %d MB free, %g MB used at most", dir, free>>20, 1000*n.Config.Spool.MaxGB)
}

// collect makes and removes a file with the rights of the account.
func (n Node) collect(ctx context.Context) Finding {
	const subject = "collect"
	c := n.Config.Collect
	store := collect.Store{Dir: c.Dir, Program: n.Program}
	whose := "root"
	if c.Account != "" && os.Geteuid() == 0 {
		account, err := as.Lookup(ctx, c.Account)
		if err != nil {
			return wrong(subject, "collect.account: %v: make it (useradd --system %s), with one number on all nodes", err, c.Account)
		}
		store.Account, whose = &account, c.Account
	}
	if err := store.Probe(ctx); err != nil {
		return wrong(subject, "%v: collect.dir has to be there on all nodes, owned by %s, mode 0700", err, whose)
	}
	if kind, err := history.NetworkFileSystem(c.Dir); err == nil && kind == "" {
		return look(subject, "%s can be written by %s; it lies on this node's own disk: right for jobs of one node only", c.Dir, whose)
	}
	return good(subject, "%s can be written by %s", c.Dir, whose)
}

// history looks at the database, or at what waits for it.
func (n Node) history(ctx context.Context) Finding {
	if n.Config.History.Ingest == "spool" {
		return n.waiting()
	}
	const subject = "history"
	path := n.Config.History.Path
	db, err := history.OpenReadOnly(ctx, path)
	switch {
	case err == nil:
		if err := db.Close(); err != nil {
			return wrong(subject, "%v", err)
		}
		return good(subject, "%s", path)
	case errors.Is(err, history.ErrOlder):
		return good(subject, "%v", err)
	case !errors.Is(err, fs.ErrNotExist):
		return wrong(subject, "%v", err)
	}
	above := filepath.Dir(path)
	for {
		err := unix.Access(above, unix.W_OK)
		if err == nil {
			return good(subject, "no %s: the first run makes it", path)
		}
		if !errors.Is(err, unix.ENOENT) || above == "/" {
			return wrong(subject, "%s cannot be made: %s: %v", path, above, err)
		}
		above = filepath.Dir(above)
	}
}

// waiting looks at the job records that the one writer is to take.
func (n Node) waiting() Finding {
	const subject = "history"
	entries, err := os.ReadDir(filepath.Join(n.Config.Collect.Dir, "jobs"))
	if errors.Is(err, fs.ErrNotExist) {
		return good(subject, "no job record waits for the ingest")
	}
	if err != nil {
		return look(subject, "whether job records wait for the ingest could not be seen: %v", err)
	}
	records, oldest := 0, time.Duration(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		records++
		oldest = max(oldest, time.Since(info.ModTime()))
	}
	if oldest > patience {
		return wrong(subject, "%d job records wait, the first for %v: is jobgait-ingest.timer enabled on the host of %s?",
			records, oldest.Round(time.Minute), n.Config.History.Path)
	}
	return good(subject, "%d job records wait for the ingest", records)
}
