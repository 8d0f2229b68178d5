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

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// A run that is closed and whose files are not kept becomes one line, so that a node of short jobs has room for others
// and a hook of the next job has as little to read as on a new node. An Epilog that Slurm repeats still finds that the
// run is over, and the node can adopt a run of several nodes whose collector has died.
//
// The lines are in <spool>/<node>/retired/<one|many>/<job id / 256>: for runs of one node only key, node,
// restart count and time of the end. A process that dies between the line and the removal of the directory
// leaves both; the next sweep writes an equal line and removes the directory.

const (
	retiredDir = "retired"
	oneNode    = "one"
	manyNodes  = "many"
	// jobsPerFile is how many job ids share a file, maxRetired how many files each kind has.
	jobsPerFile = 256
	maxRetired  = 4096
	// maxRetiredBytes limits the size of one file, since no more is read: a line of a run of 10,000 nodes has about 40 KB.
	maxRetiredBytes = 64 << 20
)

// retiredRun is one line of a file of retired runs, in JSON.
type retiredRun struct {
	Run job.Run `json:"run"`
	End RunEnd  `json:"end"`
}

// retiredFile returns the path of the file that has the lines of a job; kind is oneNode or manyNodes.
func retiredFile(spool, kind string, id run.JobID) string {
	return filepath.Join(spool, retiredDir, kind, strconv.FormatInt(int64(id)/jobsPerFile, 10))
}

// Retire replaces the directory of a closed run whose files are not kept by a line in a file of retired runs.
// It leaves the directories of other runs and returns nil for them.
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
	if f.keepsFiles(dir, r, end) {
		return nil
	}
	line, kind := retiredRun{Run: r, End: end}, manyNodes
	if nodes, err := end.Nodes(r); err == nil && len(nodes) == 1 {
		kind = oneNode
		line = retiredRun{Run: job.Run{Key: r.Key, Node: r.Node}, End: RunEnd{Restart: end.Restart, Real: end.Real}}
	} else {
		line.Run.Job = r.Job.With(end.Job)
		if details, err := dir.ReadDetails(); err == nil {
			line.Run.Job = details.Complete(line.Run, f.Scheduler)
		}
	}
	if err := appendLine(retiredFile(f.Spool, kind, r.Key.JobID), line); err != nil {
		return fmt.Errorf("retire the finished run %s: %w: its directory stays in the spool", r.Key, err)
	}
	return discard(string(dir))
}

// keepsFiles reports whether the directory of a closed run stays until the spool is full: of all runs
// (spool.keep = "all"), else of runs that are long enough for a report and whose profile closeRun has left.
func (f Finisher) keepsFiles(dir job.RunDir, r job.Run, end RunEnd) bool {
	if f.Config.Spool.Keep == "all" {
		return true
	}
	return fileExists(dir, filepath.Base(dir.ProfilePath())) && elapsed(r, end) >= f.Config.Report.MinElapsedS
}

// appendLine appends v as one line of JSON in one write. It begins with a line feed, which ends a line that a
// crash left half written. It returns job.ErrTooLarge if the file would become larger than maxRetiredBytes, because
// none of its lines could be read then.
func appendLine(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := job.OpenPlain(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	line := append(append([]byte{'\n'}, text...), '\n')
	info, err := file.Stat()
	if err == nil && info.Size()+int64(len(line)) > maxRetiredBytes {
		err = fmt.Errorf("%w: %s", job.ErrTooLarge, path)
	}
	if err == nil {
		_, err = file.Write(line)
	}
	return errors.Join(err, file.Close())
}

// eachRetiredOfJob calls use with the retired runs of a job on this node, of one kind, until use returns false.
func eachRetiredOfJob(spool, kind string, id run.JobID, use func(retiredRun) bool) error {
	path := retiredFile(spool, kind, id)
	text, _, err := job.ReadPlain(path, maxRetiredBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, job.Cause(err))
	}
	eachRetiredLine(text, []byte(`"job_id":`+id.String()), func(r retiredRun) bool {
		return r.Run.Key.JobID != id || use(r)
	})
	return nil
}

// eachRetiredLine decodes the lines of text that contain the bytes containing, and calls use with each until it
// returns false; lines that are damaged are skipped.
func eachRetiredLine(text, containing []byte, use func(retiredRun) bool) {
	for line := range bytes.Lines(text) {
		var r retiredRun
		if bytes.Contains(line, containing) && json.Unmarshal(line, &r) == nil && r.Run.Key.Valid() == nil && !use(r) {
			return
		}
	}
}

// isRetired reports whether this node has a retired run of the job with this restart count.
func isRetired(spool string, key run.Key) (over bool, failed error) {
	for _, kind := range []string{oneNode, manyNodes} {
		err := eachRetiredOfJob(spool, kind, key.JobID, func(r retiredRun) bool {
			over = over || r.Run.Key.Cluster == key.Cluster && r.Run.Key.Sub == key.Sub && r.End.Restart == key.Restart
			return !over
		})
		failed = errors.Join(failed, err)
	}
	return over, failed
}

// eachRetiredOfManyNodes calls use with all retired runs that ran on several nodes. A file that cannot be
// read is part of the error and does not stop the others.
func eachRetiredOfManyNodes(spool string, use func(retiredRun)) error {
	files, err := filepath.Glob(filepath.Join(spool, retiredDir, manyNodes, "*"))
	for _, path := range files {
		text, _, rerr := job.ReadPlain(path, maxRetiredBytes)
		if rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("read %s: %w", path, job.Cause(rerr)))
		}
		eachRetiredLine(text, nil, func(r retiredRun) bool {
			use(r)
			return true
		})
	}
	return err
}

// pruneRetired removes the files of retired runs that are older than rememberFor or, of each kind, the oldest
// beyond maxRetired, and returns the others, measured.
func (f Finisher) pruneRetired() (left []spoolEntry, failed error) {
	for _, kind := range []string{oneNode, manyNodes} {
		files, err := filepath.Glob(filepath.Join(f.Spool, retiredDir, kind, "*"))
		failed = errors.Join(failed, err)
		var of []spoolEntry
		for _, path := range files {
			c := measure(path)
			if c.age > rememberFor {
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

// removeFile removes a file; a missing file is not an error.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
