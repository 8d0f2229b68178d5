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

// Place is where the file of one run is.
type Place struct {
	dir      string
	uid, gid int
	n        int
}

// keptFor is how long the file of a run stays that has ended.
const keptFor = time.Hour

// Make makes the directory of a run of a user, below one that nobody but this
// account can write to, and clears away those of runs of that user that are long
// over.
func Make(dir string, uid, gid int, run string) (*Place, error) {
	of := filepath.Join(dir, strconv.Itoa(uid))
	p := &Place{dir: filepath.Join(of, run), uid: uid, gid: gid}
	for _, d := range []string{dir, of, p.dir} {
		if err := os.Mkdir(d, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the directory of %s: %w", Name, job.Cause(err))
		}
		if err := job.Ours(d); err != nil {
			return nil, err
		}
	}
	sweep(of, run)
	if os.Geteuid() == 0 {
		return p, p.index()
	}
	return p, nil
}

// sweep removes the directories of a user's runs whose file is old. Only names and
// times are looked at.
func sweep(of, but string) {
	entries, err := os.ReadDir(of)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(of, e.Name())
		st, err := os.Lstat(filepath.Join(dir, Name))
		if err != nil {
			st, err = os.Lstat(dir)
		}
		if err == nil && e.IsDir() && e.Name() != but && time.Since(st.ModTime()) > keptFor && !busy(filepath.Join(dir, lockName)) {
			_ = os.RemoveAll(dir)
		}
	}
}

// lockName is a file that holds the id of the agent, which this account wrote.
const lockName = "agent.pid"

// busy is whether the agent that made a directory lives.
func busy(path string) bool {
	p, err := job.ReadProcess(path)
	return err == nil && p.Alive()
}

// Claim tells others that this process writes here.
func (p *Place) Claim(self job.Process) error {
	return self.WriteProcess(filepath.Join(p.dir, lockName))
}

// Write replaces the file by a new one.
func (p *Place) Write(s State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write %s: %w", Name, err)
	}
	p.n++
	path := filepath.Join(p.dir, "."+Name+"."+strconv.Itoa(p.n))
	return p.replace(path, p.Path(), append(b, '\n'))
}

// Path is where the file is.
func (p *Place) Path() string { return filepath.Join(p.dir, Name) }
