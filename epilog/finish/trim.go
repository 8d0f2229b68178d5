package finish

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"jobgait/agent/job"
)

// trim removes finished runs, oldest first, until the node's spool is within
// its size. Runs that are not finished are never removed.
func (f Finisher) trim() (removed int, err error) {
	type sized struct {
		dir   job.RunDir
		bytes int64
		start float64
	}
	dirs, err := job.Dirs(f.Spool)
	if err != nil {
		return 0, err
	}
	var done []sized
	total := int64(0)
	for _, dir := range dirs {
		n := size(string(dir))
		total += n
		if run, err := dir.ReadRun(); err == nil && Done(dir) {
			done = append(done, sized{dir, n, run.StartReal})
		}
	}
	slices.SortFunc(done, func(a, b sized) int { return cmp.Compare(a.start, b.start) })
	limit := int64(f.Config.Spool.MaxGB * 1e9)
	var failed error
	for _, d := range done {
		if total <= limit {
			break
		}
		if err := os.RemoveAll(string(d.dir)); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		total -= d.bytes
		removed++
	}
	return removed, failed
}

// size is the number of bytes below dir; what vanishes meanwhile counts 0.
func size(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
