package collect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// failedDir is the directory of records that cannot be used.
const failedDir = "failed"

// The limits of failedDir in files and bytes; beyond them the oldest files are removed. A node with failing
// memory, or any process of the account, must not fill the file system.
const (
	maxFailed      = 2000 // a record and why it is there are two
	maxFailedBytes = 100 << 20
)

// handleUnreadable handles a record that could not be read, and passes one line about it to say. A damaged
// record is moved to failedDir, because its node will not write it again; a record of a newer version, or with
// a read error, stays.
func handleUnreadable(dir string, n recordName, why error, say func(string)) {
	text := fmt.Sprintf("record %s/%s: %v", n.job, n.file, why)
	switch {
	case errors.Is(why, fs.ErrNotExist):
		return // another process removed it
	case errors.Is(why, summary.ErrDamaged):
		if err := setAside(n.path(dir), filepath.Join(dir, failedDir), why); err != nil {
			text += fmt.Sprintf("; %v; the report lacks this node", err)
		} else {
			text += fmt.Sprintf(": moved to %s; the report lacks this node", filepath.Join(dir, failedDir, n.file))
		}
	default:
		text += ": left where it is; the report lacks this node"
	}
	say(text)
}

// whySuffix is the suffix of the file with the reason beside a record that was set aside.
const whySuffix = ".why"

// maxWhy is the length of that text, in bytes.
const maxWhy = 1000

// setAside moves an unusable record to dir, with the reason in a file beside it, and limits the size of dir. It
// also returns an error if it removed older records for that.
func setAside(path, dir string, why error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of unusable records: %w", err)
	}
	to := filepath.Join(dir, filepath.Base(path))
	if err := errors.Join(removeDir(to), removeDir(to+whySuffix)); err != nil {
		return err
	}
	if err := os.Rename(path, to); err != nil {
		return fmt.Errorf("move an unusable record: %w", err)
	}
	text := note.Line(why.Error(), maxWhy) + "\n"
	if err := job.Replace(to+whySuffix, []byte(text), 0o600, false); err != nil {
		return fmt.Errorf("write why an unusable record was moved: %w", err)
	}
	return dropOldest(dir, maxFailed, maxFailedBytes)
}

// ListSetAside returns the records of nodes and jobs in dir that were set aside, with the reason. Times are the
// file server's.
func ListSetAside(dir string) ([]history.RejectedRecord, error) {
	var list []history.RejectedRecord
	var failed error
	for _, in := range []string{failedDir, filepath.Join(jobsDir, failedDir)} {
		entries, err := os.ReadDir(filepath.Join(dir, in))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("list the records that were moved because they are unusable: %w", err))
		}
		for _, e := range entries {
			name, is := strings.CutSuffix(e.Name(), whySuffix)
			if !is || len(list) >= 2*maxFailed {
				continue
			}
			a, err := readReason(filepath.Join(dir, in, e.Name()))
			if err != nil {
				continue // removed to make room; its file says nothing
			}
			a.Source = filepath.Join(in, name)
			list = append(list, a)
		}
	}
	return list, failed
}

// readReason reads the file that says why a record was set aside; its time is that of the file.
func readReason(path string) (history.RejectedRecord, error) {
	text, info, err := readFile(path, 4*maxWhy+1) // characters, and the line's end
	if err != nil {
		return history.RejectedRecord{}, err
	}
	return history.RejectedRecord{Why: note.Clean(strings.TrimSpace(string(text)), maxWhy),
		At: float64(info.ModTime().UnixNano()) / 1e9}, nil
}

// dropOldest removes the oldest files of a directory until it has at most this number of files and bytes. Sizes
// are checked only at every 16th file. If it removed any, it returns an error that says how many.
func dropOldest(dir string, files int, bytes int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("limit the size of %s: %w: it may grow further", dir, err)
	}
	if n := len(entries); n <= files && n%16 != 0 {
		return nil // sizes are checked at every 16th file only
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
			bytes -= info.Size()
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	gone := 0
	for gone < len(all) && (len(all)-gone > files || bytes < 0) {
		if err := os.RemoveAll(filepath.Join(dir, all[gone].Name())); err != nil {
			return fmt.Errorf("limit the size of %s: %w: it may grow further", dir, err)
		}
		bytes += all[gone].Size()
		gone++
	}
	if gone > 0 {
		return fmt.Errorf("%s has reached its limit of files or bytes: its oldest %d files are removed", dir, gone)
	}
	return nil
}
