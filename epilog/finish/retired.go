package finish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// A run that is closed and whose files are not kept becomes one line, so that a node of short jobs has room for others
// and a hook of the next job has as little to read as on a new node. An Epilog that Slurm repeats still finds that the
// run is over, and the node can adopt a run of several nodes whose collector has died.
//
// The lines are in <spool>/<node>/retired/<one|many>/<job id / 256>: of runs of one node only what tells them apart. A
// process that dies between the line and the removal of the directory leaves both; the next sweep writes an equal line
// and removes the directory.

const (
	retiredDir = "retired"
	oneNode    = "one"
	manyNodes  = "many"
	// perFile is how many job ids share a file, maxRetired how many files each kind has.
	perFile    = 256
	maxRetired = 4096
	// maxRetiredBytes bounds what is read of one file: a line of a run of 10,000 nodes has about 40 KB.
	maxRetiredBytes = 64 << 20
)

// retired is one line.
type retired struct {
	Run job.Run `json:"run"`
	End End     `json:"end"`
}

// fileOf is the file that has the lines of a job.
func fileOf(spool, kind string, id run.JobID) string {
	return filepath.Join(spool, retiredDir, kind, strconv.FormatInt(int64(id)/perFile, 10))
}

// Retire replaces the directory of a closed run whose files are not kept by a line.
func (f Finisher) Retire(dir job.RunDir) error {
	if !Done(dir) {
		return nil
	}
	r, err := dir.ReadRun()
	if err != nil {
		return err
	}
	end, err := ReadEnd(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the spool did not take the end either: the directory stays until it has room
	}
	if err != nil {
		return err
	}
	if f.keeps(dir, r, end) {
		return nil
	}
	line, kind := retired{Run: r, End: end}, manyNodes
	if nodes, err := end.Nodes(r); err == nil && len(nodes) == 1 {
		kind = oneNode
		line = retired{Run: job.Run{Key: r.Key, Node: r.Node}, End: End{Restart: end.Restart, Real: end.Real}}
	} else {
		line.Run.Job = r.Job.With(end.Job)
		if details, err := dir.ReadDetails(); err == nil {
			line.Run.Job = details.Complete(line.Run, f.Scheduler)
		}
	}
	if err := appendLine(fileOf(f.Spool, kind, r.Key.JobID), line); err != nil {
		return fmt.Errorf("retire run %s: %w", r.Key, err)
	}
	return discard(string(dir))
}

// keeps says whether the files of a closed run stay until there is no room: all of them, or those of runs that are long
// enough for a report, which closeRun has left.
func (f Finisher) keeps(dir job.RunDir, r job.Run, end End) bool {
	if f.Config.Spool.Keep == "all" {
		return true
	}
	return exists(dir, filepath.Base(dir.Profile())) && elapsed(r, end) >= f.Config.Report.MinElapsedS
}

// appendLine adds a line in one write. What a crash left half written ends at the line feed that comes first.
func appendLine(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(append([]byte{'\n'}, text...), '\n'))
	return errors.Join(err, file.Close())
}

// retiredOf calls use with the retired runs of a job on this node, of one kind, until it returns false.
func retiredOf(spool, kind string, id run.JobID, use func(retired) bool) error {
	path := fileOf(spool, kind, id)
	text, _, err := job.ReadPlain(path, maxRetiredBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, job.Cause(err))
	}
	eachRetired(text, []byte(`"job_id":`+id.String()), func(r retired) bool { return r.Run.Key.JobID != id || use(r) })
	return nil
}

// eachRetired decodes the lines that contain some text; lines that are damaged are skipped.
func eachRetired(text, containing []byte, use func(retired) bool) {
	for line := range bytes.Lines(text) {
		var r retired
		if bytes.Contains(line, containing) && json.Unmarshal(line, &r) == nil && r.Run.Key.Valid() == nil && !use(r) {
			return
		}
	}
}

// isRetired says whether a run of the job with this restart count is over on this node.
func isRetired(spool string, key run.Key) (over bool, failed error) {
	for _, kind := range []string{oneNode, manyNodes} {
		err := retiredOf(spool, kind, key.JobID, func(r retired) bool {
			over = over || r.Run.Key.Cluster == key.Cluster && r.Run.Key.Sub == key.Sub && r.End.Restart == key.Restart
			return !over
		})
		failed = errors.Join(failed, err)
	}
	return over, failed
}

// retiredOfMany calls use with all retired runs of several nodes.
func retiredOfMany(spool string, use func(retired)) error {
	files, err := filepath.Glob(filepath.Join(spool, retiredDir, manyNodes, "*"))
	for _, path := range files {
		text, _, rerr := job.ReadPlain(path, maxRetiredBytes)
		if rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("read %s: %w", path, job.Cause(rerr)))
		}
		eachRetired(text, nil, func(r retired) bool {
			use(r)
			return true
		})
	}
	return err
}

// retiredFiles measures the files of retired runs, and removes those that are not needed any more.
func (f Finisher) retiredFiles() (left []candidate, failed error) {
	for _, kind := range []string{oneNode, manyNodes} {
		files, err := filepath.Glob(filepath.Join(f.Spool, retiredDir, kind, "*"))
		failed = errors.Join(failed, err)
		var of []candidate
		for _, path := range files {
			c := measure(path)
			if c.age > memory {
				failed = errors.Join(failed, removeFile(path))
				continue
			}
			of = append(of, c)
		}
		oldestFirst(of)
		for ; len(of) > maxRetired; of = of[1:] {
			failed = errors.Join(failed, removeFile(of[0].path))
		}
		left = append(left, of...)
	}
	return left, failed
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
