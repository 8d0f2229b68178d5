package archive

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
)

// ArchivedRun is the path of a run's directory in the archive.
type ArchivedRun string

// Runs returns the runs of an archive that have a RunContext, sorted by path.
func Runs(dir string) ([]ArchivedRun, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("list the archive of profiles: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(escape(dir), "*", "*", runFile))
	var runs []ArchivedRun
	for _, f := range files {
		if !strings.HasPrefix(filepath.Base(filepath.Dir(f)), ".") {
			runs = append(runs, ArchivedRun(filepath.Dir(f)))
		}
	}
	return runs, err
}

// escape quotes a path for use in a pattern of filepath.Glob.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Node returns the directory with a node's archived files, in the form of a run directory.
func (k ArchivedRun) Node(node string) job.RunDir {
	return job.RunDir(filepath.Join(string(k), nodeDir(node)))
}

// Run reads and validates the archived context of the run. It reads those versions that summary.DecodeSummary and
// summary.DecodeNode read; another version, or an impossible value, is an error.
func (k ArchivedRun) Run() (RunContext, error) {
	var packed struct {
		Summary   json.RawMessage   `json:"summary"`
		Unsampled []json.RawMessage `json:"unsampled"`
	}
	if err := k.read(runFile, &packed); err != nil {
		return RunContext{}, err
	}
	s, err := summary.DecodeSummary(packed.Summary)
	r, now := RunContext{Summary: s}, float64(time.Now().Unix())
	err = cmp.Or(err, s.Valid(now))
	for _, text := range packed.Unsampled {
		n, nerr := summary.DecodeNode(text)
		err = cmp.Or(err, nerr, n.Valid(now))
		r.Unsampled = append(r.Unsampled, n)
	}
	if err != nil {
		return r, fmt.Errorf("read run %s from the archive: %w", k, err)
	}
	return r, nil
}

// resultFile is the file with the recomputed summary until it is in the history.
const resultFile = "again.json.gz"

// result is a recomputed summary and the build that made it. Two builds of one version may differ.
type result struct {
	Build   string          `json:"build"`
	Summary summary.Summary `json:"summary"`
}

// PutRecomputed writes a recomputed summary, and the build of jobgait that made it, into the directory of the archived
// run. It replaces an earlier one.
func (k ArchivedRun) PutRecomputed(build string, s summary.Summary) error {
	packed, err := summary.Encode(result{build, s})
	if err != nil {
		return err
	}
	return job.Replace(filepath.Join(string(k), resultFile), packed, 0o600, false)
}

// Result returns the summary that PutRecomputed stored; ok is false without one, or if another build made it.
func (k ArchivedRun) Result(build string) (s summary.Summary, ok bool, err error) {
	var r result
	err = k.read(resultFile, &r)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	return r.Summary, err == nil && r.Build == build, err
}

// RemoveRecomputed removes the recomputed summary, once it is in the history.
func (k ArchivedRun) RemoveRecomputed() error { return os.Remove(filepath.Join(string(k), resultFile)) }

// read unpacks and decodes a file of the run into v.
func (k ArchivedRun) read(name string, v any) error {
	packed, _, err := job.ReadPlain(filepath.Join(string(k), name), 64<<20)
	if err != nil {
		return err
	}
	text, err := summary.Unpack(packed)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("read run %s from the archive: %s: %w: %w", k, name, summary.ErrDamaged, err)
	}
	return nil
}

// Trim removes runs that were archived more than days before now, then the oldest until the rest has at most
// the given number of bytes; 0 means unlimited. A run's time is that of its youngest file, not counting the
// recomputed summary. A run that cannot be removed is part of the error and does not stop the others.
func Trim(dir string, days int, bytes int64, now time.Time) (removed int, failed error) {
	paths, err := filepath.Glob(filepath.Join(escape(dir), "*", "*"))
	if err != nil {
		return 0, err
	}
	type aged struct {
		path  string
		at    time.Time
		bytes int64
	}
	var all []aged
	total := int64(0)
	for _, path := range paths {
		a := aged{path: path}
		_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error { // what goes meanwhile counts 0
			if err != nil {
				return nil
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				a.bytes += info.Size()
				if info.ModTime().After(a.at) && e.Name() != resultFile {
					a.at = info.ModTime()
				}
			}
			return nil
		})
		all, total = append(all, a), total+a.bytes
	}
	slices.SortFunc(all, func(a, b aged) int { return a.at.Compare(b.at) })
	for _, a := range all {
		old := days > 0 && now.Sub(a.at) > time.Duration(days)*24*time.Hour
		if !old && (bytes == 0 || total <= bytes) {
			break
		}
		if err := os.RemoveAll(a.path); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		removed, total = removed+1, total-a.bytes
		_ = os.Remove(filepath.Dir(a.path)) // stays while others are in it
	}
	return removed, failed
}
