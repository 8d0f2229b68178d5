package collect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// The directory holds runs/<cluster>-<job id>/<run>@<node>.json.gz with the
// records of nodes, where <run> is the run key, or "none" for a node without an
// agent, which has no key; jobs/<run key>.json.gz with whole runs; and reported/ with
// the number of nodes in the last report of each run (LastReport).
const (
	runsDir = "runs"
	jobsDir = "jobs"
	suffix  = ".json.gz"
	noAgent = "none"
)

// maxFile limits the size, in bytes, of a record's file that is read: a record of 100,000 nodes has 8 MB.
const maxFile = 32 << 20

// putNodeRecord writes a node's record into the directory of its job.
func putNodeRecord(dir string, r summary.NodeRecord) error {
	return writeRecord(dir, recordPath(dir, r), r)
}

// recordPath returns the path of a node's record below the collection directory.
func recordPath(dir string, r summary.NodeRecord) string {
	return filepath.Join(jobDir(dir, r.Key), runName(r)+"@"+nodeName(r.Node)+suffix)
}

// runName returns the part of a record's file name that identifies the run: its key, or "none" for a node
// without an agent.
func runName(r summary.NodeRecord) string {
	if r.Sampled() {
		return r.Key.String()
	}
	return noAgent
}

// jobDir returns the directory with the node records of all runs of one job id. A node without an agent knows
// only the job id.
func jobDir(dir string, key run.Key) string {
	return filepath.Join(dir, runsDir, run.Key{Cluster: key.Cluster, JobID: key.JobID}.String())
}

// nodeName returns the part of a record's file name that identifies the node; "@" separates it from the run.
func nodeName(node string) string { return run.PathElement(node, "node") }

// writeRecord encodes v and writes it to the file at path below the collection directory dir.
func writeRecord(dir, path string, v any) error {
	packed, err := summary.Encode(v)
	if err != nil {
		return err
	}
	return replaceFile(dir, path, packed)
}

// replaceFile replaces the file at path below the collection directory dir atomically and synced to disk, and makes its
// directories. It removes a directory in the place of the file and other files in the place of its directories: any
// process of the account can make them, and the run of this file would never be finished. A link without a target
// stays, because its target may be a file system that is not mounted now.
func replaceFile(dir, path string, content []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if errors.Is(err, syscall.ENOTDIR) {
		for in := filepath.Dir(path); len(in) > len(dir); in = filepath.Dir(in) {
			if info, err := os.Stat(in); err == nil && !info.IsDir() {
				_ = os.Remove(in) // MkdirAll returns the error
			}
		}
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return fmt.Errorf("make a directory in the collection directory: %w", err)
	}
	if err := removeDir(path); err != nil {
		return err
	}
	return job.Replace(path, content, 0o600, true)
}

// removeDir removes a directory, with its content, that has the path of a file.
func removeDir(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return nil
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove a directory in the place of a file of the collection directory: %w", err)
	}
	return nil
}

// readRecord returns the unpacked JSON of the record in a file.
func readRecord(path string) ([]byte, error) {
	packed, _, err := readFile(path, maxFile)
	if errors.Is(err, job.ErrTooLarge) || errors.Is(err, job.ErrIrregular) {
		return nil, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	return summary.Unpack(packed)
}

// Where the directory's file server reads a record, the node that wrote it may hold a lease on it (an NFS
// delegation), which the attempt to open it recalls.
const (
	leaseTries = 20
	leasePause = 50 * time.Millisecond
)

// readFile reads a regular file of at most maxBytes bytes. It never blocks on a pipe, and retries for 1 s if
// another node holds a lease.
func readFile(path string, maxBytes int64) (text []byte, info fs.FileInfo, err error) {
	for range leaseTries {
		if text, info, err = job.ReadPlain(path, maxBytes); !isLeased(err) {
			break
		}
		time.Sleep(leasePause)
	}
	return text, info, err
}

// isLeased reports whether a record could not be opened because a node holds a lease on it. A later try
// succeeds.
func isLeased(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }

// read reads the record with this name. It returns an error unless the record is valid and its run and node
// agree with the name.
func (n recordName) read(dir string) (summary.NodeRecord, error) {
	text, err := readRecord(n.path(dir))
	if err != nil {
		return summary.NodeRecord{}, err
	}
	return decodeNode(text, func(r summary.NodeRecord) error { return n.checkContent(dir, r) })
}

// path returns the path of the record below the collection directory.
func (n recordName) path(dir string) string { return filepath.Join(dir, runsDir, n.job, n.file) }

// decodeNode decodes a node record and validates it, with more as a further check.
func decodeNode(text []byte, more func(summary.NodeRecord) error) (summary.NodeRecord, error) {
	r, err := summary.DecodeNode(text)
	if err != nil {
		return r, err
	}
	if err := cmp.Or(r.Valid(epochNow()), more(r)); err != nil {
		return r, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	return r, nil
}

// epochNow returns the present time in UTC epoch seconds.
func epochNow() float64 { return float64(time.Now().Unix()) }

// forgetRecords removes the node records of a finished run and those that nodes of the job wrote without an
// agent, except those that only a newer version can read, which will report them.
func forgetRecords(dir string, w RecordRequest) error {
	in := jobDir(dir, w.Key)
	names, err := recordNames(in)
	if err != nil {
		return err
	}
	var failed error
	for _, n := range names {
		if (n.run == w.Key.String() || n.run == noAgent) && !needsNewerVersion(n.path(dir)) {
			failed = errors.Join(failed, removePath(n.path(dir)))
		}
	}
	_ = os.Remove(in) // stays while a requeued run of the job uses it
	return failed
}

// removePath removes a file of the collection directory, or whatever else has its name. A missing one is not an error.
func removePath(path string) error { return os.RemoveAll(path) }

// needsNewerVersion reports whether only a newer version can read a record. It returns false for a record
// that cannot be read.
func needsNewerVersion(path string) bool {
	packed, _, err := readFile(path, maxFile)
	return err == nil && summary.IsNewer(bytes.NewReader(packed))
}

// recordName is the name of a node record's file and directory, with the run and node that the name contains.
type recordName struct{ job, file, run, node string }

// checkContent returns an error unless a record's run, node and job are those in the name of its file and
// directory.
func (n recordName) checkContent(dir string, r summary.NodeRecord) error {
	run, in := runName(r), filepath.Base(jobDir(dir, r.Key))
	if n.run != run || n.node != nodeName(r.Node) || n.job != in {
		return fmt.Errorf("it is of node %s and run %s, but its file has the name of another node or run", r.Node, run)
	}
	return nil
}

// recordNames lists the node records in a job's directory, with one directory read. It returns nil if there
// is no directory.
func recordNames(in string) ([]recordName, error) {
	entries, err := os.ReadDir(in)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the records of the job's nodes: %w", err)
	}
	var names []recordName
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), suffix)
		run, node, at := strings.Cut(base, "@")
		if ok && at && !strings.HasPrefix(base, ".") {
			names = append(names, recordName{job: filepath.Base(in), file: e.Name(), run: run, node: node})
		}
	}
	return names, nil
}
