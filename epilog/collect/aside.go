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

	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// failedDir keeps records that cannot be used.
const failedDir = "failed"

// What failedDir holds at most; of more the oldest go. A node whose memory fails, or
// somebody who has the account, must not fill the file system with it.
const (
	maxFailed      = 2000 // a record and why it is there are two
	maxFailedBytes = 100 << 20
)

// unread says what became of a record that could not be read: one that is damaged
// goes out of the way, its node has sealed it and will not mend it; one of a newer
// version, or that the file system does not give, stays.
func unread(dir string, n recordName, why error, say func(string)) {
	text := fmt.Sprintf("record %s/%s: %v", n.job, n.file, why)
	switch {
	case errors.Is(why, fs.ErrNotExist):
		return // somebody else was faster
	case errors.Is(why, summary.ErrDamaged):
		if err := setAside(n.path(dir), filepath.Join(dir, failedDir), why); err != nil {
			text += fmt.Sprintf("; %v", err)
		} else {
			text += ": moved to " + failedDir
		}
	default:
		text += ": left where it is"
	}
	say(text)
}

// whySuffix makes the name of the text beside a record that was set aside.
const whySuffix = ".why"

// maxWhy is the length of that text, in bytes.
const maxWhy = 1000

// setAside keeps a record that cannot be read for somebody to look at, in dir, with why.
func setAside(path, dir string, why error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("set a bad record aside: %w", err)
	}
	if err := os.Rename(path, filepath.Join(dir, filepath.Base(path))); err != nil {
		return fmt.Errorf("set a bad record aside: %w", err)
	}
	text := note.Clean(why.Error(), maxWhy) + "\n"
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)+whySuffix), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write why a bad record was set aside: %w", err)
	}
	return dropOldest(dir, maxFailed, maxFailedBytes)
}

// Aside are the records that lie out of the way in dir, of nodes and of jobs, with why;
// times are the file server's.
func Aside(dir string) ([]history.Aside, error) {
	var list []history.Aside
	var failed error
	for _, in := range []string{failedDir, filepath.Join(jobsDir, failedDir)} {
		entries, err := os.ReadDir(filepath.Join(dir, in))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("list records that were set aside: %w", err))
		}
		for _, e := range entries {
			name, is := strings.CutSuffix(e.Name(), whySuffix)
			if !is || len(list) >= 2*maxFailed {
				continue
			}
			a, err := whyAside(filepath.Join(dir, in, e.Name()))
			if err != nil {
				continue // removed to make room; its file says nothing
			}
			a.Source = filepath.Join(in, name)
			list = append(list, a)
		}
	}
	return list, failed
}

// whyAside reads why a record was set aside, and when.
func whyAside(path string) (history.Aside, error) {
	text, info, err := readFile(path, 4*maxWhy+1) // characters, and the line's end
	if err != nil {
		return history.Aside{}, err
	}
	return history.Aside{Why: note.Clean(strings.TrimSpace(string(text)), maxWhy),
		At: float64(info.ModTime().UnixNano()) / 1e9}, nil
}

// dropOldest limits a directory to a number of files and bytes, and reports what it removed.
func dropOldest(dir string, files int, bytes int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("bound %s: %w", dir, err)
	}
	if n := len(entries); n <= files && n%16 != 0 {
		return nil // sizes are looked at now and then
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, info)
			bytes -= info.Size()
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	gone := 0
	for gone < len(all) && (len(all)-gone > files || bytes < 0) {
		if err := os.Remove(filepath.Join(dir, all[gone].Name())); err != nil {
			return fmt.Errorf("bound %s: %w", dir, err)
		}
		bytes += all[gone].Size()
		gone++
	}
	if gone > 0 {
		return fmt.Errorf("%s is full: the oldest %d of its records are removed", dir, gone)
	}
	return nil
}
