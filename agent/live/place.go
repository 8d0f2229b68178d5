package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"jobgait/agent/job"
)

// Location is the directory of the live.json of one run.
type Location struct {
	dir string
	uid int
	n   int
}

// keepEnded is how long the directory of an ended run is kept.
const keepEnded = time.Hour

// MakeLocation creates the directory of a user's run, below one that only this account can write to, and
// removes the directories of runs that ended long ago: of all users if it runs as root, else of this user. As
// root it also writes the index of the user's runs. It may return a Location together with an error of the
// index or the removal.
func MakeLocation(dir string, uid int, run string) (*Location, error) {
	of := filepath.Join(dir, strconv.Itoa(uid))
	p := &Location{dir: filepath.Join(of, run), uid: uid}
	for _, d := range []string{dir, of, p.dir} {
		if err := os.Mkdir(d, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the directory %s for %s: %w", d, Name, job.Cause(err))
		}
		if err := job.RequireRootOwned(d); err != nil {
			return nil, err
		}
	}
	if os.Geteuid() != 0 {
		removeOldOfUser(of, run)
		return p, nil
	}
	return p, errors.Join(writeIndex(of, uid), removeOldOfAll(dir, p.dir))
}

// RemoveOld removes the directories of runs, of all users, that ended long ago. A missing directory is not an
// error.
func RemoveOld(dir string) error { return removeOldOfAll(dir, "") }

// removeOldOfAll removes the directories below dir of all users' runs that ended long ago, except that with the path
// but ("" for no exception). As root it also updates the indexes of these users.
func removeOldOfAll(dir, but string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = job.RequireRootOwned(dir)
	}
	if err != nil {
		return fmt.Errorf("remove old files from %s: %w", dir, job.Cause(err))
	}
	for _, e := range entries {
		uid, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() {
			continue
		}
		of := filepath.Join(dir, e.Name())
		if job.RequireRootOwned(of) != nil {
			continue
		}
		except := ""
		if filepath.Dir(but) == of {
			except = filepath.Base(but)
		}
		if removeOldOfUser(of, except) && os.Geteuid() == 0 {
			if err := writeIndex(of, uid); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeOldOfUser removes the directories of runs in the user's directory of, except that named but, and reports
// whether it removed any. A run has ended if its directory has not changed for keepEnded and its agent is not alive.
// It uses only names, the directories' own times and the lock files, which the user cannot change.
func removeOldOfUser(of, but string) (removed bool) {
	entries, err := os.ReadDir(of)
	if err != nil {
		return false
	}
	for _, e := range entries {
		dir := filepath.Join(of, e.Name())
		st, err := os.Lstat(dir) // each new live.json is renamed into it
		if err == nil && e.IsDir() && e.Name() != but && time.Since(st.ModTime()) > keepEnded &&
			!writerAlive(filepath.Join(dir, lockName)) {
			removed = os.RemoveAll(dir) == nil || removed
		}
	}
	return removed
}

// lockName is the file with the process id of the agent that writes in a directory.
const lockName = "agent.pid"

// writerAlive reports whether the agent recorded in a lock file is alive.
func writerAlive(path string) bool {
	p, err := job.ReadProcess(path)
	return err == nil && p.Alive()
}

// Claim records in the lock file that this process writes here.
func (p *Location) Claim(self job.Process) error {
	return self.WriteProcess(filepath.Join(p.dir, lockName))
}

// Write replaces live.json by a new file with this state.
func (p *Location) Write(s State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("internal error, please report it: write %s: %w", Name, err)
	}
	p.n++
	path := filepath.Join(p.dir, "."+Name+"."+strconv.Itoa(p.n))
	return replace(path, p.Path(), append(b, '\n'), p.uid)
}

// Path returns the path of live.json.
func (p *Location) Path() string { return filepath.Join(p.dir, Name) }
