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

// Location is where the file of one run is.
type Location struct {
	dir string
	uid int
	n   int
}

// keptFor is how long the file of a run stays that has ended.
const keptFor = time.Hour

// Make makes the directory of a run of a user, below one that only this account can write to, and removes those
// of all users' runs that ended long ago.
func Make(dir string, uid int, run string) (*Location, error) {
	of := filepath.Join(dir, strconv.Itoa(uid))
	p := &Location{dir: filepath.Join(of, run), uid: uid}
	for _, d := range []string{dir, of, p.dir} {
		if err := os.Mkdir(d, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the directory of %s: %w", Name, job.Cause(err))
		}
		if err := job.RequireRootOwned(d); err != nil {
			return nil, err
		}
	}
	if os.Geteuid() != 0 {
		clearUser(of, run)
		return p, nil
	}
	return p, errors.Join(writeIndex(of, uid), clearAll(dir, p.dir))
}

// Clear removes the directories of all users' runs that are long over; a directory that does not exist has none.
func Clear(dir string) error { return clearAll(dir, "") }

func clearAll(dir, but string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = job.RequireRootOwned(dir)
	}
	if err != nil {
		return fmt.Errorf("clear %s: %w", dir, job.Cause(err))
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
		if clearUser(of, except) && os.Geteuid() == 0 {
			if err := writeIndex(of, uid); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearUser removes the directories of a user's runs that are long over. Only names and the directories' own times,
// which the user cannot change, are looked at.
func clearUser(of, but string) (removed bool) {
	entries, err := os.ReadDir(of)
	if err != nil {
		return false
	}
	for _, e := range entries {
		dir := filepath.Join(of, e.Name())
		st, err := os.Lstat(dir) // each new live.json is renamed into it
		if err == nil && e.IsDir() && e.Name() != but && time.Since(st.ModTime()) > keptFor &&
			!busy(filepath.Join(dir, lockName)) {
			removed = os.RemoveAll(dir) == nil || removed
		}
	}
	return removed
}

// lockName is a file that holds the id of the agent, which this account wrote.
const lockName = "agent.pid"

// busy is whether the agent that made a directory lives.
func busy(path string) bool {
	p, err := job.ReadProcess(path)
	return err == nil && p.Alive()
}

// Claim tells others that this process writes here.
func (p *Location) Claim(self job.Process) error {
	return self.WriteProcess(filepath.Join(p.dir, lockName))
}

// Write replaces the file by a new one.
func (p *Location) Write(s State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write %s: %w", Name, err)
	}
	p.n++
	path := filepath.Join(p.dir, "."+Name+"."+strconv.Itoa(p.n))
	return replace(path, p.Path(), append(b, '\n'), p.uid)
}

// Path is where the file is.
func (p *Location) Path() string { return filepath.Join(p.dir, Name) }
